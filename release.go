package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/verify"
)

// VerifyOptions say which resources a recount may take, and which functions receive its events.
// Absent limits are those of the machine. SpillDir does not matter: data that do not fit the memory
// are read again.
type VerifyOptions = pipeline.VerifyOptions

// Verification is the result of a recount of a release.
type Verification = verify.Result

// Verify recounts a released file or directory from its files alone. It checks every
// quasi-identifier set against its k and the anonymity that the cut claims, every label against the
// embedded cut, and the files against docs/privacy.md. If something is wrong it returns its result
// and an error of ErrPrivacy.
func Verify(ctx context.Context, path string, opt VerifyOptions) (*Verification, error) {
	return guarded(func() (v *Verification, err error) {
		if opt.Job != nil {
			if opt.Job, err = opt.Job.Resolve(); err != nil {
				return nil, err
			}
		}
		return pipeline.Verify(ctx, path, opt)
	})
}

// Joined says how well people hide from somebody who joins several releases by a column.
type Joined = verify.Joined

// VerifyJoined counts, from the files of releases alone, how many people are alone for somebody who
// joins the releases by a column, such as one of pseudonyms. It does not verify the releases, and
// ignores opt.Cut.
func VerifyJoined(
	ctx context.Context, paths []string, column string, opt VerifyOptions,
) (*Joined, error) {
	return guarded(func() (*Joined, error) {
		var releases []verify.Linked
		for _, path := range paths {
			releases = append(releases, verify.Linked{Path: path, Column: column})
		}
		return verify.Join(ctx, releases, opt.Limits, opt.Events)
	})
}

// Inspection is a Verification with the sizes of equivalence classes and the number of records of
// every label.
type Inspection = verify.Inspection

// The parts of an Inspection.
type (
	GroupSizes  = verify.GroupSizes
	Measured    = verify.Measured // the measures of a sensitive column in the classes of a set
	SizeBucket  = verify.SizeBucket
	LabelGroups = verify.LabelGroups
	// Homogeneity counts the classes of a set with a single value of the class or of a sensitive
	// column.
	Homogeneity = verify.Homogeneity
)

// Inspect verifies a release and reports the sizes of its equivalence classes. It ignores opt.Cut
// and opt.Job. A release that does not hold is an error of ErrPrivacy.
func Inspect(ctx context.Context, path string, opt VerifyOptions) (*Inspection, error) {
	return guarded(func() (*Inspection, error) {
		return verify.Inspect(ctx, path,
			verify.Options{Limits: opt.Limits, Events: opt.Events})
	})
}

// MostHomogeneous returns, for each column, that of the set whose classes disclose most of it. The
// column of which they disclose most is the first.
func MostHomogeneous(all []Homogeneity) []Homogeneity { return verify.MostHomogeneous(all) }

// SampleRows are some rows of a release, for people who look at it.
type (
	SampleRows = pipeline.SampleRows
	SampleCell = pipeline.SampleCell
)

// ReadRows returns at most n rows of a released file or directory, spread over it, as texts.
func ReadRows(ctx context.Context, path string, n int) (*SampleRows, error) {
	return guarded(func() (*SampleRows, error) { return pipeline.ReadRows(ctx, path, n) })
}

// Risk reports the sizes of the classes that rows form on the kept columns, on the labels of all
// sets, and on both, and ARX's risks. RiskOf returns the Risk of a release. The Report of a run has
// the risks of the input, too.
type Risk = risk.Report

// Union reports the sizes of the classes that the labels of all masked columns together make.
type Union = risk.Union

// The parts of a Risk.
type (
	RiskFigures    = risk.Figures
	RiskPopulation = risk.Population // the estimated unique people of a population
	RiskPair       = risk.Pair       // the sizes of classes for somebody who knows two sets
	RiskDetermined = risk.Determined // a masked column that a kept column determines
	RiskMember     = risk.Member     // a kept column that masked columns of a set determine
)

// RiskOf reports the disclosure risk of a released file or directory, from its files alone. Like
// Inspect it ignores opt.Cut and opt.Job. A release that does not hold is an error of ErrPrivacy.
func RiskOf(ctx context.Context, path string, opt VerifyOptions) (*Risk, error) {
	i, err := Inspect(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return i.Risk, nil
}

// Cut is the rule that made a release: the labels that replace the values of every masked column,
// and the anonymity of the result. It holds released labels only. Raw is its JSON
// (docs/metadata.md).
type Cut = cutfile.File

// KindRegions is the Kind of a Cut that masks several columns together. Its Regions say which
// labels occur together.
const KindRegions = cutfile.KindRegions

// The parts of a Cut.
type (
	CutSet     = cutfile.Set    // a quasi-identifier set and the anonymity it has
	CutColumn  = cutfile.Column // a masked column and its labels
	CutColumns = cutfile.Columns
	CutLabel   = cutfile.Label
	CutRegion  = cutfile.Region
)

// ReadCut returns the cut of a released file or directory, or of a file with the JSON of a cut.
func ReadCut(ctx context.Context, path string) (*Cut, error) {
	return guarded(func() (*Cut, error) { return cutfile.Read(ctx, path) })
}

// Outline is a short description of a release: its cut, and facts from its schema and statistics.
type Outline = cutfile.Outline

// ReadOutline returns the outline of a released file or directory, or of a file with the JSON of a
// cut.
func ReadOutline(ctx context.Context, path string) (*Outline, error) {
	return guarded(func() (*Outline, error) { return cutfile.ReadOutline(ctx, path) })
}

// CutSchema returns the JSON Schema (draft 2020-12) of cuts.
func CutSchema() []byte { return cutfile.Schema() }

// Difference compares two cuts, column by column: it says how the second cut differs from the
// first.
type (
	Difference       = cutfile.Difference
	ColumnDifference = cutfile.ColumnDifference
	Relation         = cutfile.Relation
)

// The relations of two cuts. If a cut is finer, a label of the coarser cut covers each of its
// labels.
const (
	Equal        = cutfile.Equal
	Coarser      = cutfile.Coarser
	Finer        = cutfile.Finer
	Incomparable = cutfile.Incomparable
	Different    = cutfile.Different // the relation is unknown without the taxonomies
	Added        = cutfile.Added     // only the second cut has the column
	Removed      = cutfile.Removed   // only the first cut has the column
)

// Diff compares the cuts of two releases, or of files with their JSON. A job that is not nil has
// the taxonomies, which determine which nodes are above each other; the names of nodes do not.
func Diff(ctx context.Context, from, to string, job *Job) (*Difference, error) {
	return guarded(func() (*Difference, error) { return cutfile.Diff(ctx, from, to, job) })
}
