package page

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
)

// The library takes its sizes from the headers of deltas, and a shared prefix may turn one byte
// into megabytes: so this package checks the headers, and adds up the sizes of byte strings, before
// it allocates memory.

// decodeNumbers decodes differences to PLAIN values. 32-bit numbers are the low halves.
func (r *Reader) decodeNumbers(stored []byte, limit int) ([]byte, error) {
	numbers, _, err := r.readDeltas(0, stored, limit)
	if err != nil {
		return nil, err
	}
	if err := grow(r, &r.data, r.width*len(numbers)); err != nil {
		return nil, err
	}
	for i, x := range numbers {
		if r.width == 4 {
			binary.LittleEndian.PutUint32(r.data[4*i:], uint32(x))
		} else {
			binary.LittleEndian.PutUint64(r.data[8*i:], uint64(x))
		}
	}
	return r.data, nil
}

// readLengths removes a complete list of lengths from the front of stored.
func (r *Reader) readLengths(memory int, stored []byte, limit int) (lengths []int64, rest []byte,
	err error) {
	lengths, rest, err = r.readDeltas(memory, stored, limit)
	for i, n := range lengths {
		if n = int64(int32(n)); n < 0 || n > codec.MaxPageBytes {
			return nil, nil, fmt.Errorf("read lengths: length %d: %w", n, formats.ErrDamaged)
		}
		lengths[i] = n
	}
	return lengths, rest, err
}

// decodePrefixed decodes byte strings that each share a prefix with the one before.
func (r *Reader) decodePrefixed(stored []byte, limit int) ([]byte, []uint32, error) {
	prefixes, rest, err := r.readLengths(1, stored, limit)
	if err != nil {
		return nil, nil, err
	}
	return r.decodeTexts(prefixes, rest, limit)
}

// decodeTexts decodes byte strings whose lengths come first. With prefixes, each starts with a part
// of the string before it.
func (r *Reader) decodeTexts(prefixes []int64, stored []byte, limit int) ([]byte, []uint32, error) {
	lengths, rest, err := r.readLengths(0, stored, limit)
	if err != nil {
		return nil, nil, err
	}
	if prefixes == nil {
		if err := grow(r, &r.numbers[1], len(lengths)); err != nil {
			return nil, nil, err
		}
		prefixes = r.numbers[1]
		clear(prefixes)
	}
	if err := r.measure(prefixes, lengths, len(rest)); err != nil {
		return nil, nil, err
	}
	out, last := r.data[:0], []byte(nil)
	for i, length := range lengths {
		r.ends[i] = uint32(len(out))
		out = append(append(out, last[:prefixes[i]]...), rest[:length]...)
		last, rest = out[r.ends[i]:], rest[length:]
	}
	r.ends[len(lengths)] = uint32(len(out))
	if r.Leaf.Type.V == format.FixedLenByteArray {
		return out, nil, nil
	}
	return out, r.ends, nil
}

// measure makes room for byte strings. Their own bytes must not exceed those in the page.
func (r *Reader) measure(prefixes, lengths []int64, have int) error {
	if len(lengths) != len(prefixes) {
		return fmt.Errorf("read prefixes: %d for %d suffixes: %w", len(prefixes), len(lengths),
			formats.ErrDamaged)
	}
	before, size, stored := int64(0), 0, int64(0)
	for i, length := range lengths {
		if stored += length; prefixes[i] > before {
			return fmt.Errorf("read prefixes: %d bytes of a value of %d: %w", prefixes[i], before,
				formats.ErrDamaged)
		}
		if before = prefixes[i] + length; r.width > 0 && before != int64(r.width) {
			return fmt.Errorf("read fixed values: value of %d bytes, not %d: %w", before, r.width,
				formats.ErrDamaged)
		}
		size = min(size+int(before), 2*codec.MaxPageBytes)
	}
	switch {
	case stored > int64(have):
		return fmt.Errorf("page ends early: %w", formats.ErrDamaged)
	case size > codec.MaxPageBytes:
		return fmt.Errorf("page of %d bytes of values: %w", size, formats.ErrUnsupported)
	}
	if err := grow(r, &r.ends, len(lengths)+1); err != nil {
		return err
	}
	return grow(r, &r.data, size)
}

const (
	maxDeltaBlock = 1 << 16                // values; writers use 128
	maxDeltas     = codec.MaxPageBytes / 8 // of a page
)

var deltaEncoding delta.BinaryPackedEncoding

// readDeltas removes the numbers of DELTA_BINARY_PACKED, at most limit of them, from the front of
// stored. Sums wrap around, so that 32-bit numbers are the low halves of the results.
func (r *Reader) readDeltas(memory int, stored []byte, limit int) (numbers []int64, rest []byte,
	err error) {
	n, size, err := deltaSize(stored)
	switch {
	case err != nil:
		return nil, nil, err
	case n > uint64(limit):
		return nil, nil, fmt.Errorf("read deltas: %d for %d entries: %w", n, limit,
			formats.ErrDamaged)
	case n > maxDeltas:
		return nil, nil, fmt.Errorf("read deltas: page of %d values: %w", n, formats.ErrUnsupported)
	}
	if err := grow(r, &r.numbers[memory], int(n)); err != nil {
		return nil, nil, err
	}
	numbers, err = deltaEncoding.DecodeInt64(r.numbers[memory], stored[:size])
	if err != nil {
		return nil, nil, fmt.Errorf("read deltas: %w", formats.ErrDamaged)
	}
	return numbers, stored[size:], nil
}

// deltaSize walks over the headers of all blocks and returns the number of numbers and the number
// of their bytes. It checks the assumptions of the decoder of parquet-go: that everything that the
// headers promise is there, and that no number has more than 64 bits.
func deltaSize(data []byte) (total uint64, size int, err error) {
	var header [4]uint64 // values of a block, its miniblocks, values in all, the first one
	for i := range header {
		x, n := binary.Uvarint(data[size:])
		if n <= 0 {
			return 0, 0, fmt.Errorf("read delta header: %w", formats.ErrDamaged)
		}
		header[i], size = x, size+n
	}
	block, minis, total := header[0], header[1], header[2]
	if minis == 0 || minis > block || block > maxDeltaBlock || block%(32*minis) != 0 {
		return 0, 0, fmt.Errorf("read delta header: %w", formats.ErrDamaged)
	}
	for at := uint64(1); at < total; at += block {
		if size, err = deltaBlock(data, size, int(minis), int(block/minis),
			min(block, total-at)); err != nil {
			return 0, 0, err
		}
	}
	return total, size, nil
}

// deltaBlock returns the end of a block of some values. Some writers cut the last miniblock short
// after its last value.
func deltaBlock(data []byte, at, minis, miniSize int, values uint64) (end int, err error) {
	_, n := binary.Varint(data[at:]) // the smallest difference
	if at += n; n <= 0 || len(data)-at < minis {
		return 0, fmt.Errorf("read delta block: %w", formats.ErrDamaged)
	}
	widths := data[at : at+minis]
	at += minis
	for left := int(values); left > 0; left -= miniSize {
		width := int(widths[0])
		if widths = widths[1:]; width > 64 || (min(left, miniSize)*width+7)/8 > len(data)-at {
			return 0, fmt.Errorf("read delta miniblock: %w", formats.ErrDamaged)
		}
		at += min(miniSize*width/8, len(data)-at)
	}
	return at, nil
}
