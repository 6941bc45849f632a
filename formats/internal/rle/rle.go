// Package rle decodes RLE, Parquet's hybrid of run lengths and bit-packed groups: levels,
// dictionary indexes and some booleans.
//
// Contract: it decodes as much as it is asked for, so that a run of a billion costs neither
// memory nor time until its values are wanted, and a page of a million indexes stays in the
// nearest cache. That is why parquet-go's decoder, which decodes whole pages to whatever they
// claim, is not used; its bit unpacking is. What is wrong is formats.ErrDamaged.
package rle

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/bitpack"

	"github.com/kcut/kcut/formats"
)

// Padding is how many bytes the unpacking of bits may look at, though not use, beyond its
// input: slices given to Reset have that much more capacity.
const Padding = bitpack.PaddingInt32

// Reader reads the values of one page, one after another.
type Reader struct {
	data   []byte
	width  uint
	left   int    // values left in the current run
	packed bool   // the current run is bit-packed
	value  uint32 // of a run that is not

	block [32]uint32 // values of a group that was cut
	ready []uint32
}

// Reset starts on data, whose values have so many bits, at most 32.
func (r *Reader) Reset(data []byte, width uint) {
	*r = Reader{data: data, width: width}
}

// ResetPacked starts on data that is one packed run without a header: PLAIN booleans.
func (r *Reader) ResetPacked(data []byte, width uint) {
	*r = Reader{data: data, width: width, packed: true, left: len(data) * 8 / int(width)}
}

// Read fills dst.
func (r *Reader) Read(dst []uint32) error {
	for len(dst) > 0 {
		if len(r.ready) > 0 {
			n := copy(dst, r.ready)
			dst, r.ready = dst[n:], r.ready[n:]
			continue
		}
		if err := r.start(); err != nil {
			return err
		}
		n, err := r.step(dst)
		if err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// Skip skips n values if they are all of the current run and equal value, and reports
// whether it did. Definition levels of a page without nulls are nothing but this.
func (r *Reader) Skip(n int, value uint32) bool {
	if len(r.ready) > 0 || r.start() != nil || r.packed || r.value != value || r.left < n {
		return false
	}
	r.left -= n
	return true
}

// AtEnd reports whether all data is decoded.
func (r *Reader) AtEnd() bool { return len(r.data) == 0 }

// start reads the next run's header when the current run is done.
func (r *Reader) start() error {
	for r.left == 0 {
		header, n := binary.Uvarint(r.data)
		if n <= 0 || header>>1 > 1<<40 {
			return fmt.Errorf("read run header: %w", formats.ErrDamaged)
		}
		r.data = r.data[n:]
		if r.packed = header&1 != 0; r.packed {
			r.left = int(header>>1) * 8
			continue
		}
		if err := r.readValue(); err != nil {
			return err
		}
		r.left = int(header >> 1)
	}
	return nil
}

func (r *Reader) readValue() error {
	size := int(r.width+7) / 8
	if len(r.data) < size {
		return fmt.Errorf("read run value: %w", formats.ErrDamaged)
	}
	r.value = 0
	for i := range size {
		r.value |= uint32(r.data[i]) << (8 * i)
	}
	r.data = r.data[size:]
	if uint64(r.value)>>r.width != 0 {
		return fmt.Errorf("read run value of more than %d bits: %w", r.width, formats.ErrDamaged)
	}
	return nil
}

// step moves what it can of the current run to dst or, if that is less than a group of
// 8 values, to the block.
func (r *Reader) step(dst []uint32) (int, error) {
	n := min(len(dst), r.left)
	if !r.packed {
		fill(dst[:n], r.value)
		r.left -= n
		return n, nil
	}
	whole := n &^ 7
	if whole > 0 {
		return whole, r.unpackGroups(dst[:whole])
	}
	r.ready = r.block[:min(r.left, len(r.block))]
	if available := len(r.data) * 8; r.width > 0 {
		// The last group of a page may be cut short.
		r.ready = r.ready[:min(len(r.ready), available/int(r.width))]
	}
	return 0, r.unpackGroups(r.ready)
}

func fill(dst []uint32, value uint32) {
	for i := range dst {
		dst[i] = value
	}
}

func (r *Reader) unpackGroups(dst []uint32) error {
	size := (len(dst)*int(r.width) + 7) / 8
	if size > len(r.data) || len(dst) == 0 {
		return fmt.Errorf("read packed run: %w", formats.ErrDamaged)
	}
	if r.width == 0 {
		clear(dst)
	} else {
		bitpack.Unpack(dst, r.data[:size+bitpack.PaddingInt32], r.width)
	}
	r.data = r.data[size:]
	r.left -= len(dst)
	return nil
}

// FromBitPacked turns n values of the deprecated encoding BIT_PACKED, which fills bytes from
// the highest bit, into one packed run, which fills them from the lowest.
func FromBitPacked(data []byte, n int, width uint) []byte {
	groups := (n + 7) / 8
	out := binary.AppendUvarint(nil, uint64(groups)<<1|1)
	start := len(out)
	out = append(out, make([]byte, groups*int(width)+Padding)...)[:start+groups*int(width)]
	for i := range uint(n) * width {
		value, bit := i/width, i%width
		if data[i/8]>>(7-i%8)&1 != 0 {
			at := value*width + width - 1 - bit
			out[start+int(at/8)] |= 1 << (at % 8)
		}
	}
	return out
}
