package count

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// dictionary translates values into the codes of the second reading, for every bound column, for
// the class, and for the sensitive columns.
type dictionary struct {
	bound    []*Bound
	merges   []engine.CodeMerge // by column: the codes that are counted as one code
	profiles *engine.Kinds      // nil: the class is the whole sensitive profile
}

// newDictionary returns the dictionary of columns with known domains.
func newDictionary(r *Request, c *Counts) *dictionary {
	b := &dictionary{bound: c.Columns, profiles: c.Table.Kinds}
	if r.Class >= 0 {
		class := &Bound{Domain: domain.Domain{Attribute: domain.ClassAttribute(c.Table.ClassNames)}}
		b.bound = append(slices.Clip(b.bound), class)
	}
	if b.profiles != nil {
		b.bound = append(slices.Clip(b.bound), r.boundSensitive(b.profiles)...)
	}
	if r.Merge != nil {
		b.merges = r.Merge(c.Table)
	}
	for _, column := range b.bound[len(b.merges):] {
		b.merges = append(b.merges, engine.Identity(max(1, column.Attribute.Len())))
	}
	return b
}

// columns returns the columns for the reading that counts tuples.
func (b *dictionary) columns(r *Request, budget *spill.Budget) (columns []column, err error) {
	for i := range r.Columns {
		c := column{domain: 2}
		if r.isEntity(i) {
			c.coder = r.entities
		} else if at := b.position(r, i); at >= 0 {
			c.domain = b.merges[at].Domain
			coder, err := r.Coder(i, b.bound[at], budget)
			if err != nil {
				return nil, err
			}
			c.coder = domain.Renumbered{Coder: coder, Codes: b.merges[at].Codes, Domain: c.domain}
		} else if groups := r.Columns[i].Groups; groups > 0 {
			c.coder, c.domain = entityGroups{r.entities, groups}, groups
		} else {
			c.coder = predicateCoder(r.Columns[i].matches)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// position returns the position of a column among those with a domain, or −1: between the class and
// the columns of the sensitive profile there may be some without one.
func (b *dictionary) position(r *Request, i int) int {
	plain, sensitive := r.bound(), len(r.Columns)-r.profileColumns()
	if r.Class >= 0 {
		plain++
	}
	switch {
	case i < plain:
		return i
	case i >= sensitive:
		return plain + i - sensitive
	}
	return -1
}
