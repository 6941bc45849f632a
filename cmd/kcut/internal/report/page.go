package report

import (
	"path/filepath"
	"slices"

	"github.com/kcut/kcut"
)

const (
	mostSteps    = 500 // largest number of listed steps
	printedSteps = 8   // largest number of printed steps
	mostPrinted  = 75  // largest number of labels that are all printed, with two for each column
	fewPrinted   = 3   // smallest number of printed labels of a column with more of them
)

// page is the data for the layout.
type page struct {
	Source
	Name       string
	Cut        *kcut.Cut
	Columns    []column
	Curve      *curve          // nil: there were no steps, or they are unknown
	Replay     *replay         // nil like Curve
	Evaluated  *evaluationPage // nil: the quality of releases is unknown
	Traced     bool
	Regions    bool // the cut does not consist of steps
	Up         bool // steps generalize: the algorithm works bottom-up
	MoreSteps  int  // number of steps that are not listed
	FewNotices bool
	Printed    int // the number of labels of a column that a print has; 0: all
}

func newPage(s Source) *page {
	cut := s.Release.Cut
	p := &page{
		Source: s, Name: filepath.Base(filepath.Clean(s.Release.Path)), Cut: cut,
		Traced: s.Trace != nil, Regions: cut.Kind == kcut.KindRegions, Up: generalizes(cut),
		FewNotices: s.Run != nil && len(s.Run.Notices) <= 4,
	}
	listed := min(mostLabels, max(fewestLabels, mostLabelsOfAll/max(len(cut.Columns), 1)))
	for i := range cut.Columns {
		p.Columns = append(p.Columns, p.column(i, listed))
	}
	labels := 2 * len(p.Columns)
	for i := range p.Columns {
		labels += len(p.Columns[i].Labels) + len(p.Columns[i].Folded)
	}
	if labels > mostPrinted {
		p.Printed = min(openLabels, max(mostPrinted/len(p.Columns), fewPrinted))
	}
	if len(s.Trace) > 0 {
		p.Curve, p.Replay = newCurve(s.Trace, cut), newReplay(s.Trace, cut)
	}
	if s.Evaluation != nil {
		p.Evaluated = newEvaluationPage(s.Evaluation)
		p.Evaluated.release = cut
	}
	if p.MoreSteps = max(len(p.Trace)-mostSteps, 0); p.MoreSteps > 0 {
		p.Trace = p.Trace[:mostSteps]
	}
	return p
}

// generalizes reports whether the steps of a cut make it coarser.
func generalizes(cut *kcut.Cut) bool { return cut.Algorithm == "bottom-up" }

// Masked names the columns with a mask, as far as the report of the run has them.
func (p *page) Masked(mask string) (names []string) {
	if p.Run != nil {
		for _, c := range p.Run.Columns {
			if c.Mask == mask {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// Determines lists the masked columns that a kept one determines, as far as the report of the run
// has them.
func (p *page) Determines() []kcut.RiskDetermined {
	if p.Run == nil || p.Run.Risk == nil {
		return nil
	}
	return p.Run.Risk.Determines
}

// Suppressed returns the number of records with only the marks, by the cut.
func (p *page) Suppressed() uint64 {
	n, _ := p.Cut.Marked()
	return n
}

// Kept counts the masked columns that keep more than one label. A null is none, and records with
// only the marks do not count; a column that is released as numbers has no counts, and keeps as
// many labels as its cut.
func (p *page) Kept() (kept int) {
	for i := range p.Cut.Columns {
		column, labels, counted := &p.Cut.Columns[i], 0, false
		for at, of := range p.Release.Labels[i] {
			counted = counted || of.Records > 0
			if at == len(column.Cut) {
				of.Records -= min(of.Records, p.Suppressed())
			}
			isNull := at < len(column.Cut) && column.Cut[at].Null
			if of.Records > 0 && !isNull {
				labels++
			}
		}
		if texts, _ := column.Texts(); !counted {
			labels = len(texts)
		}
		if labels > 1 {
			kept++
		}
	}
	return kept
}

// IsFlat reports whether hardly anything is left of the masked columns.
func (p *page) IsFlat() bool { return p.Cut.IsFlat(p.Kept()) }

// Scripted reports whether the page has a script.
func (p *page) Scripted() bool { return p.Replay != nil }

// Losses reports whether the losses of columns are known.
func (p *page) Losses() bool { return p.Run != nil && len(p.Run.Masked) > 0 }

// Unreleased returns the number of rows that were read but not released.
func (p *page) Unreleased() int64 { return p.Run.Rows - p.Run.Released }

// Smallest returns the set, from 0 on, with the smallest class.
func (p *page) Smallest() (set int) {
	sets := p.Release.Sets
	for i := range sets {
		if sets[i].Anonymity < sets[set].Anonymity {
			set = i
		}
	}
	return set
}

// SetNumbers returns the heading of a list with one figure for every set.
func (p *page) SetNumbers() string {
	switch n := len(p.Cut.Sets); n {
	case 1:
		return ""
	default:
		return ", sets 1 to " + grouped(n)
	}
}

// most returns the largest value of the bars of a list.
func most(list any) (most uint64) {
	switch list := list.(type) {
	case []kcut.SizeBucket:
		for _, b := range list {
			most = max(most, b.Records)
		}
	case []kcut.StageTime:
		for _, s := range list {
			most = max(most, micros(s.Seconds))
		}
	}
	return most
}

func micros(seconds float64) uint64 { return uint64(seconds * 1e6) }

// HasReasons reports whether it is known of any column why its labels are not finer.
func (p *page) HasReasons() bool {
	return slices.ContainsFunc(p.Columns, func(c column) bool { return c.Reasons() != "" })
}

// Printable are the labels of a column that are not folded, and that a print has.
func (p *page) Printable(c column) []label { return c.Labels[:len(c.Labels)-p.unprinted(c)] }

// Unprintable are the labels of a column that are not folded, and that a print leaves out.
func (p *page) Unprintable(c column) []label { return c.Labels[len(c.Labels)-p.unprinted(c):] }

func (p *page) unprinted(c column) int {
	if p.Printed == 0 {
		return 0
	}
	return max(len(c.Labels)-p.Printed, 0)
}

// Unprinted is the number of listed labels of a column that a print leaves out.
func (p *page) Unprinted(c column) int {
	if p.Printed == 0 {
		return 0
	}
	return p.unprinted(c) + len(c.Folded)
}

// UnprintedSteps is the number of listed steps that a print leaves out.
func (p *page) UnprintedSteps() int { return max(len(p.Trace)-printedSteps, 0) }

// IsUnprinted reports whether a print leaves out the step at a position.
func (p *page) IsUnprinted(i int) bool { return i >= printedSteps }

// StepText describes what a step did with a label.
func (p *page) StepText(s kcut.TraceStep) string {
	value, children := traceText(s.Value), childrenText(s.Children)
	switch {
	case p.Up:
		return children + " → " + value
	case len(s.Children) == 1 && s.Children[0] == s.Value:
		return value + " is disclosed"
	}
	return value + " → " + children
}

// contains reports whether a set has a column.
func contains(set kcut.CutSet, column string) bool { return slices.Contains(set.Columns, column) }
