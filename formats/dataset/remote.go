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

// expandRemote returns the objects that a pattern names. An object with exactly this name comes
// first; an empty one may mark a directory that has objects.
func expandRemote(ctx context.Context, pattern string) ([]inputFile, error) {
	exact, size, err := look(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("find input: %w", err)
	}
	object := []inputFile{{path: pattern}}
	if exact && size > 0 {
		none := tables{known: make(map[string]*tableFormat)}
		return object, none.refuse(ctx, pattern, object)
	}
	directory := strings.TrimSuffix(pattern, "/")
	found, err := listed(ctx, pattern, directory+"/", directory+"/", nil)
	if err == nil && len(found) == 0 && hasMeta(pattern) {
		if _, err := path.Match(directory, ""); err != nil {
			return nil, fmt.Errorf("find input %s: %w: %w", directory, err, formats.ErrNoInput)
		}
		bucket, parts := storage.Split(directory)
		start := directory[:strings.IndexAny(directory, wildcards)]
		found, err = listed(ctx, pattern, start, bucket+"/", strings.Split(parts, "/"))
	}
	if err == nil && len(found) == 0 && exact {
		found = object
	}
	return found, err
}

// look reports whether a name can be and is that of an object, and its size.
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

// listed returns the objects that start with a prefix and whose names below a directory match the
// parts of a pattern; none of them may belong to a table of another format. A missing bucket has no
// input.
func listed(ctx context.Context, pattern, prefix, directory string,
	parts []string) (found []inputFile, err error) {
	objects, err := storage.List(ctx, prefix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find input: %w: %w", err, formats.ErrNoInput)
	}
	if err != nil {
		return nil, fmt.Errorf("find input: %w", err)
	}
	seen := tables{known: make(map[string]*tableFormat), prefix: prefix}
	seen.listed = make(map[string][]string)
	for _, object := range objects {
		folder, base := path.Split(object.Location)
		folder = strings.TrimSuffix(folder, "/")
		seen.listed[folder] = append(seen.listed[folder], base)
		name := strings.TrimPrefix(object.Location, directory)
		if names := strings.Split(name, "/"); matchNames(parts, names) {
			found = append(found, inputFile{object.Location,
				strings.TrimSuffix(name, names[len(names)-1])})
		}
	}
	return found, seen.refuse(ctx, pattern, found)
}

// findsRemote is Finds for an object.
func findsRemote(pattern, name string) bool {
	directory := strings.TrimSuffix(pattern, "/") + "/"
	if rest, ok := strings.CutPrefix(name, directory); ok {
		return matchNames(nil, strings.Split(rest, "/"))
	}
	bucket, parts := storage.Split(pattern)
	other, key := storage.Split(name)
	return pattern == name || bucket == other && hasMeta(parts) &&
		matchNames(strings.Split(parts, "/"), strings.Split(key, "/"))
}
