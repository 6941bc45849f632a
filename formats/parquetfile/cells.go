package parquetfile

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/bitpack/unsafecast"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
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
	more     func(bytes int64) error // called before values take so much more
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

// large is how many bytes a page has whose values may be large.
const large = 1 << 20

// append appends the next n values to dst.
func (c *cells) append(dst *formats.Values, n int) (err error) {
	if len(c.data) > large && !dst.Type.InWords() {
		rest, err := plain.Skip(c.data, c.width, n)
		if err == nil {
			size := len(c.data) - len(rest)
			if c.width == 0 {
				size -= 4 * n // lengths: a dictionary's values have room without them
			}
			err = dst.Grow(size, c.more)
		}
		if err != nil {
			return err
		}
	}
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

// each calls take with the next n values, which are bytes.
func (c *cells) each(n int, take func(value []byte) error) error {
	for range n {
		value, rest := plain.Next(c.data, c.width)
		if value == nil {
			return fmt.Errorf("read %d values: page ends early: %w", n, formats.ErrDamaged)
		}
		if err := take(value); err != nil {
			return err
		}
		c.data = rest
	}
	return nil
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

// grown returns a slice of n elements in the memory of s, if that has room.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
