package recheck

import (
	"errors"
	"slices"

	"github.com/kcut/kcut/engine"
)

// recordLocator is the Locator of a record suppression.
type recordLocator struct {
	codes [][]uint32 // labels of codes, by attribute, as classes have them: of those that are released some may have gone
	taken []classSet // of every set in which classes are taken away
}

// Numbers returns what ReadLocator makes the locator of: the number of attributes, and of each the labels of codes, their number
// in front, where classes are told by them; then of every set its columns, their number in front, and its classes, their
// number in front.
func (r *recordLocator) Numbers() (numbers []uint32) {
	numbers = append(numbers, uint32(len(r.codes)))
	for a, codes := range r.codes {
		if !slices.ContainsFunc(r.taken, func(c classSet) bool { return slices.Contains(c.columns, a) }) {
			codes = nil
		}
		numbers = append(append(numbers, uint32(len(codes))), codes...)
	}
	for _, taken := range r.taken {
		numbers = append(numbers, uint32(len(taken.columns)))
		for _, a := range taken.columns {
			numbers = append(numbers, uint32(a))
		}
		numbers = append(numbers, uint32(taken.len()))
		for number := range taken.len() {
			for _, f := range taken.layout.Fields {
				numbers = append(numbers, f.Code(taken.index.Key(number)))
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
	r := &recordLocator{codes: codes}
	for len(numbers) > 0 {
		var columns, labels []int
		for _, a := range next(one()) {
			if int(a) >= len(codes) || len(codes[a]) == 0 {
				return nil, errNumbers
			}
			columns, labels = append(columns, int(a)), append(labels, int(slices.Max(codes[a]))+1)
		}
		if len(columns) == 0 || len(numbers) == 0 {
			return nil, errNumbers
		}
		taken := newClassSet(columns, labels)
		for range one() {
			var class []byte
			for j, label := range next(uint32(len(columns))) {
				if int(label) >= labels[j] {
					return nil, errNumbers
				}
				class = appendLabel(class, label)
			}
			if len(class) < labelBytes*len(columns) {
				return nil, errNumbers
			}
			taken.add(class)
		}
		r.taken = append(r.taken, taken)
	}
	return r, nil
}

// Locate tells which tuples are suppressed.
func (r *recordLocator) Locate(n int, codes [][]uint32, regions []int32) {
	const block = 512
	var room [2 * block]uint64
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ {
			regions[i] = engine.ByCut
		}
		for j := range r.taken {
			taken := &r.taken[j]
			w := taken.layout.Words
			keys := append(room[:0], make([]uint64, (hi-lo)*w)...)
			for k, f := range taken.layout.Fields {
				labels := r.codes[taken.columns[k]]
				for i, code := range codes[taken.columns[k]][lo:hi] {
					keys[i*w+f.Word] |= uint64(labels[code]) << f.Shift
				}
			}
			for i := range hi - lo {
				if taken.hasKey(keys, i) {
					regions[lo+i] = engine.ByMark
				}
			}
		}
	}
}
