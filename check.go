package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/check"
)

// CheckOptions say which columns of which table are looked at. Absent limits are the machine's.
type CheckOptions struct {
	Input     []string // files, directories, globs, URLs: one table
	Columns   []string // what somebody may know together
	Count     string   // column that says how many records a row stands for; empty: one
	Entity    string   // column that tells of whom a row is, so that people are counted; empty: rows are
	Sensitive []string // columns whose values are looked at in every class
	K         int      // that must hold; 0: any does
	CSV       CSV      // how CSV is read
	// MissingNull says that a column is null in the files that lack it; else that is an error.
	MissingNull bool
	Limits      Limits // without a SpillDir, what does not fit the memory goes to a hidden folder in the current one
	Events      Events
}

// Checked is what a check found, and its part.
type (
	Checked          = check.Result
	CheckedSensitive = check.Sensitive // a sensitive column, in the classes where it is worst
)

// Check tells how well the rows of any table hide each other in some columns: of a release, an input or what another
// program has made. It needs no job and writes nothing but what it spills. When K does not hold it returns what it found
// together with an error of ErrPrivacy.
func Check(ctx context.Context, opt CheckOptions) (*Checked, error) {
	return guarded(func() (*Checked, error) {
		return pipeline.Check(ctx, pipeline.CheckOptions{
			Input: opt.Input, Columns: opt.Columns, Count: opt.Count, Entity: opt.Entity, Sensitive: opt.Sensitive,
			K: opt.K, CSV: opt.CSV, MissingNull: opt.MissingNull, Limits: opt.Limits, Events: opt.Events.below(),
		})
	})
}
