// Package rle is what kcut has of its own of RLE, Parquet's hybrid of run lengths and bit-packed
// groups: levels, dictionary indexes and some booleans.
//
// Contract: Append makes the same bytes of the same values for ever: releases are compared by their
// bytes. Runs are decoded by parquet-go, which allocates what they claim: Measure looks at them
// first. What is wrong is formats.ErrDamaged.
package rle

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/bitpack"

	"github.com/kcut/kcut/formats"
)

// Padding is how many bytes the unpacking of bits may look at, though not use, beyond its
// input: slices given to Measure have that much more capacity.
const Padding = bitpack.PaddingInt32

// walker passes runs.
type walker struct {
	data   []byte
	width  int
	values int  // of the run that was passed last
	packed bool // it is bit-packed, and its groups come next
	groups int  // bytes of these
}

// next passes the header of a run and, if it is not packed, its value.
func (w *walker) next() error {
	var header uint64
	n := 1
	if len(w.data) > 0 && w.data[0] < 0x80 { // as a rule
		header = uint64(w.data[0])
	} else {
		header, n = binary.Uvarint(w.data)
	}
	if n <= 0 || header>>1 > 1<<40 {
		return fmt.Errorf("read run header: %w", formats.ErrDamaged)
	}
	w.data, w.values, w.groups = w.data[n:], int(header>>1), 0
	if w.packed = header&1 != 0; w.packed {
		w.groups = w.values * w.width
		w.values *= 8
		return nil
	}
	size := (w.width + 7) / 8
	if len(w.data) < size {
		return fmt.Errorf("read run value: %w", formats.ErrDamaged)
	}
	value := uint64(0)
	for i := range size {
		value |= uint64(w.data[i]) << (8 * i)
	}
	w.data = w.data[size:]
	if value>>w.width != 0 {
		return fmt.Errorf("read run value of more than %d bits: %w", w.width, formats.ErrDamaged)
	}
	return nil
}

// Measure returns as much of data as its first n values need, how many values a decoder of whole
// runs makes of that, and how many bytes are to spare: those behind it, and one more when the last
// run has room for other values that it fills. The last group of a page may be cut short, and is
// made whole. Nothing is known to be spare then, nor where runs have no values: -1.
func Measure(data []byte, width, n int) (head []byte, values, spare int, err error) {
	w := walker{data: data, width: width}
	for values < n {
		if err := w.next(); err != nil {
			return nil, 0, 0, err
		}
		left := n - values
		if missing := w.groups - len(w.data); missing > 0 {
			if missing >= width || len(w.data)*8 < left*width {
				return nil, 0, 0, fmt.Errorf("read packed run: %w", formats.ErrDamaged)
			}
			whole := append(slices.Clip(data), make([]byte, missing+Padding)...)
			return whole[:len(data)+missing], values + w.values, -1, nil
		}
		if values += w.values; values > mostValues {
			return nil, 0, 0, fmt.Errorf("read run of %d values: %w", w.values, formats.ErrUnsupported)
		}
		switch {
		case w.values == 0:
			spare = -1
		case w.values > left && spare == 0:
			spare = w.over(left)
		}
		w.data = w.data[w.groups:]
	}
	if spare >= 0 {
		spare += len(w.data)
	}
	return data[:len(data)-len(w.data)], values, spare, nil
}

// over returns how many bytes a run has that its first n values do not need.
func (w *walker) over(n int) int {
	groups := (n + 7) / 8
	used := min(w.groups, groups*w.width)
	if !w.packed || w.values > 8*groups || AnySet(w.data[:used], n*w.width) {
		return 1 + w.groups - used
	}
	return 0
}

// mostValues bounds the values that are decoded at once.
const mostValues = 1 << 28

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
