package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// inputFile is a file that a pattern names, and the part of its path in which
// directories may carry hive partitions.
type inputFile struct {
	path string
	hive string
}

// maxDirectoryDepth ends the walk of directories that link to themselves.
const maxDirectoryDepth = 100

// discover returns the files that the patterns name, each once, whatever links of either kind
// lead to it too, since its records would else count for more than they are: pattern by pattern,
// the files of a pattern in bytewise order.
func discover(ctx context.Context, patterns []string) ([]inputFile, error) {
	var files []inputFile
	seen := make(seenFiles)
	for _, pattern := range patterns {
		found, err := expand(ctx, pattern)
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
	info, err := os.Stat(pattern)
	switch {
	case err == nil && info.IsDir():
		return walk(nil, filepath.Clean(pattern), "", 0)
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
	return matchParts(nil, root, parts, 0)
}

// wildcards are the letters of a pattern that do not stand for themselves.
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

// hidden reports whether walks and wildcards pass over a name, as Hive and Spark do.
func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

// walk appends the files below a directory. Links are followed.
func walk(files []inputFile, dir, hive string, depth int) ([]inputFile, error) {
	names, err := list(dir, depth)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if hidden(name) {
			continue
		}
		if files, err = visit(files, filepath.Join(dir, name), hive, name, depth); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// visit appends a file, or the files below a directory.
func visit(files []inputFile, path, hive, name string, depth int) ([]inputFile, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, there := os.Lstat(path); there == nil {
			return nil, fmt.Errorf("find input %s: a link that leads nowhere: %w", path, formats.ErrNoInput)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find input: %w", err)
	}
	if info.IsDir() {
		return walk(files, path, hive+name+"/", depth+1)
	}
	return append(files, inputFile{path, hive}), nil
}

func list(dir string, depth int) ([]string, error) {
	if depth > maxDirectoryDepth {
		return nil, fmt.Errorf("find input: %s: more than %d directories deep", dir, maxDirectoryDepth)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("find input: %w", err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// Finds reports whether a pattern would name a file of the given path if there were one.
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
	if err != nil || !filepath.IsLocal(below) {
		return false, nil
	}
	return below == "." || matchNames(parts, strings.Split(filepath.ToSlash(below), "/")), nil
}

// matchNames is matchParts for the components of one path.
func matchNames(parts, names []string) bool {
	switch {
	case len(parts) == 0:
		return !slices.ContainsFunc(names, hidden)
	case len(names) == 0:
		return false
	case parts[0] == "**":
		return matchNames(parts[1:], names) || !hidden(names[0]) && matchNames(parts, names[1:])
	}
	ok, err := filepath.Match(parts[0], names[0])
	return err == nil && ok && (!hidden(names[0]) || hidden(parts[0])) && matchNames(parts[1:], names[1:])
}

// matchParts appends the files below dir whose path matches the parts of a pattern, one a
// path component; ** stands for any number of components. A directory that the whole
// pattern matches stands for the files below it. Hive partitions are looked for in the whole path.
func matchParts(files []inputFile, dir string, parts []string, depth int) ([]inputFile, error) {
	if len(parts) == 0 {
		return visit(files, dir, filepath.ToSlash(filepath.Dir(dir))+"/", filepath.Base(dir), depth)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return files, nil
	}
	names, err := list(dir, depth)
	if err != nil {
		return nil, err
	}
	if parts[0] == "**" {
		return matchAny(files, dir, names, parts, depth)
	}
	for _, name := range names {
		ok, err := filepath.Match(parts[0], name)
		if err != nil {
			return nil, fmt.Errorf("find input: %w: %w", err, formats.ErrNoInput)
		}
		if !ok || hidden(name) && !hidden(parts[0]) {
			continue
		}
		if files, err = matchParts(files, filepath.Join(dir, name), parts[1:], depth+1); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// matchAny matches a pattern that starts with **.
func matchAny(files []inputFile, dir string, names, parts []string, depth int) ([]inputFile, error) {
	if len(parts) == 1 {
		parts = []string{"**", "*"}
	}
	files, err := matchParts(files, dir, parts[1:], depth)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if hidden(name) {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) { // a link that leads nowhere is no directory
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find input: %w", err)
		}
		if !info.IsDir() {
			continue
		}
		if files, err = matchParts(files, filepath.Join(dir, name), parts, depth+1); err != nil {
			return nil, err
		}
	}
	return files, nil
}
