package rle

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/kcut/kcut/formats"
)

// Bits reads the next n values of one bit each: value i is bit i%64 of word i/64. It returns how many of
// them are 1. Definition levels of flat columns are such values. A reader of them gives no others.
func (r *Reader) Bits(words []uint64, n int) (ones int, err error) {
	words = words[:(n+63)/64]
	clear(words)
	for at := 0; at < n; {
		if err := r.start(); err != nil {
			return 0, err
		}
		most := min(n-at, r.left)
		if r.packed {
			if most, err = r.packedBits(words, at, most); err != nil {
				return 0, err
			}
		} else if r.value > 0 {
			setBits(words, at, most)
		}
		r.left -= most
		at += most
	}
	for _, word := range words {
		ones += bits.OnesCount64(word)
	}
	return ones, nil
}

// packedBits adds at most so many bits of the packed run, from bit at on. The last group of a page may be cut short.
func (r *Reader) packedBits(words []uint64, at, most int) (n int, err error) {
	if n = min(most, len(r.data)*8-r.passed); n <= 0 {
		return 0, fmt.Errorf("read packed run: %w", formats.ErrDamaged)
	}
	data := r.data[:len(r.data)+Padding]
	from := r.passed
	for end := at + n; at < end; {
		some := min(end-at, 56)
		word := binary.LittleEndian.Uint64(data[from/8:]) >> (from % 8) & (1<<some - 1)
		words[at/64] |= word << (at % 64)
		if over := at%64 + some - 64; over > 0 {
			words[at/64+1] |= word >> (some - over)
		}
		at, from = at+some, from+some
	}
	if r.left == n {
		from = (from + 7) &^ 7
	}
	r.data, r.passed = r.data[from/8:], from%8
	return n, nil
}

// setBits sets bits from at on.
func setBits(words []uint64, at, n int) {
	for end := at + n; at < end; {
		some := min(end-at, 64-at%64)
		words[at/64] |= (1<<some - 1) << (at % 64)
		at += some
	}
}

// Spread moves the first values, one for every bit that is 1, to the places of these bits, and puts a filler at those
// of the others.
func Spread(values []uint32, words []uint64, ones int, filler uint32) {
	row := len(values) // from behind: no value is in the way
	for few := ones < row-row/8; few && row > 0 && ones < row; row-- {
		bit := words[(row-1)/64] >> ((row - 1) % 64) & 1
		value, last := filler, values[max(ones-1, 0)]
		if bit > 0 { // no branch
			value = last
		}
		values[row-1] = value
		ones -= int(bit)
	}
	for row > 0 && ones < row { // where most are 1, what lies between two others moves together
		at := (row - 1) % 64
		run := min(bits.LeadingZeros64(^words[(row-1)/64]<<(63-at)), at+1)
		copy(values[row-run:row], values[ones-run:ones])
		row, ones = row-run, ones-run
		if run <= at {
			row--
			values[row] = filler
		}
	}
}
