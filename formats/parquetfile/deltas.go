package parquetfile

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/bitpack"

	"github.com/kcut/kcut/formats"
)

// deltas decodes DELTA_BINARY_PACKED: blocks of bit-packed differences. Sums wrap around,
// so that 32-bit numbers are the low halves of what it returns.
type deltas struct {
	data      []byte
	miniSize  int // values in a miniblock
	minis     int // miniblocks in a block
	left      int // values left in all
	last      int64
	first     bool // the first value, which the header holds, is still to come
	min       int64
	widths    []byte // of the block's miniblocks to come
	ready     []int64
	miniblock []int64
}

// maxDeltaBlock bounds a miniblock; writers use 32 to 256.
const maxDeltaBlock = 1 << 16

// reset starts on data, which must hold at most limit values, and returns their number.
func (d *deltas) reset(data []byte, limit int) (int, error) {
	var header [3]uint64
	for i := range header {
		x, n := binary.Uvarint(data)
		if n <= 0 {
			return 0, fmt.Errorf("read delta header: %w", formats.ErrDamaged)
		}
		header[i], data = x, data[n:]
	}
	first, n := binary.Varint(data)
	block, minis, total := header[0], header[1], header[2]
	if n <= 0 || minis == 0 || block > maxDeltaBlock || block%minis != 0 || block/minis%32 != 0 || block == 0 || total > uint64(limit) {
		return 0, fmt.Errorf("read delta header: %w", formats.ErrDamaged)
	}
	*d = deltas{data: data[n:], miniSize: int(block / minis), minis: int(minis), left: int(total), last: first, first: true, miniblock: d.miniblock}
	return int(total), nil
}

// next returns some of the values to come, at most n, or an error when there are none.
func (d *deltas) next(n int) ([]int64, error) {
	if len(d.ready) == 0 {
		if err := d.load(); err != nil {
			return nil, err
		}
	}
	some := d.ready[:min(n, len(d.ready))]
	d.ready = d.ready[len(some):]
	return some, nil
}

// rest returns the data behind the last value, once all are read.
func (d *deltas) rest() []byte { return d.data }

func (d *deltas) load() error {
	if d.left == 0 {
		return fmt.Errorf("read deltas: too few values: %w", formats.ErrDamaged)
	}
	if cap(d.miniblock) < d.miniSize {
		d.miniblock = make([]int64, d.miniSize)
	}
	if d.first {
		d.first = false
		d.ready = append(d.miniblock[:0], d.last)
		d.left--
		return nil
	}
	if len(d.widths) == 0 {
		if err := d.loadBlock(); err != nil {
			return err
		}
	}
	return d.loadMiniblock()
}

func (d *deltas) loadBlock() error {
	lowest, n := binary.Varint(d.data)
	if n <= 0 || len(d.data)-n < d.minis {
		return fmt.Errorf("read delta block: %w", formats.ErrDamaged)
	}
	d.min = lowest
	d.widths, d.data = d.data[n:n+d.minis], d.data[n+d.minis:]
	return nil
}

func (d *deltas) loadMiniblock() error {
	width := int(d.widths[0])
	d.widths = d.widths[1:]
	values := d.miniblock[:min(d.miniSize, d.left)]
	if err := d.unpack(values, width); err != nil {
		return err
	}
	for i, delta := range values {
		d.last += delta + d.min
		values[i] = d.last
	}
	d.left -= len(values)
	d.ready = values
	return nil
}

// unpack moves one miniblock's differences to dst. Some writers cut the last miniblock
// short after its last value.
func (d *deltas) unpack(dst []int64, width int) error {
	needed := (len(dst)*width + 7) / 8
	if width > 64 || needed > len(d.data) {
		return fmt.Errorf("read delta miniblock: %w", formats.ErrDamaged)
	}
	if width == 0 {
		clear(dst)
		return nil
	}
	bitpack.Unpack(dst, d.data[:needed+bitpack.PaddingInt64], uint(width))
	d.data = d.data[min(d.miniSize*width/8, len(d.data)):]
	return nil
}
