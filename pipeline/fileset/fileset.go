// Package fileset handles the files of a release: one file, or a directory of part files on a disk
// or in an object store. It finds their names and digests, and reads and writes the manifest that
// lists them.
//
// Contract: the parts of a release come in their order, which is that of its rows. A place without
// a release is an error of class Input, and an invalid place one of class Usage.
//
// Limits: a release may be incomplete. Parts does not look for _SUCCESS.
package fileset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/digest"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// IsDirectory reports whether an output path names a directory of part files.
func IsDirectory(output string) bool { return strings.HasSuffix(output, "/") }

// PartName returns the name of a part file, numbered from 0.
func PartName(number int) string { return fmt.Sprintf("part-%05d.parquet", number) }

// IsPart reports whether a file of a released directory, or of its partitions, is one of its parts.
func IsPart(name string) bool {
	folder, base := path.Split(name)
	for level := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
		if folder != "" && !isPartition(level) {
			return false
		}
	}
	return strings.HasPrefix(base, "part-") && strings.HasSuffix(base, ".parquet")
}

// Belongs reports whether a released directory may have a file with this name.
func Belongs(name string) bool {
	return name == publish.SuccessFile || name == ManifestFile || name == textManifest ||
		IsPart(name)
}

// Names returns the names in a released directory and its partitions, in order: for an empty
// partition its own name, followed by a slash.
func Names(ctx context.Context, directory string) (names []string, err error) {
	if !storage.IsRemote(directory) {
		return localNames(directory, "")
	}
	directory = storage.Join(directory, "")
	objects, err := storage.List(ctx, directory)
	for _, object := range objects {
		names = append(names, object.Location[len(directory):])
	}
	return names, err
}

// localNames returns the names in a folder of a released directory.
func localNames(directory, folder string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(directory, filepath.FromSlash(folder)))
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		if !entry.IsDir() || !isPartition(entry.Name()) {
			names = append(names, name)
			continue
		}
		below, err := localNames(directory, name)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			below = []string{name + "/"}
		}
		names = append(names, below...)
	}
	return names, nil
}

// NameIn returns the name of a part in a release, with slashes: for a release of one file, the
// file's.
func NameIn(release, part string) string {
	inside, err := filepath.Rel(filepath.Clean(release), part)
	if storage.IsRemote(release) {
		inside = strings.TrimPrefix(part, storage.Join(release, ""))
	}
	if err != nil || inside == "." {
		return path.Base(filepath.ToSlash(part))
	}
	return filepath.ToSlash(inside)
}

// Parts returns the files of a release: itself, or a directory's part files in the order of their
// numbers.
func Parts(ctx context.Context, release string) (parts []string, err error) {
	if single, err := isFile(ctx, release); err != nil {
		return nil, fmt.Errorf("open release: %w", err)
	} else if single {
		return []string{release}, nil
	}
	names, err := Names(ctx, release)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open release: %w", err)
	}
	directory := release
	if !storage.IsRemote(release) {
		directory = filepath.Clean(release)
	}
	for _, name := range names {
		if IsPart(name) {
			parts = append(parts, storage.Join(directory, name))
		}
	}
	slices.SortStableFunc(parts, func(a, b string) int {
		return strings.Compare(path.Base(a), path.Base(b))
	})
	if len(parts) == 0 {
		return nil, fmt.Errorf("open release %s: it has no part files: %w", release,
			formats.ErrNoInput)
	}
	return parts, nil
}

// isFile reports whether a release is one file. If it does not exist as an object, it may be a
// directory: directories have no name of their own in a store.
func isFile(ctx context.Context, release string) (bool, error) {
	if storage.IsRemote(release) {
		if IsDirectory(release) {
			return false, nil
		}
		return storage.Exists(ctx, release)
	}
	info, err := os.Stat(release)
	if err != nil {
		return false, fault.Errorf(fault.Input, nameHint, "%w", err)
	}
	return !info.IsDir(), nil
}

// Resolve returns the path or URL of a release in the form that all functions here take.
func Resolve(path string) (string, error) {
	resolved, err := storage.Resolve(path)
	if err != nil {
		return "", fault.Errorf(fault.Usage, "", "open release: it is %w", err)
	}
	return resolved, nil
}

// Digest returns the digest of a release: of its one file, or of its parts with their names. It is
// empty if a directory does not have the file that marks it as complete.
func Digest(ctx context.Context, release string, threads int) (string, error) {
	parts, err := Parts(ctx, release)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, part := range parts {
		sum, err := digest.File(ctx, part, threads)
		if err != nil {
			return "", fmt.Errorf("digest release: %w", err)
		}
		if part != release {
			fmt.Fprintf(hash, "%q ", NameIn(release, part))
		}
		fmt.Fprintln(hash, sum)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// nameHint is the hint about a missing release.
const nameHint = "check its name: a release is a Parquet file, or a directory of part files"

// Advise gives an error of class Input a hint about a release that cannot be read. It returns other
// errors, and nil, unchanged.
func Advise(err error) error {
	if fault.ClassOf(err) != fault.Input {
		return err
	}
	hint := "name a file or directory as kcut has released it"
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, formats.ErrNoInput) {
		hint = nameHint
	}
	return &fault.Error{Class: fault.Input, Hint: hint, Err: err}
}

// Sum returns the size of a file and the SHA-256 of all its bytes.
func Sum(ctx context.Context, path string) (size int64, sum string, err error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size = file.Info().Size()
	plan := file.Plan(ctx, []storage.Range{{To: size}})
	defer plan.Close()
	hash := sha256.New()
	if _, err := io.CopyBuffer(hash, io.NewSectionReader(plan, 0, size),
		make([]byte, sumBuffer)); err != nil {
		return 0, "", fmt.Errorf("read %s: %w", path, err)
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

// sumBuffer is the number of bytes that are read at a time: fewer need more calls, and more do not
// fit in the caches.
const sumBuffer = 256 << 10
