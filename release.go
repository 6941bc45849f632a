package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
)

// VerifyOptions say what a recount may take, and who is told of it. Absent limits are the
// machine's.
type VerifyOptions struct {
	Limits Limits // of which SpillDir does not matter: what does not fit the memory is read again
	Events Events
	// Cut is a file with the JSON of a cut, or a release that has it, which files of another engine were masked with: they have
	// none of their own. Empty: the release has its cut. Inspect and RiskOf leave it aside.
	Cut string
}

// Verification is what a recount of a release found.
type Verification = verify.Result

// Verify recounts a released file or directory from itself alone: every quasi-identifier set
// against its k and the anonymity it claims, every label against the embedded cut, and the files
// for what they must not give away. When something is wrong it returns what it found together
// with an error of ErrPrivacy.
func Verify(ctx context.Context, path string, opt VerifyOptions) (*Verification, error) {
	return guarded(func() (*Verification, error) {
		if opt.Cut != "" {
			return verify.Against(ctx, path, opt.Cut, opt.Limits, opt.Events.verifying())
		}
		return verify.Release(ctx, path, opt.Limits, opt.Events.verifying())
	})
}

// Inspection is a Verification with the sizes of equivalence classes, and how many records have
// every label.
type Inspection = verify.Inspection

// The parts of an Inspection.
type (
	GroupSizes  = verify.GroupSizes
	Measured    = verify.Measured // what was counted of a sensitive column in the classes of a set
	SizeBucket  = verify.SizeBucket
	LabelGroups = verify.LabelGroups
	Homogeneity = verify.Homogeneity // classes of a set with one value of the class or of a sensitive column
)

// Inspect verifies a release and tells what its equivalence classes are like. One that does not
// hold is an error of ErrPrivacy.
func Inspect(ctx context.Context, path string, opt VerifyOptions) (*Inspection, error) {
	return guarded(func() (*Inspection, error) {
		return verify.Inspect(ctx, path, opt.Limits, opt.Events.verifying())
	})
}

// Risk tells how many rows of a table are alike on its kept columns, on the labels of all sets and on both, and
// ARX's risks: of a release, see RiskOf, or in a Report of its run, which has the risks before, too.
type Risk = risk.Report

// Union says how well the rows of a release hide each other on the labels of all masked columns together.
type Union = risk.Union

// The parts of a Risk.
type (
	RiskFigures    = risk.Figures
	RiskDetermined = risk.Determined // a masked column that a kept one tells
	RiskMember     = risk.Member     // a kept column that masked ones of a set tell
)

// RiskOf tells how well the rows of a released file or directory hide each other, from its files alone.
// One that does not hold is an error of ErrPrivacy.
func RiskOf(ctx context.Context, path string, opt VerifyOptions) (*Risk, error) {
	i, err := Inspect(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return i.Risk, nil
}

// Cut is the rule that made a release: which labels stand for the values of every masked
// column, and how anonymous that left the records. It holds released labels only, and Raw is its
// JSON (docs/metadata.md).
type Cut = cutfile.File

// KindRegions is the Kind of a Cut that masks several columns together: its Regions say which
// labels go together.
const KindRegions = cutfile.KindRegions

// The parts of a Cut.
type (
	CutSet     = cutfile.Set    // a quasi-identifier set and the anonymity it has
	CutColumn  = cutfile.Column // a masked column and its labels
	CutColumns = cutfile.Columns
	CutLabel   = cutfile.Label
	CutRegion  = cutfile.Region
)

// ReadCut returns the cut of a released file or directory, or of a file that holds its JSON alone.
func ReadCut(ctx context.Context, path string) (*Cut, error) {
	return guarded(func() (*Cut, error) { return cutfile.Read(ctx, path) })
}

// Outline is what a release is at a glance: its cut, and what its schema and statistics tell beside that.
type Outline = cutfile.Outline

// ReadOutline returns the outline of a released file or directory, or of a file that holds the JSON of a cut alone.
func ReadOutline(ctx context.Context, path string) (*Outline, error) {
	return guarded(func() (*Outline, error) { return cutfile.ReadOutline(ctx, path) })
}

// CutSchema returns the JSON Schema (draft 2020-12) of cuts.
func CutSchema() []byte { return cutfile.Schema() }

// Difference compares two cuts, column by column: what the second one is, seen from the first.
type (
	Difference       = cutfile.Difference
	ColumnDifference = cutfile.ColumnDifference
	Relation         = cutfile.Relation
)

// The relations. Of cuts that differ, each finer label is covered by one of the coarser cut.
const (
	Equal        = cutfile.Equal
	Coarser      = cutfile.Coarser
	Finer        = cutfile.Finer
	Incomparable = cutfile.Incomparable
	Different    = cutfile.Different // what else cannot be told without the taxonomies
	Added        = cutfile.Added     // a column that only the second cut has
	Removed      = cutfile.Removed   // a column that only the first cut has
)

// Diff compares the cuts of two releases, or of files with their JSON. A job tells, when it is
// not nil, which nodes of taxonomies are above each other: names alone do not.
func Diff(ctx context.Context, from, to string, job *Job) (*Difference, error) {
	return guarded(func() (*Difference, error) { return cutfile.Diff(ctx, from, to, job) })
}
