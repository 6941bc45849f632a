package resources

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/kcut/kcut/spill"
)

// Scratch is the store for what does not fit the memory. It is opened when it is needed.
type Scratch struct {
	folder  string // that the job names; empty: a hidden one beside the output
	Beside  string // the output
	options spill.Options
	noted   func(text string)
	Refused bool // nothing goes to disk

	mu    sync.Mutex
	store *spill.Store // while it is open
	stats spill.Stats  // of the one that was closed
}

// Open opens the store for what does not fit the memory, unless it is open, and says so.
func (s *Scratch) Open(what string) (*spill.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	if s.Refused {
		return nil, fmt.Errorf("hold %s in memory: %w", what, spill.ErrBudget)
	}
	s.noted(what + " exceed their share of the memory budget: spilling to disk")
	store, err := spill.Open(s.Path(), s.options)
	if err != nil {
		return nil, err
	}
	s.store = store
	return store, nil
}

// Opened returns the store if it is open, else nil.
func (s *Scratch) Opened() *spill.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store
}

// written returns how many bytes have been spilled.
func (s *Scratch) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	written := s.stats.BytesWritten
	if s.store != nil {
		written += s.store.Stats().BytesWritten
	}
	return written
}

// Path returns where a run spills: where the job says, or in a hidden folder beside the output,
// which is on a disk with room for a table of that size.
func (s *Scratch) Path() string {
	if s.folder != "" {
		return s.folder
	}
	return filepath.Join(filepath.Dir(filepath.Clean(s.Beside)), ".kcut-spill")
}

// Close removes all that was spilled. The failure of the store, if there was one, comes back again.
func (s *Scratch) Close() (spill.Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		return s.stats, nil
	}
	err := s.store.Close()
	stats := s.store.Stats() // one that is opened again begins anew
	s.stats.BytesWritten += stats.BytesWritten
	s.stats.PeakDiskBytes = max(s.stats.PeakDiskBytes, stats.PeakDiskBytes)
	s.store = nil
	s.removeHidden()
	return s.stats, err
}

// Sweep removes what a run that was killed has spilled, also when this one will need no store: it
// is personal data.
func (s *Scratch) Sweep() error {
	if err := spill.Sweep(s.Path(), s.options.FS); err != nil {
		return err
	}
	s.removeHidden()
	return nil
}

// removeHidden removes the hidden folder that a run which was killed may have left behind.
// It stays when another run is using it.
func (s *Scratch) removeHidden() {
	if s.folder == "" {
		_ = os.Remove(s.Path())
	}
}
