package coding

import (
	"sort"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// edgeCoder is the coder of a discretized column whose values are too many to hold: a
// value's code is the last edge that is not above it.
type edgeCoder struct {
	edges    formats.Values // ascending; the first is the smallest value
	nullCode uint32
	nanCode  uint32 // the null's, or any when no record is without a value
}

// NewEdgeCoder returns the coder of the values from one edge to the next. The null has a code
// if some record is without a value.
func NewEdgeCoder(edges formats.Values, hasNull bool) Coder {
	c := &edgeCoder{edges: edges, nullCode: uint32(edges.Len())}
	if hasNull {
		c.nanCode = c.nullCode
	}
	return c
}

func (c *edgeCoder) Null() uint32 { return c.nullCode }

func (c *edgeCoder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, c.code(values, i))
	}
	return codes, int(c.nullCode) + 1, nil
}

func (c *edgeCoder) code(values *formats.Values, i int) uint32 {
	if !values.Type.InWords() {
		above := sort.Search(c.edges.Len(), func(e int) bool { return CompareValues(&c.edges, e, values, i) > 0 })
		return uint32(max(above, 1) - 1)
	}
	word := values.Words[i]
	if values.Type.Kind == formats.Float {
		if word = CanonicalFloat(word); word == CanonicalNaN {
			return c.nanCode
		}
	}
	above := sort.Search(len(c.edges.Words), func(e int) bool { return c.edges.Words[e] > word })
	return uint32(max(above, 1) - 1)
}

// ListCoder is the coder of a column of which only some values are listed: those that may
// be released. All others share one code. Lists of values may hold some that no record has:
// these get any code of the domain.
type ListCoder struct {
	words    map[uint64]uint32
	texts    map[string]uint32
	rest     uint32
	nullCode uint32
}

// NewListCoder returns a coder that lists no value yet. Those that it will have codes below
// listed; then comes the code of all others, if some record has one of them, and the null's
// if it has one of its own.
func NewListCoder(t formats.Type, listed uint32, hasRest, hasNull bool) *ListCoder {
	c := &ListCoder{nullCode: listed}
	if hasRest {
		c.rest = listed
	}
	if hasRest && hasNull {
		c.nullCode++
	}
	if t.InWords() {
		c.words = make(map[uint64]uint32)
	} else {
		c.texts = make(map[string]uint32)
	}
	return c
}

// List gives a value its code and draws what that takes.
func (c *ListCoder) List(values *formats.Values, i int, code uint32, budget *spill.Budget) error {
	if c.words != nil {
		c.words[values.Words[i]] = code
		return budget.Draw("listed values", 40)
	}
	value := string(values.Bytes(i))
	c.texts[value] = code
	return budget.Draw("listed values", int64(len(value))+60)
}

// Null returns the last code.
func (c *ListCoder) Null() uint32 { return c.nullCode }

// Encode appends the codes of values: of those that are not listed, the rest's.
func (c *ListCoder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, c.code(values, i))
	}
	return codes, int(c.nullCode) + 1, nil
}

func (c *ListCoder) code(values *formats.Values, i int) uint32 {
	var code uint32
	var ok bool
	if c.words != nil {
		word := values.Words[i]
		if values.Type.Kind == formats.Float {
			word = CanonicalFloat(word)
		}
		code, ok = c.words[word]
	} else {
		code, ok = c.texts[string(values.Bytes(i))]
	}
	if !ok {
		return c.rest
	}
	return code
}

// treeCoder is the coder of a generalized column: a value's code is that of its text's leaf,
// or of the pruned node above it. Values that no record has get any code of the domain.
type treeCoder struct {
	tree      *engine.Tree
	generator engine.Generator // nil when the tree was given
}

// Null is the code after all leaves.
func (c *treeCoder) Null() uint32 { return uint32(len(c.tree.Leaves())) }

func (c *treeCoder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	finder := engine.NewFinder(c.tree, c.generator)
	canonical := formats.Values{Type: values.Type, Words: make([]uint64, 1)}
	for i := from; i < values.Len(); i++ {
		text := ""
		if values.Type.Kind == formats.Float {
			canonical.Words[0] = CanonicalFloat(values.Words[i])
			text = canonical.Text(0)
		} else {
			text = values.Text(i)
		}
		code, _ := finder.Code(text)
		codes = append(codes, code)
	}
	return codes, len(c.tree.Leaves()) + 1, nil
}
