package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// Source is what a page is made of.
type Source struct {
	Release *kcut.Inspection
	Trace   []kcut.TraceStep // of the run that made the release; nil: not known
	Run     *kcut.Report     // of that run; nil: not known
}

//go:embed report.html
var source string

// layout is parsed when it is first asked for: most commands write no page.
var layout = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(source)) })

// Write writes the page of a release. A trace or a report of another release is an error of
// kcut.ErrInput.
func Write(w io.Writer, s Source) error {
	if err := s.check(); err != nil {
		return &kcut.Error{Class: kcut.ErrInput, Hint: "name the files that the run which made the release has written", Err: err}
	}
	if err := layout().Execute(w, newView(s)); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// check compares the trace and the report with the release.
func (s *Source) check() error {
	cut := s.Release.Cut
	if s.Trace != nil && !s.traced() {
		return errors.New("read trace: it is of another release")
	}
	switch r := s.Run; {
	case r == nil:
		return nil
	case r.Error != nil:
		return errors.New("read report: it is of a run that failed")
	case r.Released != cut.Rows || r.Steps != cut.Steps || len(r.Sets) != len(cut.Sets),
		r.Digests != nil && r.Digests.Output != s.Release.Digest:
		return errors.New("read report: it is of another release")
	}
	return nil
}

// traced reports whether the trace ends where the release stands. Algorithms that perform no
// steps have none.
func (s *Source) traced() bool {
	cut := s.Release.Cut
	if len(s.Trace) == 0 {
		return cut.Steps == 0 || cut.Kind == kcut.KindRegions
	}
	for _, step := range s.Trace {
		if len(step.Anonymity) != len(cut.Sets) {
			return false
		}
	}
	last := s.Trace[len(s.Trace)-1]
	reached := make([]uint64, len(cut.Sets))
	for i, set := range cut.Sets {
		reached[i] = set.Anonymity
	}
	return last.Step == cut.Steps && len(s.Trace) == cut.Steps && slices.Equal(last.Anonymity, reached)
}

// view is what the layout shows.
type view struct {
	Name    string
	Facts   []fact
	Sets    []setView
	Columns []columnView
	Kept    []string
	Dropped []string
	Curve   *curve
	Steps   []stepView
	Traced  bool
	Run     *runView
	Up      bool // steps generalize: the algorithm goes bottom-up
}

type fact struct{ Name, Value string }

func newView(s Source) *view {
	cut := s.Release.Cut
	v := &view{
		Name: filepath.Base(filepath.Clean(s.Release.Path)),
		Sets: setViews(s.Release), Columns: columnViews(s.Release, s.Run), Traced: s.Trace != nil, Run: newRunView(s.Run),
		Up: cut.Algorithm == "bottom-up",
	}
	v.Facts = []fact{{"Rows", text.Grouped(cut.Rows)}, {"Algorithm", cut.Algorithm}}
	if cut.Class != "" {
		v.Facts = append(v.Facts, fact{"Class", cut.Class})
	}
	if cut.Kind == kcut.KindRegions {
		v.Facts = append(v.Facts, fact{"Regions", text.Grouped(int64(len(cut.Regions)))})
	} else {
		v.Facts = append(v.Facts, fact{"Steps", text.Grouped(int64(cut.Steps))})
	}
	v.Facts = append(v.Facts, fact{"Digest", s.Release.Digest})
	if s.Run != nil {
		v.Kept, v.Dropped = otherColumns(s.Run)
	}
	if len(s.Trace) > 0 {
		v.Curve, v.Steps = newCurve(s.Trace, cut), stepViews(s.Trace)
	}
	return v
}

// otherColumns names the columns that are released as they were, and those that are not.
func otherColumns(r *kcut.Report) (kept, dropped []string) {
	for _, c := range r.Columns {
		switch c.Mask {
		case "keep":
			kept = append(kept, c.Name)
		case "drop":
			dropped = append(dropped, c.Name)
		}
	}
	return kept, dropped
}
