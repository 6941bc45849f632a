package evaluate

import "math/bits"

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

// testRows returns how many rows of every record are for testing.
func (e *evaluation) testRows(r round) []uint32 {
	rows, side := make([]uint32, e.Table.Len()), e.sides(r)
	for i, n := range e.Table.Counts {
		for range n {
			rows[i] += side(i)
		}
	}
	return rows
}

// testSingly returns for every row, record after record, 1 if it is for testing, else 0.
func (e *evaluation) testSingly(r round, rows uint64) []uint32 {
	singly, side := make([]uint32, 0, rows), e.sides(r)
	for i, n := range e.Table.Counts {
		for range n {
			singly = append(singly, side(i))
		}
	}
	return singly
}

// sides returns 1 for a record's next row if it is for testing, else 0. Rows are asked for
// record after record.
func (e *evaluation) sides(r round) func(record int) uint32 {
	if e.SplitColumn != "" {
		return e.field(len(e.Table.Layout.Fields) - 1)
	}
	d, class := e.dealer(r), e.class()
	return func(record int) uint32 { return d.next(class(record)) }
}

// field returns the code of every record in a field of the table.
func (e *evaluation) field(number int) func(record int) uint32 {
	field, words := e.Table.Layout.Fields[number], e.Table.Layout.Words
	return func(record int) uint32 { return field.Code(e.Table.Keys[record*words:]) }
}

func (e *evaluation) class() func(record int) uint32 { return e.field(len(e.Attributes) + len(e.Kept)) }

// dealer deals the rows of every class to folds, one after the other as the records are in
// order: as many to each, but for one row, of every class and in all.
type dealer struct {
	folds, test uint64
	classes     []dealt
}

// dealt is what is dealt of a class.
type dealt struct {
	shuffle
	first uint64 // rows of the classes before
	next  uint64
}

func (e *evaluation) dealer(r round) *dealer {
	d := &dealer{folds: uint64(e.Folds), test: r.test, classes: make([]dealt, len(e.ClassNames))}
	class := e.class()
	for i, n := range e.Table.Counts {
		d.classes[class(i)].n += uint64(n)
	}
	first := uint64(0)
	for c := range d.classes {
		d.classes[c].shuffle = newShuffle(d.classes[c].n, mix(uint64(r.repeat)<<32|uint64(c)))
		d.classes[c].first = first
		first += d.classes[c].n
	}
	return d
}

// next deals a row of a class, and returns 1 if it is for testing, else 0.
func (d *dealer) next(class uint32) uint32 {
	c := &d.classes[class]
	fold := (c.first + c.at(c.next)) % d.folds
	c.next++
	if fold == d.test {
		return 1
	}
	return 0
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
