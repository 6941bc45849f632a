package output

import (
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fileset"
)

// Shown is an output's path or URL as messages have it, without the slash that ends a
// directory's.
func Shown(output string) string {
	if storage.IsRemote(output) {
		return strings.TrimSuffix(output, "/")
	}
	return filepath.Clean(output)
}

// Absolute is the one spelling of a location, without the slash that ends a directory's.
func Absolute(path string) (string, error) {
	if storage.IsRemote(path) {
		return strings.TrimSuffix(path, "/"), nil
	}
	return filepath.Abs(path)
}

// realPath is a path without links, as far as it leads somewhere. A URL is left as it is.
func realPath(path string) string {
	if storage.IsRemote(path) {
		return path
	}
	return fileset.Real(path)
}
