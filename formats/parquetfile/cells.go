package parquetfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/bitpack/unsafecast"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/rle"
)

// maxValueBytes bounds the bytes of one Values, whose offsets have 32 bits, and with it a
// batch of rows that are out of all proportion.
const maxValueBytes = 1 << 30

// cells reads the physical values of one page one after another, whatever their encoding.
// Values of fixed width come as little-endian bytes, booleans as one byte each. PLAIN values
// are read where they lie; those of other encodings are decoded page by page by parquet-go, once
// the sizes that the page claims are known to be true.
type cells struct {
	physical format.Type
	width    int                     // bytes of a value; 0: byte strings
	hold     func(bytes int64) error // called before decoded values take so much in all
	encoding format.Encoding
	data     []byte // to come

	numbers  []int64 // of DELTA_BINARY_PACKED, to come
	lengths  []int64 // of byte strings in the delta encodings, to come
	prefixes []int64 // of DELTA_BYTE_ARRAY, to come
	previous []byte
	bits     rle.Reader
	codes    []uint32
	slab     []byte
	joined   []byte // values of BYTE_STREAM_SPLIT
	memory   [2][]int64
	strings  formats.Values
}

// reset starts on the data of a page of at most limit values.
func (c *cells) reset(data []byte, encoding format.Encoding, limit int) (err error) {
	c.data, c.encoding = data, encoding
	switch {
	case encoding == format.Plain && c.physical == format.Boolean:
		c.bits.ResetPacked(data, 1)
		return nil
	case encoding == format.Plain:
		return nil
	case encoding == format.RLE && c.physical == format.Boolean:
		return c.resetBits()
	case encoding == format.ByteStreamSplit && c.width > 0 && c.physical != format.Boolean && c.physical != format.Int96:
		return c.join()
	case encoding == format.DeltaBinaryPacked && (c.physical == format.Int32 || c.physical == format.Int64):
		c.memory[0], err = c.readDeltas(c.memory[0], limit)
		c.numbers = c.memory[0]
		return err
	case encoding == format.DeltaLengthByteArray && c.physical == format.ByteArray:
		return c.resetLengths(limit)
	case encoding == format.DeltaByteArray && (c.physical == format.ByteArray || c.physical == format.FixedLenByteArray):
		return c.resetPrefixes(limit)
	}
	return fmt.Errorf("read page: encoding %s of %s: %w", encoding, c.physical, formats.ErrUnsupported)
}

// weight returns the bytes that decoded values take.
func (c *cells) weight() int64 {
	return int64(8*cap(c.memory[0]) + 8*cap(c.memory[1]) + cap(c.joined))
}

func (c *cells) resetBits() error {
	if len(c.data) < 4 || int64(binary.LittleEndian.Uint32(c.data)) > int64(len(c.data)-4) {
		return fmt.Errorf("read run lengths: %w", formats.ErrDamaged)
	}
	size := int(binary.LittleEndian.Uint32(c.data))
	c.bits.Reset(c.data[4:4+size], 1)
	return nil
}

var splitEncoding bytestreamsplit.Encoding

// join makes PLAIN values of those whose first bytes come first, then all second bytes, and so on.
func (c *cells) join() (err error) {
	if len(c.data)%c.width != 0 {
		return fmt.Errorf("read split streams: %d bytes for values of %d: %w", len(c.data), c.width, formats.ErrDamaged)
	}
	if cap(c.joined) < len(c.data) {
		if err := c.hold(c.weight() + int64(len(c.data))); err != nil {
			return err
		}
	}
	c.joined = grown(c.joined, len(c.data))
	switch c.width {
	case 4:
		_, err = splitEncoding.DecodeFloat(unsafecast.Slice[float32](c.joined), c.data)
	case 8:
		_, err = splitEncoding.DecodeDouble(unsafecast.Slice[float64](c.joined), c.data)
	default:
		_, err = splitEncoding.DecodeFixedLenByteArray(c.joined, c.data, c.width)
	}
	if err != nil {
		return fmt.Errorf("read split streams of %d bytes: %w", c.width, formats.ErrUnsupported)
	}
	c.data, c.encoding = c.joined, format.Plain
	return nil
}

func (c *cells) resetLengths(limit int) (err error) {
	c.memory[0], err = c.readLengths(c.memory[0], limit)
	c.lengths = c.memory[0]
	return err
}

func (c *cells) resetPrefixes(limit int) (err error) {
	c.previous = c.previous[:0]
	if c.memory[1], err = c.readLengths(c.memory[1], limit); err != nil {
		return err
	}
	c.prefixes = c.memory[1]
	if err = c.resetLengths(limit); err == nil && len(c.lengths) != len(c.prefixes) {
		return fmt.Errorf("read prefixes: %d for %d suffixes: %w", len(c.prefixes), len(c.lengths), formats.ErrDamaged)
	}
	return err
}

// readLengths takes a whole list of delta-encoded lengths off the front of the data.
func (c *cells) readLengths(lengths []int64, limit int) ([]int64, error) {
	lengths, err := c.readDeltas(lengths, limit)
	for i, n := range lengths {
		if n = int64(int32(n)); n < 0 || n > maxPageBytes {
			return nil, fmt.Errorf("read lengths: length %d: %w", n, formats.ErrDamaged)
		}
		lengths[i] = n
	}
	return lengths, err
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
	case c.encoding == format.DeltaBinaryPacked:
		return c.integers(n)
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
	c.codes = grown(c.codes, n)
	if err := c.bits.Read(c.codes); err != nil {
		return nil, fmt.Errorf("read %d booleans: %w", n, err)
	}
	slab := c.room(n)
	for i, bit := range c.codes {
		slab[i] = byte(bit)
	}
	return slab, nil
}

func (c *cells) integers(n int) ([]byte, error) {
	if n > len(c.numbers) {
		return nil, errTooFew(n)
	}
	slab := c.room(n * c.width)[:0]
	for _, x := range c.numbers[:n] {
		if c.width == 4 {
			slab = binary.LittleEndian.AppendUint32(slab, uint32(x))
		} else {
			slab = binary.LittleEndian.AppendUint64(slab, uint64(x))
		}
	}
	c.numbers = c.numbers[n:]
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
	size := int(c.lengths[0])
	if size > len(c.data) {
		return errTooFew(1)
	}
	value := c.data[:size]
	c.data, c.lengths = c.data[size:], c.lengths[1:]
	if c.encoding == format.DeltaByteArray {
		prefix := int(c.prefixes[0])
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
