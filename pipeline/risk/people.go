package risk

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/spill"
)

// People counts in which classes of rows entities are, such as people, of which each may have
// several rows. When there are too many to be held, those classes alone are counted whose hash begins
// with one more zero bit, as a Tally does it. What it returns does not depend on the order of rows, nor
// on who counted them. What does not fit the budget is an error.
type People struct {
	sample   // of classes, by the entities that are held
	k        int
	enough   uint64 // the entities of a class that are told apart, at most
	budget   *spill.Budget
	failed   atomic.Pointer[error]
	shards   [shards]peopleShard
	entities *Sum
	rows     atomic.Int64
}

// peopleShard is a part of the classes, which one goroutine uses at a time.
type peopleShard struct {
	mu    sync.Mutex
	of    slots  // by class: how many entities it has, enough standing for more
	pairs []pair // by open addressing, of every entity of a class
	used  int
}

// pair is a class and one of its entities, whose last bit is set.
type pair struct{ class, entity uint64 }

// mostPairs is how many entities of classes are held: 8 MiB with the classes.
const mostPairs = 1 << 17

// NewPeople returns the counts of classes of which those of fewer than k entities are small.
func NewPeople(k int, budget *spill.Budget) *People {
	p := &People{
		sample: sample{most: mostPairs}, k: k, enough: uint64(max(k, 2)), budget: budget, entities: NewSum(UnionHashes, budget),
	}
	for i := range p.shards {
		p.shards[i].of.shift = slotBits
	}
	return p
}

// PeopleCounter is what one goroutine counts with.
type PeopleCounter struct {
	*People
	whose   *Tally
	byShard [shards][]int32 // rows
}

// Counter returns a counter of one goroutine, which takes up to so many bytes beside what all share.
func (p *People) Counter(budget *spill.Budget) *PeopleCounter {
	return &PeopleCounter{People: p, whose: p.entities.Tally(budget)}
}

// Add counts rows by the hashes of their classes and of their entities: as many of each as counts
// say; nil: one.
func (c *PeopleCounter) Add(classes, entities, counts []uint64) {
	rows := int64(len(classes))
	for _, n := range counts {
		rows += int64(n) - 1
	}
	c.rows.Add(rows)
	c.whose.AddCounted(entities, counts)
	for i := range c.byShard {
		c.byShard[i] = c.byShard[i][:0]
	}
	for i, class := range classes {
		if c.has(class) {
			of := &c.byShard[shardOf(class)]
			*of = append(*of, int32(i))
		}
	}
	for i, rows := range c.byShard {
		if len(rows) > 0 {
			c.addRows(&c.shards[i], rows, classes, entities)
		}
	}
}

// addRows adds some of the rows, whose classes are of one shard.
func (p *People) addRows(shard *peopleShard, rows []int32, classes, entities []uint64) {
	added := 0
	shard.mu.Lock()
	for _, row := range rows {
		if p.has(classes[row]) && p.makeRoom(shard) && shard.add(classes[row], entities[row]|1, p.enough) {
			added++
		}
	}
	shard.mu.Unlock()
	p.fit(added, p.leaveOut)
}

// add adds an entity to its class, and reports whether it was not there, and of interest.
func (s *peopleShard) add(class, entity, enough uint64) bool {
	of := s.of.find(class)
	if of.rows == enough {
		return false
	}
	at := s.find(pair{class, entity})
	if at.entity != 0 {
		return false
	}
	*at = pair{class, entity}
	s.used++
	s.of.add(class, 1)
	return true
}

// find returns the place of a pair, or the free one that it would get.
func (s *peopleShard) find(p pair) *pair {
	mask := uint64(len(s.pairs) - 1)
	for i := (p.class>>slotBits + p.entity) & mask; ; i = (i + 1) & mask {
		if at := &s.pairs[i]; *at == p || at.entity == 0 {
			return at
		}
	}
}

// makeRoom makes sure that a shard has room for one more entity and class, and reports whether it could.
func (p *People) makeRoom(s *peopleShard) bool {
	pairs, classes := roomier(len(s.pairs), s.used), roomier(len(s.of.of), s.of.used)
	more := int64(pairs-len(s.pairs)+classes-len(s.of.of)) * slotSize
	if more == 0 {
		return true
	}
	if err := p.budget.Draw("the classes that entities are in", more); err != nil {
		p.failed.Store(&err)
		return false
	}
	s.move(pairs, classes, 0)
	return true
}

// move moves the classes that begin with so many zero bits to tables of so many places.
func (s *peopleShard) move(pairs, classes int, zeros uint) {
	was := s.pairs
	s.pairs, s.used = make([]pair, pairs), 0
	for _, p := range was {
		if p.entity != 0 && p.class>>(64-zeros) == 0 {
			*s.find(p) = p
			s.used++
		}
	}
	s.of.move(classes, zeros)
}

// leaveOut leaves out classes that begin with fewer zero bits, and returns how many entities they had.
func (p *People) leaveOut(zeros uint) (gone int) {
	for i := range p.shards {
		s := &p.shards[i]
		s.mu.Lock()
		gone += s.used
		s.move(len(s.pairs), len(s.of.of), zeros)
		gone -= s.used
		s.mu.Unlock()
	}
	return gone
}

// Figures returns the share of the entities that some class has alone, and the share of those that
// are in some class of fewer than k entities, when all counters are done. They are consumed.
func (p *People) Figures(counters ...*PeopleCounter) (*Figures, error) {
	for _, c := range counters {
		if err := p.entities.Join(c.whose); err != nil {
			return nil, err
		}
	}
	if err := p.failed.Load(); err != nil {
		return nil, *err
	}
	rows := p.rows.Load()
	if rows == 0 {
		return &Figures{}, nil
	}
	all := float64(p.entities.Figures(rows, 0).Classes)
	p.entities.Close()
	alone, small, err := p.found()
	if err != nil {
		return nil, err
	}
	part := math.Ldexp(1, -int(p.zeros()))
	share := func(n float64) float64 { return min(n/part/all, 1) }
	f := &Figures{Unique: share(alone), Below: share(small)}
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
	var all slots // what is found, by entity
	for i := range p.shards {
		s := &p.shards[i]
		for _, pair := range s.pairs {
			if pair.entity == 0 {
				continue
			}
			found := p.kind(s.of.find(pair.class).rows)
			if found == 0 {
				continue
			}
			if size := roomier(len(all.of), all.used); size > len(all.of) {
				if err := p.budget.Draw("entities in small classes", int64(size-len(all.of))*slotSize); err != nil {
					return 0, 0, err
				}
				all.move(size, 0)
			}
			at := all.find(pair.entity)
			if at.rows == 0 {
				at.hash = pair.entity
				all.used++
			}
			at.rows |= found
		}
	}
	for _, of := range all.of {
		alone += float64(of.rows & isAlone / isAlone)
		small += float64(of.rows & isSmall)
	}
	return alone, small, nil
}
