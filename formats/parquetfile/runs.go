package parquetfile

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/bitpack"

	"github.com/kcut/kcut/formats"
)

// pagePadding is how many bytes the unpacking of bits may look at, though not use,
// beyond its input: page buffers are that much longer.
const pagePadding = bitpack.PaddingInt64

// runs decodes Parquet's hybrid of run lengths and bit-packed groups: levels, dictionary
// indexes and some booleans. It decodes as much as it is asked for, so that a run of a
// billion costs nothing until its values are wanted.
type runs struct {
	data   []byte
	width  uint
	left   int    // values left in the current run
	packed bool   // the current run is bit-packed
	value  uint32 // of a run that is not

	block [32]uint32 // values of a group that was cut
	ready []uint32
}

// reset starts on data. Width is at most 32.
func (r *runs) reset(data []byte, width uint) {
	*r = runs{data: data, width: width}
}

// read fills dst.
func (r *runs) read(dst []uint32) error {
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

// skipRun skips n values if they are all of the current run and equal value, and reports
// whether it did. Definition levels of a page without nulls are nothing but this.
func (r *runs) skipRun(n int, value uint32) bool {
	if len(r.ready) > 0 || r.start() != nil || r.packed || r.value != value || r.left < n {
		return false
	}
	r.left -= n
	return true
}

// start reads the next run's header when the current run is done.
func (r *runs) start() error {
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

func (r *runs) readValue() error {
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
func (r *runs) step(dst []uint32) (int, error) {
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

func (r *runs) unpackGroups(dst []uint32) error {
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
