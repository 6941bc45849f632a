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

// UploadFile makes an object of a file of the machine. It appears whole and checked, or not at all:
// an upload that fails or is cancelled leaves nothing that can be seen. One that is cancelled when
// it is all but done is no failure. The error wraps ErrExists when it was to be fresh: when there
// was to be none of that name.
func UploadFile(ctx context.Context, path, to string, fresh bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return upload(ctx, f, to, "application/vnd.apache.parquet", fresh)
}

// UploadText makes an object of a text, as UploadFile does.
func UploadText(ctx context.Context, text []byte, to string, fresh bool) error {
	return upload(ctx, bytes.NewReader(text), to, "application/json", fresh)
}

func upload(ctx context.Context, content io.ReadSeeker, to, mediaType string, fresh bool) error {
	b, key, err := useObject(ctx, to)
	if err == nil {
		err = errors.Join(b.upload(ctx, key, content, mediaType, fresh), b.leave())
	}
	if err != nil {
		return fmt.Errorf("upload %s: %w", to, err)
	}
	return nil
}

// lastWait is how long a request under way may take to end when its upload is cancelled.
const lastWait = 3 * time.Second

func (b *bucket) upload(ctx context.Context, key string, content io.ReadSeeker, mediaType string, fresh bool) error {
	quick, strong := md5.New(), sha256.New()
	size, err := io.Copy(io.MultiWriter(quick, strong), content)
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	// An object that is sent in one request may come to stand after its sender has gone, and after
	// he has removed it: so he waits.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWait, end) })()
	sending := ctx
	if size <= partBytes {
		sending = lasting
	}
	digest := hex.EncodeToString(strong.Sum(nil))
	err = b.write(sending, key, content, &blob.WriterOptions{
		BufferSize: int(max(partBytes, size/mostParts)), MaxConcurrency: partsAtOnce, ContentType: mediaType,
		ContentMD5: quick.Sum(nil), Metadata: map[string]string{digestKey: digest}, IfNotExist: fresh,
	})
	// Whatever the answer was, or if there was none: what counts is what stands there.
	stands, found := b.Attributes(lasting, key)
	switch {
	case found == nil && stands.Size == size && stands.Metadata[digestKey] == digest:
		return nil
	case err == nil && found == nil:
		return fmt.Errorf("%w: it is not what was sent", ErrUnavailable)
	case err == nil:
		return explain(ctx, found)
	}
	if err = explain(ctx, err); errors.Is(err, ErrChanged) {
		return ErrExists
	}
	return err
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
