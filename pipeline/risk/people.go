package risk

import "math"

// People counts in which classes of rows entities are, such as people, of which each may have
// several rows. When there are too many to be held, those classes alone are counted whose hash begins
// with one more zero bit, as a Tally does it. What it returns does not depend on the order of rows.
type People struct {
	k        int
	enough   int // so many entities of a class are told apart
	zeros    uint
	of       map[uint64]int         // by class: how many entities it has, enough standing for more
	pairs    map[[2]uint64]struct{} // classes and their entities
	entities *Tally
	rows     int64
}

// mostPairs is how many entities of classes are held: about 24 MiB.
const mostPairs = 1 << 18

// NewPeople returns the counts of classes of which those of fewer than k entities are small.
func NewPeople(k int) *People {
	return &People{
		k: k, enough: max(k, 2), of: make(map[uint64]int), pairs: make(map[[2]uint64]struct{}),
		entities: NewExactTally(UnionHashes),
	}
}

// Add counts rows by the hashes of their classes and of their entities.
func (p *People) Add(classes, entities []uint64) {
	p.rows += int64(len(classes))
	p.entities.Add(entities)
	for i, class := range classes {
		if class>>(64-p.zeros) != 0 || p.of[class] == p.enough {
			continue
		}
		pair := [2]uint64{class, entities[i]}
		if _, known := p.pairs[pair]; known {
			continue
		}
		p.pairs[pair] = struct{}{}
		p.of[class]++
		for len(p.pairs) > mostPairs {
			p.leaveOut()
		}
	}
}

// leaveOut leaves out half of the classes.
func (p *People) leaveOut() {
	p.zeros++
	for pair := range p.pairs {
		if pair[0]>>(64-p.zeros) != 0 {
			delete(p.pairs, pair)
			delete(p.of, pair[0])
		}
	}
}

// Figures returns the share of the entities that some class has alone, and the share of those that
// are in some class of fewer than k entities.
func (p *People) Figures() *Figures {
	if p.rows == 0 {
		return &Figures{}
	}
	alone, small := make(map[uint64]struct{}), make(map[uint64]struct{})
	for pair := range p.pairs {
		n := p.of[pair[0]]
		if n == 1 {
			alone[pair[1]] = struct{}{}
		}
		if n < p.k {
			small[pair[1]] = struct{}{}
		}
	}
	part := math.Ldexp(1, -int(p.zeros))
	all := float64(p.entities.Figures(p.rows, 0).Classes)
	share := func(n float64) float64 { return min(n/part/all, 1) }
	f := &Figures{Unique: share(float64(len(alone))), Below: share(float64(len(small)))}
	if p.zeros > 0 {
		f.Part, f.Error = part, share(2*math.Sqrt(float64(len(small))*(1-part)))
	}
	return f
}
