package fileset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// Place is a file or a directory that a command reads or writes, and what it is called in
// messages. One without a path is nowhere.
type Place struct{ What, Path string }

// CheckApart refuses files to write of which one would replace another, replace what the command
// has to do with besides, or lie in such a directory: an error of class Usage. Whoever writes a
// file beside a release has mistyped its name then, and would lose data.
func CheckApart(written []Place, others ...Place) error {
	for i, w := range written {
		for _, other := range append(written[:i:i], others...) {
			if w.isFile() && w.liesIn(other) {
				return &fault.Error{
					Class: fault.Usage,
					Hint:  "name another file for the " + w.What,
					Err:   fmt.Errorf("write %s %s: the %s is there", w.What, w.Path, other.What),
				}
			}
		}
	}
	return nil
}

// isFile reports whether a file is there, or would be: no terminal, pipe or device.
func (p Place) isFile() bool {
	if p.Path == "" || storage.IsURL(p.Path) {
		return false
	}
	info, err := os.Stat(p.Path)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}

// liesIn reports whether a place is another, by whatever name, or lies below it.
func (p Place) liesIn(other Place) bool {
	if other.Path == "" || storage.IsURL(other.Path) {
		return false
	}
	here, there := Real(p.Path), Real(other.Path)
	if here == there || strings.HasPrefix(here, storage.Join(there, "")) {
		return true
	}
	a, err := os.Stat(here)
	if err != nil {
		return false
	}
	b, err := os.Stat(there)
	return err == nil && os.SameFile(a, b)
}

// Real is a path of this machine from its root on and without links, as far as it leads
// somewhere.
func Real(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}
