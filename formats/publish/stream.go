package publish

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/internal/fault"
)

// CheckTarget refuses a target that is a pipe or a device, or a link to one or to a file that the
// process has open, such as /dev/stdout: publishing would replace it.
func CheckTarget(target string) error {
	info, err := os.Stat(target)
	special := err == nil && !info.Mode().IsRegular() && !info.IsDir()
	for at, links := target, 0; !special && links < mostLinks; links++ {
		special = isOpenFile(at)
		to, err := os.Readlink(at)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		at = to
	}
	if !special {
		return nil
	}
	return fault.Errorf(fault.Usage, "name a file, or a directory with a slash behind it",
		"replace %s: it is a pipe or a device, or leads to one", target)
}

// mostLinks is the number of links in a row that a system follows.
const mostLinks = 40

// isOpenFile reports whether a path names a file by the number of an open file of a process.
func isOpenFile(path string) bool {
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return folder == "/dev/fd" || strings.HasPrefix(folder, "/proc/")
}
