package partition

import (
	"cmp"
	"slices"
)

// Pairs is the list of all (code, class) pairs that occur, by code, then class.
type Pairs []Pair

// Pair counts the records of one code and class.
type Pair struct {
	Code, Class uint32
	Count       uint64
}

// Translate replaces the codes and classes by their images and merges what became equal.
// A nil map leaves its side as it is.
func (p Pairs) Translate(codes, classes []uint32) Pairs {
	for i := range p {
		if codes != nil {
			p[i].Code = codes[p[i].Code]
		}
		if classes != nil {
			p[i].Class = classes[p[i].Class]
		}
	}
	if codes != nil {
		return p.Merge()
	}
	for lo, hi := 0, 0; lo < len(p); lo = hi { // codes are in order
		for hi = lo + 1; hi < len(p) && p[hi].Code == p[lo].Code; {
			hi++
		}
		slices.SortFunc(p[lo:hi], comparePairs)
	}
	return p.addUp()
}

// Merge sorts pairs and adds up equal ones, in place.
func (p Pairs) Merge() Pairs {
	p.sort()
	return p.addUp()
}

// sort orders pairs by code, then class. Nearly always these are the codes of a domain each of
// which occurs: then a pair's code tells where it belongs.
func (p Pairs) sort() {
	if slices.IsSortedFunc(p, comparePairs) {
		return
	}
	domain := 0
	for i := range p {
		domain = max(domain, int(p[i].Code)+1)
	}
	if domain > len(p) {
		slices.SortFunc(p, comparePairs)
		return
	}
	start := 0
	for _, end := range p.gather(domain) {
		slices.SortFunc(p[start:end], comparePairs)
		start = end
	}
}

// gather brings the pairs of every code together, the codes ascending, and returns where those
// of each end. A pair that lies where another code belongs takes the place of one that does, too.
func (p Pairs) gather(domain int) (ends []int) {
	ends = make([]int, domain)
	for i := range p {
		ends[p[i].Code]++
	}
	free, end := make([]int, domain), 0
	for code, n := range ends {
		free[code] = end
		end += n
		ends[code] = end
	}
	for code, end := range ends {
		for free[code] < end {
			pair := &p[free[code]]
			place := &free[pair.Code]
			*pair, p[*place] = p[*place], *pair
			*place++
		}
	}
	return ends
}

func comparePairs(a, b Pair) int {
	if a.Code != b.Code {
		return cmp.Compare(a.Code, b.Code)
	}
	return cmp.Compare(a.Class, b.Class)
}

// addUp adds up equal pairs, which are adjacent.
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

// Histogram arranges merged pairs over a domain of codes and a number of classes.
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
