package storage

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// ErrExists is returned when an object exists that was to be new.
var ErrExists = fmt.Errorf("object exists: %w", fs.ErrExist)

const (
	// partBytes is the size of a part of an upload; it is larger for files that would have too many
	// parts: stores accept 10,000.
	partBytes = 5 << 20
	mostParts = 5000
	// partsAtOnce is the number of parts that are sent at a time, and in memory.
	partsAtOnce = 2
	// digestKey is the metadata that identifies an upload whose answer was lost.
	digestKey = "kcut-sha256"
)

// UploadFile makes an object from a file of this machine. It appears complete and checked, or not
// at all: an upload that fails or is cancelled leaves nothing visible. If it is cancelled when it
// is nearly complete, it may succeed. The error wraps ErrExists when fresh and an object of that
// name exists.
func UploadFile(ctx context.Context, path, to string, fresh bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return upload(ctx, f, info.Size(), to, "application/vnd.apache.parquet", fresh)
}

// UploadText makes an object from a text, as UploadFile does.
func UploadText(ctx context.Context, text []byte, to string, fresh bool) error {
	return upload(ctx, bytes.NewReader(text), int64(len(text)), to, "application/json", fresh)
}

func upload(ctx context.Context, from io.ReaderAt, size int64, to, mediaType string,
	fresh bool) error {
	b, key, err := useObject(ctx, to)
	if err == nil {
		err = b.upload(ctx, key, content{
			ReaderAt:  from,
			size:      size,
			mediaType: mediaType,
			fresh:     fresh,
		})
		b.leave()
	}
	if err != nil {
		return fmt.Errorf("upload %s: %w", to, err)
	}
	return nil
}

// lastWait is the time that a request in progress gets when its upload is cancelled.
const lastWait = 3 * time.Second

// outlast returns a context that ends lastWait later than another.
func outlast(ctx context.Context) (lasting context.Context, end func()) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastWait, cancel) })
	return lasting, func() { stop(); cancel() }
}

func (b *bucket) upload(ctx context.Context, key string, c content) error {
	quick, strong := md5.New(), sha256.New()
	_, err := io.Copy(io.MultiWriter(quick, strong), io.NewSectionReader(c, 0, c.size))
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	c.part, c.md5, c.digest = max(partBytes, c.size/mostParts), quick.Sum(nil),
		hex.EncodeToString(strong.Sum(nil))
	// An object that is sent in one request may appear after its sender has gone, and after he has
	// removed it: so he waits.
	lasting, end := outlast(ctx)
	defer end()
	sending := ctx
	if c.size <= partBytes {
		sending = lasting
	}
	err = b.write(sending, key, c)
	// Whatever the answer was, or if there was none: the existing object decides.
	stands, missing := b.attributes(lasting, key)
	switch {
	case missing == nil && stands.size == c.size && stands.digest == c.digest:
		return nil
	case err == nil && missing == nil:
		return fmt.Errorf("%w: the object differs from the bytes that were sent", ErrUnavailable)
	case err == nil:
		return explain(ctx, missing)
	}
	if err = explain(ctx, err); errors.Is(err, ErrChanged) {
		return ErrExists
	}
	return err
}

// Remove removes an object, if it exists.
func Remove(ctx context.Context, name string) error {
	b, key, err := useObject(ctx, name)
	if err == nil {
		if err = explain(ctx, b.remove(ctx, key)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		b.leave()
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return nil
}
