package enginetest

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
)

// Decision is a node of the decision tree of some rows, grown as the definitions read: by
// looking at all rows for everything.
type Decision struct {
	Column   int         // that is tested, -1 of a leaf
	Split    string      // of numbers
	Children []*Decision // of all branches, also those without rows
	Rows     []int
	Number   int // in preorder

	data Data
}

// Grow returns the decision tree of all rows. Without classes all rows have one.
func (d Data) Grow(minObjects int, mdl bool) *Decision {
	if len(d.Classes) == 0 {
		d.Classes = make([]string, len(d.Rows))
	}
	n := &Decision{Column: -1, data: d}
	for r := range d.Rows {
		n.Rows = append(n.Rows, r)
	}
	n.grow(minObjects, mdl)
	n.Renumber()
	return n
}

// Renumber numbers the nodes anew.
func (n *Decision) Renumber() { n.number(0) }

// number numbers the node and those below it, and returns the next number.
func (n *Decision) number(next int) int {
	n.Number = next
	next++
	for _, c := range n.Children {
		next = c.number(next)
	}
	return next
}

// Classes counts the classes of the node's rows.
func (n *Decision) Classes() map[string]int {
	counts := map[string]int{}
	for _, r := range n.Rows {
		counts[n.data.Classes[r]]++
	}
	return counts
}

// Domain returns the values of a column that are branches, the null last.
func (d Data) Domain(column int) (values []engine.Label) {
	texts := d.texts(column)
	if d.Columns[column].Mask == engine.Generalize {
		texts = leafNames(d.Columns[column].Tree)
	}
	values = Values(texts...)
	if d.hasNull(column) {
		values = append(values, engine.Label{Null: true})
	}
	return values
}

func (d Data) hasNull(column int) bool {
	return slices.ContainsFunc(d.Rows, func(row []engine.Label) bool { return row[column].Null })
}

// decisionTest is a test of a node.
type decisionTest struct {
	column      int
	split       string
	parts       [][]int // of the rows
	gain, ratio float64
}

func (n *Decision) grow(minObjects int, mdl bool) {
	if len(n.Classes()) < 2 || len(n.Rows) < 2*minObjects {
		return
	}
	var found []decisionTest
	sum, counted, allWide := 0.0, 0, true
	for c := range n.data.Columns {
		allWide = allWide && n.data.isWide(c)
	}
	for c, column := range n.data.Columns {
		test, ok := n.nominal(c, minObjects)
		if column.Mask == engine.Discretize {
			test, ok = n.numeric(c, minObjects, mdl)
		}
		if !ok || test.gain <= 1e-6 {
			continue
		}
		found = append(found, test)
		if allWide || !n.data.isWide(c) {
			sum += test.gain
			counted++
		}
	}
	if counted == 0 {
		return
	}
	found = slices.DeleteFunc(found, func(t decisionTest) bool { return t.gain < sum/float64(counted)-1e-3 })
	best := first(found, func(t decisionTest) float64 { return t.ratio })
	n.Column, n.Split = best.column, best.split
	for _, rows := range best.parts {
		child := &Decision{Column: -1, Rows: rows, data: n.data}
		child.grow(minObjects, mdl)
		n.Children = append(n.Children, child)
	}
}

// first returns the first of those that are best, within what counts as equal.
func first(tests []decisionTest, measure func(decisionTest) float64) decisionTest {
	best := math.Inf(-1)
	for _, t := range tests {
		best = max(best, measure(t))
	}
	limit := best - 1e-9*max(1, math.Abs(best))
	return tests[slices.IndexFunc(tests, func(t decisionTest) bool { return measure(t) >= limit })]
}

// isWide reports whether a column has too many values for the average.
func (d Data) isWide(column int) bool {
	return d.Columns[column].Mask != engine.Discretize && float64(len(d.Domain(column))) >= 0.3*float64(len(d.Rows))
}

func (n *Decision) nominal(column, minObjects int) (decisionTest, bool) {
	t := decisionTest{column: column}
	large := 0
	for _, value := range n.data.Domain(column) {
		part := n.where(func(row []engine.Label) bool { return row[column] == value })
		t.parts = append(t.parts, part)
		if len(part) >= minObjects {
			large++
		}
	}
	t.gain = n.gain(t.parts)
	t.ratio = t.gain / information(t.parts)
	return t, large >= 2
}

func (n *Decision) numeric(column, minObjects int, mdl bool) (decisionTest, bool) {
	nulls := n.where(func(row []engine.Label) bool { return row[column].Null })
	known := len(n.Rows) - len(nulls)
	classes := len(distinct(n.data.Classes))
	least := max(float64(minObjects), min(25, 0.1*float64(known)/float64(classes)))
	var tests []decisionTest
	for _, split := range n.data.texts(column) {
		at := func(row []engine.Label) bool { return row[column].Text == split }
		below := func(row []engine.Label) bool { return !row[column].Null && number(row[column].Text) < number(split) }
		above := func(row []engine.Label) bool { return !row[column].Null && number(row[column].Text) >= number(split) }
		t := decisionTest{column: column, split: split, parts: [][]int{n.where(below), n.where(above)}}
		if len(n.where(at)) == 0 || float64(len(t.parts[0])) < least || float64(len(t.parts[1])) < least {
			continue
		}
		if n.data.hasNull(column) {
			t.parts = append(t.parts, nulls)
		}
		t.gain = n.gain(t.parts)
		tests = append(tests, t)
	}
	if len(tests) == 0 {
		return decisionTest{}, false
	}
	t := first(tests, func(t decisionTest) float64 { return t.gain })
	if mdl {
		t.gain -= math.Log2(float64(len(tests))) / float64(known)
	}
	t.ratio = t.gain / information(t.parts)
	return t, true
}

// where returns the node's rows that are so.
func (n *Decision) where(is func([]engine.Label) bool) (rows []int) {
	for _, r := range n.Rows {
		if is(n.data.Rows[r]) {
			rows = append(rows, r)
		}
	}
	return rows
}

// gain returns the information that parts of the node's rows give.
func (n *Decision) gain(parts [][]int) float64 {
	gain := Entropy(n.Classes())
	for _, rows := range parts {
		part := Decision{Rows: rows, data: n.data}
		gain -= float64(len(rows)) / float64(len(n.Rows)) * Entropy(part.Classes())
	}
	return gain
}

// information is the entropy of the sizes of parts.
func information(parts [][]int) float64 {
	sizes := map[string]int{}
	for i, rows := range parts {
		sizes[string(rune(i))] = len(rows)
	}
	return Entropy(sizes)
}

// Prune replaces subtrees by leaves that are not expected to err more, and returns the
// errors that are expected.
func (n *Decision) Prune() float64 {
	leaf := n.expectedErrors()
	if n.Column < 0 {
		return leaf
	}
	below := 0.0
	for _, c := range n.Children {
		below += c.Prune()
	}
	if leaf > below+0.1 {
		return below
	}
	n.Column, n.Children = -1, nil
	return leaf
}

// expectedErrors is C4.5's estimate at a confidence of 0.25.
func (n *Decision) expectedErrors() float64 {
	size, most := float64(len(n.Rows)), 0
	for _, count := range n.Classes() {
		most = max(most, count)
	}
	errors := size - float64(most)
	switch {
	case size == 0:
		return 0
	case errors == 0:
		return size * (1 - math.Exp(math.Log(0.25)/size))
	case errors+0.5 >= size:
		return size
	}
	const z = 0.6744897501960817 // of which a quarter of a normal distribution is above
	share := (errors + 0.5) / size
	root := math.Sqrt(share/size - share*share/size + z*z/(4*size*size))
	return size * (share + z*z/(2*size) + z*root) / (1 + z*z/size)
}
