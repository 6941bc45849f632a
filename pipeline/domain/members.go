package domain

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// members is the labeler of a generalized column: nodes of a taxonomy. A value below none of
// them is unmapped, or gets a label of its own if the column takes unknown values: in a given
// tree its text, in a generated one the topmost node over it that is above none of the cut's.
type members struct {
	labelSpace
	generator engine.Generator // of a generated taxonomy; nil: of a given one

	tree    *engine.Tree      // given, or of a generated one what is above the labels
	number  map[string]uint32 // of every label
	unknown []string          // labels that the tree lacks: they were unknown before
}

// find returns a function that finds the label of a text.
func (m *members) find() find {
	find := m.inTree
	if m.generator != nil {
		finder := engine.NewFinder(m.tree, m.generator)
		find = func(text string) (label uint32, ok bool, beside string) {
			if label, ok, beside = finder.Find(text); ok {
				label = m.number[m.tree.Leaves()[label]]
			}
			return label, ok, beside
		}
	}
	return func(values *formats.Values, i int) (uint32, error) {
		label, ok, beside := find(values.Text(i))
		switch {
		case ok:
			return label, nil
		case m.added == nil || beside == "":
			return m.Unmapped(), nil
		}
		return m.add([]byte(beside))
	}
}

// inTree finds the label over a leaf.
func (m *members) inTree(text string) (label uint32, ok bool, beside string) {
	if _, ok := m.tree.Code(text); !ok {
		_, inner := m.tree.Node(text)
		if label, ok := m.number[text]; ok && !inner {
			return label, true, ""
		}
		if _, all := m.number[m.tree.Name(0)]; all && m.added != nil {
			return 0, true, ""
		}
		return 0, false, text
	}
	for n, _ := m.tree.Node(text); n >= 0; n = m.tree.Parent(n) {
		if label, ok := m.number[m.tree.Name(n)]; ok {
			return label, true, ""
		}
	}
	return 0, false, text
}

// Domain has the labels for the leaves of its tree: those of the cut in its order, and what
// they lack behind their siblings.
func (m *members) Domain(records []uint64) (Domain, error) {
	names, codes := m.occurring(records)
	tree, err := m.grow(names)
	if err != nil {
		return Domain{}, err
	}
	out := m.domain(engine.Attribute{Mask: engine.Generalize, Tree: tree, Texts: tree.Leaves(), HasNull: m.nulls(records)}, records)
	for label, text := range m.texts() {
		out.Codes[label], _ = tree.Code(text)
	}
	for i, name := range names {
		out.Codes[codes[i]], _ = tree.Code(name)
	}
	return out, nil
}

// grow returns the tree above the labels and some new ones.
func (m *members) grow(names []string) (*engine.Tree, error) {
	var root engine.Node
	if m.generator != nil {
		root = engine.Above(m.generator, append(m.texts(), names...))
	} else {
		for i, name := range names {
			if err := m.tree.Admit(name, i); err != nil {
				return nil, Unadmitted(m.column.Name, len(names), err)
			}
		}
		root = m.above(0)
		for _, name := range slices.Sorted(slices.Values(slices.Concat(names, m.unknown))) {
			root.Children = append(root.Children, engine.Node{Name: name})
		}
	}
	tree, err := engine.NewTree(root)
	if err != nil {
		return nil, &fault.Error{Class: fault.Input, Err: fmt.Errorf("add %d labels to the cut of column %s: %w", len(names), m.column.Name, err)}
	}
	return tree, nil
}

// above returns the part of a given tree from a node down to the labels.
func (m *members) above(n int) engine.Node {
	node := engine.Node{Name: m.tree.Name(n)}
	if _, ok := m.number[node.Name]; !ok {
		for _, child := range m.tree.Children(n) {
			node.Children = append(node.Children, m.above(child))
		}
	} else if !m.tree.IsLeaf(n) {
		node.Values = m.tree.Values(n)
	}
	return node
}

// members checks that the labels are a cut of the column's taxonomy.
func (g *Cut) members(spec *job.Column, column *cutfile.Column, t job.Taxonomy, budget *spill.Budget) (_ *members, err error) {
	m := &members{labelSpace: newLabelSpace(column), number: make(map[string]uint32)}
	m.begin = m.find
	if spec.Unknown == job.UnknownRoot {
		m.added = newInterner(formats.Type{Kind: formats.String}, "the new labels of column "+spec.Name, budget)
	}
	if t.Tree != nil {
		return m, g.cutTree(m, spec, t)
	}
	if m.generator, err = job.GeneratorOf(t); err != nil {
		return nil, Untreed(spec, err)
	}
	labels := m.texts()
	if slices.ContainsFunc(labels, func(label string) bool { return !engine.Takes(m.generator, label) }) {
		return nil, g.mismatch("column %s: its taxonomy has no nodes like the cut's", spec.Name)
	}
	m.tree, err = engine.NewTree(engine.Above(m.generator, labels))
	isCut := err == nil && len(labels) > 0
	for i, label := range labels {
		m.number[label] = uint32(i)
		if isCut {
			_, isCut = m.tree.Code(label)
		}
	}
	if !isCut {
		return nil, g.mismatch("column %s: its labels do not make a cut of its taxonomy", spec.Name)
	}
	return m, nil
}

// cutTree finds the labels in a given tree. Those that it lacks were unknown values before,
// where the column takes such.
func (g *Cut) cutTree(m *members, spec *job.Column, t job.Taxonomy) (err error) {
	if m.tree, err = engine.NewTree(job.TreeOf(t.Tree)); err != nil {
		return Untreed(spec, err)
	}
	covered := 0 // leaves, as often as they are
	for i, name := range m.texts() {
		m.number[name] = uint32(i)
		if n, ok := m.tree.Node(name); ok {
			lo, hi := m.tree.Range(n)
			covered += hi - lo
		} else {
			m.unknown = append(m.unknown, name)
		}
	}
	if len(m.unknown) > 0 && m.added == nil {
		return g.mismatch("column %s: its taxonomy lacks %s of the cut", spec.Name, text.Count(len(m.unknown), "node"))
	}
	_, all := m.number[m.tree.Name(0)]
	isCut := covered == len(m.tree.Leaves()) && (!all || m.n == 1)
	for _, leaf := range m.tree.Leaves() {
		_, ok, _ := m.inTree(leaf)
		isCut = isCut && ok
	}
	if !isCut {
		return g.mismatch("column %s: its labels do not make a cut of its taxonomy", spec.Name)
	}
	return nil
}
