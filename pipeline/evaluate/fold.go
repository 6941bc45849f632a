package evaluate

import (
	"context"
	"math/bits"

	"github.com/kcut/kcut/partition"
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

// sampler takes about so many rows: those with the least hashes of their positions.
func sampler(sample uint64) func(row, rows uint64) bool {
	return func(row, rows uint64) bool {
		hash, _ := bits.Mul64(mix(row), rows)
		return hash < sample
	}
}

// dealer deals the rows of a round to sides, record after record: by the side of a split, or to
// folds, the rows of every class one after the other. As many go to each fold, but for one row,
// of every class and in all.
type dealer struct {
	side  *partition.Field // of a split
	folds uint64
	test  uint64 // the fold

	class   partition.Field
	classes []dealt

	tested uint64 // how many of all rows are for testing
}

// dealt is what is dealt of a class.
type dealt struct {
	shuffle
	first uint64 // rows of the classes before
	next  uint64
}

// dealer returns what deals the rows of a round.
func (e *evaluation) dealer(r round) *dealer {
	fields := e.Table.Layout.Fields
	if e.SplitColumn != "" {
		return &dealer{side: &fields[len(fields)-1], tested: e.split}
	}
	d := &dealer{folds: uint64(e.Folds), test: r.test, class: fields[len(e.Attributes)+len(e.Kept)]}
	first := uint64(0)
	for c, n := range e.classes {
		d.classes = append(d.classes, dealt{shuffle: newShuffle(n, mix(uint64(r.repeat)<<32|uint64(c))), first: first})
		first += n
	}
	d.tested = (first + d.folds - 1 - d.test) / d.folds
	return d
}

// next deals so many rows of a record, and returns how many of them are for testing.
func (d *dealer) next(key []uint64, rows uint32) (tested uint32) {
	if d.side != nil {
		return rows * d.side.Code(key)
	}
	c := &d.classes[d.class.Code(key)]
	for range rows {
		if (c.first+c.at(c.next))%d.folds == d.test {
			tested++
		}
		c.next++
	}
	return tested
}

// count counts the rows of the classes, and those of the second side of a split.
func (e *evaluation) count(ctx context.Context) error {
	fields, words := e.Table.Layout.Fields, e.Table.Layout.Words
	class, last := fields[len(e.Attributes)+len(e.Kept)], fields[len(fields)-1]
	e.classes, e.rows, e.split = make([]uint64, len(e.ClassNames)), 0, 0
	return e.Table.Scan(ctx, partition.Space{Budget: e.Budget, Store: e.Store}, func(records *partition.Table) error {
		for i, n := range records.Counts {
			key := records.Keys[i*words : (i+1)*words]
			e.rows += uint64(n)
			e.classes[class.Code(key)] += uint64(n)
			if e.SplitColumn != "" {
				e.split += uint64(n) * uint64(last.Code(key))
			}
		}
		return nil
	})
}

// shuffle is a permutation of the numbers below n that a key chooses: a Feistel network on
// as many bits as they need, and as often as the result is none of them (Black and Rogaway,
// 2002).
type shuffle struct {
	n, key uint64
	half   int // bits
}

func newShuffle(n, key uint64) shuffle {
	return shuffle{n: n, key: key, half: (bits.Len64(n) + 1) / 2}
}

func (s *shuffle) at(i uint64) uint64 {
	for mask := uint64(1)<<s.half - 1; ; {
		left, right := i>>s.half, i&mask
		for round := range uint64(4) {
			left, right = right, left^mix(s.key+round<<60+right)&mask
		}
		if i = left<<s.half | right; i < s.n {
			return i
		}
	}
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
