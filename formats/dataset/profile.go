package dataset

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// profile is what opening a file tells: its columns and the rows of its chunks.
type profile struct {
	fields []formats.Field
	chunks []int64
	err    error
}

// profile opens the files, several at a time. Behind the first one that could not be opened
// there may be some that were not tried: which error comes first does not depend on the
// number of goroutines.
func (c *sourceCache) profile(ctx context.Context, files []inputFile) []profile {
	profiles := make([]profile, len(files))
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range c.workers(len(files)) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(files) && !failed.Load(); i = next.Add(1) - 1 {
				profiles[i] = c.profileOne(ctx, files[i].path)
				if profiles[i].err != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	return profiles
}

// workers returns how many goroutines open a number of files.
func (c *sourceCache) workers(files int) int {
	threads := c.opt.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return min(threads, files)
}

func (c *sourceCache) profileOne(ctx context.Context, path string) (p profile) {
	defer fence.Catch(&p.err)
	if p.err = ctx.Err(); p.err != nil {
		return p
	}
	src, err := c.acquire(ctx, path)
	if err != nil {
		return profile{err: err}
	}
	defer c.release(path)
	return profile{fields: src.Fields(), chunks: slices.Clone(src.Chunks())}
}
