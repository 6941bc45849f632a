package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
)

// readFile reads the text of a job file. It tells a path that is wrong, which is an Error, from a
// disk that fails.
func readFile(path string) ([]byte, error) {
	text, err := yaml.ReadFile(path, yaml.MaxBytes)
	if cause := pathCause(err); cause != "" {
		return nil, &Error{[]Problem{{File: path, Message: "open job file: " + cause}}}
	} else if err != nil {
		return nil, fmt.Errorf("read job file: %w", err)
	}
	return text, nil
}

// pathCause returns why a path is wrong when an error of opening or reading means that, else nothing.
func pathCause(err error) (cause string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "it is a directory"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL):
		return "not a path of a file"
	}
	return ""
}

// inFolder returns a path that starts from a folder as it can be opened from the current directory. It
// keeps a final slash. A URL is left as it is.
func inFolder(dir, path string) string {
	if path == "" || dir == "." || filepath.IsAbs(path) || storage.IsURL(path) {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path // no Join: it would drop a final slash
}

// fromFolder returns a path as the job file in a folder may have it.
func fromFolder(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok && inFolder(dir, rest) == path {
		return rest
	}
	return path
}
