package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Info is what a file is known by while it is not read.
type Info struct {
	size    int64
	changed time.Time
	version version     // of an object
	local   fs.FileInfo // of a file of the machine
}

// Size returns the size in bytes.
func (i Info) Size() int64 { return i.size }

// String returns a text that another Info of the same file, unchanged, has too.
func (i Info) String() string {
	return fmt.Sprint(i.size, " ", i.changed.UnixNano(), " ", i.version.generation, " ", i.version.etag)
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
