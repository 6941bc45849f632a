package count

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Book leads from values to the codes that tuples are counted in.
type Book struct {
	bound   []*Bound           // the columns before the class
	merges  []engine.CodeMerge // of each: the codes that are told apart
	classes []engine.Label
}

// NewBook returns the book of columns whose domains are known.
func NewBook(r *Request, c *Counts) *Book {
	b := &Book{bound: c.Columns, classes: c.Table.ClassNames}
	if r.Merge != nil {
		b.merges = r.Merge(c.Table)
	}
	for _, column := range c.Columns[len(b.merges):] {
		b.merges = append(b.merges, engine.Identity(max(1, column.Attribute.Len())))
	}
	return b
}

// columns returns the columns as their tuples are counted.
func (b *Book) columns(r *Request, budget *spill.Budget) (columns []column, err error) {
	for i := range r.Columns {
		var c column
		switch {
		case i < len(b.merges):
			coder, err := r.Coder(i, b.bound[i], budget)
			if err != nil {
				return nil, err
			}
			c.domain = b.merges[i].Domain
			c.coder = domain.Renumbered{Coder: coder, Codes: b.merges[i].Codes, Domain: c.domain}
		case i == r.Class:
			c.domain = len(b.classes)
			if c.coder, err = r.ClassCoder(b.classes, budget); err != nil {
				return nil, err
			}
		default:
			c = column{coder: is(r.Columns[i].matches), domain: 2}
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// Encode returns the book as bytes.
func (b *Book) Encode(res *Resources) ([]byte, error) {
	return encode(bookForm, res.Budget, func(w *checkpoint.Writer) {
		w.Uint(uint64(len(b.bound)))
		for i, column := range b.bound {
			saveAttribute(w, &column.Attribute)
			checkpoint.Numbers(w, b.merges[i].Codes)
			w.Uint(uint64(b.merges[i].Domain))
		}
		checkpoint.List(w, b.classes, func(class engine.Label) {
			w.String(class.Text)
			w.Bool(class.Null)
		})
	})
}

// DecodeBook reads what Encode has returned of a book for the same request.
func DecodeBook(r *Request, encoded []byte) (*Book, error) {
	b := &Book{}
	err := decode(bookForm, encoded, func(from *checkpoint.Reader) error {
		if from.Int() != r.bound() {
			return ErrDamaged
		}
		for i := range r.bound() {
			attribute, err := loadAttribute(from)
			if err != nil {
				return err
			}
			if attribute.Name != r.Columns[i].Spec.Name {
				return ErrDamaged
			}
			b.bound = append(b.bound, &Bound{Domain: domain.Domain{Attribute: attribute}})
			b.merges = append(b.merges, engine.CodeMerge{Codes: checkpoint.ReadNumbers[uint32](from), Domain: from.Int()})
		}
		b.classes = checkpoint.ReadList(from, func() engine.Label { return engine.Label{Text: from.String(), Null: from.Bool()} })
		return from.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read the code book: %w", err)
	}
	return b, nil
}
