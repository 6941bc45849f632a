package recheck

import (
	"errors"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
)

// recordLocator is the Locator of a record suppression.
type recordLocator struct {
	codes  [][]uint32 // labels of codes, by attribute, as classes have them: of those that are released some may have gone
	taken  []classSet // of every set in which classes are taken away
	hashes [][]uint32 // of the labels of codes, by attribute
}

func newRecordLocator(codes [][]uint32) *recordLocator {
	return &recordLocator{codes: codes, hashes: make([][]uint32, len(codes))}
}

// add adds the classes of a set that are taken away, and returns how many bytes hashes take.
func (r *recordLocator) add(taken classSet) (held int64) {
	for _, a := range taken.columns {
		if codes := r.codes[a]; r.hashes[a] == nil {
			r.hashes[a] = hashCodes(codes, hashLabels(a, int(slices.Max(codes))+1))
			held += hashBytes * int64(len(codes))
		}
	}
	r.taken = append(r.taken, taken)
	return held
}

// Numbers returns what ReadLocator makes the locator of: the number of attributes, and of each the labels of codes, their number
// in front, where classes are told by them; then of every set its columns, their number in front, and its classes, their
// number in front.
func (r *recordLocator) Numbers() (numbers []uint32) {
	numbers = append(numbers, uint32(len(r.codes)))
	for a, codes := range r.codes {
		if r.hashes[a] == nil {
			codes = nil
		}
		numbers = append(append(numbers, uint32(len(codes))), codes...)
	}
	for _, taken := range r.taken {
		numbers = append(numbers, uint32(len(taken.columns)))
		for _, a := range taken.columns {
			numbers = append(numbers, uint32(a))
		}
		numbers = append(numbers, uint32(len(taken.classes)))
		for _, class := range slices.Sorted(maps.Keys(taken.classes)) {
			for j := range taken.columns {
				numbers = append(numbers, labelAt([]byte(class), j))
			}
		}
	}
	return numbers
}

// errNumbers is returned of numbers that are not of a locator of a cut's.
var errNumbers = errors.New("the numbers are those of no locator of suppressed records")

// ReadLocator makes the Locator of a record suppression again, of its numbers.
func ReadLocator(numbers []uint32) (engine.Locator, error) {
	next := func(n uint32) (of []uint32) {
		n = min(n, uint32(len(numbers)))
		of, numbers = numbers[:n], numbers[n:]
		return of
	}
	one := func() (n uint32) {
		for _, n = range next(1) {
		}
		return n
	}
	var codes [][]uint32
	for attributes := int(one()); len(codes) < attributes; codes = append(codes, next(one())) {
		if len(numbers) == 0 {
			return nil, errNumbers
		}
	}
	r := newRecordLocator(codes)
	for len(numbers) > 0 {
		var columns []int
		for _, a := range next(one()) {
			if int(a) >= len(codes) || len(codes[a]) == 0 {
				return nil, errNumbers
			}
			columns = append(columns, int(a))
		}
		if len(columns) == 0 || len(numbers) == 0 {
			return nil, errNumbers
		}
		taken := newClassSet(columns)
		for range one() {
			var class []byte
			for _, label := range next(uint32(len(columns))) {
				class = appendLabel(class, label)
			}
			if len(class) < labelBytes*len(columns) {
				return nil, errNumbers
			}
			taken.add(class)
		}
		r.add(taken)
	}
	return r, nil
}

// Locate tells which tuples are suppressed.
func (r *recordLocator) Locate(n int, codes [][]uint32, regions []int32) {
	const block = 512
	var sums [block]uint32
	var class []byte
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ {
			regions[i] = engine.ByCut
		}
		for j := range r.taken {
			taken, hashes := &r.taken[j], sums[:hi-lo]
			clear(hashes)
			for _, a := range taken.columns {
				of := r.hashes[a]
				for i, code := range codes[a][lo:hi] {
					hashes[i] += of[code]
				}
			}
			for i, hash := range hashes {
				if !taken.mayHave(hash) {
					continue
				}
				class = class[:0]
				for _, a := range taken.columns {
					class = appendLabel(class, r.codes[a][codes[a][lo+i]])
				}
				if taken.has(class) {
					regions[lo+i] = engine.ByMark
				}
			}
		}
	}
}
