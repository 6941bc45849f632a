package partition

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/spill"
)

// Pairs is the list of all (code, class) pairs that occur. Merged pairs are in the order of code,
// then class.
type Pairs []Pair

// Pair counts the records with one code and one class.
type Pair struct {
	Code, Class uint32
	Count       uint64
}

// JoinPairs joins the counts of several counters. The counters have counted the classes, if there
// are classes, and the codes of one column. The counters cannot be used afterwards.
func JoinPairs(
	ctx context.Context, counters []*Counter, budget *spill.Budget, threads int,
) (Pairs, error) {
	if err := align(counters); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(counters, func(c *Counter) bool { return c.array == nil }) {
		return sumArrays(counters), nil
	}
	table, err := Tabulate(ctx, counters, Space{Budget: budget}, threads)
	if err != nil {
		return nil, err
	}
	pairs := make(Pairs, 0, table.Len())
	for i, count := range table.Counts {
		pairs = append(pairs, table.Layout.pair(table.Keys[i*table.Layout.Words:], count))
	}
	budget.Return(table.Bytes())
	return pairs.Merge(), nil
}

// sumArrays is JoinPairs for counters that have arrays and the same layout.
func sumArrays(counters []*Counter) (pairs Pairs) {
	sums := counters[0].array
	for _, c := range counters[1:] {
		for key, n := range c.array {
			sums[key] += n
		}
	}
	occur := 0
	for _, n := range sums {
		if n > 0 {
			occur++
		}
	}
	pairs = make(Pairs, 0, occur)
	for key, n := range sums { // the code is above the class in a key, so the pairs are in order
		if n > 0 {
			pairs = append(pairs, counters[0].layout.pair([]uint64{uint64(key)}, n))
		}
	}
	for _, c := range counters {
		c.returnArray(c.array)
		c.array = nil
	}
	return pairs
}

// pair returns a record as a pair. The last field of the key is the code. If there are two fields,
// the first one is the class.
func (l Layout) pair(key []uint64, n uint64) Pair {
	p := Pair{Code: l.Fields[len(l.Fields)-1].Code(key), Count: n}
	if len(l.Fields) > 1 {
		p.Class = l.Fields[0].Code(key)
	}
	return p
}

// Translate replaces each code c by codes[c] and each class c by classes[c]. Then it merges the
// pairs that have become equal. If a map is nil, the codes or classes do not change.
func (p Pairs) Translate(codes, classes []uint32) Pairs {
	for i := range p {
		if codes != nil {
			p[i].Code = codes[p[i].Code]
		}
		if classes != nil {
			p[i].Class = classes[p[i].Class]
		}
	}
	return p.Merge()
}

// Merge sorts the pairs and adds up the counts of equal pairs, in place.
func (p Pairs) Merge() Pairs {
	merged, _ := p.MergeBy(nil)
	return merged
}

// MergeBy is Merge that uses spare as scratch memory. It returns rest, scratch memory for the next
// call.
func (p Pairs) MergeBy(spare Pairs) (merged, rest Pairs) {
	p, spare = p.sort(spare)
	return p.addUp(), spare
}

// sort sorts the pairs by code, then class. It sorts a long list by radix, one byte after another
// from the lowest. It returns the sorted list and the memory that the list does not use.
func (p Pairs) sort(spare Pairs) (sorted, rest Pairs) {
	if len(p) < 1<<8 || slices.IsSortedFunc(p, comparePairs) {
		slices.SortFunc(p, comparePairs)
		return p, spare
	}
	if cap(spare) < len(p) {
		spare = make(Pairs, len(p))
	}
	all := uint64(0) // the bits that are set in any pair
	for i := range p {
		all |= p[i].key()
	}
	for shift := 0; all>>shift > 0; shift += 8 {
		if byte(all>>shift) == 0 {
			continue
		}
		var next [1 << 8]int
		for i := range p {
			next[byte(p[i].key()>>shift)]++
		}
		from := 0
		for digit, n := range next {
			next[digit] = from
			from += n
		}
		to := spare[:len(p)]
		for _, pair := range p {
			digit := byte(pair.key() >> shift)
			to[next[digit]] = pair
			next[digit]++
		}
		p, spare = to, p
	}
	return p, spare
}

// key returns the number that determines the order of pairs.
func (p Pair) key() uint64 { return uint64(p.Code)<<32 | uint64(p.Class) }

func comparePairs(a, b Pair) int { return cmp.Compare(a.key(), b.key()) }

// addUp adds up the counts of equal pairs. Equal pairs are adjacent.
func (p Pairs) addUp() Pairs {
	end := 0
	for _, pair := range p {
		if end > 0 && p[end-1].Code == pair.Code && p[end-1].Class == pair.Class {
			p[end-1].Count += pair.Count
			continue
		}
		p[end] = pair
		end++
	}
	return p[:end]
}

// Histogram returns the histogram of merged pairs for a domain of codes and a number of classes.
func (p Pairs) Histogram(domain, classes int) *Histogram {
	h := &Histogram{
		Classes: classes,
		Start:   make([]int, domain+1),
		Class:   make([]uint32, len(p)),
		Count:   make([]uint64, len(p)),
	}
	next := 0
	for i, pair := range p {
		for ; next <= int(pair.Code); next++ {
			h.Start[next] = i
		}
		h.Class[i], h.Count[i] = pair.Class, pair.Count
	}
	for ; next <= domain; next++ {
		h.Start[next] = len(p)
	}
	return h
}

// Histogram counts the records of every (code, class) pair of one column. The entries of code v are
// Class[i] and Count[i] > 0 for Start[v] ≤ i < Start[v+1], by ascending class. If the records have
// no class, their class is 0 and Classes is 1.
type Histogram struct {
	Classes int
	Start   []int // length: domain + 1
	Class   []uint32
	Count   []uint64
}

// Len returns the size of the column's domain.
func (h *Histogram) Len() int { return len(h.Start) - 1 }

// Sizes returns the number of records of every code.
func (h *Histogram) Sizes() []uint64 {
	sizes := make([]uint64, h.Len())
	for code := range sizes {
		for _, n := range h.Count[h.Start[code]:h.Start[code+1]] {
			sizes[code] += n
		}
	}
	return sizes
}
