package parquetfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// maxValueBytes bounds the bytes of one Values, whose offsets have 32 bits, and with it a
// batch of rows that are out of all proportion.
const maxValueBytes = 1 << 30

// cells reads the physical values of one page one after another, whatever their encoding.
// Values of fixed width come as little-endian bytes, booleans as one byte each.
type cells struct {
	physical format.Type
	width    int // bytes of a value; 0: byte strings
	encoding format.Encoding
	data     []byte
	at       int // of BYTE_STREAM_SPLIT and PLAIN booleans: the next value

	deltas   deltas // numbers
	lengths  []int  // of byte strings in the delta encodings
	prefixes []int  // of DELTA_BYTE_ARRAY
	previous []byte
	bits     runs
	codes    []uint32
	slab     []byte
	strings  formats.Values
}

// reset starts on the data of a page of at most limit values.
func (c *cells) reset(data []byte, encoding format.Encoding, limit int) error {
	c.data, c.encoding, c.at = data, encoding, 0
	switch {
	case encoding == format.Plain:
		return nil
	case encoding == format.RLE && c.physical == format.Boolean:
		return c.resetBits()
	case encoding == format.ByteStreamSplit && c.width > 0 && c.physical != format.Boolean && c.physical != format.Int96:
		if len(data)%c.width != 0 {
			return fmt.Errorf("read split streams: %d bytes for values of %d: %w", len(data), c.width, formats.ErrDamaged)
		}
		return nil
	case encoding == format.DeltaBinaryPacked && (c.physical == format.Int32 || c.physical == format.Int64):
		_, err := c.deltas.reset(data, limit)
		return err
	case encoding == format.DeltaLengthByteArray && c.physical == format.ByteArray:
		return c.resetLengths(limit)
	case encoding == format.DeltaByteArray && (c.physical == format.ByteArray || c.physical == format.FixedLenByteArray):
		return c.resetPrefixes(limit)
	}
	return fmt.Errorf("read page: encoding %s of %s: %w", encoding, c.physical, formats.ErrUnsupported)
}

func (c *cells) resetBits() error {
	if len(c.data) < 4 || int64(binary.LittleEndian.Uint32(c.data)) > int64(len(c.data)-4) {
		return fmt.Errorf("read run lengths: %w", formats.ErrDamaged)
	}
	size := int(binary.LittleEndian.Uint32(c.data))
	c.bits.reset(c.data[4:4+size], 1)
	return nil
}

func (c *cells) resetLengths(limit int) (err error) {
	c.lengths, err = c.readLengths(c.lengths, limit)
	return err
}

func (c *cells) resetPrefixes(limit int) (err error) {
	c.previous = c.previous[:0]
	if c.prefixes, err = c.readLengths(c.prefixes, limit); err != nil {
		return err
	}
	c.lengths, err = c.readLengths(c.lengths, limit)
	if err == nil && len(c.lengths) != len(c.prefixes) {
		return fmt.Errorf("read prefixes: %d for %d suffixes: %w", len(c.prefixes), len(c.lengths), formats.ErrDamaged)
	}
	return err
}

// maxLengths bounds the values of a page whose encoding puts all lengths first.
const maxLengths = 1 << 26

// readLengths takes a whole list of delta-encoded lengths off the front of the data.
func (c *cells) readLengths(lengths []int, limit int) ([]int, error) {
	left, err := c.deltas.reset(c.data, limit)
	if err != nil {
		return lengths, err
	}
	if left > maxLengths {
		return lengths, fmt.Errorf("read lengths: page of %d values: %w", left, formats.ErrUnsupported)
	}
	lengths = lengths[:0]
	for left > 0 {
		some, err := c.deltas.next(left)
		if err != nil {
			return lengths, err
		}
		for _, n := range some {
			if n = int64(int32(n)); n < 0 || n > maxPageBytes {
				return lengths, fmt.Errorf("read lengths: length %d: %w", n, formats.ErrDamaged)
			}
			lengths = append(lengths, int(int32(n)))
		}
		left -= len(some)
	}
	c.data = c.deltas.rest()
	return lengths, nil
}

// reserve makes room in dst for the n values of a page of plain ones, no more than its data
// can hold: large lists would take half as much again while they grow, and their old memory.
func (c *cells) reserve(dst *formats.Values, n int) {
	each := c.width
	if c.width == 0 {
		each = 4 // the length comes first
	}
	n = min(n, len(c.data)/each)
	if dst.Type.InWords() {
		dst.Words = slices.Grow(dst.Words, n)
		return
	}
	size := n * c.width
	if c.width == 0 {
		size = len(c.data) - n*each
	}
	dst.Ends, dst.Data = slices.Grow(dst.Ends, n), slices.Grow(dst.Data, size)
}

// fixed returns the next n values of a type of fixed width. They are valid until the next call.
func (c *cells) fixed(n int) ([]byte, error) {
	switch {
	case c.physical == format.Boolean:
		return c.booleans(n)
	case c.encoding == format.Plain:
		return c.plain(n)
	case c.encoding == format.ByteStreamSplit:
		return c.split(n)
	case c.encoding == format.DeltaBinaryPacked:
		return c.numbers(n)
	}
	c.strings.Ends, c.strings.Data = c.strings.Ends[:0], c.strings.Data[:0]
	if err := c.appendStrings(&c.strings, n); err != nil {
		return nil, err
	}
	for i := range n {
		if len(c.strings.Bytes(i)) != c.width {
			return nil, fmt.Errorf("read fixed values: value of %d bytes, not %d: %w", len(c.strings.Bytes(i)), c.width, formats.ErrDamaged)
		}
	}
	return c.strings.Data, nil
}

func (c *cells) plain(n int) ([]byte, error) {
	size := n * c.width
	if size > len(c.data) {
		return nil, errTooFew(n)
	}
	slab := c.data[:size]
	c.data = c.data[size:]
	return slab, nil
}

func errTooFew(n int) error {
	return fmt.Errorf("read %d values: page ends early: %w", n, formats.ErrDamaged)
}

func (c *cells) room(n int) []byte {
	if cap(c.slab) < n {
		c.slab = make([]byte, n)
	}
	return c.slab[:n]
}

func (c *cells) booleans(n int) ([]byte, error) {
	if c.encoding == format.RLE {
		return c.booleanRuns(n)
	}
	if c.at+n > len(c.data)*8 {
		return nil, errTooFew(n)
	}
	slab := c.room(n)
	for i := range slab {
		at := c.at + i
		slab[i] = c.data[at>>3] >> (at & 7) & 1
	}
	c.at += n
	return slab, nil
}

func (c *cells) booleanRuns(n int) ([]byte, error) {
	c.codes = grown(c.codes, n)
	if err := c.bits.read(c.codes); err != nil {
		return nil, err
	}
	slab := c.room(n)
	for i, bit := range c.codes {
		slab[i] = byte(bit)
	}
	return slab, nil
}

// split gathers values whose first bytes come first, then all second bytes, and so on.
func (c *cells) split(n int) ([]byte, error) {
	count := len(c.data) / c.width
	if n > count-c.at {
		return nil, errTooFew(n)
	}
	slab := c.room(n * c.width)
	for k := range c.width {
		stream := c.data[k*count+c.at:][:n]
		for i, b := range stream {
			slab[i*c.width+k] = b
		}
	}
	c.at += n
	return slab, nil
}

func (c *cells) numbers(n int) ([]byte, error) {
	slab := c.room(n * c.width)[:0]
	for n > 0 {
		some, err := c.deltas.next(n)
		if err != nil {
			return nil, err
		}
		if c.width == 4 {
			for _, x := range some {
				slab = binary.LittleEndian.AppendUint32(slab, uint32(x))
			}
		} else {
			for _, x := range some {
				slab = binary.LittleEndian.AppendUint64(slab, uint64(x))
			}
		}
		n -= len(some)
	}
	return slab, nil
}

// appendStrings appends the next n byte strings to dst, whose Type needs no conversion.
func (c *cells) appendStrings(dst *formats.Values, n int) error {
	if c.encoding == format.Plain {
		return c.appendPlain(dst, n)
	}
	if n > len(c.lengths) {
		return errTooFew(n)
	}
	for range n {
		if err := c.appendDelta(dst); err != nil {
			return err
		}
	}
	return nil
}

func (c *cells) appendPlain(dst *formats.Values, n int) error {
	data := c.data
	for range n {
		if len(data) < 4 {
			return errTooFew(n)
		}
		size := int64(binary.LittleEndian.Uint32(data))
		if size > int64(len(data)-4) {
			return errTooFew(n)
		}
		if err := roomFor(dst, int(size)); err != nil {
			return err
		}
		dst.AppendBytes(data[4 : 4+size])
		data = data[4+size:]
	}
	c.data = data
	return nil
}

// appendDelta appends the next value of DELTA_LENGTH_BYTE_ARRAY or DELTA_BYTE_ARRAY.
func (c *cells) appendDelta(dst *formats.Values) error {
	size := c.lengths[0]
	if size > len(c.data) {
		return errTooFew(1)
	}
	value := c.data[:size]
	c.data, c.lengths = c.data[size:], c.lengths[1:]
	if c.encoding == format.DeltaByteArray {
		prefix := c.prefixes[0]
		if prefix > len(c.previous) {
			return fmt.Errorf("read prefixes: %d bytes of a value of %d: %w", prefix, len(c.previous), formats.ErrDamaged)
		}
		c.prefixes = c.prefixes[1:]
		c.previous = append(c.previous[:prefix], value...)
		value = c.previous
	}
	if err := roomFor(dst, len(value)); err != nil {
		return err
	}
	dst.AppendBytes(value)
	return nil
}

// roomFor checks that size more bytes fit into v.
func roomFor(v *formats.Values, size int) error {
	if len(v.Data)+size > maxValueBytes || len(v.Ends) == math.MaxInt32 {
		return fmt.Errorf("read values: more than %d bytes at a time: %w", maxValueBytes, formats.ErrUnsupported)
	}
	return nil
}

// grown returns a slice of n elements in the memory of s, if that has room.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
