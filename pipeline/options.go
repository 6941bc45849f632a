package pipeline

import (
	"context"
	"io"
	"time"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// RunOptions are the options that the command line adds to a job.
type RunOptions struct {
	Overwrite bool // replace an existing output
	// Resume reuses the results of an earlier run of the same job and input: its release, if nobody
	// has changed it, or its cut.
	Resume bool
	Trace  io.Writer // receives one JSON line per performed specialization; may be nil
	// OnlyCoarsen names an earlier release, or a file with its cut. The search does not go below
	// any node of that cut. Empty: the search has no bounds.
	OnlyCoarsen string
	RunJSON     string // the file for the report, written before publishing; empty: none
	Version     string // of the program, for the report
	Events      resources.Events
	// Failed receives the report of a run that failed, with all finished stages and the error. It
	// may be nil.
	Failed func(*Report)

	// Checkpoint is the least working time after which a run keeps the cut that it has found for
	// another try. 0: the run keeps no cut.
	Checkpoint time.Duration

	// Runner lets other processes mask the rows; nil: this process masks them. Shared is the
	// folder, or the place in an object store, that all these processes can read and write;
	// empty: a place next to the output.
	Runner Runner
	Shared string

	System System
}

// ApplyOptions say which cut a run applies to a job's input, and how.
type ApplyOptions struct {
	RunOptions
	Cut string // a release, or a file with its cut
	// OnBreak says what happens to classes that break a set. Empty: search.BreakSuppress within the
	// job's max_suppressed, or search.BreakFail if the job has no max_suppressed.
	OnBreak search.OnBreak

	// MaxSuppressed is, with search.BreakSuppress, the largest number of records that may be
	// released with marks alone, or their largest share of all rows.
	MaxSuppressed Quota
}

// Quota is a number of records, or a share of them.
type Quota = job.Quota

// Runner lets other processes mask the rows of a run. These processes use a Worker; they share
// nothing but a folder with the run.
type Runner interface {
	// Do lets Workers do the tasks from 0 to tasks−1 with Worker.Do, in any order, each task at
	// least once.
	Do(ctx context.Context, folder string, tasks int) error
}

// System is the environment of a run, and the sizes at which the run takes another way. The zero
// value is the machine's environment, with sizes that were measured.
type System struct {
	Files *publish.FS   // the file system of the output; nil: the machine's
	Store spill.Options // options of the spill store, without the budget

	Spill bool // count in a store whatever the budget is
	Room  int  // number of values in memory before they spill; 0: as the budget allows
	// Many is the number of values of a column, or of tuples, from which a run reads its input
	// twice. 0: the number from which that is faster.
	Many int
}

// tuning returns the options of counting.
func (s *System) tuning() count.Tuning {
	return count.Tuning{Spill: s.Spill, Room: s.Room, Many: s.Many}
}
