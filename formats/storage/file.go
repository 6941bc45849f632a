package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

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

// Info is what a file is known by while it is not read.
type Info struct {
	size    int64
	changed time.Time
	version string      // of an object
	local   fs.FileInfo // of a file of the machine
}

// Size returns the size in bytes.
func (i Info) Size() int64 { return i.size }

// String returns a text that another Info of the same file, unchanged, has too.
func (i Info) String() string {
	return fmt.Sprint(i.size, " ", i.changed.UnixNano(), " ", i.version)
}

// IsRegular reports whether it is a file with content of its own: no directory, no pipe.
func (i Info) IsRegular() bool { return i.local == nil || i.local.Mode().IsRegular() }

// Same reports whether another Info is of the same file, unchanged as far as the file system
// or the store tells.
func (i Info) Same(other Info) bool {
	same := i.size == other.size && i.changed.Equal(other.changed) && i.version == other.version
	if i.local == nil || other.local == nil {
		return same && i.local == other.local
	}
	return same && os.SameFile(i.local, other.local)
}

// Stat returns the Info of a file. The error wraps fs.ErrNotExist when there is none.
func Stat(ctx context.Context, path string) (Info, error) {
	if !IsRemote(path) {
		info, err := os.Stat(path)
		if err != nil {
			return Info{}, err
		}
		return infoOf(info), nil
	}
	o, err := newObject(ctx, path, nil)
	if err == nil {
		if err = o.look(ctx); err == nil {
			return o.info, o.Close()
		}
	}
	return Info{}, fmt.Errorf("stat %s: %w", path, err)
}

func infoOf(info fs.FileInfo) Info {
	return Info{size: info.Size(), changed: info.ModTime(), local: info}
}

// Exists reports whether a file is there.
func Exists(ctx context.Context, path string) (bool, error) {
	_, err := Stat(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
