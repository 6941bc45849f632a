package dataset

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/digest"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// inputFile is a file that a pattern names, and the part of its path in which directories may be
// hive partitions.
type inputFile struct {
	path string
	hive string
}

// maxDirectoryDepth ends the walk of directories that link to themselves.
const maxDirectoryDepth = 100

// discover returns the files that the patterns name, each once, even if links of either kind lead
// to it, too, since its records would otherwise count several times: pattern by pattern, and the
// files of a pattern in bytewise order.
func discover(ctx context.Context, patterns []string) ([]inputFile, error) {
	var files []inputFile
	seen, folders := make(seenFiles), tables{known: make(map[string]*tableFormat)}
	for _, pattern := range patterns {
		found, err := expand(ctx, pattern)
		if err == nil && !storage.IsRemote(pattern) {
			err = folders.refuse(ctx, pattern, found)
		}
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("find input %s: %w", pattern, formats.ErrNoInput)
		}
		slices.SortFunc(found, func(a, b inputFile) int { return strings.Compare(a.path, b.path) })
		for _, file := range found {
			if seen.add(file.path) {
				files = append(files, file)
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("find input: no pattern: %w", formats.ErrNoInput)
	}
	return files, nil
}

func expand(ctx context.Context, pattern string) ([]inputFile, error) {
	if storage.IsRemote(pattern) {
		return expandRemote(ctx, pattern)
	}
	return expandLocal(pattern, nil)
}

// expandLocal is expand for files of this machine; it looks for another path, too, unless that is
// nil.
func expandLocal(pattern string, seek *sought) ([]inputFile, error) {
	info, err := os.Stat(pattern)
	switch {
	case err == nil && info.IsDir():
		w := walk{seek: seek}
		err := w.below(filepath.Clean(pattern), nil)
		return w.files, err
	case err == nil:
		return []inputFile{{path: filepath.Clean(pattern)}}, nil
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("find input: %w", err)
	case !hasMeta(pattern):
		return nil, nil
	}
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("find input %s: %w: %w", pattern, err, formats.ErrNoInput)
	}
	root, parts := splitGlob(pattern)
	info, err = os.Stat(root)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	w := walk{parts: parts, hive: filepath.ToSlash(root), seek: seek}
	err = w.below(root, nil)
	return w.files, err
}

// wildcards are the characters of a pattern with a special meaning.
const wildcards = `*?[\`

func hasMeta(text string) bool { return strings.ContainsAny(text, wildcards) }

// splitGlob splits a pattern into the directory before its first wildcard and the rest.
func splitGlob(pattern string) (string, []string) {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(pattern)), "/")
	fixed := slices.IndexFunc(parts, hasMeta)
	root := strings.Join(parts[:fixed], "/")
	switch {
	case root != "":
	case fixed > 0:
		root = "/"
	default:
		root = "."
	}
	return filepath.FromSlash(root), parts[fixed:]
}

// hidden reports whether walks and wildcards skip a name, as Hive and Spark do.
func hidden(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// walk finds the files below a directory whose paths match the parts of a pattern.
type walk struct {
	parts []string
	hive  string // the part of the directory's own path that may have hive partitions
	files []inputFile
	seek  *sought // nil: nothing else is looked for
}

// sought is a path that a walk looks for, by any of its names.
type sought struct {
	folder os.FileInfo // the last one on the path that exists
	below  []string    // the names below it
	found  bool
}

// seek returns what to look for: a path of which folders may not exist yet.
func seek(path string) *sought {
	s := &sought{}
	for dir := path; s.folder == nil && filepath.Dir(dir) != dir; {
		s.below = slices.Insert(s.below, 0, filepath.Base(dir))
		dir = filepath.Dir(dir)
		s.folder, _ = os.Stat(dir)
	}
	return s
}

// below finds the files in a directory, which has the given names below the first directory. It
// follows links.
func (w *walk) below(dir string, names []string) error {
	if len(names) > maxDirectoryDepth {
		return fault.Errorf(fault.Input, "name a folder further down in input",
			"find input: %s is more than %d directories deep", dir, maxDirectoryDepth)
	}
	if s := w.seek; s != nil && s.folder != nil {
		info, err := os.Stat(dir)
		s.found = s.found || err == nil && os.SameFile(info, s.folder) &&
			matchNames(w.parts, slices.Concat(names, s.below))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("find input: %w", err)
	}
	for _, entry := range entries {
		path, names := filepath.Join(dir, entry.Name()), append(slices.Clip(names), entry.Name())
		if !matchStart(w.parts, names) {
			continue
		}
		matches := matchNames(w.parts, names)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !matches: // not a directory
		case errors.Is(err, fs.ErrNotExist) && entry.Type()&fs.ModeSymlink != 0:
			return fmt.Errorf("find input %s: a link that leads nowhere: %w", path,
				formats.ErrNoInput)
		case err != nil:
			return fmt.Errorf("find input: %w", err)
		case info.IsDir():
			if err := w.below(path, names); err != nil {
				return err
			}
		case matches:
			directories := strings.Join(names[:len(names)-1], "/")
			w.files = append(w.files, inputFile{path, w.hive + "/" + directories})
		}
	}
	return nil
}

// matchNames reports whether the names of a path below some directory match the parts of a pattern,
// one for each name; ** matches any number of names. A directory that matches the whole pattern
// includes everything below it.
func matchNames(parts, names []string) bool {
	switch {
	case len(parts) == 0:
		return !slices.ContainsFunc(names, hidden)
	case len(names) == 0:
		return false
	case parts[0] == "**":
		return matchNames(parts[1:], names) || !hidden(names[0]) && matchNames(parts, names[1:])
	}
	return matchName(parts[0], names[0]) && matchNames(parts[1:], names[1:])
}

// matchStart reports whether a path that starts with the names may match the parts.
func matchStart(parts, names []string) bool {
	switch {
	case len(parts) == 0 || len(names) == 0:
		return !slices.ContainsFunc(names, hidden)
	case parts[0] == "**":
		return matchStart(parts[1:], names) || !hidden(names[0]) && matchStart(parts, names[1:])
	}
	return matchName(parts[0], names[0]) && matchStart(parts[1:], names[1:])
}

// matchName matches one name. Wildcards do not match the first character of a hidden one.
func matchName(part, name string) bool {
	ok, err := filepath.Match(part, name)
	return err == nil && ok && (!hidden(name) || hidden(part))
}

// Finds reports whether a pattern would name a file of the given path if there were one, or names
// the file that is there, by any of its names: a link in an input folder leads to it.
func Finds(pattern, path string) (bool, error) {
	switch here, there := storage.IsRemote(pattern), storage.IsRemote(path); {
	case here && there:
		return findsRemote(pattern, path), nil
	case here != there:
		return false, nil
	}
	pattern, err := filepath.Abs(pattern)
	if err != nil {
		return false, fmt.Errorf("find input %s: %w", pattern, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return false, fmt.Errorf("find input %s: %w", path, err)
	}
	root, parts := pattern, []string(nil)
	if _, err := os.Stat(pattern); err != nil && hasMeta(pattern) {
		root, parts = splitGlob(pattern)
	}
	below, err := filepath.Rel(root, path)
	named := err == nil && filepath.IsLocal(below) && (below == "." ||
		matchNames(parts, strings.Split(filepath.ToSlash(below), "/")))
	return named || findsLinked(pattern, path), nil
}

// findsLinked is Finds for names that lead to the path through links. It ignores errors, which
// whoever reads the pattern meets, too.
func findsLinked(pattern, path string) bool {
	seek := seek(path)
	files, _ := expandLocal(pattern, seek)
	info, err := os.Stat(path)
	return seek.found || err == nil && slices.ContainsFunc(files, func(file inputFile) bool {
		other, err := os.Stat(file.path)
		return err == nil && os.SameFile(info, other)
	})
}

// seenFiles are the files that were found, by a key that distinguishes most of them: size and time
// for a file of this machine, the location for an object.
type seenFiles map[any][]os.FileInfo

// stamp is the key of a file of this machine.
type stamp struct{ size, changed int64 }

// add remembers a file and reports whether it is a new one. A link to nowhere counts as new:
// opening it fails later.
func (s seenFiles) add(path string) bool {
	var key any = path
	var info os.FileInfo
	if !storage.IsRemote(path) {
		if found, err := os.Stat(path); err == nil {
			info, key = found, stamp{found.Size(), found.ModTime().UnixNano()}
		}
	}
	alike, ok := s[key]
	same := func(other os.FileInfo) bool { return os.SameFile(info, other) }
	if ok && (info == nil || slices.ContainsFunc(alike, same)) {
		return false
	}
	s[key] = append(alike, info)
	return true
}

// Digest returns a digest of the input that the patterns name: of all its files in their order (see
// package digest) and of their hive partitions, wherever they are. Its errors are those of Open.
func Digest(ctx context.Context, patterns []string, threads int) (sum digest.Sum, err error) {
	found, err := discover(ctx, patterns)
	if err != nil {
		return sum, err
	}
	sums := make([]digest.Sum, len(found))
	err = fence.Each(len(found), max(1, threads), func(i int) (err error) {
		sums[i], err = digest.File(ctx, found[i].path, max(1, threads/len(found)))
		return err
	})
	if err != nil {
		return sum, fmt.Errorf("digest input: %w", err)
	}
	hash := sha256.New()
	for i, file := range found {
		for _, p := range partitionsOf(file.hive) {
			fmt.Fprintf(hash, "%q=%q ", p.key, p.value)
		}
		fmt.Fprintln(hash, sums[i])
	}
	return digest.Sum(hash.Sum(nil)), nil
}
