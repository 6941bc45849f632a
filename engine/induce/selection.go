package induce

import (
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/cells"
)

// The constants of C4.5.
const (
	leastGain = 1e-6 // a test must gain more
	slack     = 1e-3 // a test may gain less than the average by this
	wide      = 0.3  // codes per record of the table from which a nominal column is wide
	fraction  = 0.1  // fraction of the average size of a class that both sides of a split must have
	enough    = 25   // number of records that always suffices for that
)

// selection chooses the test of a node.
type selection struct {
	Inducer
	wide []bool     // by column
	all  bool       // all columns are wide
	seen [][]uint32 // of nominal columns: the codes in the node

	size  uint64  // of the node
	whole float64 // records × entropy of the node
	found []candidate
	best  engine.Best[candidate]
	split split
}

// candidate is a test that a node may make.
type candidate struct {
	column      int
	split       uint32
	nulls       bool // a numeric column has nulls
	gain, ratio float64
}

func newSelection(i Inducer, rows uint64) selection {
	s := selection{Inducer: i, all: true, seen: make([][]uint32, len(i.Columns))}
	for _, c := range i.Columns {
		isWide := !c.Numeric && float64(c.Domain) >= wide*float64(rows)
		s.wide = append(s.wide, isWide)
		s.all = s.all && isWide
	}
	s.split.left, s.split.right = make([]uint64, i.Classes), make([]uint64, i.Classes)
	return s
}

// begin starts the choice for a node with class counts, whose sum is size.
func (s *selection) begin(size uint64, counts []uint64) {
	s.size, s.found = size, s.found[:0]
	s.whole = s.disorder(size, counts)
}

// disorder returns n records × their entropy.
func (s *selection) disorder(n uint64, counts []uint64) float64 {
	sum := 0.0
	for _, c := range counts {
		sum += engine.NLog(c)
	}
	return engine.NLog(n) - sum
}

// offer adds the test of a column, if there is one.
func (s *selection) offer(column int, set *cells.FrequencySet) {
	c, ok := candidate{}, false
	if s.Columns[column].Numeric {
		c, ok = s.numeric(s.Columns[column], set)
	} else {
		s.seen[column] = append(s.seen[column][:0], set.Codes...)
		c, ok = s.nominal(set)
	}
	if ok && c.gain > leastGain {
		c.column = column
		s.found = append(s.found, c)
	}
}

// nominal returns the test of a nominal column.
func (s *selection) nominal(set *cells.FrequencySet) (c candidate, ok bool) {
	large := 0
	loss, sizes := 0.0, 0.0
	for i := range set.Codes {
		n := set.Size(i)
		loss += s.disorder(n, set.Count[set.Start[i]:set.Start[i+1]])
		sizes += engine.NLog(n)
		if n >= s.MinObjects {
			large++
		}
	}
	if large < 2 {
		return c, false
	}
	c.gain = (s.whole - loss) / float64(s.size)
	c.ratio = c.gain / s.information(sizes)
	return c, true
}

// information returns the entropy of the sizes of branches; sizes is the sum of n log n over them.
func (s *selection) information(sizes float64) float64 {
	return (engine.NLog(s.size) - sizes) / float64(s.size)
}

// choose returns the best test among those that do not gain less than the average of the tests that
// count in it.
func (s *selection) choose() (c candidate, ok bool) {
	sum, n := 0.0, 0
	for _, c := range s.found {
		if s.all || !s.wide[c.column] {
			sum += c.gain
			n++
		}
	}
	if n == 0 {
		return c, false
	}
	s.best.Reset(1)
	for _, c := range s.found {
		if c.gain >= sum/float64(n)-slack {
			s.best.Offer(-c.ratio, c)
		}
	}
	return s.best.First()
}

// branches returns the branches of a test that records take.
func (s *selection) branches(c candidate) []uint32 {
	switch {
	case !s.Columns[c.column].Numeric:
		return s.seen[c.column]
	case c.nulls:
		return []uint32{Below, AtLeast, Null}
	}
	return []uint32{Below, AtLeast}
}

// split is the search for the best split of a numeric column.
type split struct {
	left, right []uint64 // by class
	best        engine.Best[threshold]
}

// threshold is a split.
type threshold struct {
	at   uint32
	left uint64 // number of records below
	gain float64
}

// numeric returns the test of a numeric column: the first of the splits that count as the best.
func (s *selection) numeric(column Column, set *cells.FrequencySet) (c candidate, ok bool) {
	n, nulls, apart := len(set.Codes), uint64(0), 0.0
	if column.isNull(set.Codes[n-1]) {
		n--
		nulls = set.Size(n)
		apart = s.disorder(nulls, set.Count[set.Start[n]:])
	}
	known := s.size - nulls
	admissible := s.sweep(set, n, known, s.whole-apart)
	if admissible == 0 {
		return c, false
	}
	t, _ := s.split.best.First()
	c = candidate{split: t.at, nulls: nulls > 0, gain: t.gain}
	c.gain -= math.Log2(float64(admissible)) / float64(known)
	c.ratio = c.gain / s.information(engine.NLog(nulls)+engine.NLog(t.left)+
		engine.NLog(known-t.left))
	return c, true
}

// sweep lists the best splits between the first n codes, whose records have a disorder of whole,
// and returns the number of admissible splits.
func (s *selection) sweep(set *cells.FrequencySet, n int, known uint64,
	whole float64) (admissible int) {
	x, left := &s.split, uint64(0)
	clear(x.left)
	clear(x.right)
	for e := range set.Start[n] {
		x.right[set.Class[e]] += set.Count[e]
	}
	x.best.Reset(1)
	least := max(float64(s.MinObjects), min(enough, fraction*float64(known)/float64(s.Classes)))
	for i := range n - 1 {
		for e := set.Start[i]; e < set.Start[i+1]; e++ {
			count := set.Count[e]
			x.left[set.Class[e]] += count
			x.right[set.Class[e]] -= count
			left += count
		}
		right := known - left
		if float64(left) < least || float64(right) < least {
			continue
		}
		admissible++
		rest := s.disorder(left, x.left) + s.disorder(right, x.right)
		gain := (whole - rest) / float64(s.size)
		x.best.Offer(-gain, threshold{set.Codes[i+1], left, gain})
	}
	return admissible
}
