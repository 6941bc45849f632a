package dataset

import (
	"context"
	"runtime"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// profile is what opening a file tells: its columns and the rows of its chunks.
type profile struct {
	fields []formats.Field
	chunks []int64
	raw    bool // chunks are row groups of Parquet
	err    error
}

// profile opens the files, several at a time. Behind the first one that could not be opened
// there may be some that were not tried.
func (c *sourceCache) profile(ctx context.Context, files []inputFile) []profile {
	profiles := make([]profile, len(files))
	threads := c.opt.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	c.opt.Threads = max(1, threads/len(files)) // those that one file is opened with
	fence.Each(len(files), threads, func(i int) error {
		profiles[i] = c.profileOne(ctx, files[i].path)
		return profiles[i].err
	})
	return profiles
}

func (c *sourceCache) profileOne(ctx context.Context, path string) (p profile) {
	if p.err = ctx.Err(); p.err != nil {
		return p
	}
	src, err := c.acquire(ctx, path)
	if err != nil {
		return profile{err: err}
	}
	defer c.release(path)
	_, raw := src.(formats.RawSource)
	return profile{fields: src.Fields(), chunks: slices.Clone(src.Chunks()), raw: raw}
}
