package count

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// book leads from values to the codes that tuples are counted in: of every column whose values are
// bound, and of the class.
type book struct {
	bound  []*Bound
	merges []engine.CodeMerge // of each: the codes that are told apart
	kinds  *engine.Kinds      // nil: there are none beside the class
}

// newBook returns the book of columns whose domains are known.
func newBook(r *Request, c *Counts) *book {
	b := &book{bound: c.Columns, kinds: c.Table.Kinds}
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

// columns returns the columns as their tuples are counted.
func (b *book) columns(r *Request, budget *spill.Budget) (columns []column, err error) {
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
