package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// MinMemory is the smallest memory budget that a run starts with, in bytes. It is what the
// store's buffers, a census of twenty columns and one reader take together at their least.
const MinMemory = 16 << 20

// cellBytes is the most of the heap that a value of a masked column has been seen to take when
// nothing spills: near-unique rows, all columns in one set.
const cellBytes = 16

// resources are what a run takes of the machine, and who is told of it.
type resources struct {
	threads int
	budget  *spill.Budget
	scratch *scratch
	events  Events
	report  *Report
}

// newResources gives a run the threads and the memory that the job says, or that the machine has. It
// refuses a budget that nothing could be done in.
func newResources(job *job.Job, report *Report, events Events, store spill.Options) (*resources, error) {
	threads := job.Limits.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	memory := job.Limits.Memory
	if memory == 0 {
		memory = spill.DefaultLimit()
	}
	if memory < MinMemory {
		return nil, fault.Errorf(fault.Resources, fmt.Sprintf("give at least %d MiB with --memory", MinMemory>>20),
			"start run with %d bytes, the least is %d MiB: %w", memory, MinMemory>>20, spill.ErrBudget)
	}
	notice := events.Notice
	events.Notice = func(text string) {
		if slices.Contains(report.Notices, text) { // of a run that started again, out of core
			return
		}
		report.Notices = append(report.Notices, text)
		if notice != nil {
			notice(text)
		}
	}
	res := &resources{threads: threads, budget: spill.NewBudget(memory), report: report, events: events}
	store.Budget = res.budget
	res.scratch = &scratch{folder: job.Limits.SpillDir, options: store, noted: res.events.Noted}
	return res, nil
}

// reading says what reading an input may take.
func (r *resources) reading() binding.Reading {
	return binding.Reading{Budget: r.budget, Threads: r.threads, Noted: r.events.Noted}
}

// guard returns what holds a job's rows against what it accepts.
func (r *resources) guard(b *binding.Bound) *guard.Guard {
	return &guard.Guard{
		Bound: b, Budget: r.budget, Threads: r.threads, Noted: r.events.Noted,
		Advanced: func(done, total int64) { r.events.Advanced(StageCompress, Progress{Done: done, Total: total}) },
	}
}

// closeStore removes all that was spilled, and reports how much that was.
func (r *resources) closeStore() error {
	stats, err := r.scratch.close()
	if stats.BytesWritten > 0 {
		r.report.Spilled, r.report.SpilledPeak = stats.BytesWritten, stats.PeakDiskBytes
	}
	return err
}

// storeRows opens the store for rows that are put in order.
func (r *resources) storeRows() (*spill.Store, error) { return r.scratch.open("rows of the release") }

// usage tells what is taken at the moment. Nothing is counted for it: it reads counters that are
// there. It is safe for concurrent use.
func (r *resources) usage() Usage {
	u := Usage{Drawn: r.budget.Used(), Resident: spill.Resident(), Spilled: r.scratch.written()}
	u.Read, u.Written = spill.Transferred()
	return u
}

// Usage is what a run takes of the machine at one moment, in bytes.
type Usage struct {
	Drawn    int64 // from the memory budget
	Resident int64 // memory of the process; 0 where the system does not tell
	Spilled  int64 // written to the spill store so far
	// Read and Written are what the process has transferred so far, spilled data too; 0 where
	// the system does not tell.
	Read, Written int64
}

// scratch is the store for what does not fit the memory. It is opened when it is needed.
type scratch struct {
	folder  string // that the job names; empty: a hidden one beside the output
	beside  string // the output
	options spill.Options
	noted   func(text string)
	refused bool // nothing goes to disk

	mu    sync.Mutex
	store *spill.Store // while it is open
	stats spill.Stats  // of the one that was closed
}

// open opens the store for what does not fit the memory, unless it is open, and says so.
func (s *scratch) open(what string) (*spill.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	if s.refused {
		return nil, fmt.Errorf("hold %s in memory: %w", what, spill.ErrBudget)
	}
	s.noted(what + " exceed their share of the memory budget: spilling to disk")
	store, err := spill.Open(s.path(), s.options)
	if err != nil {
		return nil, err
	}
	s.store = store
	return store, nil
}

// opened returns the store if it is open, else nil.
func (s *scratch) opened() *spill.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store
}

// written returns how many bytes have been spilled.
func (s *scratch) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	written := s.stats.BytesWritten
	if s.store != nil {
		written += s.store.Stats().BytesWritten
	}
	return written
}

// path returns where a run spills: where the job says, or in a hidden folder beside the output,
// which is on a disk with room for a table of that size.
func (s *scratch) path() string {
	if s.folder != "" {
		return s.folder
	}
	return filepath.Join(filepath.Dir(filepath.Clean(s.beside)), ".kcut-spill")
}

// close removes all that was spilled. The failure of the store, if there was one, comes back again.
func (s *scratch) close() (spill.Stats, error) {
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

// sweep removes what a run that was killed has spilled, also when this one will need no store: it
// is personal data.
func (s *scratch) sweep() error {
	if err := spill.Sweep(s.path(), s.options.FS); err != nil {
		return err
	}
	s.removeHidden()
	return nil
}

// removeHidden removes the hidden folder that a run which was killed may have left behind.
// It stays when another run is using it.
func (s *scratch) removeHidden() {
	if s.folder == "" {
		_ = os.Remove(s.path())
	}
}

// stage does a part of a run, unless the context has ended, and tells when it begins and ends, and how
// long it took.
func (r *resources) stage(ctx context.Context, name Stage, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := r.events.Began(name)
	if err := do(); err != nil {
		return err
	}
	took := r.events.Ended(name, began)
	if !r.report.AlreadyDone { // else the report is that of the run that made what stands
		r.report.Stages = append(r.report.Stages, StageTime{name, took.Seconds()})
	}
	return nil
}

// joinClosed adds the error of closing something to another one, unless it is that already.
func joinClosed(err, closed error) error {
	if errors.Is(err, closed) {
		return err
	}
	return errors.Join(err, closed)
}

// advise gives an error of a disk, or of limits that are too tight, the next thing to do, unless it has one. It names the
// folder that is meant: the user's, not the private one in it.
func advise(err error, res *resources, job *job.Job) error {
	err = res.budget.Advise(err)
	var advised *fault.Error
	if errors.As(err, &advised) {
		return err
	}
	full := filepath.Dir(filepath.Clean(cmp.Or(res.scratch.beside, job.Output.Path))) // of the file that an operation failed on, if it has one
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		full = filepath.Dir(path.Path)
	case errors.As(err, &link):
		full = filepath.Dir(link.New)
	}
	hint := ""
	switch folder := res.scratch.path(); {
	case errors.Is(err, engine.ErrUnreached):
		hint = "raise algorithm.max_divergence or algorithm.max_information_change, leave k out to take what is reached, or use iack"
	case errors.Is(err, storage.ErrDenied):
		hint = "look at the credentials in the environment and at what they may read; docs/storage.md names the variables"
	case errors.Is(err, storage.ErrUnavailable):
		hint = "run again; if that does not help, look at the endpoint and the credentials in the environment"
	case errors.Is(err, spill.ErrCorrupt):
		hint = fmt.Sprintf("check the disk of %s, or name a folder on another one with limits.spill_dir, and run again", folder)
	case errors.Is(err, spill.ErrFailed):
		hint = fmt.Sprintf("run again; when it fails again, check the disk of %s, or name a folder on another one with limits.spill_dir", folder)
	case errors.Is(err, spill.ErrDisk) && fault.IsFull(err):
		hint = fmt.Sprintf("free space in %s, name a folder on a larger disk with limits.spill_dir, or give more memory with --memory", folder)
	case errors.Is(err, spill.ErrDisk):
		hint = fmt.Sprintf("let kcut write to %s, and nobody remove it while a run goes on, or name another folder with limits.spill_dir", folder)
	case fault.IsFull(err):
		hint = fmt.Sprintf("free space in %s, or write to a larger disk", full)
	default:
		return err
	}
	return &fault.Error{Class: fault.ClassOf(err), Hint: hint, Err: err}
}
