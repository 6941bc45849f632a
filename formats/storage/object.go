package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// object is one version of an object, which is read in ranges.
type object struct {
	bucket   *bucket
	location string
	key      string
	info     Info
	ahead    Ahead
	ctx      context.Context // for reads that have no context of their own

	mu   sync.Mutex
	last fetched
}

// fetched is the result of a small read, which may contain the next one.
type fetched struct {
	from int64
	data []byte
}

// newObject opens the bucket of an object, without a request for the object.
func newObject(ctx context.Context, path string, ahead Ahead) (*object, error) {
	b, key, err := useObject(ctx, path)
	if err != nil {
		return nil, err
	}
	if ahead == nil {
		ahead = func(int64) error { return nil }
	}
	return &object{
		bucket:   b,
		location: path,
		key:      key,
		ahead:    ahead,
		ctx:      context.WithoutCancel(ctx),
	}, nil
}

// look requests the object's size and version. It closes an object that it does not find.
func (o *object) look(ctx context.Context) error {
	found, err := o.bucket.attributes(ctx, o.key)
	if err != nil {
		return errors.Join(explain(ctx, err), o.Close())
	}
	o.info = Info{size: found.size, changed: found.changed, version: found.version}
	return nil
}

func (o *object) Info() Info { return o.info }

func (o *object) Close() error {
	o.bucket.leave()
	return nil
}

// smallRead is the number of bytes that a smaller read fetches: formats that are read piece by
// piece often read the next piece soon.
const smallRead = 64 << 10

// ReadAt implements io.ReaderAt.
func (o *object) ReadAt(p []byte, off int64) (int, error) { return o.readAt(o.ctx, p, off) }

func (o *object) readAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	short := off+int64(len(p)) > o.info.size
	if short {
		p = p[:max(o.info.size-off, 0)]
	}
	switch {
	case len(p) == 0:
	case len(p) < smallRead:
		n, err = o.readSmall(ctx, p, off)
	default:
		n, err = len(p), o.fetch(ctx, p, off)
	}
	if err == nil && short {
		err = io.EOF
	}
	return n, err
}

// readSmall reads from the bytes fetched last, or fetches more from there on. The end of an object
// is fetched as a whole: formats first read the size of a footer there, then the footer.
func (o *object) readSmall(ctx context.Context, p []byte, off int64) (int, error) {
	o.mu.Lock()
	last := o.last
	o.mu.Unlock()
	if at := off - last.from; at < 0 || at+int64(len(p)) > int64(len(last.data)) {
		last.from = max(0, min(off, o.info.size-smallRead))
		last.data = make([]byte, min(smallRead, o.info.size-last.from))
		if err := o.fetch(ctx, last.data, last.from); err != nil {
			return 0, err
		}
		o.mu.Lock()
		o.last = last
		o.mu.Unlock()
	}
	return copy(p, last.data[off-last.from:]), nil
}

// tries is the number of requests for a body that ends too early. The client of the store repeats
// requests that fail before a body begins.
const tries = 3

// fetch fills p, which is inside the object.
func (o *object) fetch(ctx context.Context, p []byte, off int64) error {
	select {
	case o.bucket.requests <- struct{}{}:
		defer func() { <-o.bucket.requests }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for try := 1; ; try++ {
		n, again, err := o.fetchOnce(ctx, p, off)
		if err == nil {
			return nil
		}
		if !again || try == tries || ctx.Err() != nil {
			return fmt.Errorf("fetch %d bytes of %s: %w", len(p), o.location, o.explain(ctx, err))
		}
		p, off = p[n:], off+int64(n)
	}
}

// explain is explain for an object that existed when it was opened.
func (o *object) explain(ctx context.Context, err error) error {
	explained := explain(ctx, err)
	if errors.Is(err, ErrChanged) || errors.Is(explained, ErrChanged) ||
		errors.Is(explained, fs.ErrNotExist) {
		return ErrChanged
	}
	return explained
}

// fetchOnce makes one request. It returns the number of filled bytes of p, and whether the rest may
// be requested again.
func (o *object) fetchOnce(ctx context.Context, p []byte, off int64) (n int, again bool,
	err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	r, found, err := o.bucket.read(ctx, o.key, o.info.version, off, int64(len(p)))
	if err != nil {
		return 0, false, err
	}
	defer r.Close()
	if found != o.info.version {
		return 0, false, ErrChanged
	}
	n, err = io.ReadFull(r, p)
	return n, true, err
}
