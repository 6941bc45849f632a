package resources

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/kcut/kcut/spill"
)

// Scratch opens the store for data that does not fit the memory, when a run needs the store.
type Scratch struct {
	folder  string // the folder that the job names; empty: a hidden folder next to Output
	Output  string // the output of the run
	options spill.Options
	noted   func(text string)
	Refused bool // Open fails: nothing may go to disk

	mu    sync.Mutex
	store *spill.Store // the open store, or nil
	stats spill.Stats  // the sum for all stores that have been closed
}

// Open opens the store, unless it is open, and notes for the user that the named data goes to disk.
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

// written returns the number of bytes that have been spilled.
func (s *Scratch) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	written := s.stats.BytesWritten
	if s.store != nil {
		written += s.store.Stats().BytesWritten
	}
	return written
}

// Path returns the folder for spilled data: the folder that the job names, or else a hidden folder
// next to the output. The disk of the output has room for a table of the release's size.
func (s *Scratch) Path() string {
	if s.folder != "" {
		return s.folder
	}
	return filepath.Join(filepath.Dir(filepath.Clean(s.Output)), ".kcut-spill")
}

// Close closes the store and removes all spilled data. If the store has failed before, Close
// returns the failure again.
func (s *Scratch) Close() (spill.Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		return s.stats, nil
	}
	err := s.store.Close()
	stats := s.store.Stats() // the next store starts with new statistics
	s.stats.BytesWritten += stats.BytesWritten
	s.stats.PeakDiskBytes = max(s.stats.PeakDiskBytes, stats.PeakDiskBytes)
	s.store = nil
	s.removeHidden()
	return s.stats, err
}

// Sweep removes the data that a killed run has spilled, even if this run needs no store. The data
// is personal.
func (s *Scratch) Sweep() error {
	if err := spill.Sweep(s.Path(), s.options.FS); err != nil {
		return err
	}
	s.removeHidden()
	return nil
}

// removeHidden removes the hidden folder, which may be left from a killed run. The folder stays if
// another run uses it.
func (s *Scratch) removeHidden() {
	if s.folder == "" {
		_ = os.Remove(s.Path())
	}
}
