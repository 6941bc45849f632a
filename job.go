package kcut

import (
	"context"
	"errors"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
)

// Job is a whole run: what to read, what must hold, how to mask, where to write. LoadJob reads
// one; a program may as well fill one in, and leave out what has a default.
type Job = job.Job

// The parts of a Job.
type (
	Output    = job.Output    // where a release goes, and in which form
	Set       = job.Set       // a quasi-identifier set and its k
	Sensitive = job.Sensitive // a kept column whose values stay hard to guess
	Shares    = job.Shares    // the most that its values, or some of them, may have of a class
	Column    = job.Column    // what happens to one input column
	Share     = job.Share     // of the rows: 0.35, as a text 35%
	Bounds    = job.Bounds    // the declared ends of a discretized column
	Algorithm = job.Algorithm // a search and its options
	Taxonomy  = job.Taxonomy  // a tree, or how to make one of the values that occur
	CSV       = job.CSV       // how to read CSV input
	Limits    = job.Limits    // memory, threads and the folder to spill to
)

// What may happen to a column.
const (
	MaskGeneralize = job.MaskGeneralize // nodes of a taxonomy
	MaskDiscretize = job.MaskDiscretize // intervals
	MaskSuppress   = job.MaskSuppress   // the value, or a mark
	MaskKeep       = job.MaskKeep       // copied as it is
	MaskPseudonym  = job.MaskPseudonym  // a keyed token
	MaskDrop       = job.MaskDrop       // not released
)

// Override is a value that replaces a job file's, as a flag of the command line does.
type Override = job.Override

// Flag is a value of a job file that an Override may replace.
type Flag = job.Flag

// Setting is one value of a job and where it came from, of Job.Settings.
type Setting = job.Setting

// LoadJob reads a job file, lays overrides over it, and checks all of it. What is wrong comes
// back as one error of ErrUsage, all of it at once, each problem with its place.
func LoadJob(path string, overrides ...Override) (*Job, error) {
	return guarded(func() (*Job, error) { return job.Load(path, overrides) })
}

// resolve checks a job, and fills in what was left out.
func resolve(j *Job) (*Job, error) {
	if j == nil {
		return nil, errors.New("run job: there is none")
	}
	return j.Resolve()
}

// resolved calls f with a job that is resolved, as guarded does.
func resolved[T any](j *Job, f func(*Job) (*T, error)) (*T, error) {
	return guarded(func() (*T, error) {
		j, err := resolve(j)
		if err != nil {
			return nil, err
		}
		return f(j)
	})
}

// Flags lists the values that may be replaced, in the order of docs/job-file.md.
func Flags() []Flag { return job.Flags() }

// EnvironmentOverrides returns the overrides of KCUT_ variables, which lookup finds as
// os.LookupEnv does.
func EnvironmentOverrides(lookup func(string) (string, bool)) []Override {
	return job.EnvironmentOverrides(lookup)
}

// LimitsOf returns the limits that overrides ask for, for what needs no job.
func LimitsOf(overrides ...Override) (Limits, error) {
	return guarded(func() (Limits, error) { return job.LimitsOf(overrides) })
}

// CSVFlags returns the keys of csv in a job file, which commands without one take as flags.
func CSVFlags() []Flag { return job.CSVFlags() }

// CSVOf returns how CSV is read by the values of such flags.
func CSVOf(values ...Override) (CSV, error) {
	return guarded(func() (CSV, error) { return job.CSVOf(values) })
}

// JobSchema returns the JSON Schema (draft 2020-12) of job files.
func JobSchema() []byte { return job.Schema() }

// AlgorithmInfo says of an algorithm what it needs and when to use it.
type AlgorithmInfo = algorithm.Info

// Algorithms lists the algorithms that a job can name.
func Algorithms() []AlgorithmInfo { return algorithm.List() }

// InitOptions say what to draft a job for.
type InitOptions struct {
	Input  []string // files, directories, globs
	K      int      // of every set; 0: 10, or what a smaller table has
	Class  string   // column that a model is to predict; empty: the one that looks like it
	For    string   // the purpose of the release: classify, count or both; empty: any
	File   string   // to write the job to: relative paths in it start from its folder. Empty: none, and the current directory
	Limits Limits   // of memory and threads
	CSV    CSV      // how CSV is read

	Overwrite bool // replace the file if it exists
}

// Init looks at some rows of an input and returns the text of a job file with a proposed role
// for every column, and comments that say why. It is a draft, to be read by somebody who knows
// the data. The same input gives the same text, and no cell's value is in it. A file that is named is written in one step.
func Init(ctx context.Context, opt InitOptions) (string, error) {
	return guarded(func() (string, error) {
		if opt.File != "" {
			return draft.Write(ctx, draft.Options(opt), pipeline.Try)
		}
		return draft.Job(ctx, draft.Options(opt), pipeline.Try)
	})
}
