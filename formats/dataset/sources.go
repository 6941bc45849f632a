package dataset

import (
	"context"
	"errors"
	"sync"

	"github.com/kcut/kcut/formats"
)

// keptSources is how many files that nobody reads stay open, so that an input of
// thousands of files does not need as many descriptors, nor footers in memory.
const keptSources = 16

// sourceCache opens files when they are needed and closes them when others are needed more.
type sourceCache struct {
	opt formats.ReadOptions

	mu      sync.Mutex
	entries map[string]*cachedSource
	idle    []*cachedSource // longest idle first
	closed  bool
}

type cachedSource struct {
	path  string
	users int
	once  sync.Once
	src   formats.Source
	err   error
}

func newSourceCache(opt formats.ReadOptions) *sourceCache {
	return &sourceCache{opt: opt, entries: make(map[string]*cachedSource)}
}

// acquire returns the source of a file, which stays open until it is released.
func (c *sourceCache) acquire(ctx context.Context, path string) (formats.Source, error) {
	entry := c.use(path)
	entry.once.Do(func() { entry.src, entry.err = openFile(ctx, path, c.opt) })
	if entry.err != nil {
		c.drop(entry)
		return nil, entry.err
	}
	return entry.src, nil
}

func openFile(ctx context.Context, path string, opt formats.ReadOptions) (formats.Source, error) {
	open, err := detect(ctx, path)
	if err != nil {
		return nil, err
	}
	return open(ctx, path, opt)
}

// use counts one more user of a file.
func (c *sourceCache) use(path string) *cachedSource {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := c.entries[path]
	if entry == nil {
		entry = &cachedSource{path: path}
		c.entries[path] = entry
	}
	if entry.users++; entry.users == 1 {
		c.wake(entry)
	}
	return entry
}

// wake takes an entry off the idle list.
func (c *sourceCache) wake(entry *cachedSource) {
	for i, other := range c.idle {
		if other == entry {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			return
		}
	}
}

// drop forgets a file that could not be opened: a later try opens it anew.
func (c *sourceCache) drop(entry *cachedSource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[entry.path] == entry {
		delete(c.entries, entry.path)
	}
}

// kept reports whether the source stays although nobody uses it.
func (s *cachedSource) kept() bool {
	_, kept := s.src.(formats.Kept)
	return kept
}

// release gives back what acquire returned.
func (c *sourceCache) release(path string) error {
	c.mu.Lock()
	entry := c.entries[path]
	var unused []*cachedSource
	if entry.users--; entry.users == 0 && (c.closed || !entry.kept()) {
		c.idle = append(c.idle, entry)
		unused = c.evict()
	}
	c.mu.Unlock()
	return closeSources(unused)
}

// evict removes the files that have been idle longest, or all once the cache is closed.
func (c *sourceCache) evict() []*cachedSource {
	kept := keptSources
	if c.closed {
		kept = 0
	}
	n := max(len(c.idle)-kept, 0)
	unused := append([]*cachedSource(nil), c.idle[:n]...)
	c.idle = c.idle[n:]
	for _, entry := range unused {
		delete(c.entries, entry.path)
	}
	return unused
}

func closeSources(entries []*cachedSource) error {
	var errs []error
	for _, entry := range entries {
		errs = append(errs, entry.src.Close())
	}
	return errors.Join(errs...)
}

// close closes idle files now, and the others when they are released.
func (c *sourceCache) close() error {
	c.mu.Lock()
	c.closed = true
	for _, entry := range c.entries {
		if entry.users == 0 && entry.kept() {
			c.idle = append(c.idle, entry)
		}
	}
	unused := c.evict()
	c.mu.Unlock()
	return closeSources(unused)
}
