package enginetest

import (
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
}

// Table compresses the rows as an engine's plan asks.
func (c Codes) Table(plan engine.Plan) *engine.Table {
	t := &engine.Table{Attributes: c.Attributes, Classes: c.Classes, Rows: uint64(c.Rows)}
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

// group counts the distinct tuples of some columns.
func (c Codes) group(g engine.Grouping) *partition.Table {
	var domains []int
	var columns [][]uint32
	for _, a := range g.Columns {
		domains, columns = append(domains, c.Attributes[a].Len()), append(columns, c.Columns[a])
	}
	if g.Class && c.Classes > 0 {
		domains, columns = append(domains, c.Classes), append(columns, c.Class)
	}
	t := &partition.Table{Layout: partition.NewLayout(domains), Counts: make([]uint32, c.Rows)}
	t.Keys = make([]uint64, c.Rows*t.Layout.Words)
	for r := range c.Rows {
		for i, f := range t.Layout.Fields {
			t.Keys[r*t.Layout.Words+f.Word] |= uint64(columns[i][r]) << f.Shift
		}
		t.Counts[r] = 1
	}
	return t.Recode(identities(domains), domains)
}

func identities(domains []int) [][]uint32 {
	maps := make([][]uint32, len(domains))
	for i, d := range domains {
		for code := range d {
			maps[i] = append(maps[i], uint32(code))
		}
	}
	return maps
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
