package parquetfile

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/bitpack/unsafecast"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
)

// cells reads the values of one page one after another. PLAIN ones are read where they lie; those of
// other encodings are made PLAIN when the page begins, once the sizes that the page claims are known
// to be true.
type cells struct {
	physical format.Type
	width    int // bytes of a value; 0: byte strings
	decode   plain.Decoder
	hold     func(bytes int64) error // called before decoded values take so much in all
	data     []byte                  // PLAIN, to come

	decoded []byte     // what data is, unless it lies in the page
	numbers [2][]int64 // of delta encodings
	bits    rle.Reader // booleans, to come
	codes   []uint32
	bools   []byte
}

// reset starts on the data of a page of at most limit values.
func (c *cells) reset(data []byte, encoding format.Encoding, limit int) (err error) {
	c.data = data
	numeric := c.physical == format.Int32 || c.physical == format.Int64
	strings := c.physical == format.ByteArray
	switch {
	case encoding == format.Plain && c.physical == format.Boolean:
		c.bits.ResetPacked(data, 1)
		return nil
	case encoding == format.Plain:
		return nil
	case encoding == format.RLE && c.physical == format.Boolean:
		runs, _, err := rle.Cut(data)
		c.bits.Reset(runs, 1)
		return err
	case encoding == format.ByteStreamSplit && (numeric || c.physical == format.Float || c.physical == format.Double || c.physical == format.FixedLenByteArray):
		return c.join()
	case encoding == format.DeltaBinaryPacked && numeric:
		return c.readNumbers(limit)
	case encoding == format.DeltaLengthByteArray && strings:
		return c.readStrings(nil, limit)
	case encoding == format.DeltaByteArray && (strings || c.physical == format.FixedLenByteArray):
		prefixes, err := c.readLengths(1, limit)
		if err != nil {
			return err
		}
		return c.readStrings(prefixes, limit)
	}
	return fmt.Errorf("read page: encoding %s of %s: %w", encoding, c.physical, formats.ErrUnsupported)
}

// append appends the next n values to dst.
func (c *cells) append(dst *formats.Values, n int) (err error) {
	if c.physical != format.Boolean {
		c.data, err = c.decode(dst, c.data, n)
		return err
	}
	c.codes, c.bools = grown(c.codes, n), grown(c.bools, n)
	if err := c.bits.Read(c.codes); err != nil {
		return fmt.Errorf("read %d booleans: %w", n, err)
	}
	for i, bit := range c.codes {
		c.bools[i] = byte(bit)
	}
	_, err = c.decode(dst, c.bools, n)
	return err
}

// room makes decoded as long as that.
func (c *cells) room(size int) error {
	if size > codec.MaxPageBytes {
		return fmt.Errorf("read page of %d bytes of values: %w", size, formats.ErrUnsupported)
	}
	if cap(c.decoded) < size {
		if err := c.hold(c.weight() + int64(size)); err != nil {
			return err
		}
	}
	c.decoded = grown(c.decoded, size)
	return nil
}

// weight returns the bytes that decoded values take.
func (c *cells) weight() int64 {
	return int64(8*cap(c.numbers[0]) + 8*cap(c.numbers[1]) + cap(c.decoded))
}

var splitEncoding bytestreamsplit.Encoding

// join makes PLAIN values of those whose first bytes come first, then all second bytes, and so on.
func (c *cells) join() (err error) {
	if len(c.data)%c.width != 0 {
		return fmt.Errorf("read split streams: %d bytes for values of %d: %w", len(c.data), c.width, formats.ErrDamaged)
	}
	if err := c.room(len(c.data)); err != nil {
		return err
	}
	switch c.width {
	case 4:
		_, err = splitEncoding.DecodeFloat(unsafecast.Slice[float32](c.decoded), c.data)
	case 8:
		_, err = splitEncoding.DecodeDouble(unsafecast.Slice[float64](c.decoded), c.data)
	default:
		_, err = splitEncoding.DecodeFixedLenByteArray(c.decoded, c.data, c.width)
	}
	if err != nil {
		return fmt.Errorf("read split streams of %d bytes: %w", c.width, formats.ErrUnsupported)
	}
	c.data = c.decoded
	return nil
}

// readNumbers makes PLAIN values of differences. Of 32-bit numbers they are the low halves.
func (c *cells) readNumbers(limit int) error {
	numbers, err := c.readDeltas(0, limit)
	if err != nil {
		return err
	}
	if err := c.room(c.width * len(numbers)); err != nil {
		return err
	}
	c.data = c.decoded[:0]
	for _, x := range numbers {
		if c.width == 4 {
			c.data = binary.LittleEndian.AppendUint32(c.data, uint32(x))
		} else {
			c.data = binary.LittleEndian.AppendUint64(c.data, uint64(x))
		}
	}
	return nil
}

// readLengths takes a whole list of lengths off the front of the data.
func (c *cells) readLengths(memory, limit int) ([]int64, error) {
	lengths, err := c.readDeltas(memory, limit)
	for i, n := range lengths {
		if n = int64(int32(n)); n < 0 || n > codec.MaxPageBytes {
			return nil, fmt.Errorf("read lengths: length %d: %w", n, formats.ErrDamaged)
		}
		lengths[i] = n
	}
	return lengths, err
}

// readStrings makes PLAIN values of byte strings whose lengths come first, each behind so much of
// the string before it when there are prefixes.
func (c *cells) readStrings(prefixes []int64, limit int) error {
	lengths, err := c.readLengths(0, limit)
	if err != nil {
		return err
	}
	if prefixes != nil && len(lengths) != len(prefixes) {
		return fmt.Errorf("read prefixes: %d for %d suffixes: %w", len(prefixes), len(lengths), formats.ErrDamaged)
	}
	before, size, stored := int64(0), 0, int64(0)
	for i, length := range lengths {
		if stored += length; prefixes != nil {
			if prefixes[i] > before {
				return fmt.Errorf("read prefixes: %d bytes of a value of %d: %w", prefixes[i], before, formats.ErrDamaged)
			}
			length += prefixes[i]
		}
		if before = length; c.width > 0 && length != int64(c.width) {
			return fmt.Errorf("read fixed values: value of %d bytes, not %d: %w", length, c.width, formats.ErrDamaged)
		}
		size = min(size+4+int(length), 2*codec.MaxPageBytes)
	}
	if stored > int64(len(c.data)) {
		return fmt.Errorf("read %d values: page ends early: %w", len(lengths), formats.ErrDamaged)
	}
	if err := c.room(size); err != nil {
		return err
	}
	out, last := c.decoded[:0], []byte(nil)
	for i, length := range lengths {
		prefix := int64(0)
		if prefixes != nil {
			prefix = prefixes[i]
		}
		if c.width == 0 {
			out = binary.LittleEndian.AppendUint32(out, uint32(prefix+length))
		}
		at := len(out)
		out = append(append(out, last[:prefix]...), c.data[:length]...)
		last, c.data = out[at:], c.data[length:]
	}
	c.data = out
	return nil
}

// grown returns a slice of n elements in the memory of s, if that has room.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
