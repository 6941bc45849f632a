package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// Place is a file or a directory that a command reads or writes, with its name in messages. A place
// without a path does not exist.
type Place struct{ What, Path string }

// CheckApart refuses files to write if one of them would replace another, or replace another file
// of the command, or be inside such a directory: an error of class Usage. Such a name is a mistake,
// and data would be lost.
func CheckApart(written []Place, others ...Place) error {
	for i, w := range written {
		for _, other := range append(written[:i:i], others...) {
			if w.liesIn(other) {
				return fault.Errorf(fault.Usage, "name another file for the "+w.What,
					"write %s %s: the %s is there", w.What, w.Path, other.What)
			}
		}
	}
	return nil
}

// liesIn reports whether a file, which may not exist yet, is at a place, by any name, or below it.
// Terminals, pipes and devices are at no place.
func (p Place) liesIn(other Place) bool {
	if p.Path == "" || other.Path == "" || storage.IsURL(p.Path) || storage.IsURL(other.Path) {
		return false
	}
	info, err := os.Stat(p.Path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return false
	}
	here, there := Real(p.Path), Real(other.Path)
	if here == there || strings.HasPrefix(here, storage.Join(there, "")) {
		return true
	}
	a, err := os.Stat(here)
	b, otherErr := os.Stat(there)
	return err == nil && otherErr == nil && os.SameFile(a, b)
}

// Real returns a path of this machine from its root on and without links, as far as it exists. It
// does not change a URL.
func Real(path string) string {
	if storage.IsURL(path) {
		return path
	}
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

// CheckFile refuses the path of a file, with a name for messages, that could not be written: its
// folder does not exist, it is a directory (class Usage), or it exists and must not be replaced
// (class Exists).
func CheckFile(what, path string, overwrite bool) error {
	if err := publish.CheckTarget(path); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return CheckFolder(what, path)
	case err != nil:
		return fmt.Errorf("look for %s: %w", what, err)
	case info.IsDir():
		return fault.Errorf(fault.Usage, "name a file", "write %s %s: it is a directory", what,
			path)
	case !overwrite:
		return fault.Errorf(fault.Exists, "choose another name, or replace the file with "+
			"--overwrite",
			"write %s %s: the file exists", what, path)
	}
	return nil
}

// CheckFolder refuses the path of a file, with a name for messages, whose folder does not exist: an
// error of class Usage, before any work is done for it.
func CheckFolder(what, path string) error {
	folder := filepath.Dir(filepath.Clean(path))
	info, err := os.Stat(folder)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fault.Errorf(fault.Usage, "make the folder first, or name another "+what,
			"write %s into %s: there is no such folder", what, folder)
	}
	return fmt.Errorf("look for folder %s: %w", folder, err)
}
