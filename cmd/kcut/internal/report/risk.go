package report

import (
	"slices"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// Risk returns the risk of the released rows; nil: unknown.
func (p *page) Risk() *kcut.Risk { return p.Release.Risk }

// union is the sizes of classes on the labels of all masked columns together.
type union struct {
	*kcut.Union
	K   int
	Who string
}

// Union returns the union of the release; for entities, the run's counts, which are in the cut.
func (p *page) Union() *union {
	u := &union{Union: p.Release.Union, Who: "rows", K: p.Cut.SmallestK()}
	if p.Cut.Entity {
		u.Who, u.Union = "entities", p.Cut.Union
	}
	if u.Union == nil {
		return nil
	}
	return u
}

// Alarms reports whether a tile is red: too many rows are alone on some columns.
func Alarms(f *kcut.RiskFigures) bool { return f.Unique > alarming }

// classSizes is the class sizes of rows on some columns.
type classSizes struct {
	What string
	*kcut.RiskFigures
}

// ClassSizes lists the known class sizes.
func (p *page) ClassSizes() (known []classSizes) {
	add := func(what string, f *kcut.RiskFigures) {
		if f != nil {
			known = append(known, classSizes{what, f})
		}
	}
	add("Before masking", p.Before())
	add("After: the labels", p.Risk().Labels)
	add("Kept columns", p.Risk().Kept)
	add("All that is released", p.Risk().Both)
	return known
}

// Before returns the risks of the quasi-identifiers in the input; nil: unknown.
func (p *page) Before() *kcut.RiskFigures {
	if p.Run == nil || p.Run.Risk == nil {
		return nil
	}
	return p.Run.Risk.Raw
}

// riskRow is one measure of the risk, for all elements of ClassSizes.
type riskRow struct {
	Name, Of string
	Cells    []string
	Before   string // position on a scale of a hundred; empty: unknown
	After    string
}

// RiskRows lists the measures.
func (p *page) RiskRows() (rows []riskRow) {
	known := p.ClassSizes()
	add := func(name, of string, share func(f *kcut.RiskFigures) float64) {
		row := riskRow{Name: name, Of: of}
		for _, a := range known {
			row.Cells = append(row.Cells, text.Percent(share(a.RiskFigures)))
		}
		if f := p.Before(); f != nil {
			row.Before = coordinate(riskLeft + riskWidth*share(f))
		}
		if f := p.Risk().Labels; f != nil {
			row.After = coordinate(riskLeft + riskWidth*share(f))
		}
		rows = append(rows, row)
	}
	add("Prosecutor", "highest", func(f *kcut.RiskFigures) float64 { return f.Prosecutor.Highest })
	add("Prosecutor", "average", func(f *kcut.RiskFigures) float64 { return f.Prosecutor.Average })
	add("Journalist", "highest", func(f *kcut.RiskFigures) float64 { return f.Journalist.Highest })
	add("Journalist", "average", func(f *kcut.RiskFigures) float64 { return f.Journalist.Average })
	add("Marketer", "average", func(f *kcut.RiskFigures) float64 { return f.Marketer })
	add("Unique rows", "", func(f *kcut.RiskFigures) float64 { return f.Unique })
	add("In groups below "+grouped(p.Risk().K), "", func(f *kcut.RiskFigures) float64 {
		return f.Below
	})
	return rows
}

// Asked returns the places of the measures of sensitive values of which there are figures.
func (p *page) Asked() (asked []int) {
	for i := range new(kcut.Measured).List() {
		if slices.ContainsFunc(p.Release.Sensitive, func(m kcut.Measured) bool {
			return m.List()[i].Value != nil
		}) {
			asked = append(asked, i)
		}
	}
	return asked
}

// The scale of the risk before and after in its picture.
const (
	riskLeft  = 5
	riskWidth = 100
)

// Estimated describes a sample of the classes from which figures are estimated.
func (a *classSizes) Estimated() string {
	if a.Part == 0 {
		return ""
	}
	return "1/" + grouped(int64(1/a.Part))
}
