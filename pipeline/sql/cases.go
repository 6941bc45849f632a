package sql

import "strings"

// node is a part of the decision which label a value gets: conditions one after the other, or what they come to.
type node struct {
	branches []branch // none: it is decided
	label    int      // then, the number of the label; noLabel: there is none for such a value
	own      string   // or the expression of the label
}

// branch is a condition, and what is then. The last one of a node has none: it is what is otherwise.
type branch struct {
	when string
	then node
}

// noLabel stands for the label of a value that must not be there.
const noLabel = -1

func labeled(label int) node { return node{label: label} }

// otherwise ends the branches of a node.
func (n *node) otherwise(last node) node {
	if len(n.branches) == 0 {
		return last
	}
	n.branches = append(n.branches, branch{"", last})
	return *n
}

// on adds a branch, unless its condition is none.
func (n *node) on(when string, then node) {
	if when != "" {
		n.branches = append(n.branches, branch{when, then})
	}
}

// fewLabels are as many as are told apart one after the other.
const fewLabels = 4

// between decides among labels that follow each other: label i until starts[i], the last one from there on. Of many the
// half is asked for first, since an engine may have millions of rows to decide about.
func between(x string, starts []string, labels []int) node {
	if len(labels) > fewLabels {
		half := len(labels) / 2
		n := node{}
		n.on(x+" < "+starts[half-1], between(x, starts[:half-1], labels[:half]))
		return n.otherwise(between(x, starts[half:], labels[half:]))
	}
	n := node{}
	for i, start := range starts {
		n.on(x+" < "+start, labeled(labels[i]))
	}
	return n.otherwise(labeled(labels[len(labels)-1]))
}

// writer writes expressions.
type writer struct {
	strings.Builder
}

// expression writes what a node comes to, at a depth. Of(n) is what is written for a label.
func (w *writer) expression(n *node, depth int, of func(n *node) string) {
	if len(n.branches) == 0 {
		w.WriteString(of(n))
		return
	}
	line := "\n" + strings.Repeat("  ", depth+1)
	w.WriteString("CASE")
	for i := range n.branches {
		b := &n.branches[i]
		w.WriteString(line)
		if b.when == "" {
			w.WriteString("ELSE ")
		} else {
			w.WriteString("WHEN " + b.when + " THEN ")
		}
		w.expression(&b.then, depth+1, of)
	}
	w.WriteString(line[:len(line)-2] + "END")
}
