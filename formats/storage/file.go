package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kcut/kcut/formats"
)

// File is a file open for reading at any position. It may be used by several goroutines.
type File interface {
	io.ReaderAt // of an object, a request for every call: see Plan
	io.Closer
	Info() Info
	// Plan returns a reader for ranges that will be read soon, each from its start to its end:
	// of an object they are fetched ahead, and ranges that lie close together at once. It reads
	// under ctx and has to be closed.
	Plan(ctx context.Context, ranges []Range) Plan
}

// Plan reads ranges of a file.
type Plan interface {
	io.ReaderAt
	Close()
}

// Range is a part of a file.
type Range = formats.Range

// Ahead is asked before so many bytes are fetched ahead of what is read, and told, with a
// negative number, when they are not held any more. Where it refuses, what is needed is read
// piece by piece.
type Ahead func(bytes int64) error

// Open opens a file for reading. Nil for ahead allows what a Plan holds at most: see
// mostAhead.
func Open(ctx context.Context, path string, ahead Ahead) (File, error) {
	if !IsRemote(path) {
		return openLocal(path)
	}
	o, err := newObject(ctx, path, ahead)
	if err == nil {
		err = o.look(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return o, nil
}

// Reopen opens a file again, which must be as it was; otherwise the error wraps ErrChanged,
// now or, of an object, when it is read.
func Reopen(ctx context.Context, path string, was Info, ahead Ahead) (File, error) {
	if !IsRemote(path) {
		f, err := openLocal(path)
		if err == nil && !f.info.Same(was) {
			f.Close()
			return nil, ErrChanged
		}
		return f, err
	}
	o, err := newObject(ctx, path, ahead)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	o.info = was
	return o, nil
}

// ReadText returns the bytes of a file that is small. The error wraps
// formats.ErrUnsupported when it has more than so many.
func ReadText(ctx context.Context, path string, most int64) (text []byte, err error) {
	file, err := Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	if size := file.Info().Size(); size > most {
		err = fmt.Errorf("read %s: %d bytes: %w", path, size, formats.ErrUnsupported)
	} else {
		text, err = io.ReadAll(io.NewSectionReader(file, 0, size))
	}
	return text, errors.Join(err, file.Close())
}

// localFile is a file of the machine.
type localFile struct {
	*os.File
	info Info
}

// openLocal refuses what cannot be read at any position before it opens it: a pipe would wait
// there for a writer.
func openLocal(path string) (*localFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("open %s: it is a pipe or a device, no file: %w", path, formats.ErrUnsupported)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err = file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &localFile{file, infoOf(info)}, nil
}

func (f *localFile) Info() Info { return f.info }

// Plan leaves reading ahead to the system.
func (f *localFile) Plan(context.Context, []Range) Plan { return localPlan{f.File} }

type localPlan struct{ io.ReaderAt }

func (localPlan) Close() {}
