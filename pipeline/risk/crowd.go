package risk

import (
	"math"

	"github.com/kcut/kcut/spill"
)

// crowd counts in which classes of rows entities are, such as people, of which each may have
// several rows. When there are too many to be held, those classes alone are counted whose hash begins
// with one more zero bit, as a Tally does it. What it returns does not depend on the order of rows.
type crowd struct {
	k      int
	enough int // so many entities of a class are told apart
	zeros  uint
	of     map[uint64]int         // by class: how many entities it has, enough standing for more
	pairs  map[[2]uint64]struct{} // classes and their entities
	most   int                    // pairs
	ledger *spill.Ledger          // that they are drawn from
}

const (
	// guardedPairs is how many are held of kept columns: about 3 MiB.
	guardedPairs = 1 << 15
	// pairBytes is what a pair takes, and its class.
	pairBytes = 96
)

// newCrowd returns the counts of classes of which those of fewer than k entities are small. It holds so
// many entities of classes, fewer where the ledger has no room for them: what is told of kept columns does not stand in the cut.
func newCrowd(k, most int, ledger *spill.Ledger) *crowd {
	return &crowd{
		k: k, most: most, enough: max(k, 2), of: make(map[uint64]int), pairs: make(map[[2]uint64]struct{}), ledger: ledger,
	}
}

// addAll counts rows by the hashes of their classes and of their entities.
func (p *crowd) addAll(classes, entities []uint64) {
	for i, class := range classes {
		p.add(class, entities[i])
	}
}

// add counts an entity of a class, if it is counted.
func (p *crowd) add(class, entity uint64) {
	if class>>(64-p.zeros) != 0 || p.of[class] == p.enough {
		return
	}
	pair := [2]uint64{class, entity}
	if _, known := p.pairs[pair]; known {
		return
	}
	p.pairs[pair] = struct{}{}
	p.of[class]++
	for len(p.pairs) > p.most || p.ledger.Draw(int64(len(p.pairs))*pairBytes) != nil {
		p.leaveOut(p.zeros + 1)
	}
}

// merge adds what others have counted.
func (p *crowd) merge(o *crowd) {
	if o.zeros > p.zeros {
		p.leaveOut(o.zeros)
	}
	for pair := range o.pairs {
		p.add(pair[0], pair[1])
	}
	o.ledger.Close()
}

// leaveOut leaves out the classes whose hash begins with fewer zero bits.
func (p *crowd) leaveOut(zeros uint) {
	p.zeros = zeros
	for pair := range p.pairs {
		if pair[0]>>(64-p.zeros) != 0 {
			delete(p.pairs, pair)
			delete(p.of, pair[0])
		}
	}
}

// figures returns the share of so many entities that some class has alone, and the share of those that
// are in some class of fewer than k entities. Where a part of the classes is counted these are too high for
// entities that are in several of them.
func (p *crowd) figures(entities int64) *Figures {
	if entities == 0 {
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
	share := func(n float64) float64 { return min(n/part/float64(entities), 1) }
	f := &Figures{Unique: share(float64(len(alone))), Below: share(float64(len(small))), Classes: int64(float64(len(p.of)) / part)}
	if p.zeros > 0 {
		f.Part, f.Error = part, share(2*math.Sqrt(float64(len(small))*(1-part)))
	}
	return f
}
