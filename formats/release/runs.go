package release

import (
	"encoding/binary"
	"fmt"

	"github.com/kcut/kcut/formats"
)

// runs reads values in Parquet's RLE/bit-packing hybrid encoding.
type runs struct {
	bytes []byte
	width int // bits of a value, 0 to 32
}

var errRuns = fmt.Errorf("%w: runs end too early", formats.ErrDamaged)

// read appends n values to dst.
func (r *runs) read(dst []uint32, n int) ([]uint32, error) {
	for n > 0 {
		header, size := binary.Uvarint(r.bytes)
		if size <= 0 || header>>1 == 0 {
			return dst, errRuns
		}
		r.bytes = r.bytes[size:]
		var took int
		var err error
		if header&1 == 0 {
			took = int(min(header>>1, uint64(n)))
			dst, err = r.repeat(dst, took)
		} else {
			took = int(min(header>>1, uint64(n+7)/8))
			dst, err = r.unpack(dst, took, n)
			took = min(took*8, n)
		}
		if err != nil {
			return dst, err
		}
		n -= took
	}
	return dst, nil
}

// repeat appends one value n times.
func (r *runs) repeat(dst []uint32, n int) ([]uint32, error) {
	size := (r.width + 7) / 8
	if len(r.bytes) < size {
		return dst, errRuns
	}
	value := uint32(0)
	for i := range size {
		value |= uint32(r.bytes[i]) << (8 * i)
	}
	r.bytes = r.bytes[size:]
	for range n {
		dst = append(dst, value)
	}
	return dst, nil
}

// unpack appends at most n values of bit-packed groups of eight.
func (r *runs) unpack(dst []uint32, groups, n int) ([]uint32, error) {
	size := groups * r.width
	if len(r.bytes) < size {
		return dst, errRuns
	}
	packed := r.bytes[:size]
	r.bytes = r.bytes[size:]
	mask := uint64(1)<<r.width - 1
	held, bits, at := uint64(0), 0, 0
	for range min(groups*8, n) {
		for bits < r.width {
			held |= uint64(packed[at]) << bits
			at++
			bits += 8
		}
		dst = append(dst, uint32(held&mask))
		held >>= r.width
		bits -= r.width
	}
	return dst, nil
}
