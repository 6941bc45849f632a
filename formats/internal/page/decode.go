package page

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/parquet-go/bitpack/unsafecast"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	hybrid "github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
)

// Decoded is a decoded page. It lies in the memory of its Reader until the next one.
type Decoded struct {
	Entries                int    // nulls too
	Defined                int    // entries that have a value
	Repetition, Definition []byte // levels, one an entry; nil where only level 0 is possible
	Indexed                bool   // values are Indexes of the dictionary; else they are Data
	Indexes                []int32
	Data                   []byte
	Ends                   []uint32 // of byte strings in Data, from 0 on; nil where all values have one width
	Width                  int
	// Spare is how many bytes no level and no value needs, of encodings that kcut writes; -1 where
	// that is not known.
	Spare int
}

// Text returns value i of Data, which is one of bytes.
func (d *Decoded) Text(i int) []byte {
	if d.Ends != nil {
		return d.Data[d.Ends[i]:d.Ends[i+1]]
	}
	return d.Data[i*d.Width : (i+1)*d.Width]
}

// Size returns the bytes of n values of Data.
func (d *Decoded) Size(from, n int) int {
	if d.Ends != nil {
		return int(d.Ends[from+n] - d.Ends[from])
	}
	return n * d.Width
}

// Append appends n values of Data by the decoder of their type, if they have one width.
func (d *Decoded) Append(dst *formats.Values, decode plain.Decoder, from, n int) error {
	if d.Ends != nil {
		return plain.AppendTexts(dst, d.Data, d.Ends[from:from+n+1])
	}
	return decode(dst, d.Data[from*d.Width:], n)
}

// decoded is the memory of a decoded page.
type decoded struct {
	levels  [2][]byte
	indexes []int32
	data    []byte
	ends    []uint32
	numbers [2][]int64 // of delta encodings
	spare   int
}

func (d *decoded) memory() int64 {
	return int64(cap(d.levels[0]) + cap(d.levels[1]) + cap(d.data) +
		4*(cap(d.indexes)+cap(d.ends)) + 8*(cap(d.numbers[0])+cap(d.numbers[1])))
}

// Decode unpacks and decodes the data page that was loaded.
func (r *Reader) Decode(h *Header) (d Decoded, err error) {
	if h.Entries > codec.MaxPageBytes {
		return d, fmt.Errorf("page of %d entries: %w", h.Entries, formats.ErrUnsupported)
	}
	p, err := r.Unpack(h)
	if err != nil {
		return d, err
	}
	r.spare, d.Entries, d.Defined, d.Width = 0, h.Entries, h.Entries, r.width
	d.Repetition, err = r.decodeLevels(0, p.Repetition, r.Leaf.Repetition, h.Entries)
	if err != nil {
		return d, err
	}
	d.Definition, err = r.decodeLevels(1, p.Definition, r.Leaf.Definition, h.Entries)
	if err != nil {
		return d, err
	}
	if highest := r.Leaf.Definition; highest > 0 {
		d.Defined = bytes.Count(d.Definition, []byte{byte(highest)})
	}
	if d.Indexed = IsIndexes(h.Encoding); d.Indexed {
		d.Indexes, err = r.decodeIndexes(p.Values, d.Defined)
	} else {
		d.Data, d.Ends, err = r.decodeValues(p.Values, h.Encoding, d.Defined)
	}
	d.Spare = r.spare
	return d, err
}

// addSpare adds bytes to spare.
func (r *Reader) addSpare(n int) {
	if r.spare += n; n < 0 || r.spare < n {
		r.spare = -1
	}
}

// DecodeDictionary unpacks and decodes the dictionary page that was loaded.
func (r *Reader) DecodeDictionary(h *Header) (d Decoded, err error) {
	if h.Encoding != format.Plain && h.Encoding != format.PlainDictionary {
		return d, fmt.Errorf("encoding %s: %w", h.Encoding, formats.ErrUnsupported)
	}
	p, err := r.Unpack(h)
	if err != nil {
		return d, err
	}
	r.spare, d.Entries, d.Defined, d.Width = 0, h.Entries, h.Entries, r.width
	d.Data, d.Ends, err = r.decodeValues(p.Values, format.Plain, h.Entries)
	d.Spare = r.spare
	return d, err
}

// IsIndexes reports whether values of an encoding point into a dictionary.
func IsIndexes(e format.Encoding) bool {
	return e == format.RLEDictionary || e == format.PlainDictionary
}

// decodeLevels decodes n levels, none of which may be above the highest.
func (r *Reader) decodeLevels(memory int, stored []byte, highest, n int) ([]byte, error) {
	if highest == 0 {
		r.addSpare(len(stored))
		return nil, nil
	}
	levels, err := r.decodeBytes(&r.levels[memory], stored, rle.Width(highest), n)
	if err != nil {
		return nil, fmt.Errorf("read levels: %w", err)
	}
	possible := 0
	for level := range highest + 1 {
		possible += bytes.Count(levels, []byte{byte(level)})
	}
	if possible < n {
		return nil, fmt.Errorf("read levels: some are above %d: %w", highest, formats.ErrDamaged)
	}
	return levels, nil
}

// decodeBytes decodes n values in runs, each of at most eight bits. The library decodes all that
// runs claim to have, so that they are measured first.
func (r *Reader) decodeBytes(into *[]byte, runs []byte, width, n int) ([]byte, error) {
	runs, all, spare, err := rle.Measure(runs, width, n)
	if err != nil {
		return nil, err
	}
	r.addSpare(spare)
	if err := grow(r, into, all); err != nil {
		return nil, err
	}
	values, err := (&hybrid.Encoding{BitWidth: width}).DecodeLevels(*into, runs)
	if err != nil || len(values) < n {
		return nil, formats.ErrDamaged
	}
	return values[:n], nil
}

// decodeIndexes decodes n indexes of a dictionary, which may be above its last one.
func (r *Reader) decodeIndexes(stored []byte, n int) ([]int32, error) {
	runs, width, err := rle.CutWidth(stored)
	if err != nil {
		return nil, err
	}
	runs, all, spare, err := rle.Measure(runs, width, n)
	if err != nil {
		return nil, fmt.Errorf("read dictionary indexes: %w", err)
	}
	r.addSpare(spare)
	if err := grow(r, &r.indexes, all); err != nil {
		return nil, err
	}
	indexes, err := (&hybrid.Encoding{BitWidth: width}).DecodeInt32(r.indexes, runs)
	if err != nil || len(indexes) < n {
		return nil, fmt.Errorf("read dictionary indexes: %w", formats.ErrDamaged)
	}
	return indexes[:n], nil
}

var splitEncoding bytestreamsplit.Encoding

// decodeValues decodes n values. They lie as PLAIN has them, but a boolean in a byte of its own,
// and byte strings without their lengths, one behind the other between the ends.
func (r *Reader) decodeValues(stored []byte, e format.Encoding, n int) (data []byte, ends []uint32, err error) {
	physical := r.Leaf.Type.V
	isText := physical == format.ByteArray
	switch {
	case physical == format.Boolean && (e == format.Plain || e == format.RLE):
		data, err = r.decodeBooleans(stored, e, n)
	case e == format.Plain && isText:
		data, ends, err = r.cutLengths(stored, n)
	case e == format.Plain:
		data = stored
		r.addSpare(max(0, len(stored)-n*r.width))
	case e == format.ByteStreamSplit && r.width > 1:
		data, err = r.joinStreams(stored)
	case e == format.DeltaBinaryPacked && (physical == format.Int32 || physical == format.Int64):
		data, err = r.decodeNumbers(stored, n)
	case e == format.DeltaLengthByteArray && isText:
		data, ends, err = r.decodeTexts(nil, stored, n)
	case e == format.DeltaByteArray && (isText || physical == format.FixedLenByteArray):
		data, ends, err = r.decodePrefixed(stored, n)
	default:
		return nil, nil, fmt.Errorf("read page: encoding %s of %s: %w", e, physical, formats.ErrUnsupported)
	}
	if err == nil && (isText && len(ends) <= n || n*r.width > len(data)) {
		err = fmt.Errorf("page ends early: %w", formats.ErrDamaged)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %d values: %w", n, err)
	}
	return data, ends, nil
}

// cutLengths moves n byte strings together, whose lengths are in front of them. The library looks
// for one that ends behind the page there, too.
func (r *Reader) cutLengths(stored []byte, n int) ([]byte, []uint32, error) {
	if err := grow(r, &r.ends, min(n, len(stored)/4)+1); err != nil {
		return nil, nil, err
	}
	data, ends := stored[:0], r.ends[:1]
	ends[0] = 0
	for range n {
		var text []byte
		if text, stored = plain.CutText(stored); text == nil {
			break
		}
		data = append(data, text...)
		ends = append(ends, uint32(len(data)))
	}
	r.addSpare(len(stored))
	return data, ends, nil
}

// decodeBooleans decodes n booleans. Runs of them are levels of one bit: the library takes the byte
// of a run for eight of them.
func (r *Reader) decodeBooleans(stored []byte, e format.Encoding, n int) ([]byte, error) {
	if e == format.RLE {
		runs, _, err := rle.Cut(stored)
		if err != nil {
			return nil, err
		}
		return r.decodeBytes(&r.data, runs, 1, n)
	}
	if n > 8*len(stored) {
		return nil, nil
	}
	if err := grow(r, &r.data, n); err != nil {
		return nil, err
	}
	for i := range r.data {
		r.data[i] = stored[i/8] >> (i % 8) & 1
	}
	used := (n + 7) / 8
	if r.addSpare(len(stored) - used); rle.AnySet(stored[:used], n) {
		r.addSpare(1) // the last byte holds more
	}
	return r.data, nil
}

// joinStreams decodes values whose first bytes come first, then all second bytes, and so on.
func (r *Reader) joinStreams(stored []byte) (data []byte, err error) {
	if len(stored)%r.width != 0 {
		return nil, fmt.Errorf("split streams of %d bytes: %w", len(stored), formats.ErrDamaged)
	}
	if err := grow(r, &r.data, len(stored)); err != nil {
		return nil, err
	}
	switch r.width {
	case 4:
		_, err = splitEncoding.DecodeFloat(unsafecast.Slice[float32](r.data), stored)
	case 8:
		_, err = splitEncoding.DecodeDouble(unsafecast.Slice[float64](r.data), stored)
	default:
		_, err = splitEncoding.DecodeFixedLenByteArray(r.data, stored, r.width)
	}
	if err != nil {
		err = fmt.Errorf("split streams of values of %d bytes: %w", r.width, formats.ErrUnsupported)
	}
	return r.data, err
}

// grow makes memory as long as n elements. What is to be new is said first.
func grow[T any](r *Reader, memory *[]T, n int) error {
	if cap(*memory) < n {
		var element T
		if r.Hold != nil {
			if err := r.Hold(r.Memory() + int64(unsafe.Sizeof(element))*int64(n-cap(*memory))); err != nil {
				return err
			}
		}
		*memory = make([]T, n)
	}
	*memory = (*memory)[:n]
	return nil
}
