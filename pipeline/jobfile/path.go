package jobfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats/storage"
)

// maxBytes bounds a job file.
const maxBytes = 16 << 20

// readFile reads the text of a job file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, "open job file", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, openError(path, "read job file", err)
	}
	if len(text) > maxBytes {
		return nil, &Error{[]Problem{{File: path, Message: fmt.Sprintf("larger than %d MiB: not a job file", maxBytes>>20)}}}
	}
	return text, nil
}

// openError tells a path that is wrong, which is an Error, from a disk that fails.
func openError(path, verb string, err error) error {
	if cause, ok := wrongPath(err); ok {
		return &Error{[]Problem{{File: path, Message: verb + ": " + cause}}}
	}
	return fmt.Errorf("%s: %w", verb, err)
}

// wrongPath reports whether an error of opening or reading means that the path is wrong, and why.
func wrongPath(err error) (cause string, ok bool) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file", true
	case errors.Is(err, fs.ErrPermission):
		return "permission denied", true
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory", true
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL):
		return "not a path of a file", true
	}
	return "", false
}

// openable returns a path of the job file as it can be opened from the current directory. A
// URL of an object store is left as it is.
func openable(jobFile, path string) string {
	where, err := storage.Resolve(path)
	if err != nil || storage.IsRemote(where) {
		return path
	}
	path = where
	dir := filepath.Dir(jobFile)
	if filepath.IsAbs(path) || dir == "." {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path // no Join: it would drop a final slash
}

// fromHere makes a path that starts from the current directory independent of it, since
// the job file's own start from its folder. It keeps a final slash.
func fromHere(path string) string {
	if path == "" || filepath.IsAbs(path) || storage.IsURL(path) {
		return path
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return path // without a current directory nothing opens; the message then names the path as given
	}
	return strings.TrimSuffix(here, "/") + "/" + path
}
