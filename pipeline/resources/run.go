// Package resources has the resources of a run: its threads, its memory, and the disk space for
// data that does not fit the memory. It also has the functions that report the progress of the run.
//
// Contract: memory that grows with the input is drawn from Budget. Scratch opens its store only if
// the run needs the store. Close removes the files of the store. If a run is killed, the next run
// removes them.
//
// Not promised: that the machine has the memory and the threads that a job asks for.
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

// MinMemory is the smallest memory budget of a run, in bytes. It suffices for the smallest buffers
// of the store, the smallest counters of the values of twenty columns, and one reader.
const MinMemory = 16 << 20

// Run has the resources of one run.
type Run struct {
	Threads int
	Budget  *spill.Budget
	Scratch *Scratch
	Events
}

// New returns the resources of a run: the threads and the memory that the job names, or else the
// threads and the memory of the machine. It refuses a budget that is too small for any run.
func New(job *job.Job, store spill.Options, events Events) (*Run, error) {
	threads := job.Limits.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	memory := job.Limits.Memory
	if memory == 0 {
		memory = spill.DefaultLimit()
	}
	if memory < MinMemory {
		hint := fmt.Sprintf("give at least %d MiB with --memory", MinMemory>>20)
		return nil, fault.Errorf(fault.Resources, hint,
			"start run with %d bytes, the least is %d MiB: %w",
			memory, MinMemory>>20, spill.ErrBudget)
	}
	r := &Run{Threads: threads, Budget: spill.NewBudget(memory), Events: events}
	store.Budget = r.Budget
	r.Scratch = &Scratch{folder: job.Limits.SpillDir, options: store, noted: r.Noted}
	return r, nil
}

// StoreRows opens the store for rows, which a run puts in order.
func (r *Run) StoreRows() (*spill.Store, error) { return r.Scratch.Open("rows of the release") }

// Usage returns the resources that the run uses at the moment. It only reads counters. It is safe
// for concurrent use.
func (r *Run) Usage() Usage {
	u := Usage{Drawn: r.Budget.Used(), Resident: spill.Resident(), Spilled: r.Scratch.written()}
	u.Read, u.Written = spill.Transferred()
	return u
}

// Usage has the resources that a run uses at one moment, in bytes.
type Usage struct {
	Drawn    int64 // drawn from the memory budget
	Resident int64 // memory of the process; 0 if the system does not report it
	Spilled  int64 // written to the spill store so far
	// Read and Written are the bytes that the process has transferred so far, including spilled
	// data; 0 if the system does not report them.
	Read, Written int64
}

// Advise adds a hint to an error of a disk, of a store or of limits that are too tight, unless the
// error has a hint. The hint names the user's folder, not the private folder in it. The run writes
// to output.
func (r *Run) Advise(err error, output string) error {
	err = r.Budget.Advise(err)
	var advised *fault.Error
	if errors.As(err, &advised) {
		return err
	}
	// full is the folder of the file whose operation failed, if the error names a file.
	full := filepath.Dir(filepath.Clean(cmp.Or(r.Scratch.Output, output)))
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
		hint = "raise algorithm.max_divergence or algorithm.max_information_change, " +
			"leave k out to take what is reached, or use iack"
	case errors.Is(err, storage.ErrDenied):
		hint = "look at the credentials in the environment and at what they may read; " +
			"docs/storage.md names the variables"
	case errors.Is(err, storage.ErrUnavailable):
		hint = "run again; if the run fails again, look at the endpoint and the credentials " +
			"in the environment"
	case errors.Is(err, spill.ErrCorrupt):
		hint = fmt.Sprintf("check the disk of %s, or name a folder on another disk "+
			"with limits.spill_dir, and run again", folder)
	case errors.Is(err, spill.ErrFailed):
		hint = fmt.Sprintf("run again; if the run fails again, check the disk of %s, "+
			"or name a folder on another disk with limits.spill_dir", folder)
	case errors.Is(err, spill.ErrDisk) && fault.IsFull(err):
		hint = fmt.Sprintf("free space in %s, name a folder on a larger disk "+
			"with limits.spill_dir, or give more memory with --memory", folder)
	case errors.Is(err, spill.ErrDisk):
		hint = fmt.Sprintf("let kcut write to %s, and nobody remove it while a run goes on, "+
			"or name another folder with limits.spill_dir", folder)
	case fault.IsFull(err):
		hint = fmt.Sprintf("free space in %s, or write to a larger disk", full)
	default:
		return err
	}
	return &fault.Error{Class: fault.ClassOf(err), Hint: hint, Err: err}
}
