package verify

import (
	"math/bits"

	"github.com/kcut/kcut/formats/release"
)

// labelKey says how the numbers of a set's labels make a key of words: in each, the numbers
// of its columns are the digits of a number of mixed radix.
type labelKey struct {
	columns []int    // positions among the checks
	below   []uint64 // numbers of the columns
	words   []int
	strides []uint64
	size    int    // words of a key
	cells   uint64 // every word is below, when there is one
}

// newLabelKey makes keys of numbers below the given ones, which are at least 1.
func newLabelKey(columns []int, below []uint64) labelKey {
	k := labelKey{columns: columns, below: below, size: 1, cells: 1}
	for _, n := range below {
		over, cells := bits.Mul64(k.cells, n)
		if over > 0 {
			k.size++
			k.cells, cells = 1, n
		}
		k.words, k.strides = append(k.words, k.size-1), append(k.strides, k.cells)
		k.cells = cells
	}
	return k
}

// of returns the key of one number a check.
func (k *labelKey) of(numbers []uint32) []uint64 {
	key := make([]uint64, k.size)
	for i, column := range k.columns {
		key[k.words[i]] += uint64(numbers[column]) * k.strides[i]
	}
	return key
}

// digit returns the number that a key has of the column at a position.
func (k *labelKey) digit(key []uint64, i int) uint32 {
	return uint32(key[k.words[i]] / k.strides[i] % k.below[i])
}

// pack writes a word of the keys of a block of rows, and reports whether all have the same.
func (k *labelKey) pack(word int, keys []uint64, numbers []release.Numbers) (same bool) {
	one, same := uint64(0), true
	for i, column := range k.columns {
		switch n := &numbers[column]; {
		case k.words[i] != word:
		case n.Same:
			one += uint64(n.One) * k.strides[i]
		default:
			same = false
		}
	}
	for at := word; at < len(keys); at += k.size {
		keys[at] = one
	}
	for i, column := range k.columns {
		n, stride, at := &numbers[column], k.strides[i], word
		if k.words[i] != word || n.Same {
			continue
		}
		for _, number := range n.Every[:len(keys)/k.size] {
			keys[at] += uint64(number) * stride
			at += k.size
		}
	}
	return same
}
