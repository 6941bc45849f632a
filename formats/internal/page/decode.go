package page

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/parquet-go/bitpack/unsafecast"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
)

// Levels are the levels of some entries of a page. They are in the memory of the Reader and valid
// until the next ones.
type Levels struct {
	Entries                int    // number of entries, with nulls
	Defined                int    // number of entries that have a value
	Repetition, Definition []byte // one for each entry; nil where only level 0 is possible
}

// Values are some values that are not indexes of a dictionary. They are in the memory of the Reader
// and valid until the next ones.
type Values struct {
	Data []byte
	// ends of byte strings in Data, preceded by the start of the first; nil where all have one
	// width
	Ends  []uint32
	Width int
}

// Text returns value i, which is a byte string.
func (v *Values) Text(i int) []byte {
	if v.Ends != nil {
		return v.Data[v.Ends[i]:v.Ends[i+1]]
	}
	return v.Data[i*v.Width : (i+1)*v.Width]
}

// Size returns the number of bytes of the first n values.
func (v *Values) Size(n int) int {
	if v.Ends != nil {
		return int(v.Ends[n] - v.Ends[0])
	}
	return n * v.Width
}

// Append appends n values with the decoder of their type, if they have one width.
func (v *Values) Append(dst *formats.Values, decode plain.Decoder, from, n int) error {
	if v.Ends != nil {
		return plain.AppendTexts(dst, v.Data, v.Ends[from:from+n+1])
	}
	return decode(dst, v.Data[from*v.Width:], n)
}

// cursor is the position of a Reader in the current data page: of the next levels, and of the next
// indexes or values, which are read separately.
type cursor struct {
	Ahead   int  // number of entries whose levels were not read
	Rows    int  // number of rows that began so far
	Nulls   int  // number of nulls so far
	Indexed bool // values are indexes of the dictionary
	Large   bool // values may be large: together they are

	repetition, definition rle.Reader
	runs                   rle.Reader // of indexes and of booleans
	values                 Values     // values not yet read; all of one width, or decoded
	// texts not yet read, each behind its length, if values are not decoded
	texts []byte
}

// decoded is the memory for decoded data.
type decoded struct {
	levels  [2][]byte
	data    []byte
	ends    []uint32
	numbers [2][]int64 // of delta encodings
}

func (d *decoded) memory() int64 {
	return int64(cap(d.levels[0]) + cap(d.levels[1]) + cap(d.data) + 4*cap(d.ends) +
		8*(cap(d.numbers[0])+cap(d.numbers[1])))
}

// Begin unpacks the loaded data page, and moves to its first entry.
func (r *Reader) Begin(h *Header) error {
	r.cursor = cursor{}
	data, err := r.unpack(h)
	if err == nil && h.Type == format.DataPage {
		data, err = r.cutLevels(h, data)
	} else if err == nil {
		v2 := &h.DataV2.V
		r.repetition.Reset(data[:v2.RepetitionBytes], rle.Width(r.Leaf.Repetition))
		data = data[v2.RepetitionBytes:]
		r.definition.Reset(data[:v2.DefinitionBytes], rle.Width(r.Leaf.Definition))
		data = data[v2.DefinitionBytes:]
	}
	if err != nil {
		return err
	}
	r.Ahead = h.Entries
	return r.beginValues(data, h.Encoding, h.Entries)
}

// cutLevels removes the levels of a page of version 1 from the front of its data.
func (r *Reader) cutLevels(h *Header, data []byte) ([]byte, error) {
	for _, kind := range []struct {
		levels   *rle.Reader
		highest  int
		encoding format.Encoding
	}{
		{&r.repetition, r.Leaf.Repetition, h.Data.V.Repetitions},
		{&r.definition, r.Leaf.Definition, h.Data.V.Definitions},
	} {
		width := rle.Width(kind.highest)
		switch {
		case kind.highest == 0:
		case kind.encoding == format.RLE:
			runs, rest, err := rle.Cut(data)
			if err != nil {
				return nil, err
			}
			kind.levels.Reset(runs, width)
			data = rest
		case kind.encoding == format.BitPacked:
			size := (h.Entries*width + 7) / 8
			if size > len(data) {
				return nil, fmt.Errorf("read levels: page ends early: %w", formats.ErrDamaged)
			}
			rle.FromBitPacked(data[:size], width)
			kind.levels.ResetPacked(data[:size], width)
			data = data[size:]
		default:
			return nil, fmt.Errorf("read levels: encoding %s: %w", kind.encoding,
				formats.ErrUnsupported)
		}
	}
	return data, nil
}

// IsIndexes reports whether an encoding stores indexes of a dictionary.
func IsIndexes(e format.Encoding) bool {
	return e == format.RLEDictionary || e == format.PlainDictionary
}

var splitEncoding bytestreamsplit.Encoding

// beginValues moves to the first of at most n values. Values of encodings that are decoded as a
// whole are stored in the form of PLAIN, except byte strings, which have no lengths: they follow
// each other, and a list has their ends.
func (r *Reader) beginValues(stored []byte, e format.Encoding, n int) (err error) {
	physical := r.Leaf.Type.V
	isText := physical == format.ByteArray
	r.values.Width = r.width
	switch {
	case IsIndexes(e):
		runs, width, err := rle.CutWidth(stored)
		r.Indexed = true
		r.runs.Reset(runs, width)
		return err
	case physical == format.Boolean && e == format.Plain:
		r.runs.ResetPacked(stored, 1)
		return nil
	case physical == format.Boolean && e == format.RLE:
		runs, _, err := rle.Cut(stored)
		r.runs.Reset(runs, 1)
		return err
	case e == format.Plain && isText:
		r.texts = stored
	case e == format.Plain:
		r.values.Data = stored
	case e == format.ByteStreamSplit && r.width > 1:
		r.values.Data, err = r.joinStreams(stored)
	case e == format.DeltaBinaryPacked && (physical == format.Int32 || physical == format.Int64):
		r.values.Data, err = r.decodeNumbers(stored, n)
	case e == format.DeltaLengthByteArray && isText:
		r.values.Data, r.values.Ends, err = r.decodeTexts(nil, stored, n)
	case e == format.DeltaByteArray && (isText || physical == format.FixedLenByteArray):
		r.values.Data, r.values.Ends, err = r.decodePrefixed(stored, n)
	default:
		return fmt.Errorf("read page: encoding %s of %s: %w", e, physical, formats.ErrUnsupported)
	}
	if err != nil {
		return fmt.Errorf("read values: %w", err)
	}
	r.Large = len(r.values.Data)+len(r.texts) > large
	return nil
}

// large is the number of bytes from which the values of a page may be large.
const large = 1 << 20

// DecodeDictionary unpacks the loaded dictionary page, and decodes its entries.
func (r *Reader) DecodeDictionary(h *Header) (v Values, err error) {
	if h.Encoding != format.Plain && h.Encoding != format.PlainDictionary {
		return v, fmt.Errorf("encoding %s: %w", h.Encoding, formats.ErrUnsupported)
	}
	r.cursor = cursor{}
	data, err := r.unpack(h)
	if err == nil {
		err = r.beginValues(data, format.Plain, h.Entries)
	}
	if err != nil {
		return v, err
	}
	return r.Values(h.Entries)
}

// Levels decodes the levels of the next n entries, at most as many as Ahead.
func (r *Reader) Levels(n int) (l Levels, err error) {
	l.Entries, l.Defined = n, n
	rows := n
	if highest := r.Leaf.Repetition; highest > 0 {
		if l.Repetition, err = r.decodeLevels(&r.repetition, &r.levels[0], highest, n); err != nil {
			return l, err
		}
		rows = bytes.Count(l.Repetition, []byte{0})
	}
	if highest := r.Leaf.Definition; highest > 0 {
		if l.Definition, err = r.decodeLevels(&r.definition, &r.levels[1], highest, n); err != nil {
			return l, err
		}
		l.Defined = bytes.Count(l.Definition, []byte{byte(highest)})
	}
	r.Ahead -= n
	r.Rows += rows
	r.Nulls += n - l.Defined
	return l, nil
}

// decodeLevels decodes n levels. None may be above the highest.
func (r *Reader) decodeLevels(from *rle.Reader, into *[]byte, highest, n int) ([]byte, error) {
	err := grow(r, into, n)
	if err == nil {
		err = from.ReadBytes(*into)
	}
	if err != nil {
		return nil, fmt.Errorf("read levels: %w", err)
	}
	if highest&(highest+1) == 0 { // all that the bits can represent are possible
		return *into, nil
	}
	possible := 0
	for level := range highest + 1 {
		possible += bytes.Count(*into, []byte{byte(level)})
	}
	if possible < n {
		return nil, fmt.Errorf("read levels: some are above %d: %w", highest, formats.ErrDamaged)
	}
	return *into, nil
}

// Indexes decodes the next indexes of a dictionary. They may be too large for it. It reports
// whether they are known to be the same.
func (r *Reader) Indexes(dst []uint32) (same bool, err error) {
	if err := r.runs.Read(dst); err != nil {
		return false, fmt.Errorf("read dictionary indexes: %w", err)
	}
	return r.runs.Same(), nil
}

// Values decodes the next n values, which are not indexes. A boolean takes a byte.
func (r *Reader) Values(n int) (v Values, err error) {
	v = r.values
	switch {
	case r.Leaf.Type.V == format.Boolean:
		if err = grow(r, &r.data, n); err == nil {
			v.Data, err = r.data, r.runs.ReadBytes(r.data)
		}
	case v.Ends != nil && n < len(v.Ends):
		v.Ends, r.values.Ends = v.Ends[:n+1], v.Ends[n:]
	case v.Ends == nil && v.Width > 0 && n*v.Width <= len(v.Data):
		v.Data, r.values.Data = v.Data[:n*v.Width], v.Data[n*v.Width:]
	case v.Ends == nil && v.Width == 0:
		v.Data, v.Ends, err = r.cutLengths(n)
	default:
		err = errEarly
	}
	if err != nil {
		return v, fmt.Errorf("read %d values: %w", n, err)
	}
	return v, nil
}

var errEarly = fmt.Errorf("page ends early: %w", formats.ErrDamaged)

// cutLengths removes the lengths in front of the next n byte strings, so that the strings follow
// each other. The library also searches the bytes behind the page for the end of one.
func (r *Reader) cutLengths(n int) ([]byte, []uint32, error) {
	if n > len(r.texts)/4 {
		return nil, nil, errEarly
	}
	if err := grow(r, &r.ends, n+1); err != nil {
		return nil, nil, err
	}
	data, rest := r.texts[:0], r.texts
	r.ends[0] = 0
	for i := range n {
		var text []byte
		if text, rest = plain.CutText(rest); text == nil {
			return nil, nil, errEarly
		}
		data = append(data, text...)
		r.ends[i+1] = uint32(len(data))
	}
	r.texts = rest
	return data, r.ends, nil
}

// Spare returns the number of bytes that the levels and values read did not need, for encodings
// that kcut writes; -1 where that is unknown.
func (r *Reader) Spare() int {
	spare := len(r.texts)
	if r.values.Ends == nil {
		spare += len(r.values.Data)
	}
	for _, runs := range []*rle.Reader{&r.repetition, &r.definition, &r.runs} {
		more := runs.Spare()
		if more < 0 {
			return -1
		}
		spare += more
	}
	return spare
}

// joinStreams decodes values that are stored as streams: all first bytes come first, then all
// second bytes, and so on.
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

// grow enlarges memory to n elements. It reports new memory before it allocates it.
func grow[T any](r *Reader, memory *[]T, n int) error {
	if cap(*memory) < n {
		var element T
		if r.Hold != nil {
			if err := r.Hold(r.Memory() +
				int64(unsafe.Sizeof(element))*int64(n-cap(*memory))); err != nil {
				return err
			}
		}
		*memory = make([]T, n)
	}
	*memory = (*memory)[:n]
	return nil
}
