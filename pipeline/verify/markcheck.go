package verify

import (
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// markCheck counts the records of an applied cut that have the mark in every masked column.
type markCheck struct {
	marks []uint32 // of every released column: the number of its mark
	exact bool     // no other record can look like that
	rows  atomic.Uint64
}

// newMarkCheck returns the check of a cut, nil if the cut has no marks in some column. A
// column's checks are at the positions that first gives.
func newMarkCheck(cut *cutfile.File, checks []columnCheck, first map[string][]int) *markCheck {
	if cut.Applied == nil {
		return nil
	}
	m := &markCheck{marks: make([]uint32, len(checks))}
	for i := range cut.Columns {
		column := &cut.Columns[i]
		mark := len(column.Cut)
		if column.Suppressed == "" { // a node may look like one: the top of prefixes does
			mark = slices.IndexFunc(column.Cut, func(l cutfile.Label) bool { return !l.Null && l.Label == engine.Suppressed })
		}
		if mark < 0 {
			return nil
		}
		for _, check := range first[column.Name] {
			m.marks[check] = checks[check].numberOf(uint32(mark))
			own := m.marks[check] == uint32(len(checks[check].numbers)-1)
			m.exact = m.exact || column.Mask != jobfile.MaskSuppress && column.Render == "" && column.Suppressed != "" && own
		}
	}
	return m
}

// count looks at a block of rows.
func (m *markCheck) count(rows int, numbers []release.Numbers) {
	var varying []int
	for i := range numbers {
		switch {
		case !numbers[i].Same:
			varying = append(varying, i)
		case numbers[i].One != m.marks[i]:
			return
		}
	}
	found := uint64(0)
row:
	for row := range rows {
		for _, i := range varying {
			if uint32(numbers[i].Every[row]) != m.marks[i] {
				continue row
			}
		}
		found++
	}
	m.rows.Add(found)
}

// checkMarks compares the records with marks alone with what the cut claims.
func (v *verifier) checkMarks() {
	switch applied := v.cut.Applied; {
	case applied == nil:
	case v.marks == nil && applied.Suppressed > 0:
		v.find("its cut claims %d suppressed records, and a column has no mark", applied.Suppressed)
	case v.marks == nil:
	case v.marks.rows.Load() < applied.Suppressed, v.marks.exact && v.marks.rows.Load() > applied.Suppressed:
		v.find("%d records have marks alone, its cut claims %d", v.marks.rows.Load(), applied.Suppressed)
	}
}
