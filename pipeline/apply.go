package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine/reuse"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/figure"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/labeling"
)

// ApplyOptions say which cut is applied to a job's input, and how.
type ApplyOptions struct {
	RunOptions
	Cut     string // a release, or a file with its cut
	OnBreak OnBreak

	// With BreakSuppress, the most records that may be released with marks alone: a number,
	// or a share of all rows when it ends with a percent sign.
	MaxSuppressed Quota
}

// OnBreak says what to do when the cut does not hold for the input.
type OnBreak string

// The ways out.
const (
	BreakFail     OnBreak = "fail"
	BreakCoarsen  OnBreak = "coarsen"
	BreakSuppress OnBreak = "suppress"
)

// Quota is a number of records, or a share of them.
type Quota struct {
	Records uint64
	Percent float64 // when not 0
}

// of returns the number of so many records.
func (q Quota) of(records int64) uint64 {
	if q.Percent > 0 {
		return uint64(q.Percent / 100 * float64(records))
	}
	return q.Records
}

// Apply masks a job's input with the cut of an earlier release and publishes that, if every
// set of the job holds, or can be made to as the options say. It searches nothing: of the
// job's algorithm nothing matters. On an error nothing is published.
func Apply(ctx context.Context, job *jobfile.Job, opt ApplyOptions) (*Report, error) {
	cut, err := labeling.Read(ctx, opt.Cut)
	if err != nil {
		return nil, err
	}
	if opt.OnBreak == BreakCoarsen && cut.Kind == cutfile.KindRegions {
		return nil, &fault.Error{
			Class: fault.Usage,
			Hint:  "use --on-break suppress, or run the job anew",
			Err:   fmt.Errorf("coarsen the cut of %s: it has regions, and no steps that could be undone", opt.Cut),
		}
	}
	as := *job
	as.Algorithm = jobfile.Algorithm{Name: cut.Algorithm}
	r := &run{job: &as, opt: opt.RunOptions, given: cut}
	r.opt.reuse = &opt
	report, err := r.carryOut(ctx)
	var broken *reuse.Broken
	if errors.As(err, &broken) {
		return nil, &fault.Error{Class: fault.Privacy, Hint: hintOfBreak(opt.OnBreak, cut.Kind), Err: err}
	}
	return report, err
}

// hintOfBreak is what to do when a way out was none.
func hintOfBreak(tried OnBreak, kind string) string {
	switch {
	case tried == BreakSuppress:
		return "allow more with --max-suppressed, use --on-break coarsen, or run the job anew"
	case kind == cutfile.KindRegions:
		return "use --on-break suppress, or run the job anew"
	}
	return "use --on-break coarsen or --on-break suppress, or run the job anew"
}

// identifyGiven writes down what bounds the job beside itself: an earlier cut, and what
// happens when that does not hold.
func (r *run) identifyGiven(w io.Writer) error {
	if r.given == nil {
		return nil
	}
	if reuse := r.opt.reuse; reuse != nil {
		fmt.Fprintf(w, "apply %s %+v ", reuse.OnBreak, reuse.MaxSuppressed)
	}
	return json.NewEncoder(w).Encode(r.given.File)
}

// reuseCut chooses the engine of kcut apply, which needs to know the number of rows.
func (r *run) reuseCut() {
	if r.opt.reuse == nil {
		return
	}
	most := r.opt.reuse.MaxSuppressed.of(r.dataset.Rows())
	onBreak := map[OnBreak]reuse.OnBreak{BreakCoarsen: reuse.Coarsen, BreakSuppress: reuse.Suppress}[r.opt.reuse.OnBreak]
	if r.given.Kind != cutfile.KindRegions {
		r.engine = reuse.Engine{OnBreak: onBreak, MaxSuppressed: most}
		return
	}
	e := r.given.RegionEngine()
	e.OnBreak, e.MaxSuppressed = onBreak, most
	r.engine = e
}

// reused notes what became of the cut: the report has the steps that were undone.
func (r *run) reused() {
	if r.opt.reuse == nil {
		return
	}
	undone := r.report.Steps
	r.report.Applied = &cutfile.Applied{Undone: undone, Suppressed: r.report.Suppressed}
	if r.given.Applied != nil {
		r.report.Applied.Undone += r.given.Applied.Undone
	}
	r.report.Steps = r.given.Steps
	if undone > 0 {
		r.events.Noted(fmt.Sprintf("%s of the cut undone: %s", figure.Count(undone, "step"), r.undoneWords()))
	}
	if n := r.report.Suppressed; n > 0 {
		r.events.Noted(figure.Count(n, "record") + " suppressed")
	}
}

// undoneWords tells of which columns' cuts how many labels are left.
func (r *run) undoneWords() string {
	var parts []string
	for a := range r.prepared.masked {
		column := r.given.Column(a)
		was, is := r.given.CountLabels(a), 0
		for _, label := range r.recoding.Labels(a) {
			if !label.Null && !isMark(label, column.Mask) {
				is++
			}
		}
		if is < was {
			parts = append(parts, fmt.Sprintf("%s has %d labels instead of %d", column.Name, is, was))
		}
	}
	return strings.Join(parts, ", ")
}

// stayAbove reads the cut that a search stays above.
func (r *run) stayAbove(ctx context.Context, path string) (err error) {
	if path == "" {
		return nil
	}
	if !slices.Contains([]string{jobfile.AlgorithmTDR, jobfile.AlgorithmTDS}, r.job.Algorithm.Name) {
		return &fault.Error{
			Class: fault.Usage,
			Hint:  "use algorithm tdr or tds",
			Err:   fmt.Errorf("search above the cut of %s: algorithm %s does not start from the top", path, r.job.Algorithm.Name),
		}
	}
	if r.given, err = labeling.Read(ctx, path); err != nil {
		return err
	}
	if r.given.Kind == cutfile.KindRegions {
		return &fault.Error{
			Class: fault.Usage,
			Hint:  "name a release whose columns have a cut each",
			Err:   fmt.Errorf("search above the cut of %s: it has regions", path),
		}
	}
	return nil
}
