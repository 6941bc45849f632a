package storage

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gocloud.dev/blob"
)

// Entry is an object of a listing.
type Entry struct {
	Location string
	Size     int64
}

// markerSuffix ends the names of objects by which some tools of Hadoop mark directories.
const markerSuffix = "_$folder$"

// List returns the objects, in bytewise order, whose location starts with a prefix, which is text like any other:
// people finds people2, people/ does not. Empty objects that only mark a directory are left
// out: those whose names say so, and those that have others below them.
func List(ctx context.Context, prefix string) (entries []Entry, err error) {
	b, start, err := useObject(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	defer b.leave()
	objects := b.List(&blob.ListOptions{Prefix: start})
	for {
		object, err := objects.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", prefix, explain(ctx, err))
		}
		if object.Size > 0 || !strings.HasSuffix(object.Key, "/") && !strings.HasSuffix(object.Key, markerSuffix) {
			entries = append(entries, Entry{b.url + "/" + object.Key, object.Size})
		}
	}
	byLocation := func(e Entry, location string) int { return strings.Compare(e.Location, location) }
	slices.SortFunc(entries, func(a, b Entry) int { return byLocation(a, b.Location) })
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { // has others below it
		i, _ := slices.BinarySearchFunc(entries, e.Location+"/", byLocation)
		return e.Size == 0 && i < len(entries) && strings.HasPrefix(entries[i].Location, e.Location+"/")
	}), nil
}
