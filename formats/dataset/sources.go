package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/arrowfile"
	"github.com/kcut/kcut/formats/csvfile"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/parquetfile"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// keptSources is the number of unused files that stay open, so that an input of thousands of files
// does not need as many descriptors, nor as many footers in memory.
const keptSources = 16

// sourceCache opens files when they are needed and closes those that have not been used for long.
type sourceCache struct {
	opt formats.ReadOptions

	mu       sync.Mutex
	entries  map[string]*cachedSource
	released int // number of releases
	settled  map[string]formats.Field
	closed   bool
}

type cachedSource struct {
	path     string
	users    int
	released int // value of the cache's counter at its release
	once     sync.Once
	src      formats.Source
	err      error
}

// acquire returns the source of a file, which stays open until it is released.
func (c *sourceCache) acquire(ctx context.Context, path string) (formats.Source, error) {
	c.mu.Lock()
	entry := c.entries[path]
	if entry == nil {
		entry = &cachedSource{path: path}
		c.entries[path] = entry
	}
	entry.users++
	settled := c.settled
	c.mu.Unlock()
	entry.once.Do(func() {
		var open opener
		if open, entry.err = detect(ctx, path); entry.err == nil {
			entry.src, entry.err = open(ctx, path, c.opt)
		}
		if entry.err == nil {
			settle(entry.src, settled)
		}
	})
	if entry.err == nil {
		return entry.src, nil
	}
	c.mu.Lock()
	if c.entries[path] == entry { // a later try opens it again
		delete(c.entries, path)
	}
	c.mu.Unlock()
	return nil, entry.err
}

// release gives back what acquire returned.
func (c *sourceCache) release(path string) error {
	c.mu.Lock()
	entry := c.entries[path]
	entry.users--
	c.released++
	entry.released = c.released
	unused := c.evict()
	c.mu.Unlock()
	return closeSources(unused)
}

// settle sets the types of columns that were inferred from the texts of all files. Files that are
// opened later get them, too.
func (c *sourceCache) settle(fields map[string]formats.Field) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = fields
	for _, entry := range c.entries {
		settle(entry.src, fields)
	}
}

func settle(src formats.Source, fields map[string]formats.Field) {
	if inferring, ok := src.(formats.Inferring); ok {
		inferring.Settle(fields)
	}
}

// close closes idle files now, and the others when they are released.
func (c *sourceCache) close() error {
	c.mu.Lock()
	c.closed = true
	unused := c.evict()
	c.mu.Unlock()
	return closeSources(unused)
}

// evict removes the files that have been idle longest, except those worth keeping, or all idle ones
// once the cache is closed.
func (c *sourceCache) evict() []*cachedSource {
	var idle []*cachedSource
	for _, entry := range c.entries {
		if entry.users > 0 {
			continue
		}
		if _, keep := entry.src.(formats.Inferring); c.closed || !keep {
			idle = append(idle, entry)
		}
	}
	if !c.closed {
		slices.SortFunc(idle, func(a, b *cachedSource) int { return a.released - b.released })
		idle = idle[:max(0, len(idle)-keptSources)]
	}
	for _, entry := range idle {
		delete(c.entries, entry.path)
	}
	return idle
}

func closeSources(entries []*cachedSource) error {
	var errs []error
	for _, entry := range entries {
		errs = append(errs, entry.src.Close())
	}
	return errors.Join(errs...)
}

// profile opens the files, several at a time, to read their metadata. Files behind the first one
// that could not be opened may not have been tried.
func (c *sourceCache) profile(ctx context.Context, files []inputFile) []member {
	profiles := make([]member, len(files))
	threads := c.opt.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	c.opt.Threads = max(1, threads/len(files)) // number of threads for opening one file
	_ = fence.Each(len(files), threads, func(i int) error {
		profiles[i] = c.profileOne(ctx, files[i].path)
		return profiles[i].err // ends it; the profile has it, too
	})
	return profiles
}

func (c *sourceCache) profileOne(ctx context.Context, path string) member {
	if err := ctx.Err(); err != nil {
		return member{err: err}
	}
	src, err := c.acquire(ctx, path)
	if errors.Is(err, formats.ErrBlank) {
		return member{path: path, blank: err, notes: []string{"the file is empty"}}
	}
	if err != nil {
		return member{err: err}
	}
	defer c.release(path)
	m := member{path: path, fields: src.Fields(), chunks: slices.Clone(src.Chunks()), count: -1}
	if m.records = m.chunks; c.opt.Count != "" {
		m.err = m.countRecords(ctx, src, c.opt.Count)
	}
	if inferring, ok := src.(formats.Inferring); ok {
		m.notes = inferring.Notes()
	}
	return m
}

// opener opens a file of one format.
type opener func(ctx context.Context, path string, opt formats.ReadOptions) (formats.Source, error)

// detect determines a file's format by its first bytes, and by its name where the format has no
// magic.
func detect(ctx context.Context, path string) (opener, error) {
	magic, err := firstBytes(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("detect format: %w", err)
	}
	switch {
	case strings.HasPrefix(magic, "PAR1"):
		return parquetfile.Open, nil
	case strings.HasPrefix(magic, "PARE"):
		return nil, fmt.Errorf("detect format of %s: encrypted Parquet: %w", path,
			formats.ErrUnsupported)
	case strings.HasPrefix(magic, "PK\x03\x04"), strings.HasPrefix(magic, "\xd0\xcf\x11\xe0"):
		return nil, fault.Errorf(fault.Input, "save the sheet, or the file in the archive, as CSV",
			"detect format of %s: an Excel workbook or a zip archive: %w", path,
			formats.ErrUnsupported)
	case strings.HasPrefix(magic, "ARROW1"), strings.HasPrefix(magic, "\xff\xff\xff\xff"):
		return arrowfile.Open, nil
	}
	return detectByName(path)
}

func detectByName(path string) (opener, error) {
	name := strings.ToLower(filepath.Base(path))
	plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch filepath.Ext(plain) {
	case ".csv", ".tsv":
		return csvfile.Open, nil
	}
	switch filepath.Ext(name) {
	// streams before Arrow 0.15 have no magic
	case ".arrow", ".arrows", ".ipc", ".stream", ".feather":
		return arrowfile.Open, nil
	case ".parquet", ".parq", ".pq":
		return nil, fmt.Errorf("detect format of %s: file does not start with PAR1: %w", path,
			formats.ErrDamaged)
	}
	return nil, fault.Errorf(fault.Input, "name the files that are meant in input, as "+
		"folder/*.parquet; give CSV a name that says so",
		"detect format of %s: starts neither as Parquet nor as Arrow, and is not named .csv, "+
			".tsv, .csv.gz or .csv.zst: %w", path, formats.ErrUnsupported)
}

// firstBytes returns up to eight bytes.
func firstBytes(ctx context.Context, path string) (string, error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var magic [8]byte
	n, err := file.ReadAt(magic[:], 0)
	if err == io.EOF {
		err = nil
	}
	return string(magic[:n]), err
}
