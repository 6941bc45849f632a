package release

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/kcut/kcut/formats"
)

// runs reads numbers in Parquet's hybrid of run lengths and packed bits, as many at a time
// as are wanted.
type runs struct {
	bytes []byte // after the current run
	width int    // bits of a number, 0 to 32
	n     int    // numbers after the current run

	left   int    // numbers of the current run
	value  uint32 // of all of them, unless they are packed
	packed []byte // nil unless they are packed; begins with a group of eight
	taken  int    // numbers of that group that were read
}

var errRuns = fmt.Errorf("%w: runs end too early", formats.ErrDamaged)

func newRuns(bytes []byte, width, n int) runs { return runs{bytes: bytes, width: width, n: n} }

// same returns the number that the next n > 0 are, when that shows in a run.
func (r *runs) same(n int) (value uint32, ok bool, err error) {
	if r.left == 0 {
		if err := r.advance(); err != nil {
			return 0, false, err
		}
	}
	if r.packed != nil || r.left < n {
		return 0, false, nil
	}
	r.left -= n
	return r.value, true, nil
}

// read fills dst.
func (r *runs) read(dst []uint32) error {
	for len(dst) > 0 {
		if r.left == 0 {
			if err := r.advance(); err != nil {
				return err
			}
		}
		n := min(r.left, len(dst))
		if r.packed == nil {
			for i := range n {
				dst[i] = r.value
			}
		} else {
			r.unpack(dst[:n])
		}
		r.left -= n
		dst = dst[n:]
	}
	return nil
}

// ones returns how many of the numbers of one bit are 1, and reads them all.
func (r runs) ones() (ones int, rest []byte, err error) {
	for r.n > 0 {
		if err := r.advance(); err != nil {
			return 0, nil, err
		}
		if r.packed == nil {
			if r.value > 1 {
				return 0, nil, errLevel
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

var errLevel = fmt.Errorf("%w: a level that its column does not have", formats.ErrDamaged)

// advance goes to the next run.
func (r *runs) advance() error {
	header, size := binary.Uvarint(r.bytes)
	if size <= 0 || header>>1 == 0 || r.n == 0 {
		return errRuns
	}
	r.bytes = r.bytes[size:]
	if header&1 == 0 {
		return r.repeat(int(min(header>>1, uint64(r.n))))
	}
	groups := int(min(header>>1, uint64(r.n+7)/8))
	if len(r.bytes) < groups*r.width {
		return errRuns
	}
	r.packed, r.bytes = r.bytes[:groups*r.width:groups*r.width], r.bytes[groups*r.width:]
	if r.packed == nil {
		r.packed = []byte{} // of width 0
	}
	r.left, r.taken = min(8*groups, r.n), 0
	r.n -= r.left
	return nil
}

// repeat begins a run of one number.
func (r *runs) repeat(n int) error {
	size := (r.width + 7) / 8
	if len(r.bytes) < size {
		return errRuns
	}
	r.value = 0
	for i := range size {
		r.value |= uint32(r.bytes[i]) << (8 * i)
	}
	r.bytes, r.packed = r.bytes[size:], nil
	r.left = n
	r.n -= n
	return nil
}

// unpack fills dst from the packed numbers of the current run. Eight numbers of w bits are
// w bytes, so groups of eight begin at a byte.
func (r *runs) unpack(dst []uint32) {
	if r.width == 0 {
		clear(dst)
		return
	}
	if r.taken > 0 { // the rest of a group
		n := min(8-r.taken, len(dst))
		r.group(dst[:n])
		dst = dst[n:]
	}
	groups := len(dst) / 8
	if r.width <= 8 {
		groups = r.narrow(dst, groups)
	} else {
		groups = r.wide(dst, groups)
	}
	r.packed = r.packed[groups*r.width:]
	for dst = dst[8*groups:]; len(dst) > 0; {
		n := min(8, len(dst))
		r.group(dst[:n])
		dst = dst[n:]
	}
}

// narrow unpacks as many groups of numbers of at most 8 bits as can be loaded with one word
// each, and returns how many these were.
func (r *runs) narrow(dst []uint32, groups int) int {
	w, packed := r.width, r.packed
	mask := uint64(1)<<w - 1
	done := 0
	for ; done < groups && len(packed) >= 8; done++ {
		word := binary.LittleEndian.Uint64(packed)
		packed = packed[w:]
		d := dst[:8:8]
		dst = dst[8:]
		d[0] = uint32(word & mask)
		word >>= w & 63
		d[1] = uint32(word & mask)
		word >>= w & 63
		d[2] = uint32(word & mask)
		word >>= w & 63
		d[3] = uint32(word & mask)
		word >>= w & 63
		d[4] = uint32(word & mask)
		word >>= w & 63
		d[5] = uint32(word & mask)
		word >>= w & 63
		d[6] = uint32(word & mask)
		word >>= w & 63
		d[7] = uint32(word & mask)
	}
	return done
}

// wide unpacks as many groups as can be loaded with one word a number.
func (r *runs) wide(dst []uint32, groups int) int {
	mask := uint64(1)<<r.width - 1
	groups = min(groups, max(0, len(r.packed)-8)/r.width)
	bit := 0
	for i := range 8 * groups {
		dst[i] = uint32(binary.LittleEndian.Uint64(r.packed[bit>>3:]) >> (bit & 7) & mask)
		bit += r.width
	}
	return groups
}

// group unpacks numbers of the first group, from the next one on.
func (r *runs) group(dst []uint32) {
	var padded [32 + 8]byte
	copy(padded[:], r.packed[:r.width])
	mask := uint64(1)<<r.width - 1
	for i := range dst {
		bit := (r.taken + i) * r.width
		dst[i] = uint32(binary.LittleEndian.Uint64(padded[bit>>3:]) >> (bit & 7) & mask)
	}
	if r.taken += len(dst); r.taken == 8 {
		r.packed, r.taken = r.packed[r.width:], 0
	}
}
