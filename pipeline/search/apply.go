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
type OnBreak = recheck.OnBreak

// The actions.
const (
	BreakFail             = recheck.Fail
	BreakRefuse   OnBreak = "refuse" // as BreakFail, and if a column has become flat
	BreakCoarsen          = recheck.Coarsen
	BreakSuppress         = recheck.Suppress
)

// Above keeps the search above an earlier cut, which is bound to the job.
func (s *Search) Above(cut *domain.Cut) { s.given = cut }

// Apply applies an earlier cut, which is bound to the job, instead of searching for one. With
// BreakSuppress, some records may be released with only the marks.
func (s *Search) Apply(cut *domain.Cut, onBreak OnBreak, suppressed job.Quota) {
	s.given, s.applied, s.quota = cut, onBreak, suppressed
	most := suppressed.Of(s.Dataset.Rows())
	if cut.Kind == cutfile.KindRegions {
		given, marks := cut.CodedRegions()
		s.engine = &recheck.Regions{
			Given: given, Marks: marks, OnBreak: onBreak, MaxSuppressed: most,
		}
		return
	}
	s.engine = recheck.Engine{
		OnBreak:       onBreak,
		MaxSuppressed: most,
		Drop:          s.Job.Suppressed == job.SuppressedDrop,
		Widest:        s.Job.MaxSuppressed != job.Quota{},
	}
}

// reportApplied reports the result of applying a cut: the report has the steps that were undone.
func (s *Search) reportApplied(recoding engine.Recoding) {
	if s.applied == "" {
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
