package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// expandRemote returns the objects that a pattern names. An object of the very name comes
// first; an empty one may mark a directory that has objects.
func expandRemote(ctx context.Context, pattern string) ([]inputFile, error) {
	exact, size, err := look(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("find input: %w", err)
	}
	if exact && size > 0 {
		return []inputFile{{path: pattern}}, nil
	}
	found, err := below(ctx, pattern)
	if err == nil && len(found) == 0 && hasMeta(pattern) {
		found, err = matching(ctx, strings.TrimSuffix(pattern, "/"))
	}
	if err == nil && len(found) == 0 && exact {
		found = []inputFile{{path: pattern}}
	}
	return found, err
}

// look reports whether there is an object of a name that can be one, and its size.
func look(ctx context.Context, name string) (there bool, size int64, err error) {
	if _, key := storage.Split(name); key == "" || strings.HasSuffix(key, "/") {
		return false, 0, nil
	}
	info, err := storage.Stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, 0, nil
	}
	return err == nil, info.Size(), err
}

// listRemote returns the objects that start with a prefix. Without its bucket there is no input.
func listRemote(ctx context.Context, prefix string) ([]storage.Entry, error) {
	objects, err := storage.List(ctx, prefix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find input: %w: %w", err, formats.ErrNoInput)
	}
	if err != nil {
		return nil, fmt.Errorf("find input: %w", err)
	}
	return objects, nil
}

// below returns the objects in a directory.
func below(ctx context.Context, directory string) (found []inputFile, err error) {
	directory = strings.TrimSuffix(directory, "/") + "/"
	objects, err := listRemote(ctx, directory)
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		if name := strings.TrimPrefix(object.Location, directory); matchNames(nil, strings.Split(name, "/")) {
			found = append(found, inputFile{object.Location, directories(name)})
		}
	}
	return found, nil
}

// matching returns the objects that a glob matches. Only those are listed that start as it
// does before its first wildcard.
func matching(ctx context.Context, pattern string) (found []inputFile, err error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("find input %s: %w: %w", pattern, err, formats.ErrNoInput)
	}
	objects, err := listRemote(ctx, pattern[:strings.IndexAny(pattern, wildcards)])
	if err != nil {
		return nil, err
	}
	_, parts := storage.Split(pattern)
	for _, object := range objects {
		if _, key := storage.Split(object.Location); matchNames(strings.Split(parts, "/"), strings.Split(key, "/")) {
			found = append(found, inputFile{object.Location, directories(key)})
		}
	}
	return found, nil
}

// directories returns the part of a key before its last name.
func directories(key string) string { return key[:strings.LastIndex(key, "/")+1] }

// findsRemote is Finds for an object.
func findsRemote(pattern, name string) bool {
	directory := strings.TrimSuffix(pattern, "/") + "/"
	if rest, ok := strings.CutPrefix(name, directory); ok {
		return matchNames(nil, strings.Split(rest, "/"))
	}
	bucket, parts := storage.Split(pattern)
	other, key := storage.Split(name)
	return pattern == name || bucket == other && hasMeta(parts) && matchNames(strings.Split(parts, "/"), strings.Split(key, "/"))
}
