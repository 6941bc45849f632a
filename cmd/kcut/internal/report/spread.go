package report

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// mostParts is the largest number of parts of a spread that are drawn separately; the rest is one
// part.
const mostParts = 12

// spread is the distribution of the rows over the values of a column, or over its labels.
type spread struct {
	When, Words string
	Parts       []spreadPart // the largest first, in percent of the rows
}

// spreadPart is a value or label, or the rest.
type spreadPart struct {
	Left, Width string
	Shade       int // 0 or 1 in turn, 2: the rest
}

// newSpread draws a number of different values or labels. The numbers of records of some of them
// are known.
func newSpread(when string, different int, what string, records []uint64, rows int64) *spread {
	records = slices.SortedFunc(slices.Values(records), func(a, b uint64) int {
		return cmp.Compare(b, a)
	})
	s := &spread{When: when, Words: counted(grouped(different), what)}
	if len(records) > 0 && rows > 0 {
		s.Words += ", the most frequent " + text.Percent(float64(records[0])/float64(rows))
	}
	left := 0.0
	for i, n := range records[:min(mostParts, len(records))] {
		width := 100 * float64(n) / float64(max(1, rows))
		s.Parts = append(s.Parts, spreadPart{coordinate(left), coordinate(width), i % 2})
		left += width
	}
	if left < 99.95 {
		s.Parts = append(s.Parts, spreadPart{coordinate(left), coordinate(100 - left), 2})
	}
	return s
}

// masked returns the report's entry of a masked column; nil: there is none.
func masked(run *kcut.Report, column string) *kcut.MaskedColumn {
	if run == nil {
		return nil
	}
	if i := slices.IndexFunc(run.Masked, func(c kcut.MaskedColumn) bool {
		return c.Column == column
	}); i >= 0 {
		return &run.Masked[i]
	}
	return nil
}

// spread sets the distributions of the rows before masking and after it, as far as they are known.
func (c *column) spread(run *kcut.Report, released int64) {
	if before := masked(run, c.Name); before != nil {
		c.Loss = text.Percent(1 - before.Information)
		c.Spreads = append(c.Spreads, newSpread("Before", before.Values, "value", before.Frequent,
			run.Rows))
	}
	var records []uint64
	for _, l := range c.Labels {
		if l.Records > 0 {
			records = append(records, l.Records)
		}
	}
	if len(c.Spreads) > 0 && len(records) > 0 {
		c.Spreads = append(c.Spreads, newSpread("After", len(records), "label", records, released))
	}
}
