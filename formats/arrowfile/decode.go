package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/endian"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// next takes the first column, with all below it, off a record batch.
func (b *recordBatch) next(f *field) (*recordBatch, error) {
	rest := *b
	if err := rest.skip(f); err != nil {
		return nil, err
	}
	first := *b
	first.rows = b.nodes[0]
	first.nodes = b.nodes[:len(b.nodes)-len(rest.nodes)]
	first.buffers = b.buffers[:len(b.buffers)-len(rest.buffers)]
	first.variadic = b.variadic[:len(b.variadic)-len(rest.variadic)]
	*b = rest
	return &first, nil
}

// skip goes over the nodes and buffers of a column, and checks them.
func (b *recordBatch) skip(f *field) error {
	if len(b.nodes) == 0 {
		return fmt.Errorf("%w: a record batch of too few nodes", formats.ErrDamaged)
	}
	rows, nulls := b.nodes[0], b.nodes[1]
	b.nodes = b.nodes[2:]
	if rows < 0 || rows > mostRows || nulls < 0 || nulls > rows {
		return fmt.Errorf("%w: a node of %d rows and %d nulls", formats.ErrDamaged, rows, nulls)
	}
	count := int64(len(f.buffers))
	if _, union := f.storage.(arrow.UnionType); union && b.version < version5 {
		count++ // a validity of its own
	}
	if f.views {
		if len(b.variadic) == 0 || b.variadic[0] < 0 || b.variadic[0] > int64(len(b.buffers)) {
			return fmt.Errorf("%w: views without a sound count of their buffers", formats.ErrDamaged)
		}
		count += b.variadic[0]
		b.variadic = b.variadic[1:]
	}
	if 2*count > int64(len(b.buffers)) {
		return fmt.Errorf("%w: a record batch of too few buffers", formats.ErrDamaged)
	}
	if nulls == 0 && len(f.buffers) > 0 {
		b.buffers[1] = 0 // a validity that nobody looks at
	}
	b.buffers = b.buffers[2*count:]
	for _, child := range f.children {
		if err := b.skip(child); err != nil {
			return err
		}
	}
	return nil
}

// places appends where the buffers lie in the file.
func (b *recordBatch) places(places []storage.Range) []storage.Range {
	for i := 0; i < len(b.buffers); i += 2 {
		from := b.body + b.buffers[i]
		places = append(places, storage.Range{From: from, To: from + b.buffers[i+1]})
	}
	return places
}

// encode returns the message of a record batch that has the given body, not compressed. All
// that it says was checked.
func (b *recordBatch) encode(fb *flatbuffers.Builder, buffers []int64, body []byte) *ipc.Message {
	vector := func(numbers []int64, each int) flatbuffers.UOffsetT {
		fb.StartVector(8*each, len(numbers)/each, 8)
		for i := len(numbers) - 1; i >= 0; i-- {
			fb.PlaceInt64(numbers[i])
		}
		return fb.EndVector(len(numbers) / each)
	}
	fb.Reset()
	at := [5]flatbuffers.UOffsetT{1: vector(b.nodes, 2), 2: vector(buffers, 2), 4: vector(b.variadic, 1)}
	fb.StartObject(len(at))
	fb.PrependInt64Slot(0, b.rows, 0)
	for i, vector := range at {
		fb.PrependUOffsetTSlot(i, vector, 0)
	}
	header := fb.EndObject()
	fb.StartObject(4)
	fb.PrependInt64Slot(3, int64(len(body)), 0)
	fb.PrependUOffsetTSlot(2, header, 0)
	fb.PrependByteSlot(1, batchMessage, 0)
	fb.PrependInt16Slot(0, b.version, 0)
	fb.Finish(fb.EndObject())
	return ipc.NewMessage(memory.NewBufferBytes(fb.FinishedBytes()), memory.NewBufferBytes(body))
}

// decoder has Arrow's library read one column from message to message. The library finds
// these messages, and the memory for what is in them, at the decoder.
type decoder struct {
	*reader
	library *ipc.Reader
	builder *flatbuffers.Builder
	message *ipc.Message // that the library reads next

	weight  int64 // bytes held for one of the column's
	held    int64
	slabs   [][]byte // buffers of a message, used again for the next
	used    int
	refused error // by the budget: the library knows no other way to be refused than a panic
}

func (r *reader) newDecoder(f *field, weight int64) (*decoder, error) {
	d := &decoder{reader: r, builder: flatbuffers.NewBuilder(0), weight: weight}
	order := endian.LittleEndian
	if r.src.big {
		order = endian.BigEndian
	}
	var stream bytes.Buffer
	schema := arrow.NewSchemaWithEndian([]arrow.Field{{Type: f.storage, Nullable: true}}, nil, order)
	err := ipc.NewWriter(&stream, ipc.WithSchema(schema)).Close()
	if err == nil {
		d.message, err = ipc.NewMessageReader(&stream).Message()
	}
	if err == nil {
		d.library, err = ipc.NewReaderFromMessageReader(d, ipc.WithAllocator(d))
	}
	return d, err
}

// decode reads the column of a record batch.
func (d *decoder) decode(b *recordBatch, from io.ReaderAt) (arrow.ArrayData, error) {
	places, stored := b.places(nil), int64(0)
	for _, p := range places {
		stored += p.To - p.From
	}
	if _, err := room(&d.body, int(stored), d.take); err != nil {
		return nil, err
	}
	body, buffers := d.body[:0], make([]int64, 0, len(b.buffers))
	for _, p := range places {
		at := len(body)
		alloc := func(n int) ([]byte, error) {
			if had := cap(d.body); had < at+n { // what is unpacked does not say in advance how long it is
				if _, err := room(&d.body, max(at+n, had+had/2), d.take); err != nil {
					return nil, err
				}
			}
			body = d.body[:at+n]
			return body[at:], nil
		}
		if err := d.read(p, b.codec, from, alloc); err != nil {
			return nil, err
		}
		buffers = append(buffers, int64(at), int64(len(body)-at))
	}
	d.used, d.message = 0, b.encode(d.builder, buffers, body)
	record, err := d.library.Read()
	switch {
	case d.refused != nil:
		return nil, d.refused
	case err != nil:
		return nil, fmt.Errorf("%w: buffers that Arrow's library refuses", formats.ErrDamaged)
	}
	return record.Column(0).Data(), nil
}

// read reads a buffer, unpacked.
func (r *reader) read(
	place storage.Range, codec int8, from io.ReaderAt, alloc func(n int) ([]byte, error),
) error {
	length := int(place.To - place.From)
	if length == 0 {
		return nil
	}
	to := alloc
	if codec != codecNone {
		to = func(n int) ([]byte, error) { return room(&r.packed, n, r.take) }
	}
	raw, err := to(length)
	if err == nil {
		err = readFrom(from, raw, place.From)
	}
	if err == nil && codec != codecNone {
		_, err = r.unpack(codec, raw, alloc)
	}
	return err
}

// room returns the first n bytes of b, which is made larger when it must be.
func room(b *[]byte, n int, take func(n int64) error) ([]byte, error) {
	if had := cap(*b); had < n {
		if err := take(int64(n)); err != nil {
			return nil, err
		}
		larger := make([]byte, n)
		copy(larger, (*b)[:had])
		*b = larger
		return larger, take(int64(-had))
	}
	return (*b)[:n], nil
}

// Message implements ipc.MessageReader.
func (d *decoder) Message() (*ipc.Message, error) { return d.message, nil }

// Retain implements ipc.MessageReader.
func (*decoder) Retain() {}

// Release implements ipc.MessageReader.
func (*decoder) Release() {}

// Allocate implements memory.Allocator.
func (d *decoder) Allocate(n int) []byte {
	if d.used == len(d.slabs) {
		d.slabs = append(d.slabs, nil)
	}
	d.used++
	b, err := room(&d.slabs[d.used-1], n, func(n int64) error {
		d.held += d.weight * n
		return d.take(d.weight * n)
	})
	if err != nil {
		d.refused = err
		panic(err)
	}
	return b
}

// Reallocate implements memory.Allocator.
func (d *decoder) Reallocate(n int, b []byte) []byte {
	larger := d.Allocate(n)
	copy(larger, b)
	return larger
}

// Free implements memory.Allocator.
func (*decoder) Free([]byte) {}

const (
	largest = 1 << 30 // bytes that a compressed buffer may unpack to
	densest = 40000   // times that zstd shrinks at best: 128 KiB of one byte take four
)

// unpacker unpacks buffers into memory of the size that they declare, never more.
type unpacker struct {
	zstd *zstd.Decoder
	lz4  *lz4.Reader
}

// unpack returns the contents of a compressed buffer: their length, or -1 when they are
// stored as they are, then the frame.
func (u *unpacker) unpack(
	codec int8, packed []byte, alloc func(n int) ([]byte, error),
) ([]byte, error) {
	if len(packed) < 8 {
		return nil, errShortBuffer
	}
	n, frame := int64(binary.LittleEndian.Uint64(packed)), packed[8:]
	stored := n == -1
	switch {
	case stored:
		n = int64(len(frame))
	case n > largest:
		return nil, fmt.Errorf("%w: a compressed buffer of %d bytes", formats.ErrUnsupported, n)
	case n < 0 || n > int64(len(frame)+1)*densest:
		return nil, fmt.Errorf("%w: a compressed buffer that cannot hold its %d bytes",
			formats.ErrDamaged, n)
	}
	raw, err := alloc(int(n))
	switch {
	case err != nil:
		return nil, err
	case stored:
		copy(raw, frame)
	case codec == codecZstd:
		err = u.unzstd(raw, frame)
	default:
		if u.lz4 == nil {
			u.lz4 = lz4.NewReader(nil)
		}
		u.lz4.Reset(bytes.NewReader(frame))
		_, err = io.ReadFull(u.lz4, raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a compressed buffer: %w", formats.ErrDamaged, err)
	}
	return raw, nil
}

// unzstd fills raw from a frame of zstd.
func (u *unpacker) unzstd(raw, frame []byte) (err error) {
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := u.zstd.DecodeAll(frame, raw[:0:len(raw)])
	if err == nil && len(out) != len(raw) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
	if u.lz4 != nil {
		u.lz4.Reset(nil) // gives back its block
	}
}
