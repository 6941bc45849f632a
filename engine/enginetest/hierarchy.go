package enginetest

import (
	"maps"
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
	nulls := d.hasNull(column)
	if nulls && (len(root.Children) > 0 || d.Columns[column].Mask == engine.Suppress || len(d.Columns[column].Tree.Children) > 0) {
		root.Children = append(root.Children, value(null))
	} else if nulls {
		root.Values[null] = true
	}
	root.number(0)
	return root
}

func value(label engine.Label) *Taxon {
	return &Taxon{Label: label, Values: map[engine.Label]bool{label: true}}
}

// number fills in what follows from the shape, and returns the next number.
func (t *Taxon) number(next int) int {
	t.Order = next
	next++
	if t.Values == nil {
		t.Values = map[engine.Label]bool{}
	}
	for _, c := range t.Children {
		c.Parent, c.Depth = t, t.Depth+1
		next = c.number(next)
		maps.Copy(t.Values, c.Values)
	}
	return next
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
		lower, upper, ends := d.Columns[column].Lower, d.Columns[column].Upper, "[]"
		if lo > 0 {
			lower = texts[lo]
		} else if lower == "" {
			ends = "(]"
		}
		if hi < len(texts) {
			upper, ends = texts[hi], ends[:1]+")"
		} else if upper == "" {
			ends = ends[:1] + ")"
		}
		t := &Taxon{Label: engine.Label{Text: ends[:1] + lower + "," + upper + ends[1:]}, Values: map[engine.Label]bool{}, Children: children}
		for _, text := range texts[lo:hi] {
			t.Values[engine.Label{Text: text}] = true
		}
		return t
	}
	if len(texts) < 2 {
		return node(0, len(texts))
	}
	var all []float64
	for _, row := range d.Rows {
		if !row[column].Null {
			all = append(all, number(row[column].Text))
		}
	}
	slices.Sort(all)
	var starts []int
	for i := range bins {
		start := slices.IndexFunc(texts, func(text string) bool {
			before, _ := slices.BinarySearch(all, number(text))
			return before*bins >= i*len(all)
		})
		if start >= 0 && !slices.Contains(starts, start) {
			starts = append(starts, start)
		}
	}
	bounds := append(starts, len(texts))
	var level []*Taxon
	for i, lo := range bounds[:len(starts)] {
		var values []*Taxon
		for v := lo; v < bounds[i+1] && bounds[i+1]-lo > 1; v++ {
			values = append(values, node(v, v+1))
		}
		level = append(level, node(lo, bounds[i+1], values...))
	}
	for len(level) > 1 { // an odd one waits a level
		for i := 0; i+1 < len(level); i++ {
			level[i] = node(bounds[i], bounds[i+2], level[i], level[i+1])
			level, bounds = slices.Delete(level, i+1, i+2), slices.Delete(bounds, i+1, i+2)
		}
	}
	return level[0]
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
