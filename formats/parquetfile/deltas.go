package parquetfile

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/delta"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
)

const (
	maxDeltaBlock = 1 << 16                // values; writers use 128
	maxDeltas     = codec.MaxPageBytes / 8 // of a page
)

var deltaEncoding delta.BinaryPackedEncoding

// readDeltas decodes the numbers of DELTA_BINARY_PACKED that the data starts with, at most limit
// of them, into memory that was agreed to, and takes them off the data. Sums wrap around, so
// that 32-bit numbers are the low halves of what it returns.
func (c *cells) readDeltas(memory, limit int) ([]int64, error) {
	n, size, err := deltaSize(c.data)
	switch {
	case err != nil:
		return nil, err
	case n > uint64(limit):
		return nil, fmt.Errorf("read deltas: %d for %d entries: %w", n, limit, formats.ErrDamaged)
	case n > maxDeltas:
		return nil, fmt.Errorf("read deltas: page of %d values: %w", n, formats.ErrUnsupported)
	}
	if cap(c.numbers[memory]) < int(n) {
		if err := c.hold(c.weight() + 8*int64(n)); err != nil {
			return nil, err
		}
		c.numbers[memory] = make([]int64, n)
	}
	numbers, err := deltaEncoding.DecodeInt64(c.numbers[memory], c.data[:size])
	if err != nil {
		return nil, fmt.Errorf("read deltas: %w", formats.ErrDamaged)
	}
	c.data = c.data[size:]
	return numbers, nil
}

// deltaSize walks over the headers of all blocks and returns how many numbers follow and the
// bytes they take. It makes sure of what the decoder of parquet-go takes for granted: that all
// that the headers promise is there, and no number has more than 64 bits.
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
		if size, err = deltaBlock(data, size, int(minis), int(block/minis), min(block, total-at)); err != nil {
			return 0, 0, err
		}
	}
	return total, size, nil
}

// deltaBlock returns where the block ends that starts at a place of the data and brings so many
// values. Some writers cut the last miniblock short after its last value.
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
