package enginetest

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// Codes is a table of codes, a slice a column.
type Codes struct {
	Attributes []engine.Attribute
	Rows       int
	Columns    [][]uint32
	Class      []uint32
	Classes    int // 0: no class
	ClassNames []engine.Label
}

// Table compresses the rows as an engine's plan asks.
func (c Codes) Table(plan engine.Plan) *engine.Table {
	t := &engine.Table{Attributes: c.Attributes, Classes: c.Classes, ClassNames: c.ClassNames, Rows: uint64(c.Rows)}
	for _, g := range plan.Groupings {
		t.Groupings = append(t.Groupings, c.group(g))
	}
	if plan.Histograms {
		for a := range c.Attributes {
			t.Histograms = append(t.Histograms, c.histogram(a))
		}
	}
	return t
}

// Merged is Table in the codes that the engine tells apart, counted by counters that have
// a sixteenth of the space's share each. The space must have a budget and a store.
func (c Codes) Merged(ctx context.Context, e engine.Engine, requirement engine.Requirement, space partition.Space) (*engine.Table, error) {
	plan := e.Plan(requirement)
	groupings := plan.Groupings
	plan.Groupings = nil
	t := c.Table(plan)
	t.Merged = true
	codes := e.Codes(t.Attributes, t.Histograms, t.Classes, requirement)
	for _, g := range groupings {
		counted, err := c.count(ctx, g, codes, space)
		if err != nil {
			return nil, err
		}
		t.Groupings = append(t.Groupings, counted)
	}
	return t, nil
}

// count counts some columns in coarser codes.
func (c Codes) count(ctx context.Context, g engine.Grouping, codes []engine.CodeMerge, space partition.Space) (*partition.Table, error) {
	var domains []int
	var from, to [][]uint32
	for _, a := range g.Columns {
		domains, from, to = append(domains, codes[a].Domain), append(from, c.Columns[a]), append(to, codes[a].Codes)
	}
	if g.Class && c.Classes > 0 {
		domains, from, to = append(domains, c.Classes), append(from, c.Class), append(to, engine.Identity(c.Classes).Codes)
	}
	share := space
	share.Share /= 16
	counters := []*partition.Counter{partition.NewSpillCounter(domains, share), partition.NewSpillCounter(domains, share)}
	const batch = 1 << 16
	columns := make([][]uint32, len(from))
	for row := 0; row < c.Rows; row += batch {
		n := min(batch, c.Rows-row)
		for i := range from {
			columns[i] = columns[i][:0]
			for _, code := range from[i][row : row+n] {
				columns[i] = append(columns[i], to[i][code])
			}
		}
		if err := counters[row/batch%2].Add(n, columns, domains); err != nil {
			return nil, err
		}
	}
	half := space
	half.Share /= 2
	return partition.TabulateSpilled(ctx, counters, half, 2)
}

// group counts the distinct tuples of some columns. Fields are a bit wider than they need
// to be, as they may be when the domains were not known before.
func (c Codes) group(g engine.Grouping) *partition.Table {
	var domains []int
	var columns [][]uint32
	for _, a := range g.Columns {
		domains, columns = append(domains, c.Attributes[a].Len()), append(columns, c.Columns[a])
	}
	if g.Class && c.Classes > 0 {
		domains, columns = append(domains, c.Classes), append(columns, c.Class)
	}
	maps := make([][]uint32, len(domains))
	for i, domain := range domains {
		maps[i] = engine.Identity(domain).Codes
		domains[i] = 2 * domain
	}
	t := &partition.Table{Layout: partition.NewLayout(domains), Counts: make([]uint32, c.Rows)}
	t.Keys = make([]uint64, c.Rows*t.Layout.Words)
	for r := range c.Rows {
		for i, f := range t.Layout.Fields {
			t.Keys[r*t.Layout.Words+f.Word] |= uint64(columns[i][r]) << f.Shift
		}
		t.Counts[r] = 1
	}
	return t.Recode(maps, domains, 1)
}

// histogram counts the classes of every code of a column.
func (c Codes) histogram(a int) *partition.Histogram {
	h := &partition.Histogram{Classes: max(1, c.Classes), Start: []int{0}}
	counts := make([]uint64, c.Attributes[a].Len()*h.Classes)
	for r, code := range c.Columns[a] {
		class := 0
		if c.Classes > 0 {
			class = int(c.Class[r])
		}
		counts[int(code)*h.Classes+class]++
	}
	for i, n := range counts {
		if n > 0 {
			h.Class = append(h.Class, uint32(i%h.Classes))
			h.Count = append(h.Count, n)
		}
		if i%h.Classes == h.Classes-1 {
			h.Start = append(h.Start, len(h.Count))
		}
	}
	return h
}
