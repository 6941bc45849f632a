package storage

import (
	"context"
	"fmt"
	"sync"

	"gocloud.dev/blob"
)

// mostRequests is how many objects or parts of one bucket are read at a time.
const mostRequests = 16

// bucket is an open bucket. All that is opened in it shares its connections.
type bucket struct {
	*blob.Bucket
	url      string
	requests chan struct{} // one for every request under way
	users    int
}

// buckets are those in use. The last user closes one, so that the next opens it with the
// environment of its time.
var buckets = struct {
	sync.Mutex
	open map[string]*bucket
}{open: make(map[string]*bucket)}

// useBucket opens the bucket of a location, or returns the open one. It must be left.
func useBucket(ctx context.Context, url string) (*bucket, error) {
	buckets.Lock()
	defer buckets.Unlock()
	b := buckets.open[url]
	if b == nil {
		// What is opened outlives the stage of a run that opens it first.
		opened, err := openBucket(context.WithoutCancel(ctx), url)
		if err != nil {
			return nil, fmt.Errorf("%w: open %s: %s", ErrDenied, url, oneLine(err)) // of settings or credentials: nothing was asked yet
		}
		b = &bucket{Bucket: opened, url: url, requests: make(chan struct{}, mostRequests)}
		buckets.open[url] = b
	}
	b.users++
	return b, nil
}

// useObject is useBucket for the bucket of an object, or of what the names of objects begin with.
func useObject(ctx context.Context, path string) (b *bucket, key string, err error) {
	url, key := Split(path)
	if err := checkName(url, key); err != nil {
		return nil, "", err
	}
	b, err = useBucket(ctx, url)
	return b, key, err
}

// leave ends one use.
func (b *bucket) leave() error {
	buckets.Lock()
	defer buckets.Unlock()
	if b.users--; b.users > 0 {
		return nil
	}
	delete(buckets.open, b.url)
	return b.Close()
}

// begin waits until one more request may be made. It must be ended.
func (b *bucket) begin(ctx context.Context) error {
	select {
	case b.requests <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *bucket) end() { <-b.requests }
