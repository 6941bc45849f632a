// Package report lays out all facts about a release on one HTML page, for those who decide whether
// it may go out.
//
// Contract: the page needs no other resource: no image, no font, no network, and no script but its
// own. Without the script only the slider over the steps is missing. Text from the data or the job
// file is escaped. Equal arguments give equal bytes. There is no page for a release with an
// equivalence class below k, so none is shown.
//
// Limits: the page must not be released: a trace has values that the release does not have.
package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/publish"
)

// Source is the data for a page.
type Source struct {
	Release    *kcut.Inspection
	Rows       *kcut.SampleRows // some rows of the release; nil: none are shown
	Trace      []kcut.TraceStep // of the run that made the release; nil: unknown
	Run        *kcut.Report     // of that run; nil: unknown
	Evaluation *kcut.Evaluation // of the job of that run; nil: there was none
}

// WriteFile writes the page of a release to a file, in one step. If the file exists and overwrite
// is false, it returns an error of kcut.ErrExists.
func WriteFile(path string, s Source, overwrite bool) error {
	if err := kcut.CheckFile("page", path, overwrite); err != nil {
		return err
	}
	text, err := s.page()
	if err != nil {
		return err
	}
	return replace(path, text)
}

// replace writes a page.
func replace(path string, text []byte) error {
	if err := publish.Replace(path, text); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// page makes the page of a release. It returns an error of kcut.ErrInput for a trace or a report of
// another release.
func (s *Source) page() ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, &kcut.Error{
			Class: kcut.ErrInput,
			Hint:  "name the files that the run which made the release has written",
			Err:   err,
		}
	}
	return execute("report.html", newPage(*s))
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
	case r.Digests == nil || r.Digests.Output != s.Release.Digest, r.Released != cut.Rows,
		r.Steps != cut.Steps, len(r.Sets) != len(cut.Sets):
		return errors.New("read report: it is of another release")
	}
	return nil
}

// traced reports whether the trace ends with the cut of the release. Algorithms without steps have
// no trace.
func (s *Source) traced() bool {
	cut := s.Release.Cut
	if len(s.Trace) == 0 {
		return cut.Steps == 0 || cut.Kind == kcut.KindRegions
	}
	foreign := func(step kcut.TraceStep) bool {
		named := func(c kcut.CutColumn) bool { return c.Name == step.Column }
		return len(step.Anonymity) != len(cut.Sets) || !slices.ContainsFunc(cut.Columns, named)
	}
	if slices.ContainsFunc(s.Trace, foreign) {
		return false
	}
	last := s.Trace[len(s.Trace)-1]
	for i, set := range cut.Sets {
		if last.Anonymity[i] != set.Anonymity && !leavesOut(cut) {
			return false
		}
	}
	return last.Step == cut.Steps && len(s.Trace) == cut.Steps
}

// leavesOut reports whether records were taken out of their classes after the steps, so that these
// and the class of the marks have other sizes than in the trace.
func leavesOut(cut *kcut.Cut) bool {
	marked, _ := cut.Marked()
	return marked > 0 || cut.Dropped > 0
}
