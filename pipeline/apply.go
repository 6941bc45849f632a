package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
)

// ApplyOptions say which cut is applied to a job's input, and how.
type ApplyOptions struct {
	RunOptions
	Cut     string  // a release, or a file with its cut
	OnBreak OnBreak // empty: BreakSuppress as far as the job's max_suppressed allows, without one BreakFail

	// With BreakSuppress, the most records that may be released with marks alone: a number,
	// or a share of all rows when it ends with a percent sign.
	MaxSuppressed Quota
}

// OnBreak says what to do when the cut does not hold for the input.
type OnBreak string

// The ways out.
const (
	BreakFail     OnBreak = "fail"
	BreakRefuse   OnBreak = "refuse" // as BreakFail, and where a column has got flat
	BreakCoarsen  OnBreak = "coarsen"
	BreakSuppress OnBreak = "suppress"
)

// Quota is a number of records, or a share of them.
type Quota = job.Quota

// Apply masks a job's input with the cut of an earlier release and publishes that, if every
// set of the job holds, or can be made to as the options say. It searches nothing: of the
// job's algorithm nothing matters. On an error nothing is published.
func Apply(ctx context.Context, j *job.Job, opt ApplyOptions) (*Report, error) {
	j, err := j.OfRows()
	if err != nil {
		return nil, err
	}
	cut, err := domain.ReadCut(ctx, opt.Cut)
	if err != nil {
		return nil, err
	}
	if opt.OnBreak == BreakCoarsen && cut.Kind == cutfile.KindRegions {
		return nil, fault.Errorf(fault.Usage, "use --on-break suppress, or run the job anew",
			"coarsen the cut of %s: it has regions, and no steps that could be undone", opt.Cut)
	}
	switch {
	case opt.OnBreak == "" && j.MaxSuppressed != Quota{}:
		opt.OnBreak, opt.MaxSuppressed = BreakSuppress, j.MaxSuppressed
	case opt.OnBreak == "":
		opt.OnBreak = BreakFail
	}
	if opt.OnBreak == BreakSuppress && cut.Kind == cutfile.KindRegions && j.Suppressed == job.SuppressedDrop {
		return nil, j.LocatedKey("suppressed", "leave it out", errors.New("records that are in no region of a cut cannot be dropped"))
	}
	previous, err := previousCut(ctx, j)
	if err != nil {
		return nil, err
	}
	as := *j
	as.Algorithm = job.Algorithm{Name: cut.Algorithm}
	report, err := carryOut(ctx, &assignment{job: &as, opt: &opt.RunOptions, given: cut, applied: &opt, previous: previous})
	var broken *recheck.Broken
	if !errors.As(err, &broken) {
		return report, err
	}
	hint := "use --on-break coarsen or --on-break suppress, or run the job anew"
	switch {
	case opt.OnBreak == BreakSuppress:
		hint = "allow more with --max-suppressed, use --on-break coarsen, or run the job anew"
	case cut.Kind == cutfile.KindRegions:
		hint = "use --on-break suppress, or run the job anew"
	}
	return nil, &fault.Error{Class: fault.Privacy, Hint: hint, Err: err}
}

// engine returns the engine that applies a cut to so many rows of a job.
func (o *ApplyOptions) engine(given *domain.Cut, j *job.Job, rows int64) engine.Engine {
	most := o.MaxSuppressed.Of(rows)
	onBreak := map[OnBreak]recheck.OnBreak{BreakCoarsen: recheck.Coarsen, BreakSuppress: recheck.Suppress}[o.OnBreak]
	if given.Kind != cutfile.KindRegions {
		return recheck.Engine{OnBreak: onBreak, MaxSuppressed: most, Drop: j.Suppressed == job.SuppressedDrop, Widest: j.MaxSuppressed != Quota{}}
	}
	e := given.RegionEngine()
	e.OnBreak, e.MaxSuppressed = onBreak, most
	return e
}

// reportApplied reports what became of a cut that was applied: the report has the steps that were undone.
func (s *search) reportApplied(recoding engine.Recoding) {
	if s.applied == nil {
		return
	}
	r := s.res.report
	undone := r.Steps
	r.Applied = &cutfile.Applied{Undone: undone, Suppressed: r.Suppressed}
	if s.given.Applied != nil {
		r.Applied.Undone += s.given.Applied.Undone
	}
	r.Steps = s.given.Steps
	if undone > 0 {
		s.res.events.Noted(fmt.Sprintf("%s of the cut undone: %s", text.Count(undone, "step"), s.undone(recoding)))
	}
	if n := r.Suppressed; n > 0 {
		s.res.events.Noted(text.Count(n, "record") + " suppressed")
	}
}

// undone says how many labels are left in columns that had more of them.
func (s *search) undone(recoding engine.Recoding) string {
	var parts []string
	for a := range s.Masked {
		column := s.given.Column(a)
		was, is := s.given.CountLabels(a), 0
		for _, label := range recoding.Labels(a) {
			if !label.Null && !masking.IsMark(label, column.Mask) {
				is++
			}
		}
		if is < was {
			parts = append(parts, fmt.Sprintf("%s has %d labels instead of %d", column.Name, is, was))
		}
	}
	return strings.Join(parts, ", ")
}

// boundsOf reads the cut that a search stays above; nil without a path.
func boundsOf(ctx context.Context, j *job.Job, path string) (*domain.Cut, error) {
	if path == "" {
		return nil, nil
	}
	if name := j.Algorithm.Name; name != job.AlgorithmTDR && name != job.AlgorithmTDS {
		return nil, fault.Errorf(fault.Usage, "use algorithm tdr or tds",
			"search above the cut of %s: algorithm %s does not start from the top", path, name)
	}
	given, err := domain.ReadCut(ctx, path)
	if err != nil {
		return nil, err
	}
	if given.Kind == cutfile.KindRegions {
		return nil, fault.Errorf(fault.Usage, "name a release whose columns have a cut each",
			"search above the cut of %s: it has regions", path)
	}
	return given, nil
}
