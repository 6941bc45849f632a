package domain

import (
	"slices"
	"sort"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// valueCoder is the coder of an attribute. A value that no record has, as lists of values may hold
// some, gets any code of the attribute.
type valueCoder struct {
	attribute *engine.Attribute
	begin     func() find
}

// find returns the code of a value, for one goroutine.
type find func(values *formats.Values, i int) uint32

// NewCoder returns the coder of an attribute whose values have a type; a taxonomy is that of a
// generalized one. It needs no table of all values: it is made of the attribute alone, in any
// process. What it holds is drawn from the budget.
func NewCoder(a *engine.Attribute, t formats.Type, taxonomy job.Taxonomy, budget *spill.Budget) (Coder, error) {
	c := &valueCoder{attribute: a}
	switch a.Mask {
	case engine.Generalize:
		var generator engine.Generator
		if taxonomy.Tree == nil {
			var err error
			if generator, err = job.GeneratorOf(taxonomy); err != nil {
				return nil, err
			}
		}
		c.begin = func() find {
			finder := engine.NewFinder(a.Tree, generator)
			return func(values *formats.Values, i int) uint32 {
				code, _, _ := finder.Find(TextOf(values, i))
				return code
			}
		}
		return c, nil
	case engine.Discretize:
		edges, err := valuesOf(a, t)
		if err != nil {
			return nil, err
		}
		within := findEdge(edges, a)
		c.begin = func() find { return within }
		return c, nil
	}
	listed, err := findListed(a, t, budget)
	c.begin = func() find { return listed }
	return c, err
}

// NewClassCoder returns the coder of the class column, whose classes have labels.
func NewClassCoder(labels []engine.Label, t formats.Type, budget *spill.Budget) (Coder, error) {
	a := &engine.Attribute{Mask: engine.Suppress}
	for _, label := range labels {
		if label.Null {
			a.HasNull = true
		} else {
			a.Texts = append(a.Texts, label.Text)
		}
	}
	c, err := NewCoder(a, t, job.Taxonomy{}, budget)
	return Renumbered{c, engine.Identity(a.Len()).Codes, a.Len()}, err
}

// Null returns the code after those of all values when no record is without one.
func (c *valueCoder) Null() uint32 { return c.attribute.NullCode() }

// Encode appends the codes of values.
func (c *valueCoder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	find := c.begin()
	for i := from; i < values.Len(); i++ {
		codes = append(codes, find(values, i))
	}
	return codes, int(c.Null()) + 1, nil
}

// valuesOf returns the values that an attribute's texts stand for.
func valuesOf(a *engine.Attribute, t formats.Type) (*formats.Values, error) {
	values := &formats.Values{Type: t}
	for _, text := range a.Texts {
		if err := values.Parse(text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// findEdge finds the last of the ascending edges that is not above a value; the first one is the
// smallest value.
func findEdge(edges *formats.Values, a *engine.Attribute) find {
	nan := uint32(0) // any when no record is without a value
	if a.HasNull {
		nan = a.NullCode()
	}
	if !edges.Type.InWords() {
		return func(values *formats.Values, i int) uint32 {
			above := sort.Search(edges.Len(), func(e int) bool { return CompareValues(edges, e, values, i) > 0 })
			return uint32(max(above, 1) - 1)
		}
	}
	return func(values *formats.Values, i int) uint32 {
		word := values.Words[i]
		if values.Type.Kind == formats.Float {
			if word = CanonicalFloat(word); word == CanonicalNaN {
				return nan
			}
		}
		at, is := slices.BinarySearch(edges.Words, word)
		if !is {
			at = max(at, 1) - 1
		}
		return uint32(at)
	}
}

// listedBytes is what a listed value takes, beside its text.
const listedBytes = 60

// findListed finds listed values: all others are the rest.
func findListed(a *engine.Attribute, t formats.Type, budget *spill.Budget) (find, error) {
	rest := uint32(0) // any when no record has another value
	if a.HasRest {
		rest = uint32(len(a.Texts))
	}
	values, err := valuesOf(a, t)
	if err != nil {
		return nil, err
	}
	if err := budget.Draw("listed values", listedBytes*int64(len(a.Texts))+int64(len(values.Data))); err != nil {
		return nil, err
	}
	if t.InWords() {
		words := make(map[uint64]uint32, len(values.Words))
		for code := range values.Words {
			words[CanonicalWord(values, code)] = uint32(code)
		}
		return func(values *formats.Values, i int) uint32 {
			if code, ok := words[CanonicalWord(values, i)]; ok {
				return code
			}
			return rest
		}, nil
	}
	texts := make(map[string]uint32, values.Len())
	for code := range values.Len() {
		texts[string(values.Bytes(code))] = uint32(code)
	}
	return func(values *formats.Values, i int) uint32 {
		if code, ok := texts[string(values.Bytes(i))]; ok {
			return code
		}
		return rest
	}, nil
}
