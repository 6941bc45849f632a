package domain

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Kinds of saved coders.
const (
	savedOrdered = iota
	savedEdges
	savedList
	savedTree
)

// SaveValues writes values, but for their type, which is the column's.
func SaveValues(w *checkpoint.Writer, v *formats.Values) {
	checkpoint.Numbers(w, v.Words)
	checkpoint.Numbers(w, v.Ends)
	w.Bytes(v.Data)
}

// LoadValues reads what SaveValues has written.
func LoadValues(r *checkpoint.Reader, t formats.Type) formats.Values {
	return formats.Values{Type: t, Words: checkpoint.ReadNumbers[uint64](r), Ends: checkpoint.ReadNumbers[uint32](r), Data: r.Bytes()}
}

// Save writes the coder of an attribute.
func Save(w *checkpoint.Writer, c Coder) {
	switch c := c.(type) {
	case ordered:
		w.Uint(savedOrdered)
		SaveValues(w, &c.in.values)
		checkpoint.Numbers(w, c.Codes)
	case *edgeCoder:
		w.Uint(savedEdges)
		SaveValues(w, &c.edges)
		w.Uint(uint64(c.nullCode))
		w.Uint(uint64(c.nanCode))
	case *ListCoder:
		w.Uint(savedList)
		saveList(w, c)
	case *treeCoder:
		w.Uint(savedTree)
		w.Bool(c.generator != nil)
	default:
		w.Fail(fmt.Errorf("a coder of type %T", c))
	}
}

func saveList(w *checkpoint.Writer, c *ListCoder) {
	w.Uint(uint64(c.rest))
	w.Uint(uint64(c.nullCode))
	w.Uint(uint64(len(c.words) + len(c.texts)))
	for _, word := range slices.Sorted(maps.Keys(c.words)) {
		w.Uint(word)
		w.Uint(uint64(c.words[word]))
	}
	for _, text := range slices.Sorted(maps.Keys(c.texts)) {
		w.String(text)
		w.Uint(uint64(c.texts[text]))
	}
}

// Column is what a saved coder is the coder of.
type Column struct {
	Field     formats.Field
	Spec      *job.Column
	Taxonomy  job.Taxonomy
	Attribute engine.Attribute
	Budget    *spill.Budget
}

// Load reads what saveCoder has written.
func Load(r *checkpoint.Reader, c Column) (Coder, error) {
	switch kind := r.Uint(); {
	case r.Err() != nil:
		return nil, r.Err()
	case kind == savedOrdered:
		in, err := loadInterner(r, c.Field, c.Spec.Mask == job.MaskDiscretize, c.Budget)
		if err != nil {
			return nil, err
		}
		return NewOrdered(in, &Domain{Attribute: c.Attribute, Codes: checkpoint.ReadNumbers[uint32](r)}), r.Err()
	case kind == savedEdges:
		return &edgeCoder{edges: LoadValues(r, c.Field.Type), nullCode: uint32(r.Uint()), nanCode: uint32(r.Uint())}, nil
	case kind == savedList:
		return loadList(r, c)
	}
	coder := &treeCoder{tree: c.Attribute.Tree}
	if !r.Bool() {
		return coder, nil
	}
	generator, err := job.GeneratorOf(c.Taxonomy)
	coder.generator = generator
	return coder, err
}

// loadInterner returns an interner of saved values, which have the numbers that they had.
func loadInterner(r *checkpoint.Reader, field formats.Field, nanIsNull bool, budget *spill.Budget) (*Interner, error) {
	in := NewInterner(field, nanIsNull, budget)
	values := LoadValues(r, field.Type)
	if r.Err() != nil {
		return nil, r.Err()
	}
	if _, _, err := in.Encode(&values, 0, nil); err != nil {
		return nil, err
	}
	in.frozen = true
	return in, nil
}

// SaveClass writes the coder of the class column.
func SaveClass(w *checkpoint.Writer, c *ClassCoder) {
	w.Bool(c.In != nil)
	if c.In != nil {
		SaveValues(w, &c.In.values)
	}
	checkpoint.Numbers(w, c.Numbers)
	w.Uint(uint64(c.Classes))
}

// LoadClass reads what saveClass has written. Without a class the field is of no use.
func LoadClass(r *checkpoint.Reader, field formats.Field, budget *spill.Budget) (c ClassCoder, err error) {
	if r.Bool() {
		if c.In, err = loadInterner(r, field, false, budget); err != nil {
			return c, err
		}
	}
	c.Numbers, c.Classes = checkpoint.ReadNumbers[uint32](r), r.Int()
	return c, r.Err()
}

func loadList(r *checkpoint.Reader, c Column) (Coder, error) {
	list := NewListCoder(c.Field.Type, 0, false, false)
	list.rest, list.nullCode = uint32(r.Uint()), uint32(r.Uint())
	for n := r.Int(); n > 0 && r.Err() == nil; n-- {
		value := formats.Values{Type: c.Field.Type}
		if list.words != nil {
			value.Words = []uint64{r.Uint()}
		} else {
			value.AppendBytes(r.Bytes())
		}
		if err := list.List(&value, 0, uint32(r.Uint()), c.Budget); err != nil {
			return nil, err
		}
	}
	return list, nil
}
