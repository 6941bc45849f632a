package pipeline

import (
	"context"
	"io"
	"time"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// RunOptions are what the command line adds to a job.
type RunOptions struct {
	Overwrite bool // replace an existing output
	// go on from what an earlier run of the same job and input has left: its release, if that
	// stands, or its cut
	Resume bool
	Trace  io.Writer // one JSON line per performed specialization; may be nil
	// OnlyCoarsen names an earlier release, or a file with its cut: the search goes below no
	// node of it. Empty: no bounds.
	OnlyCoarsen string
	RunJSON     string // file that receives the report, before publishing; empty: none
	Events      Events

	// Checkpoint is how long a run must have worked when it has found its cut to keep that for
	// another try; 0: it keeps nothing.
	Checkpoint time.Duration

	// Runner has other processes mask the rows; nil: this one does. Shared is the folder, or the
	// place in an object store, that all of them see; empty: beside the output.
	Runner Runner
	Shared string

	System System
}

// ApplyOptions say which cut is applied to a job's input, and how.
type ApplyOptions struct {
	RunOptions
	Cut string // a release, or a file with its cut
	// empty: search.BreakSuppress as far as the job's max_suppressed allows, without one
	// search.BreakFail
	OnBreak search.OnBreak

	// With search.BreakSuppress, the most records that may be released with marks alone: a number,
	// or a share of all rows when it ends with a percent sign.
	MaxSuppressed Quota
}

// Quota is a number of records, or a share of them.
type Quota = job.Quota

// Runner has other processes mask the rows of a run. These processes are Workers; they share
// nothing with the run but a folder.
type Runner interface {
	// Do has the tasks from 0 to tasks−1 done by Worker.Do, in any order, each at least once.
	Do(ctx context.Context, folder string, tasks int) error
}

// System is what a run meets outside of itself, and the sizes from which it works in another way.
// The zero value is the machine's, with sizes that were measured.
type System struct {
	Files *publish.FS   // where the output is; nil: the machine's
	Store spill.Options // of the spill store, but for the budget

	Spill bool // count in a store whatever the budget is
	Room  int  // values in memory before they spill; 0: what the budget allows
	// values of a column, or tuples, that make a run read its input twice; 0: as many as pay
	Many int
}

func (s *System) tuning() count.Tuning {
	return count.Tuning{Spill: s.Spill, Room: s.Room, Many: s.Many}
}
