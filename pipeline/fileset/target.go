package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/kcut/kcut/internal/fault"
)

// CheckFile refuses the path of a file to write, what it is called in messages, that could not be
// written: its folder is not there, it is a directory (class Usage), or it exists and is not to
// be replaced (class Exists).
func CheckFile(what, path string, overwrite bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return CheckFolder(what, path)
	case err != nil:
		return fmt.Errorf("look for %s: %w", what, err)
	case info.IsDir():
		return &fault.Error{
			Class: fault.Usage, Hint: "name a file",
			Err: fmt.Errorf("write %s %s: it is a directory", what, path),
		}
	case !overwrite:
		return &fault.Error{
			Class: fault.Exists, Hint: "choose another name, or replace the file with --overwrite",
			Err: fmt.Errorf("write %s %s: the file exists", what, path),
		}
	}
	return nil
}

// CheckFolder refuses the path of a file to write, what it is called in messages, whose folder
// is not there: an error of class Usage, before any work is done for it.
func CheckFolder(what, path string) error {
	folder := filepath.Dir(filepath.Clean(path))
	info, err := os.Stat(folder)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &fault.Error{
			Class: fault.Usage,
			Hint:  "make the folder first, or name another " + what,
			Err:   fmt.Errorf("write %s into %s: there is no such folder", what, folder),
		}
	}
	return fmt.Errorf("look for folder %s: %w", folder, err)
}
