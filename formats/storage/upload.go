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
	"strings"
	"time"

	"gocloud.dev/blob"
)

// ErrExists is returned when an object is there that was to be new.
var ErrExists = fmt.Errorf("object exists: %w", fs.ErrExist)

const (
	// partBytes is the size of a part of an upload, of files so large that there would be too
	// many: stores take 10,000.
	partBytes = 5 << 20
	mostParts = 5000
	// partsAtOnce is how many parts are under way, and in memory.
	partsAtOnce = 2
	// digestKey is the metadata by which an upload is known again whose answer was lost.
	digestKey = "kcut-sha256"
)

// Object is what is to be an object: its bytes from the start, read twice.
type Object struct {
	Content io.ReadSeeker
	Size    int64
	Type    string // of media
	Fresh   bool   // there must be none of that name
}

// UploadFile makes an object of a file of the machine and returns the file's SHA-256. It
// appears whole and checked, or not at all: an upload that fails or is cancelled leaves
// nothing that can be seen. One that is cancelled when it is all but done is no failure. The error wraps ErrExists when it was to be fresh.
func UploadFile(ctx context.Context, path, to string, fresh bool) (digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return Upload(ctx, to, Object{f, info.Size(), "application/vnd.apache.parquet", fresh})
}

// UploadText makes an object of a text, as UploadFile does.
func UploadText(ctx context.Context, text []byte, to string, fresh bool) error {
	_, err := Upload(ctx, to, Object{bytes.NewReader(text), int64(len(text)), "application/json", fresh})
	return err
}

// Upload makes an object, see UploadFile.
func Upload(ctx context.Context, to string, o Object) (digest string, err error) {
	b, key, err := useObject(ctx, to)
	if err == nil {
		digest, err = b.upload(ctx, key, o)
		err = errors.Join(err, b.leave())
	}
	if err != nil {
		return "", fmt.Errorf("upload %s: %w", to, err)
	}
	return digest, nil
}

func (b *bucket) upload(ctx context.Context, key string, o Object) (string, error) {
	quick, strong := md5.New(), sha256.New()
	if _, err := io.Copy(io.MultiWriter(quick, strong), o.Content); err != nil {
		return "", err
	}
	if _, err := o.Content.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	digest := hex.EncodeToString(strong.Sum(nil))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	lasting, end := outlasting(ctx, lastWait)
	defer end()
	sending := ctx
	if o.Size <= partBytes {
		sending = lasting
	}
	err := b.write(sending, key, o.Content, &blob.WriterOptions{
		BufferSize: int(max(partBytes, o.Size/mostParts)), MaxConcurrency: partsAtOnce, ContentType: o.Type,
		ContentMD5: quick.Sum(nil), Metadata: map[string]string{digestKey: digest}, IfNotExist: o.Fresh,
	})
	// Whatever the answer was, or if there was none: what counts is what stands there.
	stands, found := b.Attributes(lasting, key)
	switch {
	case found == nil && stands.Size == o.Size && stands.Metadata[digestKey] == digest:
		return digest, nil
	case err == nil && found == nil:
		return "", fmt.Errorf("%w: it is not what was sent", ErrUnavailable)
	case err == nil:
		return "", explain(ctx, found)
	}
	if err = explain(ctx, err); errors.Is(err, ErrChanged) {
		return "", ErrExists
	}
	return "", err
}

// lastWait is how long a request under way may take to end when its upload is cancelled.
const lastWait = 3 * time.Second

// outlasting returns a context that ends a while after another. An object that is sent in one
// request may come to stand after its sender has gone, and after he has removed it: so he waits.
func outlasting(ctx context.Context, wait time.Duration) (lasting context.Context, end func()) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(wait):
			cancel()
		case <-lasting.Done():
		}
	})
	return lasting, func() {
		stop()
		cancel()
	}
}

// write sends the bytes. The first error of reading, sending or closing ends it, and the
// store forgets what it has.
func (b *bucket) write(ctx context.Context, key string, content io.Reader, opt *blob.WriterOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if strings.HasPrefix(b.url, azureScheme) {
		// A writer of Azure's that has failed must not be closed: it would panic. And only its blocks
		// are checked when they arrive, not the whole.
		opt.ContentMD5, opt.BeforeWrite = nil, checkBlocks
		return b.Upload(ctx, key, content, opt)
	}
	w, err := b.NewWriter(ctx, key, opt)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, content); err != nil {
		cancel()
		w.Close()
		return err
	}
	return w.Close()
}

// Remove removes an object, if it is there.
func Remove(ctx context.Context, name string) error {
	b, key, err := useObject(ctx, name)
	if err == nil {
		if err = explain(ctx, b.Delete(ctx, key)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		err = errors.Join(err, b.leave())
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return nil
}
