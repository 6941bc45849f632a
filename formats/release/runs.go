package release

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/kcut/kcut/formats"
)

// runs reads numbers in Parquet's hybrid of run lengths and packed bits, as many at a time
// as are wanted. Libraries read a page of them at once, and do not tell where they end.
type runs struct {
	bytes []byte // after the current run
	width int    // bits of a number, 0 to 32
	n     int    // numbers after the current run

	left   int    // numbers of the current run
	value  uint32 // of all of them, unless they are packed
	packed []byte // nil unless they are packed
	bit    int    // of packed, where the next number begins
}

var errRuns = fmt.Errorf("%w: runs end too early", formats.ErrDamaged)

func newRuns(bytes []byte, width, n int) runs { return runs{bytes: bytes, width: width, n: n} }

// read reads the next numbers, one at least. It reports whether they show to be the same, in one
// run, which is then the first of dst alone.
func (r *runs) read(dst []uint32) (same bool, err error) {
	for done := 0; done < len(dst); {
		if r.left == 0 {
			if err := r.advance(); err != nil {
				return false, err
			}
		}
		part := dst[done:min(done+r.left, len(dst))]
		r.left -= len(part)
		done += len(part)
		if r.packed != nil {
			r.unpack(part)
			continue
		}
		part[0] = r.value
		if len(part) == len(dst) {
			return true, nil
		}
		spread(part)
	}
	return false, nil
}

// end reads all numbers, and returns the bytes behind them.
func (r runs) end() (rest []byte, err error) {
	for r.n > 0 && err == nil {
		err = r.advance()
	}
	return r.bytes, err
}

// ones returns how many of the numbers of one bit are 1, and reads them all.
func (r runs) ones() (ones int, rest []byte, err error) {
	for r.n > 0 {
		if err := r.advance(); err != nil {
			return 0, nil, err
		}
		if r.packed == nil {
			if r.value > 1 {
				return 0, nil, fmt.Errorf("%w: a level that its column does not have", formats.ErrDamaged)
			}
			ones += r.left * int(r.value)
			continue
		}
		for i := range r.left / 8 {
			ones += bits.OnesCount8(r.packed[i])
		}
		if last := r.left % 8; last > 0 {
			ones += bits.OnesCount8(r.packed[r.left/8] << (8 - last))
		}
	}
	return ones, r.bytes, nil
}

// advance goes to the next run.
func (r *runs) advance() error {
	header, size := binary.Uvarint(r.bytes)
	if size <= 0 || header>>1 == 0 || r.n == 0 {
		return errRuns
	}
	length := header >> 1
	r.bytes, r.packed, r.bit = r.bytes[size:], nil, 0
	packed := header&1 == 1
	size = (r.width + 7) / 8
	r.left = int(min(length, uint64(r.n)))
	if packed {
		groups := int(min(length, uint64(r.n+7)/8))
		size, r.left = groups*r.width, min(8*groups, r.n)
	}
	if len(r.bytes) < size {
		return errRuns
	}
	run := r.bytes[:size:size]
	r.bytes = r.bytes[size:]
	r.n -= r.left
	if packed {
		r.packed = run
		return nil
	}
	r.value = 0
	for i, b := range run {
		r.value |= uint32(b) << (8 * i)
	}
	return nil
}

// unpack fills dst from the packed numbers of the current run.
func (r *runs) unpack(dst []uint32) {
	packed, bit, width := r.packed, r.bit, r.width
	r.bit += len(dst) * width
	mask := uint64(1)<<width - 1
	for len(dst) > 0 {
		var last [8]byte
		at, load := bit>>3, last[:]
		if at+8 <= len(packed) {
			load = packed[at:]
		} else {
			copy(load, packed[at:])
		}
		word := binary.LittleEndian.Uint64(load) >> (bit & 7)
		if width <= 8 && bit&7 == 0 && len(dst) >= 8 {
			unpackEight(dst, word, mask, width)
			dst, bit = dst[8:], bit+8*width
			continue
		}
		dst[0] = uint32(word & mask)
		dst, bit = dst[1:], bit+width
	}
}

// unpackEight unpacks the numbers of a word, which most are.
func unpackEight(dst []uint32, word, mask uint64, width int) {
	d := dst[:8:8]
	d[0] = uint32(word & mask)
	word >>= width & 63
	d[1] = uint32(word & mask)
	word >>= width & 63
	d[2] = uint32(word & mask)
	word >>= width & 63
	d[3] = uint32(word & mask)
	word >>= width & 63
	d[4] = uint32(word & mask)
	word >>= width & 63
	d[5] = uint32(word & mask)
	word >>= width & 63
	d[6] = uint32(word & mask)
	word >>= width & 63
	d[7] = uint32(word & mask)
}
