package kactus_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/kactus"
)

// naive suppresses row by row, as the definitions read.
type naive struct {
	enginetest.Data
	engine  kactus.Engine
	k       int
	domains [][]engine.Label
	classes []string
	names   []string // that these have in keys

	groups                         []group
	suppressed, dropped, recruited int
}

// group is what is released with the same labels: the copies of cells.
type group struct {
	number int // of the node
	labels []engine.Label
	copies []copied
}

// copied is the copy of a cell at a node.
type copied struct {
	cell   string
	codes  []int // of the cell, the class last
	number uint32
	key    uint64
}

// search fills groups, specific ones before those above them, and drops what it must.
func (n *naive) search(tree *enginetest.Decision) {
	left := n.anonymize(tree, n.top())
	root := n.number(left, tree.Number)
	switch {
	case len(root) >= n.k:
		n.groups = append(n.groups, group{tree.Number, n.top(), root})
		n.suppressed = len(root)
	case len(root) > 0:
		n.complete(root, tree.Number)
	}
}

// complete completes the leftovers, or drops them.
func (n *naive) complete(root []copied, number int) {
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
	if n.engine.Leftover == kactus.Drop || len(spare) < missing {
		n.dropped = len(root)
		return
	}
	slices.SortFunc(spare, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(n.groups[a.group].number, n.groups[b.group].number), compare(a.copied, b.copied))
	})
	for _, p := range spare[:missing] {
		g := &n.groups[p.group]
		g.copies = without(g.copies, p.copied)
		root = append(root, p.copied)
		n.recruited++
	}
	n.groups = append(n.groups, group{number, n.top(), root})
	n.suppressed = len(root)
}

// anonymize returns the cells, repeated, that are left at a node.
func (n *naive) anonymize(d *enginetest.Decision, labels []engine.Label) (left []copied) {
	if d.Column < 0 {
		for _, r := range d.Rows {
			left = append(left, n.cell(r))
		}
		return left
	}
	var large []group
	var pool [][]copied
	for i, child := range d.Children {
		below := slices.Clone(labels)
		below[d.Column] = n.narrow(labels[d.Column], d, i)
		bag := n.number(n.anonymize(child, below), child.Number)
		if len(bag) < n.k {
			left = append(left, bag...)
			continue
		}
		large = append(large, group{child.Number, below, bag})
		pool = append(pool, lowest(bag, len(bag)-n.k))
	}
	spare := 0
	for _, p := range pool {
		spare += len(p)
	}
	missing := n.k - len(left)
	if len(left) > 0 && missing > 0 && spare >= missing {
		for range missing { // one by one, the one of the smallest key
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
	c := copied{cell: fmt.Sprintf("%+v ", n.Rows[r])}
	for column, value := range n.Rows[r] {
		c.codes = append(c.codes, slices.Index(n.domains[column], value))
	}
	if len(n.Classes) > 0 {
		c.cell += n.Classes[r]
		c.codes = append(c.codes, slices.Index(n.classes, n.Classes[r]))
	}
	return c
}

// number numbers the copies of every cell, and gives them keys.
func (n *naive) number(copies []copied, node int) []copied {
	next := map[string]uint32{}
	numbered := slices.Clone(copies)
	for i := range numbered {
		c := &numbered[i]
		c.number = next[c.cell]
		next[c.cell]++
		c.key = n.key(*c, node)
	}
	return numbered
}

// key returns the key of a copy at a node.
func (n *naive) key(c copied, node int) uint64 {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%d\x00kactus:%d\x00", n.engine.Seed, node)
	for column := range n.Columns {
		value := n.domains[column][c.codes[column]]
		if value.Null {
			value.Text = "\x1e"
		}
		text.WriteString(value.Text + "\x1f")
	}
	if len(n.Classes) > 0 {
		text.WriteString(n.names[c.codes[len(n.Columns)]])
	}
	text.WriteString("\x1f")
	text.Write(binary.LittleEndian.AppendUint64(nil, uint64(c.number)))
	hash := fnv.New64a()
	hash.Write(text.Bytes())
	z := hash.Sum64()
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// lowest returns the n copies with the smallest keys, in order.
func lowest(copies []copied, n int) []copied {
	sorted := slices.Clone(copies)
	slices.SortFunc(sorted, func(a, b copied) int { return cmp.Or(cmp.Compare(a.key, b.key), compare(a, b)) })
	return sorted[:n]
}

func compare(a, b copied) int {
	return cmp.Or(slices.Compare(a.codes, b.codes), cmp.Compare(a.number, b.number))
}

func without(copies []copied, c copied) []copied {
	return slices.DeleteFunc(slices.Clone(copies), func(x copied) bool { return x.cell == c.cell && x.number == c.number })
}

// top returns the widest labels.
func (n *naive) top() (labels []engine.Label) {
	for _, c := range n.Columns {
		text := engine.Suppressed
		switch c.Mask {
		case engine.Generalize:
			text = c.Tree.Name
		case engine.Discretize:
			text = interval(c, "", "")
		}
		labels = append(labels, engine.Label{Text: text})
	}
	return labels
}

// narrow returns the label of a column below a branch.
func (n *naive) narrow(label engine.Label, d *enginetest.Decision, branch int) engine.Label {
	c := n.Columns[d.Column]
	if c.Mask != engine.Discretize {
		return n.domains[d.Column][branch]
	}
	lower, upper := ends(label.Text)
	if lower == c.Lower {
		lower = ""
	}
	if upper == c.Upper {
		upper = ""
	}
	switch branch {
	case 0:
		return engine.Label{Text: interval(c, lower, d.Split)}
	case 1:
		return engine.Label{Text: interval(c, d.Split, upper)}
	}
	return engine.Label{Null: true}
}

func ends(label string) (lower, upper string) {
	before, after, _ := bytes.Cut([]byte(label[1:len(label)-1]), []byte(","))
	return string(before), string(after)
}

// interval is the label between two values; an end without one is the column's.
func interval(c enginetest.Column, lower, upper string) string {
	opening, closing := "[", ")"
	if lower == "" {
		lower = c.Lower
	}
	if lower == "" {
		opening = "("
	}
	if upper == "" {
		if upper = c.Upper; upper != "" {
			closing = "]"
		}
	}
	return opening + lower + "," + upper + closing
}

// released returns the labels of every row, nil of those that are dropped: the rows of a
// cell take its groups in order.
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
