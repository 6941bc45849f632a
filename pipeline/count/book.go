package count

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Book leads from values to the codes that tuples are counted in: of every column whose values are
// bound, and of the class.
type Book struct {
	bound  []*Bound
	merges []engine.CodeMerge // of each: the codes that are told apart
	kinds  *engine.Kinds      // nil: there are none beside the class
}

// NewBook returns the book of columns whose domains are known.
func NewBook(r *Request, c *Counts) *Book {
	b := &Book{bound: c.Columns, kinds: c.Table.Kinds}
	if r.Class >= 0 {
		class := &Bound{Domain: domain.Domain{Attribute: domain.ClassAttribute(c.Table.ClassNames)}}
		b.bound = append(slices.Clip(b.bound), class)
	}
	if b.kinds != nil {
		b.bound = append(slices.Clip(b.bound), r.boundSensitive(b.kinds)...)
	}
	if r.Merge != nil {
		b.merges = r.Merge(c.Table)
	}
	for _, column := range b.bound[len(b.merges):] {
		b.merges = append(b.merges, engine.Identity(max(1, column.Attribute.Len())))
	}
	return b
}

// Bound returns a column whose values are bound, as far as coders know it.
func (b *Book) Bound(column int) *Bound { return b.bound[column] }

// columns returns the columns as their tuples are counted.
func (b *Book) columns(r *Request, budget *spill.Budget) (columns []column, err error) {
	for i := range r.Columns {
		c := column{domain: 2}
		if r.isEntity(i) {
			c.coder = r.entities
		} else if i < len(b.bound) {
			c.domain = b.merges[i].Domain
			coder, err := r.Coder(i, b.bound[i], budget)
			if err != nil {
				return nil, err
			}
			c.coder = domain.Renumbered{Coder: coder, Codes: b.merges[i].Codes, Domain: c.domain}
		} else {
			c.coder = is(r.Columns[i].matches)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// bookText is a book as JSON: what coders know of the columns. Texts of a taxonomy's leaves are in
// its tree.
type bookText struct {
	Columns []bookColumn
	Kinds   *engine.Kinds
}

type bookColumn struct {
	Attribute engine.Attribute
	Root      *engine.Node // of a generalized attribute's tree
	Merge     engine.CodeMerge
}

// bytes returns what the column takes.
func (c *bookColumn) bytes() int64 {
	bytes := 4 * int64(len(c.Merge.Codes))
	for _, text := range c.Attribute.Texts {
		bytes += headerBytes + int64(len(text))
	}
	return bytes
}

const (
	// headerBytes is what a text takes beside itself.
	headerBytes = 16
	// writtenTimes is how many times as much a book takes while it is written: a number of 4 bytes
	// has up to 11 digits.
	writtenTimes = 4
)

// Encode returns the book as bytes.
func (b *Book) Encode(res *Resources) ([]byte, error) {
	var text bookText
	held := spill.NewLedger(res.Budget, "the code book")
	defer held.Close()
	bytes := int64(0)
	for i, column := range b.bound {
		a := &column.Attribute
		of := bookColumn{Merge: b.merges[i], Attribute: engine.Attribute{Name: a.Name, Mask: a.Mask, HasRest: a.HasRest, HasNull: a.HasNull}}
		if a.Mask == engine.Generalize {
			root := a.Tree.Branch(0)
			of.Root = &root
		} else {
			of.Attribute.Texts = a.Texts
		}
		text.Columns, bytes = append(text.Columns, of), bytes+of.bytes()
	}
	if b.kinds != nil {
		text.Kinds = &engine.Kinds{Class: b.kinds.Class, Weight: b.kinds.Weight}
		for _, s := range b.kinds.Sensitive {
			text.Kinds.Sensitive = append(text.Kinds.Sensitive, engine.SensitiveValues{Code: s.Code})
		}
	}
	if err := held.Draw(writtenTimes * bytes); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	return encode(bookForm, res.Budget, func(w *checkpoint.Writer) { w.Bytes(encoded) })
}

// DecodeBook reads what Encode has returned of a book for the same request. The book is drawn from
// the budget.
func DecodeBook(r *Request, budget *spill.Budget, encoded []byte) (*Book, error) {
	var text bookText
	err := decode(bookForm, encoded, func(from *checkpoint.Reader) error {
		return errors.Join(json.Unmarshal(from.Bytes(), &text), from.Err())
	})
	if err == nil && !r.isBook(&text) {
		err = errors.New("it is of another request")
	}
	if err != nil {
		return nil, fmt.Errorf("read the code book: %w: %w", ErrDamaged, err)
	}
	b := &Book{kinds: text.Kinds}
	for _, column := range text.Columns {
		a := column.Attribute
		if column.Root != nil {
			if a.Tree, err = engine.NewTree(*column.Root); err != nil {
				return nil, fmt.Errorf("read the code book: %w: %w", ErrDamaged, err)
			}
			a.Texts = a.Tree.Leaves()
		}
		column.Attribute = a
		if err := budget.Draw("the code book", column.bytes()); err != nil {
			return nil, err
		}
		b.bound = append(b.bound, &Bound{Domain: domain.Domain{Attribute: a}})
		b.merges = append(b.merges, column.Merge)
	}
	return b, nil
}

// isBook reports whether a book is one for the request.
func (r *Request) isBook(text *bookText) bool {
	columns := r.bound() + r.own()
	if r.Class >= 0 {
		columns++
	}
	if r.Kinds != nil && r.Kinds.Entities { // which have weights
		columns--
	}
	if len(text.Columns) != columns || (text.Kinds != nil) != (r.Kinds != nil) {
		return false
	}
	for i := range text.Columns {
		c := &text.Columns[i]
		if i < r.bound() && c.Attribute.Name != r.Columns[i].Spec.Name || (c.Attribute.Mask == engine.Generalize) != (c.Root != nil) {
			return false
		}
	}
	if r.Kinds == nil {
		return true
	}
	kinds := len(text.Kinds.Class)
	return (!r.Kinds.Entities || len(text.Kinds.Weight) == kinds) && len(text.Kinds.Sensitive) == len(r.Kinds.Sensitive) &&
		!slices.ContainsFunc(text.Kinds.Sensitive, func(s engine.SensitiveValues) bool { return len(s.Code) != kinds })
}
