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
	io.ReaderAt // for an object, each call is a request: see Plan
	io.Closer
	Info() Info
	// Plan returns a reader for ranges that will be read soon, each from its start to its end: for
	// an object it fetches them ahead, and adjacent ones in one request. It uses ctx and must be
	// closed.
	Plan(ctx context.Context, ranges []Range) Plan
}

// Plan reads ranges of a file.
type Plan interface {
	io.ReaderAt
	Close()
}

// Range is a part of a file.
type Range = formats.Range

// Ahead is called before bytes are fetched ahead of reading, and with a negative number when they
// are released. If it returns an error, only needed bytes are fetched, piece by piece.
type Ahead func(bytes int64) error

// Open opens a file for reading. Nil for ahead allows the largest memory of a Plan: see mostAhead.
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

// Reopen opens a file again, which must not have changed; otherwise the error wraps ErrChanged, now
// or, for an object, when it is read.
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

// ReadText returns the bytes of a small file. The error wraps formats.ErrUnsupported when it has
// more than most.
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

// localFile is a file of this machine.
type localFile struct {
	*os.File
	info Info
}

// openLocal refuses files that cannot be read at any position before it opens them: opening a pipe
// would wait for a writer.
func openLocal(path string) (*localFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("open %s: it is a pipe or a device, no file: %w", path,
			formats.ErrUnsupported)
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

// Plan relies on the read-ahead of the system.
func (f *localFile) Plan(context.Context, []Range) Plan { return localPlan{f.File} }

type localPlan struct{ io.ReaderAt }

func (localPlan) Close() {}

// Info identifies a file and its version while it is not open.
type Info struct {
	size    int64
	changed time.Time
	version string      // of an object
	local   fs.FileInfo // of a file of this machine
}

// Size returns the size in bytes.
func (i Info) Size() int64 { return i.size }

// String returns a text that is equal for another Info of the same, unchanged file.
func (i Info) String() string {
	return fmt.Sprint(i.size, " ", i.changed.UnixNano(), " ", i.version)
}

// IsRegular reports whether it is a file with its own content: no directory, no pipe.
func (i Info) IsRegular() bool { return i.local == nil || i.local.Mode().IsRegular() }

// Same reports whether another Info belongs to the same file, unchanged as far as the file system
// or the store can show.
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
