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
	// Resume uses the results of an earlier run of the same job and input: its release, if that is
	// complete, or the cut that the run has kept.
	Resume bool
	// Checkpoint is the time after which a run that has found its cut keeps the cut for another
	// try. 0: the run keeps no cut.
	Checkpoint time.Duration
	// OnlyCoarsen names an earlier release, or a file with its cut: the search releases no label
	// that is finer than the labels of this cut. Empty: the search has no such limit.
	OnlyCoarsen string
	Trace       io.Writer // one JSON line per step of the search, not for release; nil: none
	RunJSON     string    // file that receives the report, before publishing; empty: none
	Version     string    // of the program, for the report; empty: not reported
	Events      resources.Events
	// Failed receives the report of a run that failed: its last stage, and its error. It may be
	// nil.
	Failed func(*Report)

	// Runner has other processes mask the rows; nil: this process masks them. The bytes of the
	// release are the same. Shared is a folder, or a place in an object store, that all processes
	// can read and write; empty: a folder next to the output.
	Runner Runner
	Shared string

	System System // for tests of this module; importers leave it zero
}

// ApplyOptions say which cut a run applies to a job's input, and how.
type ApplyOptions struct {
	RunOptions
	Cut string // a release, or a file with its cut
	// OnBreak says what happens if the cut does not hold for the input. Empty: BreakSuppress within
	// the job's max_suppressed, or BreakFail if the job has no max_suppressed.
	OnBreak search.OnBreak
	// MaxSuppressed is the largest number of records, or their largest share of all rows, that
	// BreakSuppress may release with marks alone.
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
