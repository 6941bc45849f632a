package pipeline

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// Apply masks a job's input with the cut of an earlier release and publishes the result, if every
// set of the job holds, or if coarser labels or suppression within the options make it hold.
// Apply searches nothing: the job's algorithm does not matter. On an error nothing is published.
func Apply(ctx context.Context, j *job.Job, opt ApplyOptions) (*Report, error) {
	j, err := j.OfRows()
	if err != nil {
		return nil, err
	}
	cut, err := domain.ReadCut(ctx, opt.Cut)
	if err != nil {
		return nil, err
	}
	if opt.OnBreak == search.BreakCoarsen && cut.Kind == cutfile.KindRegions {
		return nil, fault.Errorf(fault.Usage, "use --on-break suppress, or run the job anew",
			"coarsen the cut of %s: it has regions, and no steps that could be undone", opt.Cut)
	}
	switch {
	case opt.OnBreak == "" && j.MaxSuppressed != Quota{}:
		opt.OnBreak, opt.MaxSuppressed = search.BreakSuppress, j.MaxSuppressed
	case opt.OnBreak == "":
		opt.OnBreak = search.BreakFail
	}
	if opt.OnBreak == search.BreakSuppress && cut.Kind == cutfile.KindRegions &&
		j.Suppressed == job.SuppressedDrop {
		return nil, j.LocatedKey("suppressed", "leave it out",
			errors.New("records that are in no region of a cut cannot be dropped"))
	}
	previous, err := readPreviousCut(ctx, j)
	if err != nil {
		return nil, err
	}
	applied := *j
	applied.Algorithm = job.Algorithm{Name: cut.Algorithm}
	report, err := execute(ctx, &jobRun{job: &applied, opt: &opt.RunOptions, earlierCut: cut,
		apply: &opt, previousCut: previous})
	var broken *recheck.Broken
	if !errors.As(err, &broken) {
		return report, err
	}
	hint := "use --on-break coarsen or --on-break suppress, or run the job anew"
	switch {
	case opt.OnBreak == search.BreakSuppress:
		hint = "allow more with --max-suppressed, use --on-break coarsen, or run the job anew"
	case cut.Kind == cutfile.KindRegions:
		hint = "use --on-break suppress, or run the job anew"
	}
	return nil, &fault.Error{Class: fault.Privacy, Hint: hint, Err: err}
}
