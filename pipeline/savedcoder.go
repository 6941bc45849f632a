package pipeline

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// Kinds of saved coders.
const (
	savedOrdered = iota
	savedEdges
	savedList
	savedTree
	savedLabels
)

// saveCoder writes the coder of an attribute.
func saveCoder(w *checkpoint.Writer, c coder) {
	switch c := c.(type) {
	case ordered:
		w.Uint(savedOrdered)
		saveValues(w, &c.in.values)
		checkpoint.Numbers(w, c.domain.codes)
	case *edgeCoder:
		w.Uint(savedEdges)
		saveValues(w, &c.edges)
		w.Uint(uint64(c.nullCode))
		w.Uint(uint64(c.nanCode))
	case *listCoder:
		w.Uint(savedList)
		saveList(w, c)
	case *treeCoder:
		w.Uint(savedTree)
		w.Bool(c.generator != nil)
	case relabeled:
		w.Uint(savedLabels)
		saveRelabeled(w, c)
	default:
		w.Fail(fmt.Errorf("a coder of type %T", c))
	}
}

func saveList(w *checkpoint.Writer, c *listCoder) {
	w.Uint(uint64(c.rest))
	w.Uint(uint64(c.nullCode))
	w.Uint(uint64(len(c.words) + len(c.texts)))
	for word, code := range c.words {
		w.Uint(word)
		w.Uint(uint64(code))
	}
	for text, code := range c.texts {
		w.String(text)
		w.Uint(uint64(code))
	}
}

// saveRelabeled writes what a coder of given labels has learned from the input.
func saveRelabeled(w *checkpoint.Writer, c relabeled) {
	var names []string
	if m, ok := c.labeler.(*members); ok && m.unknown != nil {
		names = m.unknown.names
	}
	w.Strings(names)
	checkpoint.Numbers(w, c.domain.codes)
}

// savedColumn is what a saved coder is the coder of.
type savedColumn struct {
	field     formats.Field
	spec      *jobfile.Column
	taxonomy  jobfile.Taxonomy
	attribute engine.Attribute
	labeler   labeler // of the given cut; nil: there is none
	budget    *spill.Budget
}

// loadCoder reads what saveCoder has written.
func loadCoder(r *checkpoint.Reader, c savedColumn) (coder, error) {
	switch kind := r.Uint(); {
	case r.Err() != nil:
		return nil, r.Err()
	case kind == savedOrdered:
		in, err := loadInterner(r, c.field, c.spec.Mask == jobfile.MaskDiscretize, c.budget)
		return ordered{in, &domain{attribute: c.attribute, codes: checkpoint.ReadNumbers[uint32](r)}}, err
	case kind == savedEdges:
		return &edgeCoder{edges: loadValues(r, c.field.Type), nullCode: uint32(r.Uint()), nanCode: uint32(r.Uint())}, nil
	case kind == savedList:
		return loadList(r, c)
	case kind == savedLabels:
		return loadRelabeled(r, c)
	}
	coder := &treeCoder{tree: c.attribute.Tree}
	if !r.Bool() {
		return coder, nil
	}
	generator, err := jobfile.GeneratorOf(c.taxonomy)
	coder.generator = generator
	return coder, err
}

// loadInterner returns an interner of saved values, which have the numbers that they had.
func loadInterner(r *checkpoint.Reader, field formats.Field, nanIsNull bool, budget *spill.Budget) (*interner, error) {
	in := newInterner(field, nanIsNull, budget)
	values := loadValues(r, field.Type)
	if r.Err() != nil {
		return nil, r.Err()
	}
	if _, _, err := in.encode(&values, 0, nil); err != nil {
		return nil, err
	}
	in.frozen = true
	return in, nil
}

func loadList(r *checkpoint.Reader, c savedColumn) (coder, error) {
	list := newListCoder(c.field.Type)
	list.rest, list.nullCode = uint32(r.Uint()), uint32(r.Uint())
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		value := formats.Values{Type: c.field.Type}
		if list.words != nil {
			value.Words = []uint64{r.Uint()}
		} else {
			value.AppendBytes(r.Bytes(nil))
		}
		if err := list.list(&value, 0, uint32(r.Uint()), c.budget); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func loadRelabeled(r *checkpoint.Reader, c savedColumn) (coder, error) {
	names := r.Strings()
	if m, ok := c.labeler.(*members); ok && m.unknown != nil {
		for _, name := range names {
			if _, err := m.unknown.add(name); err != nil {
				return nil, err
			}
		}
	}
	return relabeled{c.labeler, &domain{attribute: c.attribute, codes: checkpoint.ReadNumbers[uint32](r)}}, r.Err()
}
