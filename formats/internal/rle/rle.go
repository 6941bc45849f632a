// Package rle is the one codec of RLE, Parquet's hybrid of run lengths and bit-packed groups:
// levels, dictionary indexes and some booleans.
//
// Contract: a Reader decodes as much as it is asked for, so that a run of a billion costs neither
// memory nor time until its values are wanted, and a page of a million indexes stays in the
// nearest cache. That is why parquet-go's decoder, which decodes whole pages to whatever they
// claim, is not used; its bit unpacking is. What is wrong is formats.ErrDamaged. Append makes the
// same bytes of the same values for ever: releases are compared by their bytes.
package rle

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/bitpack"

	"github.com/kcut/kcut/formats"
)

// Padding is how many bytes the unpacking of bits may look at, though not use, beyond its
// input: slices given to Reset have that much more capacity.
const Padding = bitpack.PaddingInt32

// Reader reads the values of one page, one after another.
type Reader struct {
	data   []byte
	width  int
	left   int    // values left in the current run
	packed bool   // the current run is bit-packed
	value  uint32 // of a run that is not
	passed int    // bits of the first byte that are read already, when bits are read

	block [32]uint32 // values of a group that was cut
	ready []uint32
}

// Reset starts on data, whose values have so many bits, at most 32.
func (r *Reader) Reset(data []byte, width int) {
	*r = Reader{data: data, width: width}
}

// ResetPacked starts on data that is one packed run without a header: PLAIN booleans.
func (r *Reader) ResetPacked(data []byte, width int) {
	*r = Reader{data: data, width: width, packed: true, left: len(data) * 8 / width}
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

// Repeated passes the next n values and returns what they are, if they are all of the current run.
// Definition levels of a page without nulls are nothing but this.
func (r *Reader) Repeated(n int) (value uint32, ok bool) {
	if len(r.ready) > 0 || r.start() != nil || r.packed || r.left < n {
		return 0, false
	}
	r.left -= n
	return r.value, true
}

// Count passes the next n values, and returns how many of them are one.
func (r *Reader) Count(one uint32, n int) (count int, err error) {
	var some [256]uint32
	for n > 0 {
		if len(r.ready) == 0 && r.start() == nil && !r.packed {
			same := min(n, r.left)
			if r.left -= same; r.value == one {
				count += same
			}
			n -= same
			continue
		}
		few := some[:min(n, len(some))]
		if err := r.Read(few); err != nil {
			return 0, err
		}
		for _, value := range few {
			if value == one {
				count++
			}
		}
		n -= len(few)
	}
	return count, nil
}

// start goes to the next run that has values when the current one is done.
func (r *Reader) start() error {
	for r.left == 0 {
		if err := r.run(); err != nil {
			return err
		}
	}
	return nil
}

// run reads the header of a run.
func (r *Reader) run() error {
	header, n := binary.Uvarint(r.data)
	if n <= 0 || header>>1 > 1<<40 {
		return fmt.Errorf("read run header: %w", formats.ErrDamaged)
	}
	r.data, r.left = r.data[n:], int(header>>1)
	if r.packed = header&1 != 0; r.packed {
		r.left *= 8
		return nil
	}
	size := (r.width + 7) / 8
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
		dst = dst[:n]
		for i := range dst {
			dst[i] = r.value
		}
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
		r.ready = r.ready[:min(len(r.ready), available/r.width)]
	}
	return 0, r.unpackGroups(r.ready)
}

func (r *Reader) unpackGroups(dst []uint32) error {
	size := (len(dst)*r.width + 7) / 8
	if size > len(r.data) || len(dst) == 0 {
		return fmt.Errorf("read packed run: %w", formats.ErrDamaged)
	}
	if r.width == 0 {
		clear(dst)
	} else {
		bitpack.Unpack(dst, r.data[:size+bitpack.PaddingInt32], uint(r.width))
	}
	r.data = r.data[size:]
	r.left -= len(dst)
	return nil
}

// Head returns as much of data as its first n values need, and how many values a decoder of whole
// runs makes of that. The last group of a page may be cut short: it is made whole.
func Head(data []byte, width, n int) (head []byte, values int, err error) {
	r := Reader{data: data, width: width}
	for values < n {
		if err := r.run(); err != nil {
			return nil, 0, err
		}
		size := 0
		if r.packed {
			size = r.left / 8 * width
		}
		if missing := size - len(r.data); missing > 0 {
			if missing >= width || len(r.data)*8 < (n-values)*width {
				return nil, 0, fmt.Errorf("read packed run: %w", formats.ErrDamaged)
			}
			return append(slices.Clip(data), make([]byte, missing+Padding)...)[:len(data)+missing], values + r.left, nil
		}
		if values += r.left; values > maxHead {
			return nil, 0, fmt.Errorf("read run of %d values: %w", r.left, formats.ErrUnsupported)
		}
		r.data = r.data[size:]
	}
	return data[:len(data)-len(r.data)], values, nil
}

// maxHead bounds the values that are decoded at once.
const maxHead = 1 << 28

// Spare returns how many bytes of data its first n values do not need: those behind them, and one
// more when the last run has room for other values that it fills. It is for those who look for what
// readers pass over: runs without values and groups that are cut short are formats.ErrDamaged.
func Spare(data []byte, width, n int) (spare int, err error) {
	r := Reader{data: data, width: width}
	for ; n > 0; n -= r.left {
		if err := r.run(); err != nil {
			return 0, err
		}
		groups, size := (n+7)/8, 0
		if r.packed {
			size = min(r.left/8, groups) * width
		}
		if r.left == 0 || size > len(r.data) {
			return 0, fmt.Errorf("read runs: they end too early: %w", formats.ErrDamaged)
		}
		if r.left > n && (!r.packed || r.left > 8*groups || AnySet(r.data[:size], n*width)) {
			spare = 1
		}
		r.data = r.data[size:]
	}
	return spare + len(r.data), nil
}

// AnySet reports whether any bit is set from one on, where bytes begin with their lowest.
func AnySet(data []byte, from int) bool {
	data = data[from/8:]
	return len(data) > 0 && (data[0]>>(from%8) != 0 || slices.ContainsFunc(data[1:], func(b byte) bool { return b != 0 }))
}

// Cut separates runs whose length comes before them from what is behind them.
func Cut(data []byte) (runs, rest []byte, err error) {
	if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) {
		return nil, nil, fmt.Errorf("read runs: page ends early: %w", formats.ErrDamaged)
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	return data[4:end], data[end:], nil
}

// CutWidth separates the runs of dictionary indexes from the number of their bits, which comes
// first. There are none when all entries are null.
func CutWidth(data []byte) (runs []byte, width int, err error) {
	if len(data) == 0 {
		return nil, 0, nil
	}
	if width = int(data[0]); width > 32 {
		return nil, 0, fmt.Errorf("read dictionary indexes of %d bits: %w", width, formats.ErrDamaged)
	}
	return data[1:], width, nil
}

// FromBitPacked turns n values of the deprecated encoding BIT_PACKED, which fills bytes from
// the highest bit, into one packed run, which fills them from the lowest.
func FromBitPacked(data []byte, n, width int) []byte {
	groups := (n + 7) / 8
	out := binary.AppendUvarint(nil, uint64(groups)<<1|1)
	start := len(out)
	out = append(out, make([]byte, groups*width+Padding)...)[:start+groups*width]
	for i := range n * width {
		if data[i/8]>>(7-i%8)&1 != 0 {
			at := i/width*width + width - 1 - i%width
			out[start+at/8] |= 1 << (at % 8)
		}
	}
	return out
}
