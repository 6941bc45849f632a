package domain

import (
	"cmp"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// treeLabeler is the labeler of a generalized column: nodes of a taxonomy. A value below none of
// them is unmapped, or gets its own label if the column accepts unknown values: in a given tree its
// text, in a generated one the topmost node above it that is above none of the cut's.
type treeLabeler struct {
	labelSpace
	generator engine.Generator
	// a given tree, with the labels that it did not have; or the part of a generated one above the
	// labels
	tree      *engine.Tree
	labels    []uint32 // by leaf of the tree
	known     []string // labels that the taxonomy has
	unknown   []string // labels that a given tree does not have: they were unknown before
	all       bool     // the only label is the root
	nanIsNull bool
}

// find returns a function that finds the label of a text.
func (m *treeLabeler) find(finder *engine.Finder) find {
	return func(values *formats.Values, i int) (uint32, error) {
		if m.nanIsNull && IsNaN(values, i) {
			return m.Null(), nil
		}
		code, ok, missing := finder.Find(values.Text(i))
		switch {
		case ok:
			return m.labels[code], nil
		case m.added == nil:
			return m.Unmapped(), nil
		case m.all:
			return 0, nil
		}
		return m.add([]byte(missing))
	}
}

// Domain uses the labels as leaves of its tree: those of the cut in its order, followed among
// siblings by the added ones.
func (m *treeLabeler) Domain(records []uint64) (Domain, error) {
	names, codes := m.occurring(records)
	rows := make([]uint64, len(names))
	for i, code := range codes {
		rows[i] = records[code]
	}
	tree, err := m.grow(names, rows)
	if err != nil {
		return Domain{}, err
	}
	out := m.domain(engine.Attribute{
		Mask:    engine.Generalize,
		Tree:    tree,
		Texts:   tree.Leaves(),
		HasNull: m.nulls(records),
	}, records)
	for label, text := range m.texts {
		out.Codes[label], _ = tree.Code(text)
	}
	for i, name := range names {
		out.Codes[codes[i]], _ = tree.Code(name)
	}
	return out, nil
}

// grow returns the tree above the labels and some new ones, with their numbers of records.
func (m *treeLabeler) grow(names []string, records []uint64) (*engine.Tree, error) {
	var refused error
	values, rows := 0, uint64(0)
	for i, name := range names {
		if err := m.tree.Admit(name, i); err != nil {
			refused, values, rows = cmp.Or(refused, err), values+1, rows+records[i]
		}
	}
	if refused != nil {
		return nil, Unadmitted(m.column.Name, values, rows, refused)
	}
	added := slices.Sorted(slices.Values(slices.Concat(names, m.unknown)))
	tree, err := engine.NewTree(engine.Above(m.generator, slices.Concat(m.known, added)))
	if err != nil {
		return nil, fault.Errorf(fault.Input, "replace these values in the source, or make a new "+
			"cut with kcut run",
			"add %d labels to the cut of column %s: %w", len(names), m.column.Name, err)
	}
	return tree, nil
}

// treeLabeler returns the labeler of a generalized column, and checks that the labels are a cut of
// the column's taxonomy. Labels that a given tree does not have were unknown values before, if the
// column accepts such.
func (c *CutColumn) treeLabeler(budget *spill.Budget) (_ *treeLabeler, err error) {
	spec, t := c.Spec, c.Taxonomy
	m := &treeLabeler{labelSpace: newLabelSpace(c), nanIsNull: NaNIsNull(spec, t)}
	if spec.Unknown == job.UnknownRoot {
		m.added = newInterner(formats.Type{Kind: formats.String},
			"the new labels of column "+spec.Name, budget)
	}
	noCut := c.mismatch("its labels do not make a cut of its taxonomy")
	labels := m.texts
	var generated engine.Generator
	if t.Tree != nil {
		if m.tree, err = engine.NewTree(job.TreeOf(t.Tree)); err != nil {
			return nil, Untreed(spec, err)
		}
		m.generator = engine.Given(m.tree)
	} else {
		if generated, err = job.GeneratorOf(t); err != nil {
			return nil, Untreed(spec, err)
		}
		foreign := func(label string) bool { return !engine.Takes(generated, label) }
		if m.added == nil && slices.ContainsFunc(labels, foreign) ||
			!slices.ContainsFunc(labels, func(l string) bool {
				return !foreign(l)
			}) {
			return nil, c.mismatch("its taxonomy has no nodes like the cut's")
		}
		if m.tree, err = engine.NewTree(engine.Above(generated, labels)); err != nil {
			return nil, noCut
		}
		m.generator = generated
	}
	for _, label := range labels {
		if err := c.checkLevel(m.generator, label); err != nil {
			return nil, err
		}
		if _, ok := m.tree.Node(label); ok {
			m.known = append(m.known, label)
		} else {
			m.unknown = append(m.unknown, label)
		}
	}
	if len(m.unknown) > 0 && m.added == nil {
		return nil, c.mismatch("its taxonomy lacks %s of the cut",
			text.Count(len(m.unknown), "node"))
	}
	if m.tree.AddLeaves(m.unknown) != nil || !m.isCut(labels) {
		return nil, noCut
	}
	m.all = slices.Contains(labels, m.tree.Name(0))
	m.begin = func() find { return m.find(engine.NewFinder(m.tree, generated)) }
	return m, nil
}

// checkLevel refuses a label of the cut that is finer than the job allows for its column.
func (c *CutColumn) checkLevel(generator engine.Generator, label string) error {
	level := c.Spec.FinestLevel()
	if level > 0 && len(engine.Ancestry(generator, label)) > level+1 {
		return c.mismatch("a label is finer than the job's at_most: %d", level)
	}
	return nil
}

// isCut finds the labels above the leaves of the tree, and reports whether every leaf has one.
func (m *treeLabeler) isCut(labels []string) bool {
	const none = math.MaxUint32
	m.labels = slices.Repeat([]uint32{none}, len(m.tree.Leaves()))
	for label, name := range labels {
		n, _ := m.tree.Node(name)
		lo, hi := m.tree.Range(n)
		for code := lo; code < hi; code++ {
			if m.labels[code] != none {
				return false
			}
			m.labels[code] = uint32(label)
		}
	}
	return !slices.Contains(m.labels, none)
}
