package kactus_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/engine/kactus"
)

// naive suppresses row by row along a tree, as the definitions read.
type naive struct {
	enginetest.Data
	codes  enginetest.Codes
	engine kactus.Engine
	k      int
	tree   *induce.Tree
	leaves []int    // of the tree, by row
	names  []string // names of classes in keys

	groups                         []group
	suppressed, dropped, recruited int
}

// group is the copies of cells that are released with the same labels.
type group struct {
	node   int
	labels []engine.Label
	copies []copied
}

// copied is the copy of a cell at a node.
type copied struct {
	cell   string
	codes  []uint32 // of the cell, the class last
	number int
	key    uint64
}

// search fills groups, specific ones before those above them, and drops records where necessary.
func (n *naive) search() {
	root := n.number(n.anonymize(0, n.top()), 0)
	switch {
	case len(root) >= n.k:
		n.groups = append(n.groups, group{0, n.top(), root})
		n.suppressed = len(root)
	case len(root) > 0:
		n.complete(root)
	}
}

// complete completes the leftovers, or drops them.
func (n *naive) complete(root []copied) {
	missing := n.k - len(root)
	type place struct {
		group int
		copied
	}
	var spare []place
	for i, g := range n.groups {
		for _, c := range lowest(g.copies, len(g.copies)-n.k) {
			spare = append(spare, place{i, c})
		}
	}
	if !n.engine.Recruit || len(spare) < missing {
		n.dropped = len(root)
		return
	}
	slices.SortFunc(spare, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.key, b.key),
			cmp.Compare(n.groups[a.group].node, n.groups[b.group].node),
			compare(a.copied, b.copied))
	})
	for _, p := range spare[:missing] {
		g := &n.groups[p.group]
		g.copies = without(g.copies, p.copied)
		root = append(root, p.copied)
		n.recruited++
	}
	n.groups = append(n.groups, group{0, n.top(), root})
	n.suppressed = len(root)
}

// anonymize returns the cells, repeated, that are left at a node.
func (n *naive) anonymize(node int, labels []engine.Label) (left []copied) {
	if n.tree.IsLeaf(node) {
		for r, leaf := range n.leaves {
			if leaf == node {
				left = append(left, n.cell(r))
			}
		}
		return left
	}
	var large []group
	var pool [][]copied
	for child := range n.tree.Len() {
		if n.tree.Parent(child) != node {
			continue
		}
		column, split := n.tree.Test(node)
		below := slices.Clone(labels)
		below[column] = n.narrow(labels[column], column, split, n.tree.Branch(child))
		bag := n.number(n.anonymize(child, below), child)
		if len(bag) < n.k {
			left = append(left, bag...)
			continue
		}
		large = append(large, group{child, below, bag})
		pool = append(pool, lowest(bag, len(bag)-n.k))
	}
	spare := 0
	for _, p := range pool {
		spare += len(p)
	}
	missing := n.k - len(left)
	if len(left) > 0 && missing > 0 && spare >= missing {
		for range missing { // one by one, the one with the smallest key
			best := -1
			for i, p := range pool {
				if len(p) > 0 && (best < 0 || p[0].key < pool[best][0].key) {
					best = i
				}
			}
			moved := pool[best][0]
			pool[best] = pool[best][1:]
			large[best].copies = without(large[best].copies, moved)
			left = append(left, moved)
		}
	}
	n.groups = append(n.groups, large...)
	return left
}

// cell returns the cell of a row.
func (n *naive) cell(r int) copied {
	var c copied
	for _, codes := range n.codes.Columns {
		c.codes = append(c.codes, codes[r])
	}
	if n.codes.Classes > 0 {
		c.codes = append(c.codes, n.codes.Class[r])
	}
	c.cell = fmt.Sprint(c.codes)
	return c
}

// number numbers the copies of every cell, and computes their keys.
func (n *naive) number(copies []copied, node int) []copied {
	next := map[string]int{}
	numbered := slices.Clone(copies)
	for i := range numbered {
		c := &numbered[i]
		c.number = next[c.cell]
		next[c.cell]++
		var values []engine.Label
		for column := range n.Columns {
			values = append(values, n.codes.Attributes[column].Label(int(c.codes[column])))
		}
		class := ""
		if n.codes.Classes > 0 {
			class = n.names[c.codes[len(n.Columns)]]
		}
		c.key = enginetest.RowKey(n.engine.Seed, fmt.Sprint("kactus:", n.tree.Number(node)), values,
			class, c.number)
	}
	return numbered
}

// lowest returns the n copies with the smallest keys, in order.
func lowest(copies []copied, n int) []copied {
	sorted := slices.Clone(copies)
	slices.SortFunc(sorted, func(a, b copied) int {
		return cmp.Or(cmp.Compare(a.key, b.key), compare(a, b))
	})
	return sorted[:n]
}

func compare(a, b copied) int {
	return cmp.Or(slices.Compare(a.codes, b.codes), cmp.Compare(a.number, b.number))
}

func without(copies []copied, c copied) []copied {
	return slices.DeleteFunc(slices.Clone(copies), func(x copied) bool {
		return x.cell == c.cell && x.number == c.number
	})
}

// top returns the widest labels.
func (n *naive) top() (labels []engine.Label) {
	for _, c := range n.Columns {
		text := engine.Suppressed
		switch c.Mask {
		case engine.Generalize:
			text = c.Tree.Name
		case engine.Discretize:
			text = c.Interval("", "")
		}
		labels = append(labels, engine.Label{Text: text})
	}
	return labels
}

// narrow returns the label of a column below a branch of a test.
func (n *naive) narrow(label engine.Label, column int, split, branch uint32) engine.Label {
	c, a := n.Columns[column], &n.codes.Attributes[column]
	if c.Mask != engine.Discretize {
		return a.Label(int(branch))
	}
	if branch == 2 {
		return engine.Label{Null: true}
	}
	ends := strings.Split(label.Text[1:len(label.Text)-1], ",")
	if ends[branch^1] = a.Texts[split]; ends[branch] == []string{c.Lower, c.Upper}[branch] {
		ends[branch] = ""
	}
	return engine.Label{Text: c.Interval(ends[0], ends[1])}
}

// released returns the labels of every row, nil for those that are dropped: the rows of a cell take
// its groups in order.
func (n *naive) released() [][]engine.Label {
	queue := map[string][][]engine.Label{}
	for _, g := range n.groups {
		for _, c := range g.copies {
			queue[c.cell] = append(queue[c.cell], g.labels)
		}
	}
	rows := make([][]engine.Label, len(n.Rows))
	for r := range rows {
		if cell := n.cell(r).cell; len(queue[cell]) > 0 {
			rows[r], queue[cell] = queue[cell][0], queue[cell][1:]
		}
	}
	return rows
}
