package pipeline

import (
	"cmp"
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// RestampOptions say what is released, and with which cut.
type RestampOptions struct {
	RunOptions
	Input  []string // files that another engine has masked: a file, a directory or a glob each
	Output string   // of the release
	Cut    string   // that they were masked with: a release, or a file with its JSON
	// MaxUnique is the share of the rows that may be alone on all labels; nil: 1 %, or as many as the
	// cut says that were.
	MaxUnique *job.Share
	Accept    []string // kept columns that may tell rows apart
	Limits    job.Limits
}

// Restamp makes a release of a table that another engine has masked with a cut. Nothing of the files' own pages, dictionaries,
// statistics and order is taken over: all values are written anew, the cut into the footers. It is published if a recount finds that
// every set of the cut holds, and nothing but its labels in the masked columns. On an error nothing is published.
func Restamp(ctx context.Context, opt RestampOptions) (*Report, error) {
	cut, err := domain.ReadCut(ctx, opt.Cut)
	if err != nil {
		return nil, err
	}
	most := job.DefaultMaxUnique
	if cut.Union != nil { // who made that release has accepted as many
		most = max(most, job.Share(cut.Union.Unique))
	}
	j := &job.Job{
		MaxUnique: cmp.Or(opt.MaxUnique, &most),
		Input:     opt.Input, Output: job.Output{Path: opt.Output, Compression: "zstd"}, Unlisted: job.UnlistedKeep,
		Algorithm: job.Algorithm{Name: cut.Algorithm}, Order: job.OrderReleased, Limits: opt.Limits,
	}
	for _, name := range opt.Accept {
		j.Columns = append(j.Columns, job.Column{Name: name, Mask: job.MaskKeep, Identifying: job.IdentifyingAccepted})
	}
	return carryOut(ctx, &assignment{job: j, opt: &opt.RunOptions, stamp: cut.File})
}

// stamped is what was found when the input is masked already: a cut, and no labels to be put in the place of values.
func (b *Bound) stamped(cut *cutfile.File, res *resources) (*Found, error) {
	text, err := cutfile.Marshal(cut)
	res.report.Rows, res.report.Released = b.Dataset.Rows(), b.Dataset.Rows()
	res.report.Sets, res.report.Steps, res.report.Applied = cut.Sets, cut.Steps, cut.Applied
	res.report.Suppressed, _ = cut.Marked()
	b.stamp = cut
	return &Found{Cut: text, masked: &engine.Cut{}}, err
}

// guardStamped refuses kept columns of a table that is masked already as a run does, and the class that its cut names.
func (b *Bound) guardStamped(ctx context.Context, res *resources) error {
	if b.stamp == nil {
		return nil
	}
	of := *b
	of.class = b.Dataset.Schema().Index(b.stamp.Class)
	return of.guard(ctx, res)
}
