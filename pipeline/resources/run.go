// Package resources is what a run takes of the machine: threads, memory, disk beyond it; and who hears
// how far the run is.
//
// Contract: whatever grows with the input is drawn from Budget. Scratch is opened when it is needed,
// and what it wrote is removed when it is closed, or by the next run.
//
// Not promised: that the machine has what it was asked for.
package resources

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// MinMemory is the smallest memory budget that a run starts with, in bytes. It is what the
// store's buffers, a census of twenty columns and one reader take together at their least.
const MinMemory = 16 << 20

// Run is what one run takes.
type Run struct {
	Threads  int
	Budget   *spill.Budget
	Scratch  *Scratch
	Noted    func(text string)     // is given what the user should know of
	Advanced func(Stage, Progress) // is told how far a stage is, from several goroutines at a time
}

// New gives a run the threads and the memory that the job says, or that the machine has. It refuses
// a budget that nothing could be done in. The functions may be nil.
func New(job *job.Job, store spill.Options, noted func(text string), advanced func(Stage, Progress)) (*Run, error) {
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
	r := &Run{Threads: threads, Budget: spill.NewBudget(memory), Noted: noted, Advanced: advanced}
	if noted == nil {
		r.Noted = func(string) {}
	}
	if advanced == nil {
		r.Advanced = func(Stage, Progress) {}
	}
	store.Budget = r.Budget
	r.Scratch = &Scratch{folder: job.Limits.SpillDir, options: store, noted: r.Noted}
	return r, nil
}

// StoreRows opens the store for rows that are put in order.
func (r *Run) StoreRows() (*spill.Store, error) { return r.Scratch.Open("rows of the release") }

// Usage tells what is taken at the moment. Nothing is counted for it: it reads counters that are
// there. It is safe for concurrent use.
func (r *Run) Usage() Usage {
	u := Usage{Drawn: r.Budget.Used(), Resident: spill.Resident(), Spilled: r.Scratch.written()}
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

// Advise gives an error of a disk, or of limits that are too tight, the next thing to do, unless it has one. It names the
// folder that is meant: the user's, not the private one in it. The run writes to output.
func (r *Run) Advise(err error, output string) error {
	err = r.Budget.Advise(err)
	var advised *fault.Error
	if errors.As(err, &advised) {
		return err
	}
	full := filepath.Dir(filepath.Clean(cmp.Or(r.Scratch.Beside, output))) // of the file that an operation failed on, if it has one
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		full = filepath.Dir(path.Path)
	case errors.As(err, &link):
		full = filepath.Dir(link.New)
	}
	hint := ""
	switch folder := r.Scratch.Path(); {
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
