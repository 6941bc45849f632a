package enginetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
)

// Taxon is a node of the hierarchy that a column's values have in bottom-up generalization
// and full-domain recoding, made from the text of the rows as the definitions read.
type Taxon struct {
	Label    engine.Label
	Values   map[engine.Label]bool // that occur
	Children []*Taxon
	Parent   *Taxon
	Depth    int
	Order    int // in preorder
}

// Hierarchy returns the root of a column's hierarchy, without what no row is under.
func (d Data) Hierarchy(column, bins int) *Taxon {
	var root *Taxon
	switch d.Columns[column].Mask {
	case engine.Generalize:
		root = d.taxonomy(column, d.Columns[column].Tree)
	case engine.Discretize:
		root = d.binned(column, bins)
	default:
		root = &Taxon{Label: engine.Label{Text: engine.Suppressed}}
		for _, text := range d.texts(column) {
			root.Children = append(root.Children, value(engine.Label{Text: text}))
		}
	}
	null := engine.Label{Null: true}
	nulls := slices.ContainsFunc(d.Rows, func(row []engine.Label) bool { return row[column].Null })
	if nulls && (len(root.Children) > 0 || d.Columns[column].Mask == engine.Suppress || len(d.Columns[column].Tree.Children) > 0) {
		root.Children = append(root.Children, value(null))
	} else if nulls {
		root.Values[null] = true
	}
	order := 0
	root.number(&order)
	return root
}

func value(label engine.Label) *Taxon {
	return &Taxon{Label: label, Values: map[engine.Label]bool{label: true}}
}

// number fills in what follows from the shape.
func (t *Taxon) number(order *int) {
	t.Order = *order
	*order++
	if t.Values == nil {
		t.Values = map[engine.Label]bool{}
	}
	for _, c := range t.Children {
		c.Parent, c.Depth = t, t.Depth+1
		c.number(order)
		for v := range c.Values {
			t.Values[v] = true
		}
	}
}

// All returns the nodes below and with t, in preorder.
func (t *Taxon) All() []*Taxon {
	all := []*Taxon{t}
	for _, c := range t.Children {
		all = append(all, c.All()...)
	}
	return all
}

// texts returns the column's distinct texts, numbers ascending, others bytewise.
func (d Data) texts(column int) []string {
	var texts []string
	for _, row := range d.Rows {
		if !row[column].Null {
			texts = append(texts, row[column].Text)
		}
	}
	texts = distinct(texts)
	if d.Columns[column].Mask == engine.Discretize {
		slices.SortFunc(texts, func(a, b string) int { return int(number(a) - number(b)) })
	}
	return texts
}

func (d Data) taxonomy(column int, node taxonomy.Node) *Taxon {
	t := &Taxon{Label: engine.Label{Text: node.Name}, Values: map[engine.Label]bool{}}
	if len(node.Children) == 0 {
		t.Values[t.Label] = true
	}
	occurring := d.texts(column)
	for _, child := range node.Children {
		if slices.ContainsFunc(leafNames(child), func(leaf string) bool { return slices.Contains(occurring, leaf) }) {
			t.Children = append(t.Children, d.taxonomy(column, child))
		}
	}
	return t
}

// binned is the tree of equal-frequency bins.
func (d Data) binned(column, bins int) *Taxon {
	texts := d.texts(column)
	node := func(lo, hi int, children ...*Taxon) *Taxon { // of values lo to hi-1
		lower, upper := "", ""
		if lo > 0 {
			lower = texts[lo]
		}
		if hi < len(texts) {
			upper = texts[hi]
		}
		t := &Taxon{Label: d.rangeLabel(column, lower, upper), Values: map[engine.Label]bool{}, Children: children}
		for _, text := range texts[lo:hi] {
			t.Values[engine.Label{Text: text}] = true
		}
		return t
	}
	if len(texts) < 2 {
		return node(0, len(texts))
	}
	rows, before := 0, make([]int, len(texts)) // with smaller values
	for _, row := range d.Rows {
		if row[column].Null {
			continue
		}
		rows++
		for i, text := range texts {
			if number(row[column].Text) < number(text) {
				before[i]++
			}
		}
	}
	var starts []int
	for i := range bins {
		bound := float64(i) * float64(rows) / float64(bins)
		start := slices.IndexFunc(before, func(n int) bool { return float64(n) >= bound-1e-9 })
		if start >= 0 && !slices.Contains(starts, start) {
			starts = append(starts, start)
		}
	}
	ends := append(slices.Clone(starts[1:]), len(texts))
	var level []*Taxon
	for i, lo := range starts {
		var values []*Taxon
		for v := lo; v < ends[i] && ends[i]-lo > 1; v++ {
			values = append(values, node(v, v+1))
		}
		level = append(level, node(lo, ends[i], values...))
	}
	for len(level) > 1 { // an odd one waits a level
		for i := 0; i+1 < len(level); i++ {
			level[i] = node(starts[i], ends[i+1], level[i], level[i+1])
			ends[i] = ends[i+1]
			level, starts, ends = slices.Delete(level, i+1, i+2), slices.Delete(starts, i+1, i+2), slices.Delete(ends, i+1, i+2)
		}
	}
	return level[0]
}

// rangeLabel is the label of an interval with inner ends, or none.
func (d Data) rangeLabel(column int, lower, upper string) engine.Label {
	c := d.Columns[column]
	text, closing := "[", ")"
	if lower == "" {
		lower = c.Lower
	}
	if lower == "" {
		text = "("
	}
	if upper == "" {
		if upper = c.Upper; upper != "" {
			closing = "]"
		}
	}
	return engine.Label{Text: fmt.Sprintf("%s%s,%s%s", text, lower, upper, closing)}
}

// Entropy is that of class counts, in bits.
func Entropy(counts map[string]int) float64 {
	total, sum := 0, 0.0
	for _, n := range counts {
		total += n
	}
	for _, n := range counts {
		if p := float64(n) / float64(total); n > 0 {
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
