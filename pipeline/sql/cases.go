package sql

import "strings"

// node is a part of the decision about the label of a value: a list of conditions, or their result.
type node struct {
	branches []branch // none: the node is a result
	label    int      // number of the resulting label; noLabel: such a value has none
	own      string   // or the expression of the label
}

// branch is a condition with its result. The last branch of a node has no condition and is the
// default.
type branch struct {
	when string
	then node
}

// noLabel is the result for a value that must not occur.
const noLabel = -1

func labeled(label int) node { return node{label: label} }

// otherwise adds the default branch of a node.
func (n *node) otherwise(last node) node {
	if len(n.branches) == 0 {
		return last
	}
	n.branches = append(n.branches, branch{"", last})
	return *n
}

// on adds a branch, unless its condition is empty.
func (n *node) on(when string, then node) {
	if when != "" {
		n.branches = append(n.branches, branch{when, then})
	}
}

// fewLabels is the largest number of labels that are compared one after the other.
const fewLabels = 4

// between decides among consecutive labels: label i until starts[i], the last one from there on. If
// there are many it compares with the middle first, since an engine may have millions of rows to
// decide.
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

// write writes the expression of the result of a node, at a depth. Of(n) is that of a label.
func (n *node) write(w *strings.Builder, depth int, of func(n *node) string) {
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
		b.then.write(w, depth+1, of)
	}
	w.WriteString(line[:len(line)-2] + "END")
}
