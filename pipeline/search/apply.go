package search

import (
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// OnBreak selects the action when the cut does not hold for the input.
type OnBreak string

// The actions.
const (
	BreakFail     OnBreak = "fail"
	BreakRefuse   OnBreak = "refuse" // as BreakFail, and if a column has become flat
	BreakCoarsen  OnBreak = "coarsen"
	BreakSuppress OnBreak = "suppress"
)

// Applying is the way to apply an earlier cut.
type Applying struct {
	OnBreak OnBreak
	// with BreakSuppress, the largest number of records that may be released with only the marks
	MaxSuppressed job.Quota
}

// Above keeps the search above an earlier cut, which is bound to the job.
func (s *Search) Above(cut *domain.Cut) { s.given = cut }

// Apply applies an earlier cut, which is bound to the job, instead of searching for one.
func (s *Search) Apply(cut *domain.Cut, as *Applying) {
	s.given, s.applied, s.quota, s.engine = cut, as, as.MaxSuppressed,
		as.engine(cut, s.Job, s.Dataset.Rows())
}

// engine returns the engine that applies a cut to a job with a number of rows.
func (a *Applying) engine(given *domain.Cut, j *job.Job, rows int64) engine.Engine {
	most := a.MaxSuppressed.Of(rows)
	onBreak := map[OnBreak]recheck.OnBreak{
		BreakCoarsen:  recheck.Coarsen,
		BreakSuppress: recheck.Suppress,
	}[a.OnBreak]
	if given.Kind != cutfile.KindRegions {
		return recheck.Engine{
			OnBreak:       onBreak,
			MaxSuppressed: most,
			Drop:          j.Suppressed == job.SuppressedDrop,
			Widest:        j.MaxSuppressed != job.Quota{},
		}
	}
	e := given.RegionEngine()
	e.OnBreak, e.MaxSuppressed = onBreak, most
	return e
}

// reportApplied reports the result of applying a cut: the report has the steps that were undone.
func (s *Search) reportApplied(recoding engine.Recoding) {
	if s.applied == nil {
		return
	}
	r := s.Out
	undone := r.Steps
	r.Applied = &cutfile.Applied{Undone: undone, Suppressed: r.Suppressed}
	if s.given.Applied != nil {
		r.Applied.Undone += s.given.Applied.Undone
	}
	r.Steps = s.given.Steps
	if undone > 0 {
		s.Noted(fmt.Sprintf("%s of the cut undone: %s", text.Count(undone, "step"),
			s.undone(recoding)))
	}
	if n := r.Suppressed; n > 0 {
		s.Noted(text.Count(n, "record") + " suppressed")
	}
}

// undone returns the numbers of labels that are left in columns that had more of them.
func (s *Search) undone(recoding engine.Recoding) string {
	var parts []string
	for a := range s.Masked {
		column := s.given.Column(a)
		texts, _ := column.Texts()
		was, is := len(texts), 0
		for _, label := range recoding.Labels(a) {
			if !label.Null && !domain.IsMark(label, column.Mask) {
				is++
			}
		}
		if is < was {
			parts = append(parts, fmt.Sprintf("%s has %d labels instead of %d", column.Name, is,
				was))
		}
	}
	return strings.Join(parts, ", ")
}
