// Package rle has kcut's own part of RLE, Parquet's hybrid of run lengths and bit-packed groups:
// levels, dictionary indexes and some booleans.
//
// Contract: Append always makes the same bytes from the same values: releases are compared by their
// bytes. A Reader decodes only the requested values: a run of a billion takes neither memory nor
// time until its values are requested, nor does a page of a million indexes. The package does not
// use the decoder of parquet-go, which decodes whole pages to any size that they claim, but its
// unpacking of words. Errors are formats.ErrDamaged.
package rle

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/bitpack"

	"github.com/kcut/kcut/formats"
)

// Padding is the number of bytes behind its input that unpacking may read, but does not use: slices
// for a Reader need this additional capacity.
const Padding = bitpack.PaddingInt32

// Reader reads the values of one page, some at a time.
type Reader struct {
	data   []byte // data not yet read
	width  int
	left   int    // number of values left in the current run, without those of the group
	packed bool   // they are bit-packed
	value  uint32 // the value of a run that is not packed
	loose  bool   // a run had no values, or the last group was truncated
	same   bool   // the values that were read last are of one run

	group    [groupSize]uint32 // the last group of which only a part was requested
	from, to int               // the part of it not yet read
}

// groupSize is the number of values that are packed together, into whole bytes.
const groupSize = 8

// Reset starts with runs of values that have width bits, at most 32.
func (r *Reader) Reset(data []byte, width int) { *r = Reader{data: data, width: width} }

// ResetPacked starts with one packed run that has no header, and at least one bit for a value.
func (r *Reader) ResetPacked(data []byte, width int) {
	*r = Reader{
		data:   data,
		width:  width,
		packed: true,
		left:   (len(data) + width - 1) / width * groupSize,
	}
}

// Same reports whether the values that were read last are known to be the same.
func (r *Reader) Same() bool { return r.same }

// Read fills dst with the next values.
func (r *Reader) Read(dst []uint32) error { return read(r, dst, unpackWords) }

// ReadBytes fills dst with the next values, of at most eight bits.
func (r *Reader) ReadBytes(dst []byte) error { return read(r, dst, unpackBytes) }

func read[T byte | uint32](r *Reader, dst []T,
	unpack func(dst []T, data []byte, width int)) (err error) {
	wanted := len(dst)
	r.same = false
	for n := 0; len(dst) > 0; dst = dst[n:] {
		n = min(len(dst), r.left)
		switch {
		case r.from < r.to:
			for n = 0; n < len(dst) && r.from < r.to; n++ {
				dst[n] = T(r.group[r.from])
				r.from++
			}
		case r.left == 0:
			err = r.next()
		case !r.packed:
			fill(dst[:n], T(r.value))
			r.left -= n
			r.same = n == wanted
		default:
			if n = min(n/groupSize, len(r.data)/r.width) * groupSize; n > 0 {
				unpack(dst[:n], r.data, r.width)
				r.pass(n)
			} else {
				err = r.unpackGroup()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func fill[T byte | uint32](dst []T, value T) {
	const few = 32
	for i := range min(few, len(dst)) {
		dst[i] = value
	}
	for n := few; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// pass skips n packed values, including missing ones of a truncated group.
func (r *Reader) pass(n int) {
	r.data = r.data[(n*r.width+7)/8:]
	r.left -= (n + groupSize - 1) / groupSize * groupSize
}

// unpackGroup unpacks a group when only some of its values are requested. The last group of a page
// may be truncated.
func (r *Reader) unpackGroup() error {
	r.from, r.to = 0, min(groupSize, len(r.data)*8/r.width)
	if r.to == 0 {
		return errCut
	}
	unpackWords(r.group[:r.to], r.data, r.width)
	r.pass(r.to)
	return nil
}

var errCut = fmt.Errorf("read packed run: %w", formats.ErrDamaged)

func unpackWords(dst []uint32, data []byte, width int) {
	bitpack.Unpack(dst, data[:(len(dst)*width+7)/8+Padding], uint(width))
}

// unpackBytes unpacks whole groups, of values of at most eight bits.
func unpackBytes(dst []byte, data []byte, width int) {
	data = data[:len(dst)/groupSize*width+Padding]
	w, mask := uint(width), byte(1<<width-1)
	for ; len(dst) >= groupSize; dst, data = dst[groupSize:], data[width:] {
		if width == 1 { // tests eight bits at once and sets the bytes to 0 or 1
			word := uint64(data[0]) * 0x0101010101010101 & 0x8040201008040201
			binary.LittleEndian.PutUint64(dst, (word+0x7f7f7f7f7f7f7f7f)>>7&0x0101010101010101)
			continue
		}
		word, group := binary.LittleEndian.Uint64(data), dst[:groupSize]
		for i := range group {
			group[i] = byte(word) & mask
			word >>= w
		}
	}
}

// next moves to the next run: it skips the header and, if the run is not packed, its value.
func (r *Reader) next() error {
	var header uint64
	n := 1
	if len(r.data) > 0 && r.data[0] < 0x80 { // the usual case
		header = uint64(r.data[0])
	} else {
		header, n = binary.Uvarint(r.data)
	}
	if n <= 0 || header>>1 > 1<<40 {
		return fmt.Errorf("read run header: %w", formats.ErrDamaged)
	}
	r.data, r.left = r.data[n:], int(header>>1)
	r.loose = r.loose || r.left == 0
	if r.packed = header&1 != 0; r.packed {
		missing := r.left*r.width - len(r.data)
		if missing >= max(r.width, 1) {
			return errCut
		}
		r.loose = r.loose || missing > 0
		r.left *= groupSize
		if r.packed = r.width > 0; !r.packed {
			r.value = 0
		}
		return nil
	}
	size := (r.width + 7) / 8
	if len(r.data) < size {
		return fmt.Errorf("read run value: %w", formats.ErrDamaged)
	}
	value := uint64(0)
	for i := range size {
		value |= uint64(r.data[i]) << (8 * i)
	}
	if value>>r.width != 0 {
		return fmt.Errorf("read run value of more than %d bits: %w", r.width, formats.ErrDamaged)
	}
	r.data, r.value = r.data[size:], uint32(value)
	return nil
}

// Spare returns the number of bytes that the values read did not need: those behind them, and one
// more when the last run goes on with the same value, or the last group has other values than 0. It
// is unknown, -1, where a run had no values, or the last group was truncated.
func (r *Reader) Spare() int {
	if r.loose {
		return -1
	}
	for _, value := range r.group[r.from:r.to] {
		if value != 0 {
			return len(r.data) + 1
		}
	}
	if r.left > 0 && !r.packed {
		return len(r.data) + 1
	}
	return len(r.data)
}

// Cut separates runs, whose length precedes them, from the bytes behind them.
func Cut(data []byte) (runs, rest []byte, err error) {
	if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) {
		return nil, nil, fmt.Errorf("read runs: page ends early: %w", formats.ErrDamaged)
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	return data[4:end], data[end:], nil
}

// CutWidth separates the runs of dictionary indexes from the width of the indexes, which comes
// first. There are no runs when all entries are null.
func CutWidth(data []byte) (runs []byte, width int, err error) {
	if len(data) == 0 {
		return nil, 0, nil
	}
	if width = int(data[0]); width > 32 {
		return nil, 0, fmt.Errorf("read dictionary indexes of %d bits: %w", width,
			formats.ErrDamaged)
	}
	return data[1:], width, nil
}

// FromBitPacked converts, in place, values of the deprecated encoding BIT_PACKED, which fills bytes
// from the highest bit, to packed groups, which fill them from the lowest. A value has at most
// eight bits.
func FromBitPacked(data []byte, width int) {
	for ; len(data) > 0; data = data[min(width, len(data)):] {
		var group, turned [8]byte
		n := copy(group[:width], data)
		word, packed := binary.BigEndian.Uint64(group[:])>>(64-8*width), uint64(0)
		for i := range groupSize {
			value := word >> (width * (groupSize - 1 - i)) & (1<<width - 1)
			packed |= value << (width * i)
		}
		binary.LittleEndian.PutUint64(turned[:], packed)
		copy(data[:n], turned[:])
	}
}
