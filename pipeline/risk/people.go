package risk

import (
	"math"

	"github.com/kcut/kcut/spill"
)

// People counts in which classes of rows entities are, such as people, of which each may have
// several rows. When there are too many to be held, a part of the classes is counted, as by a Sum.
type People struct {
	table
	k int
}

// mostPairs is how many entities of classes are held: 8 MiB with the classes.
const mostPairs = 1 << 17

// NewPeople returns the counts of classes of which those of fewer than k entities are small. What
// does not fit the budget is an error.
func NewPeople(k int, budget *spill.Budget) *People {
	p := newPeople(k, mostPairs, budget)
	p.exact = true
	return p
}

// newPeople returns counts of so many entities of classes, fewer where the budget has no room for
// them.
func newPeople(k, most int, budget *spill.Budget) *People {
	p := &People{table{most: int64(most), apart: uint64(max(k, 2)), budget: budget}, k}
	p.begin()
	return p
}

// PeopleCounter is what one goroutine counts with.
type PeopleCounter struct {
	*People
	block []slot // classes and entities
}

// Counter returns a counter of one goroutine.
func (p *People) Counter() *PeopleCounter { return &PeopleCounter{People: p} }

// Add counts rows by the hashes of their classes and of their entities.
func (c *PeopleCounter) Add(classes, entities []uint64) {
	for i, class := range classes {
		if c.has(class) {
			c.block = append(c.block, slot{class, entities[i] | 1})
		}
	}
	c.addAll(c.block)
	c.block = c.block[:0]
}

// pairs are a table of classes and their entities, by open addressing: the rows of each slot are an
// entity, whose last bit is set.
type pairs struct {
	of   []slot
	used int
}

// find returns the place of an entity of a class, or the free one that it would get.
func (p *pairs) find(pair slot) *slot {
	mask := uint64(len(p.of) - 1)
	for i := (pair.hash>>slotBits + pair.rows) & mask; ; i = (i + 1) & mask {
		if at := &p.of[i]; *at == pair || at.rows == 0 {
			return at
		}
	}
}

// move moves the pairs whose class begins with so many zero bits to a table of so many places.
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

// addEntity adds an entity to its class, if that may be of interest.
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

// Figures returns the share of so many entities that some class has alone, and the share of those
// that are in some class of fewer than k, when all counters are done. Where a part of the classes
// is counted these are too high for entities that are in several of them.
func (p *People) Figures(entities int64) (*Figures, error) {
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
	f := &Figures{Unique: share(alone), Below: share(small), Classes: int64(float64(p.slots.used) / part)}
	if part < 1 {
		f.Part, f.Error = part, share(2*math.Sqrt(small*(1-part)))
	}
	return f, nil
}

// What is found of an entity.
const (
	isSmall = 1 << iota // it is in a class of fewer than k
	isAlone             // in one of its own
)

// kind returns what is found of the entities of a class that has so many.
func (p *People) kind(entities uint64) (found uint64) {
	if entities == 1 {
		found = isAlone
	}
	if int(entities) < p.k {
		found |= isSmall
	}
	return found
}

// found returns how many entities some class has alone, and how many are in one that is small.
func (p *People) found() (alone, small float64, err error) {
	all := slots{of: make([]slot, fewSlots), shift: 1} // what is found, by entity, whose last bit is set
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
			if err := p.budget.Draw("entities in small classes", int64(size-len(all.of))*slotSize); err != nil {
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
