package risk

import (
	"math"

	"github.com/kcut/kcut/spill"
)

// Entities counts the entities, such as people, in classes of rows. Each entity may have several
// rows. If there are too many pairs of a class and an entity, a part of the classes is counted, as
// in a Sum.
type Entities struct {
	table
	k int
}

// mostPairs is the largest number of pairs of a class and an entity: 8 MiB with the classes.
const mostPairs = 1 << 17

// NewEntities returns the counts of entities. Classes of fewer than k entities are small. If the
// pairs do not fit the budget, that is an error.
func NewEntities(k int, budget *spill.Budget) *Entities {
	p := newEntities(k, mostPairs, budget)
	p.exact = true
	return p
}

// newEntities returns counts of up to the given number of pairs of a class and an entity, or of
// fewer if the budget has no room for them.
func newEntities(k, most int, budget *spill.Budget) *Entities {
	p := &Entities{table{most: int64(most), apart: uint64(max(k, 2)), budget: budget}, k}
	p.begin()
	return p
}

// EntityCounter counts for one goroutine.
type EntityCounter struct {
	*Entities
	block []slot // pairs of a class and an entity
}

// Counter returns a counter of one goroutine.
func (p *Entities) Counter() *EntityCounter { return &EntityCounter{Entities: p} }

// Add counts rows by the hashes of their classes and of their entities.
func (c *EntityCounter) Add(classes, entities []uint64) {
	for i, class := range classes {
		if c.has(class) {
			c.block = append(c.block, slot{class, entities[i] | 1})
		}
	}
	c.addAll(c.block)
	c.block = c.block[:0]
}

// pairs is a hash table, with open addressing, of classes and their entities. The rows field of a
// slot holds an entity, whose last bit is set.
type pairs struct {
	of   []slot
	used int
}

// find returns the slot of an entity of a class, or the free slot that the pair would get.
func (p *pairs) find(pair slot) *slot {
	mask := uint64(len(p.of) - 1)
	for i := (pair.hash>>slotBits + pair.rows) & mask; ; i = (i + 1) & mask {
		if at := &p.of[i]; *at == pair || at.rows == 0 {
			return at
		}
	}
}

// move moves the pairs to a table of the given size, except those whose class begins with fewer
// zero bits.
func (p *pairs) move(size int, zeros uint) {
	was := p.of
	p.of, p.used = make([]slot, size), 0
	for _, pair := range was {
		if pair.rows != 0 && pair.hash>>(64-zeros) == 0 {
			*p.find(pair) = pair
			p.used++
		}
	}
}

// addEntity adds an entity to its class, unless the class has enough entities.
func (c *table) addEntity(pair slot) {
	if c.slots.find(pair.hash).rows == c.apart {
		return
	}
	if at := c.pairs.find(pair); at.rows == 0 {
		*at = pair
		c.pairs.used++
		c.slots.add(pair.hash, 1)
	}
}

// Figures returns two shares of the given number of entities: those that are alone in some class,
// and those in some class of fewer than k. All counters must be done. If a part of the classes is
// counted, the shares are too high for entities in several classes.
func (p *Entities) Figures(entities int64) (*Figures, error) {
	if err := p.err(); err != nil || entities == 0 {
		return &Figures{}, err
	}
	alone, small, err := p.found()
	for ; err != nil && !p.exact; alone, small, err = p.found() {
		p.leaveOut(p.zeros() + 1)
	}
	if err != nil {
		return nil, err
	}
	part := math.Ldexp(1, -int(p.zeros()))
	share := func(n float64) float64 { return min(n/part/float64(entities), 1) }
	f := &Figures{Unique: share(alone), Below: share(small),
		Classes: int64(float64(p.slots.used) / part)}
	if part < 1 {
		f.Part, f.Error = part, share(2*math.Sqrt(small*(1-part)))
	}
	return f, nil
}

// The findings for an entity.
const (
	isSmall = 1 << iota // some class of the entity has fewer than k entities
	isAlone             // some class has this entity alone
)

// kind returns the findings for the entities of a class with the given number of entities.
func (p *Entities) kind(entities uint64) (found uint64) {
	if entities == 1 {
		found = isAlone
	}
	if int(entities) < p.k {
		found |= isSmall
	}
	return found
}

// found returns the number of entities that are alone in some class, and of those in a small one.
func (p *Entities) found() (alone, small float64, err error) {
	all := slots{of: make([]slot, fewSlots), shift: 1} // findings by entity, whose last bit is set
	defer func() { p.budget.Return(int64(len(all.of)-fewSlots) * slotSize) }()
	for _, pair := range p.pairs.of {
		if pair.rows == 0 {
			continue
		}
		found := p.kind(p.slots.find(pair.hash).rows)
		if found == 0 {
			continue
		}
		if size := roomier(len(all.of), all.used); size > len(all.of) {
			if err := p.budget.Draw("entities in small classes",
				int64(size-len(all.of))*slotSize); err != nil {
				return 0, 0, err
			}
			all.widen(size)
		}
		at := all.find(pair.rows)
		if at.rows == 0 {
			at.hash = pair.rows
			all.used++
		}
		at.rows |= found
	}
	for _, of := range all.of {
		alone += float64(of.rows & isAlone / isAlone)
		small += float64(of.rows & isSmall)
	}
	return alone, small, nil
}
