package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// mostRequests is the largest number of objects or parts of one bucket that are read at a time.
const mostRequests = 16

// bucket is an open bucket. All its users share its connections.
type bucket struct {
	store
	url      string
	requests chan struct{} // one slot for every request in progress
	users    int
}

// buckets are the buckets in use. After the last user has left, the next one opens the bucket
// again, with the environment of that time.
var buckets = struct {
	sync.Mutex
	open map[string]*bucket
}{open: make(map[string]*bucket)}

// useObject returns the bucket of an object, or of a prefix of objects; it opens it unless it is
// open. The caller must leave it.
func useObject(ctx context.Context, path string) (b *bucket, key string, err error) {
	url, key := Split(path)
	if err := checkName(url, key); err != nil {
		return nil, "", err
	}
	buckets.Lock()
	defer buckets.Unlock()
	if b = buckets.open[url]; b == nil {
		// The bucket outlives the stage of a run that opens it first.
		opened, err := openStore(context.WithoutCancel(ctx), url)
		if err != nil { // of settings or credentials: no request was made yet
			return nil, "", fmt.Errorf("%w: open %s: %s", ErrDenied, url, oneLine(err))
		}
		b = &bucket{store: opened, url: url, requests: make(chan struct{}, mostRequests)}
		buckets.open[url] = b
	}
	b.users++
	return b, key, nil
}

// leave ends one use.
func (b *bucket) leave() {
	buckets.Lock()
	defer buckets.Unlock()
	if b.users--; b.users == 0 {
		delete(buckets.open, b.url)
	}
}

// Entry is an object of a listing.
type Entry struct {
	Location string
	Size     int64
}

// markerSuffix ends the names of objects by which some tools of Hadoop mark directories.
const markerSuffix = "_$folder$"

// List returns the objects, in bytewise order, whose location starts with a prefix, which is any
// text: people finds people2, people/ does not. It leaves out empty objects that only mark a
// directory: by their names, or because other objects are below them.
func List(ctx context.Context, prefix string) (entries []Entry, err error) {
	b, start, err := useObject(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	defer b.leave()
	err = b.list(ctx, start, func(key string, size int64) {
		if size > 0 || !strings.HasSuffix(key, "/") && !strings.HasSuffix(key, markerSuffix) {
			entries = append(entries, Entry{b.url + "/" + key, size})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, explain(ctx, err))
	}
	byLocation := func(e Entry, location string) int {
		return strings.Compare(e.Location, location)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return byLocation(a, b.Location) })
	// other objects are below it
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		i, _ := slices.BinarySearchFunc(entries, e.Location+"/", byLocation)
		return e.Size == 0 && i < len(entries) &&
			strings.HasPrefix(entries[i].Location, e.Location+"/")
	}), nil
}
