package report

import (
	"slices"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// matrix shows what somebody finds who knows two sets, in the row and in the column of both.
type matrix struct {
	Sets []int // numbers of the sets
	Rows [][]matrixCell
}

// matrixCell has the shares of rows that are alone, and in groups that are too small.
type matrixCell struct {
	Kind          matrixKind
	Unique, Below string
	K             int
	Heat          int // from 0, nobody, to 4
}

type matrixKind int

const (
	pairCell   matrixKind = iota
	ownCell               // of one set alone
	mirrorCell            // the other half
	withinCell            // one set has all columns of the other
)

// Matrix returns the counted pairs of sets; nil: there are none.
func (p *page) Matrix() *matrix {
	if p.Risk() == nil || len(p.Risk().Pairs) == 0 {
		return nil
	}
	m := &matrix{}
	for _, pair := range p.Risk().Pairs {
		m.Sets = append(m.Sets, pair.Sets[:]...)
	}
	slices.Sort(m.Sets)
	m.Sets = slices.Compact(m.Sets)
	for _, a := range m.Sets {
		var row []matrixCell
		for _, b := range m.Sets {
			row = append(row, p.matrixCell(a, b))
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

func (p *page) matrixCell(a, b int) matrixCell {
	switch {
	case a == b:
		return matrixCell{Kind: ownCell, K: p.Cut.Sets[a-1].K}
	case a > b:
		return matrixCell{Kind: mirrorCell}
	}
	pairs := p.Risk().Pairs
	i := slices.IndexFunc(pairs, func(of kcut.RiskPair) bool { return of.Sets == [2]int{a, b} })
	if i < 0 {
		return matrixCell{Kind: withinCell}
	}
	return matrixCell{
		Unique: text.Percent(pairs[i].Unique), Below: text.Percent(pairs[i].Below), K: pairs[i].K,
		Heat: heatOf(pairs[i].Below),
	}
}

// HasWithin reports whether a set of the matrix has all columns of another one.
func (m *matrix) HasWithin() bool {
	return slices.ContainsFunc(m.Rows, func(row []matrixCell) bool {
		return slices.ContainsFunc(row, func(c matrixCell) bool { return c.Kind == withinCell })
	})
}

// heatOf returns how strongly a share of rows in groups that are too small is colored.
func heatOf(below float64) (heat int) {
	for _, limit := range []float64{0, alarming, 0.05, 0.2} {
		if below > limit {
			heat++
		}
	}
	return heat
}

// More reports whether there are sets that are not in the matrix.
func (m *matrix) More(sets int) bool { return len(m.Sets) < sets }
