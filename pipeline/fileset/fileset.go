// Package fileset knows what a release is made of: one file, or a directory of part files on
// a disk or in an object store, what they are called and which bytes they have, and the
// manifest that says so.
//
// Contract: the parts of a release come in their order, which is that of its rows. A place
// without a release is an error of class Input, and one that is no place of class Usage.
//
// Not promised: that a release is complete. Parts looks for no _SUCCESS.
package fileset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/digest"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// IsDirectory reports whether an output path names a directory of part files.
func IsDirectory(path string) bool { return strings.HasSuffix(path, "/") }

// PartName returns the name of a part file, from 0 on.
func PartName(number int) string { return fmt.Sprintf("part-%05d.parquet", number) }

// IsPart reports whether a file of a released directory is one of its parts.
func IsPart(name string) bool {
	return strings.HasPrefix(name, "part-") && strings.HasSuffix(name, ".parquet") && !strings.Contains(name, "/")
}

// Belongs reports whether a released directory has files of this name.
func Belongs(name string) bool {
	return name == publish.SuccessFile || name == ManifestFile || IsPart(name)
}

// Parts returns the files of a release: itself, or a directory's part files in order.
func Parts(ctx context.Context, path string) (parts []string, err error) {
	if storage.IsRemote(path) {
		parts, err = remoteParts(ctx, path)
	} else {
		parts, err = localParts(path)
	}
	if err == nil && len(parts) == 0 {
		err = &fault.Error{Class: fault.Input, Err: fmt.Errorf("open release %s: it has no part files: %w", path, formats.ErrNoInput)}
	}
	return parts, err
}

func localParts(path string) (parts []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &fault.Error{Class: fault.Input, Err: fmt.Errorf("open release: %w", err)}
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path) // sorted by name, which is the order of the parts
	if err != nil {
		return nil, fmt.Errorf("list release %s: %w", path, err)
	}
	for _, entry := range entries {
		if IsPart(entry.Name()) {
			parts = append(parts, filepath.Join(path, entry.Name()))
		}
	}
	return parts, nil
}

func remoteParts(ctx context.Context, path string) (parts []string, err error) {
	if !IsDirectory(path) {
		there, err := storage.Exists(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("open release: %w", err)
		}
		if there {
			return []string{path}, nil
		}
		path += "/"
	}
	objects, err := storage.List(ctx, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open release: %w", err)
	}
	for _, object := range objects {
		if IsPart(object.Location[len(path):]) {
			parts = append(parts, object.Location)
		}
	}
	return parts, nil
}

// Resolve returns the path or URL of a release in the form that all else here takes.
func Resolve(path string) (string, error) {
	resolved, err := storage.Resolve(path)
	if err != nil {
		return "", &fault.Error{Class: fault.Usage, Err: fmt.Errorf("open release: it is %w", err)}
	}
	return resolved, nil
}

// Digest returns the digest of a release: of its one file, or of its parts with their
// names. It is empty when a directory lacks what completes it.
func Digest(ctx context.Context, path string, threads int) (string, error) {
	parts, err := Parts(ctx, path)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, part := range parts {
		sum, err := digest.File(ctx, part, threads)
		if err != nil {
			return "", fmt.Errorf("digest release: %w", err)
		}
		if part != path {
			fmt.Fprintf(hash, "%q ", filepath.Base(part))
		}
		fmt.Fprintln(hash, sum)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Advise gives an error of class Input the next thing to do about a release that cannot be read.
// Others, and none, are returned as they are.
func Advise(err error) error {
	if fault.ClassOf(err) != fault.Input {
		return err
	}
	return &fault.Error{Class: fault.Input, Hint: "name a file or directory as kcut has released it", Err: err}
}
