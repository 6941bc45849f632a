package pipeline

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

func (c *edgeCoder) null() uint32 { return c.nullCode }

func (c *edgeCoder) encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, c.code(values, i))
	}
	return codes, int(c.nullCode) + 1, nil
}

func (c *edgeCoder) code(values *formats.Values, i int) uint32 {
	if !values.Type.InWords() {
		above := sort.Search(c.edges.Len(), func(e int) bool { return compareValues(&c.edges, e, values, i) > 0 })
		return uint32(max(above, 1) - 1)
	}
	word := values.Words[i]
	if values.Type.Kind == formats.Float {
		if word = canonicalFloat(word); word == canonicalNaN {
			return c.nanCode
		}
	}
	above := sort.Search(len(c.edges.Words), func(e int) bool { return c.edges.Words[e] > word })
	return uint32(max(above, 1) - 1)
}

// listCoder is the coder of a column of which only some values are listed: those that may
// be released. All others share one code. Lists of values may hold some that no record has:
// these get any code of the domain.
type listCoder struct {
	words    map[uint64]uint32
	texts    map[string]uint32
	rest     uint32
	nullCode uint32
}

func newListCoder(t formats.Type) *listCoder {
	if t.InWords() {
		return &listCoder{words: make(map[uint64]uint32)}
	}
	return &listCoder{texts: make(map[string]uint32)}
}

// list gives a value its code and draws what that takes.
func (c *listCoder) list(values *formats.Values, i int, code uint32, budget *spill.Budget) error {
	if c.words != nil {
		c.words[values.Words[i]] = code
		return budget.Draw("listed values", 40)
	}
	value := string(values.Bytes(i))
	c.texts[value] = code
	return budget.Draw("listed values", int64(len(value))+60)
}

func (c *listCoder) null() uint32 { return c.nullCode }

func (c *listCoder) encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, c.code(values, i))
	}
	return codes, int(c.nullCode) + 1, nil
}

func (c *listCoder) code(values *formats.Values, i int) uint32 {
	var code uint32
	var ok bool
	if c.words != nil {
		word := values.Words[i]
		if values.Type.Kind == formats.Float {
			word = canonicalFloat(word)
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

// null is the code after all leaves.
func (c *treeCoder) null() uint32 { return uint32(len(c.tree.Leaves())) }

func (c *treeCoder) encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	finder := engine.NewFinder(c.tree, c.generator)
	canonical := formats.Values{Type: values.Type, Words: make([]uint64, 1)}
	for i := from; i < values.Len(); i++ {
		text := ""
		if values.Type.Kind == formats.Float {
			canonical.Words[0] = canonicalFloat(values.Words[i])
			text = canonical.Text(0)
		} else {
			text = values.Text(i)
		}
		code, _ := finder.Code(text)
		codes = append(codes, code)
	}
	return codes, len(c.tree.Leaves()) + 1, nil
}
