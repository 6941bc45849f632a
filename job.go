package kcut

import (
	"context"
	"errors"

	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
)

// Job describes a whole run: its input, the k of every set, the masks and the output. LoadJob reads
// a job file. A program may also fill in a Job, and leave out fields that have a default.
type Job = job.Job

// The parts of a Job.
type (
	Output     = job.Output     // where a release goes, and in which form
	Set        = job.Set        // a quasi-identifier set and its k
	Sensitive  = job.Sensitive  // a kept column whose values stay hard to guess
	Shares     = job.Shares     // the largest shares of a class that its values may have
	Population = job.Population // the people from whom the table's are drawn
	Column     = job.Column     // what happens to one input column
	Share      = job.Share      // a share of the rows: 0.35, or 35% in text
	Bounds     = job.Bounds     // the declared ends of a discretized column
	Algorithm  = job.Algorithm  // a search and its options
	Taxonomy   = job.Taxonomy   // a tree, or the way to make a tree of the values that occur
	CSV        = job.CSV        // how to read CSV input
	Limits     = job.Limits     // memory, threads and the folder to spill to
)

// The masks of a column.
const (
	MaskGeneralize = job.MaskGeneralize // nodes of a taxonomy
	MaskDiscretize = job.MaskDiscretize // intervals
	MaskSuppress   = job.MaskSuppress   // the value, or a mark
	MaskKeep       = job.MaskKeep       // copied as it is
	MaskPseudonym  = job.MaskPseudonym  // a keyed token
	MaskReplace    = job.MaskReplace    // a pseudonym that looks real, of the form With
	MaskDrop       = job.MaskDrop       // not released
)

// Override is a value that replaces a value of a job file, as a flag of the command line does.
type Override = job.Override

// Flag is a value of a job file that an Override may replace.
type Flag = job.Flag

// Setting is one value of a job and its origin. Job.Settings returns them.
type Setting = job.Setting

// LoadJob reads a job file, replaces values by overrides, and checks the result. One error of
// ErrUsage lists all problems, each with its place.
func LoadJob(path string, overrides ...Override) (*Job, error) {
	return guarded(func() (*Job, error) { return job.Load(path, overrides) })
}

// Tables are the jobs of several tables that are released together, or not at all.
type (
	Tables = job.Tables
	Table  = job.Table
)

// LoadTables is LoadJob for a job file that may have several tables. Tables.Single is the job of a
// file without them.
func LoadTables(path string, overrides ...Override) (*Tables, error) {
	return guarded(func() (*Tables, error) { return job.LoadTables(path, overrides) })
}

// resolve checks a job, and fills in defaults.
func resolve(j *Job) (*Job, error) {
	if j == nil {
		return nil, errors.New("run job: there is none")
	}
	return j.Resolve()
}

// resolved resolves a job and calls f with it, guarded.
func resolved[T any](j *Job, f func(*Job) (*T, error)) (*T, error) {
	return guarded(func() (*T, error) {
		j, err := resolve(j)
		if err != nil {
			return nil, err
		}
		return f(j)
	})
}

// Flags lists the values that overrides may replace, in the order of docs/job-file.md.
func Flags() []Flag { return job.Flags() }

// EnvironmentOverrides returns the overrides of KCUT_ variables, which lookup finds as
// os.LookupEnv does.
func EnvironmentOverrides(lookup func(string) (string, bool)) []Override {
	return job.EnvironmentOverrides(lookup)
}

// LimitsOf returns the limits that overrides ask for, for functions that need no job.
func LimitsOf(overrides ...Override) (Limits, error) {
	return guarded(func() (Limits, error) { return job.LimitsOf(overrides) })
}

// CSVFlags returns the keys of csv in a job file. Commands without a job file take them as flags.
func CSVFlags() []Flag { return job.CSVFlags() }

// CSVOf returns the CSV options that the values of such flags ask for.
func CSVOf(values ...Override) (CSV, error) {
	return guarded(func() (CSV, error) { return job.CSVOf(values) })
}

// JobSchema returns the JSON Schema (draft 2020-12) of job files.
func JobSchema() []byte { return job.Schema() }

// AlgorithmInfo says what an algorithm needs and when to use it.
type AlgorithmInfo = algorithm.Info

// Algorithms lists the algorithms that a job can name.
func Algorithms() []AlgorithmInfo { return algorithm.List() }

// InitOptions say for which input and purpose Init drafts a job.
type InitOptions = draft.Options

// Init reads some rows of an input and returns the text of a job file, with a proposed role for
// every column and comments that give reasons. The text is a draft: somebody who knows the data
// has to read it. The same input gives the same text, and the text holds no cell's value. Init
// writes opt.File in one step, if opt names a file.
func Init(ctx context.Context, opt InitOptions) (string, error) {
	return guarded(func() (string, error) {
		if opt.File != "" {
			return draft.Write(ctx, opt, planning.Try)
		}
		return draft.Job(ctx, opt, planning.Try)
	})
}
