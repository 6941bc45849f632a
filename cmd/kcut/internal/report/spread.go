package report

import (
	"slices"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// mostBars is the largest number of bars of a histogram, and of one of very many columns.
const (
	mostBars   = 24
	fewestBars = 8
	manyTables = 100 // number of columns from which histograms have few bars
)

// spread is the distribution of the rows over the values of a column, or over its labels, as a
// histogram.
type spread struct {
	When, Words string
	Bars        []spreadBar
}

// spreadBar is one value or label, or several. The picture is 100 wide and 24 high.
type spreadBar struct {
	Left, Top, Width, Height string
	Rest                     bool // all other values, which are not listed
}

const (
	spreadWidth  = 100
	spreadHeight = 24
)

// newSpread draws a number of different values or labels. The numbers of records of some of them
// are known; others have the rest, which has a bar of its own.
func newSpread(when string, different int, what string, records []uint64, rows int64,
	bars int) *spread {
	s := &spread{When: when, Words: counted(grouped(different), what)}
	listed, largest := uint64(0), uint64(0)
	for _, n := range records {
		listed, largest = listed+n, max(largest, n)
	}
	if len(records) > 0 && rows > 0 {
		s.Words += ", the most frequent " + text.Percent(float64(largest)/float64(rows))
	}
	var heights []uint64 // of neighbours together, if there are too many
	each := (len(records) + bars - 1) / bars
	for group := range slices.Chunk(records, max(each, 1)) {
		sum := uint64(0)
		for _, n := range group {
			sum += n
		}
		heights = append(heights, sum)
	}
	rest := uint64(rows) - min(listed, uint64(rows))
	if rest > 0 {
		heights = append(heights, rest)
	}
	if len(heights) == 0 {
		return s
	}
	most, width := max(slices.Max(heights), 1), spreadWidth/float64(len(heights))
	for i, n := range heights {
		height := spreadHeight * float64(n) / float64(most)
		s.Bars = append(s.Bars, spreadBar{
			Left: coordinate(width * float64(i)), Width: coordinate(width * 0.85),
			Top: coordinate(spreadHeight - height), Height: coordinate(height),
			Rest: rest > 0 && i == len(heights)-1,
		})
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
func (c *column) spread(run *kcut.Report, released int64, bars int) {
	if before := masked(run, c.Name); before != nil {
		c.Loss = text.Percent(1 - before.Information)
		c.Spreads = append(c.Spreads, newSpread("Before", before.Values, "value", before.Frequent,
			run.Rows, bars))
	}
	var records []uint64
	for _, l := range c.Labels {
		if l.Records > 0 {
			records = append(records, l.Records)
		}
	}
	if len(c.Spreads) > 0 && len(records) > 0 {
		after := newSpread("After", len(records), "label", records, released, bars)
		c.Spreads = append(c.Spreads, after)
	}
}
