package evaluate

import (
	"math/bits"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/judge"
)

// round tests on one fold of a repeat, or on one side of a split, and trains on all others.
type round struct {
	repeat int
	test   uint64
}

// plan returns the rounds.
func (o *Options) plan() (rounds []round) {
	if o.SplitColumn != "" {
		return []round{{}}
	}
	for repeat := range o.Repeats {
		for test := range o.Folds {
			rounds = append(rounds, round{repeat, uint64(test)})
		}
	}
	return rounds
}

// part returns the rows for training, or for testing, in a round.
func (e *evaluation) part(r round, test bool) judge.Source {
	return e.Part(func() judge.Take {
		assign := e.assigner(r)
		return func(key []uint64, rows uint64) uint64 {
			tested := assign.next(key, rows)
			if test {
				return tested
			}
			return rows - tested
		}
	})
}

// assigner assigns the rows of a round, record after record: by the side of a split, to folds by
// the groups of their entities, or to folds the rows of every class one after the other. The
// numbers of groups in folds differ by at most one; without groups those of rows do, for every
// class and in all.
type assigner struct {
	*evaluation
	folds, test uint64
	classes     []assigned
	groups      []bool // whether a group of entities is for testing; nil: there are no groups
	tested      uint64 // number of all test rows
}

// assigned is the state of a class.
type assigned struct {
	shuffle
	key        uint64
	turn       uint64 // number of rows that are shuffled at a time: each fold gets the same number
	first      uint64 // number of rows of earlier classes
	rows, next uint64
}

const (
	// mostShuffled is the largest number of rows of a class that is shuffled as a whole: for larger
	// ones about turnRows rows are shuffled at a time, so that few rows of a record with many rows
	// are processed one by one.
	mostShuffled = 1 << 16
	turnRows     = 1 << 10
)

// assigner returns the assigner of a round.
func (e *evaluation) assigner(r round) *assigner {
	if e.SplitColumn != "" {
		return &assigner{evaluation: e, tested: e.split}
	}
	d := &assigner{evaluation: e, folds: uint64(e.Folds), test: r.test}
	if e.groups > 0 {
		d.assignGroups(uint64(r.repeat))
		return d
	}
	first := uint64(0)
	for class, n := range e.classes {
		c := assigned{turn: mostShuffled, first: first, rows: n}
		c.key = engine.Mix(uint64(r.repeat)<<32 | uint64(class))
		if n > mostShuffled {
			c.turn = turnRows
		}
		c.turn = (c.turn + d.folds - 1) / d.folds * d.folds
		d.classes = append(d.classes, c)
		first += n
	}
	d.tested = (first + d.folds - 1 - d.test) / d.folds
	return d
}

// assignGroups assigns the groups of entities. If there are fewer entities than groups, the first
// groups have one each.
func (d *assigner) assignGroups(repeat uint64) {
	n := uint64(d.evaluation.groups)
	if entities := d.entities(); entities > 0 {
		n = min(n, entities)
	}
	d.groups = make([]bool, n)
	s := newShuffle(n, engine.Mix(repeat))
	for group := range d.groups {
		if d.groups[group] = s.at(uint64(group))%d.folds == d.test; d.groups[group] {
			d.tested += d.grouped[group]
		}
	}
}

// next assigns the rows of a record, and returns the number of those for testing.
func (d *assigner) next(key []uint64, rows uint64) (tested uint64) {
	switch {
	case d.folds == 0:
		return rows * d.last(key)
	case d.groups != nil:
		if d.groups[d.last(key)] {
			return rows
		}
		return 0
	}
	field := d.kind()
	c := &d.classes[d.Kinds.ClassOf(field.Code(key))]
	for rows > 0 {
		at := c.next % c.turn
		if turns := rows / c.turn; at == 0 && turns > 0 {
			tested += turns * (c.turn / d.folds)
			c.next, rows = c.next+turns*c.turn, rows-turns*c.turn
			continue
		}
		if at == 0 {
			c.shuffle = newShuffle(min(c.turn, c.rows-c.next), c.key+c.next/c.turn<<32)
		}
		if (c.first+c.at(at))%d.folds == d.test {
			tested++
		}
		c.next, rows = c.next+1, rows-1
	}
	return tested
}

// shuffle is a permutation of the numbers below n that a key selects: a Feistel network on the
// necessary number of bits, repeated until the result is below n (Black and Rogaway, 2002).
type shuffle struct {
	n, key uint64
	half   int // number of bits
}

func newShuffle(n, key uint64) shuffle {
	return shuffle{n: n, key: key, half: (bits.Len64(n) + 1) / 2}
}

func (s *shuffle) at(i uint64) uint64 {
	for mask := uint64(1)<<s.half - 1; ; {
		left, right := i>>s.half, i&mask
		for round := range uint64(4) {
			left, right = right, left^engine.Mix(s.key+round<<60+right)&mask
		}
		if i = left<<s.half | right; i < s.n {
			return i
		}
	}
}
