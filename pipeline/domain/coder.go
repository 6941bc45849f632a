package domain

import (
	"slices"
	"sort"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Coder finds the codes of values. Codes below domain are assigned; the null has one, too. It is
// safe for concurrent use.
type Coder interface {
	// Encode appends the codes of the entries of values from the given one on. It also returns the
	// size of the domain after that.
	Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error)
	// Null returns the null's code.
	Null() uint32
}

// find returns the code of a value in the form that the search uses. It belongs to one goroutine.
type find func(values *formats.Values, i int) (uint32, error)

// encode appends the codes of the entries of values from the given one on.
func (f find) encode(values *formats.Values, from int, codes []uint32) ([]uint32, error) {
	for i := from; i < values.Len(); i++ {
		code, err := f(canonicalValue(values, i))
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// Mapping translates one reader's local codes. It belongs to one goroutine and remembers its
// results for a list of values that only grows.
type Mapping struct {
	coder Coder
	of    *formats.Values
	codes []uint32 // codes[c] is the code of local code c
	above int      // exceeds every code so far
}

func NewMapping(c Coder) Mapping { return Mapping{coder: c, above: int(c.Null()) + 1} }

// Translate writes the codes of a coded column's rows to out[:0].
func (m *Mapping) Translate(c *formats.Column, out []uint32) ([]uint32, error) {
	if err := m.Learn(c.Values); err != nil {
		return nil, err
	}
	return m.Apply(c.Codes, out), nil
}

// Learn finds the codes of the values that are new to it.
func (m *Mapping) Learn(values *formats.Values) error {
	if m.of != values {
		m.of, m.codes = values, append(m.codes[:0], m.coder.Null())
	}
	if n := values.Len(); len(m.codes) <= n {
		codes, domain, err := m.coder.Encode(values, len(m.codes)-1, m.codes)
		if err != nil {
			return err
		}
		m.codes, m.above = codes, max(m.above, domain)
	}
	return nil
}

// Learned returns the last list of values, and the code of every local code.
func (m *Mapping) Learned() (*formats.Values, []uint32) { return m.of, m.codes }

// Domain returns a number that exceeds every code so far.
func (m *Mapping) Domain() int { return m.above }

// Apply writes the codes of local codes, whose values Learn has seen, to out[:0].
func (m *Mapping) Apply(local, out []uint32) []uint32 {
	out = slices.Grow(out[:0], len(local))[:len(local)]
	codes := m.codes
	for i, code := range local {
		out[i] = codes[code]
	}
	return out
}

// Renumbered is a coder that maps the codes of another coder to new ones below a domain.
type Renumbered struct {
	Coder
	Codes  []uint32 // by code of the other coder
	Domain int
	// for a code without a new one: while values are counted, any code, since no record has it
	Else uint32
}

// Null returns the null's new code.
func (r Renumbered) Null() uint32 { return r.renumber(r.Coder.Null()) }

// Encode appends the new codes of values.
func (r Renumbered) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int,
	error) {
	first := len(codes)
	codes, _, err := r.Coder.Encode(values, from, codes)
	if err != nil {
		return nil, 0, err
	}
	for i := first; i < len(codes); i++ {
		codes[i] = r.renumber(codes[i])
	}
	return codes, r.Domain, nil
}

func (r Renumbered) renumber(code uint32) uint32 {
	if int(code) < len(r.Codes) {
		return r.Codes[code]
	}
	return r.Else
}

// valueCoder is the coder of an attribute. A value that no record has, as lists of values may
// contain some, gets any code of the attribute.
type valueCoder struct {
	attribute *engine.Attribute
	begin     func() find // for one goroutine
}

// NewCoder returns the coder of an attribute whose values have a type; a generalized one needs its
// taxonomy. It needs no table of all values: any process can make it from the attribute alone. Its
// memory is drawn from the budget.
func NewCoder(a *engine.Attribute, t formats.Type, taxonomy job.Taxonomy,
	budget *spill.Budget) (Coder, error) {
	c := &valueCoder{attribute: a}
	switch a.Mask {
	case engine.Generalize:
		var generator engine.Generator // the leaves of a whole tree are the values
		if taxonomy.Tree == nil || !a.Tree.IsWhole() {
			var err error
			if generator, err = job.GeneratorOf(taxonomy); err != nil {
				return nil, err
			}
		}
		nanIsNull := a.HasNull && len(taxonomy.Ranges) > 0
		c.begin = func() find {
			finder := engine.NewFinder(a.Tree, generator)
			return func(values *formats.Values, i int) (uint32, error) {
				if nanIsNull && IsNaN(values, i) {
					return a.NullCode(), nil
				}
				code, _, _ := finder.Find(values.Text(i))
				return code, nil
			}
		}
		return c, nil
	case engine.Discretize:
		edges, err := valuesOf(a, t)
		if err != nil {
			return nil, err
		}
		c.begin = func() find {
			return func(values *formats.Values, i int) (uint32, error) {
				return findEdge(edges, a, values, i), nil
			}
		}
		return c, nil
	}
	rest := uint32(0) // any code, if no record has another value
	if a.HasRest {
		rest = uint32(len(a.Texts))
	}
	listed, err := valuesOf(a, t)
	if err != nil {
		return nil, err
	}
	if err := budget.Draw("listed values",
		listedBytes*int64(len(a.Texts))+int64(len(listed.Data))); err != nil {
		return nil, err
	}
	place := placesOf(listed)
	c.begin = func() find {
		return func(values *formats.Values, i int) (uint32, error) {
			if code, ok := place(values, i); ok {
				return code, nil
			}
			return rest, nil
		}
	}
	return c, nil
}

// listedBytes is the memory of a listed value without its text.
const listedBytes = 60

// ClassAttribute returns the attribute of a class column with the labels of its classes.
func ClassAttribute(labels []engine.Label) engine.Attribute {
	a := engine.Attribute{Mask: engine.Suppress}
	for _, label := range labels {
		if label.Null {
			a.HasNull = true
		} else {
			a.Texts = append(a.Texts, label.Text)
		}
	}
	return a
}

// Null returns the code of the null, or the code after those of all values if no record has a null.
func (c *valueCoder) Null() uint32 { return c.attribute.NullCode() }

// Encode appends the codes of values.
func (c *valueCoder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int,
	error) {
	codes, err := c.begin().encode(values, from, codes)
	return codes, int(c.Null()) + 1, err
}

// valuesOf parses an attribute's texts.
func valuesOf(a *engine.Attribute, t formats.Type) (*formats.Values, error) {
	values := &formats.Values{Type: t}
	for _, text := range a.Texts {
		if err := values.Parse(text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// findEdge returns the last of an attribute's ascending edges that is not above a value; the first
// edge is the smallest value.
func findEdge(edges *formats.Values, a *engine.Attribute, values *formats.Values, i int) uint32 {
	switch {
	case !IsNaN(values, i):
		return uint32(max(countUpTo(edges, values, i), 1) - 1)
	case a.HasNull:
		return a.NullCode()
	}
	return 0 // any code, if no record has a null
}

// countUpTo returns the number of ascending values that are not above another one.
func countUpTo(ascending, values *formats.Values, i int) int {
	if !ascending.Type.InWords() {
		return sort.Search(ascending.Len(), func(at int) bool {
			return CompareValues(ascending, at, values, i) > 0
		})
	}
	at, is := slices.BinarySearch(ascending.Words, values.Words[i])
	if is {
		at++
	}
	return at
}

// placesOf returns a function that finds values among the listed ones.
func placesOf(listed *formats.Values) func(values *formats.Values, i int) (uint32, bool) {
	if listed.Type.InWords() {
		words := make(map[uint64]uint32, len(listed.Words))
		for at := range listed.Words {
			words[CanonicalWord(listed, at)] = uint32(at)
		}
		return func(values *formats.Values, i int) (uint32, bool) {
			at, ok := words[values.Words[i]]
			return at, ok
		}
	}
	texts := make(map[string]uint32, listed.Len())
	for at := range listed.Len() {
		texts[string(listed.Bytes(at))] = uint32(at)
	}
	return func(values *formats.Values, i int) (uint32, bool) {
		at, ok := texts[string(values.Bytes(i))]
		return at, ok
	}
}
