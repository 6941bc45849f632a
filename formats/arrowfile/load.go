package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
)

const (
	largest = 1 << 30 // bytes that a compressed buffer may unpack to
	densest = 40000   // times that zstd shrinks at best: 128 KiB of one byte take four
)

// column is a loaded column, or a part of a nested one. Its buffers are as long as its
// rows need, and its offsets in order and inside what they point into.
type column struct {
	field      *field
	n          int
	validity   []byte // a bit a row; nil: all rows are valid
	data       []byte
	offsets    []byte // of variable values and lists
	sizes      []byte // of list views
	blocks     [][]byte
	children   []*column
	dictionary *dictionary
}

// loader walks the nodes and buffers of a record batch in the order of the schema.
type loader struct {
	reader   *reader
	batch    *recordBatch
	from     io.ReaderAt // its file, or a plan of it
	alloc    func(n int) ([]byte, error)
	node     int
	buffer   int
	variadic int
}

// load returns the next column, or passes over it.
func (l *loader) load(f *field, want bool) (*column, error) {
	a, err := l.start(f, want)
	if err != nil {
		return nil, err
	}
	if err := l.loadBuffers(a, want); err != nil {
		return nil, err
	}
	if f.shape == asDictionary {
		if want {
			a.dictionary, err = l.reader.dictionary(f)
		}
	} else {
		err = l.loadChildren(a, want)
	}
	if err != nil || !want {
		return nil, err
	}
	if l.reader.src.big {
		a.swap()
	}
	return a, a.check()
}

// start reads the column's node and validity.
func (l *loader) start(f *field, want bool) (*column, error) {
	if l.node >= l.batch.nodes.n {
		return nil, fmt.Errorf("%w: a record batch of too few nodes", formats.ErrDamaged)
	}
	length, nulls := l.batch.nodes.pair(l.node)
	l.node++
	if length < 0 || length > mostRows || nulls < 0 || nulls > length {
		return nil, fmt.Errorf("%w: a node of %d rows and %d nulls", formats.ErrDamaged, length, nulls)
	}
	a := &column{field: f, n: int(length)}
	if f.shape == asNulls || f.shape == asRuns || f.shape == asUnion && l.batch.message.version >= version5 {
		return a, nil
	}
	bits, err := l.take(want && nulls > 0)
	if want && nulls > 0 {
		a.validity = bits
		if err == nil && len(bits) < (a.n+7)/8 {
			err = errShortBuffer
		}
	}
	return a, err
}

var errShortBuffer = fmt.Errorf("%w: a buffer is too short for its rows", formats.ErrDamaged)

// loadBuffers takes the buffers behind the validity.
func (l *loader) loadBuffers(a *column, want bool) (err error) {
	switch a.field.shape {
	case asBits, asFixed, asDictionary:
		a.data, err = l.take(want)
	case asVariable:
		if a.offsets, err = l.take(want); err == nil {
			a.data, err = l.take(want)
		}
	case asViews:
		if a.data, err = l.take(want); err == nil {
			err = l.takeBlocks(a, want)
		}
	case asList:
		a.offsets, err = l.take(want)
	case asListView:
		if a.offsets, err = l.take(want); err == nil {
			a.sizes, err = l.take(want)
		}
	case asUnion:
		_, err = l.take(false)
		if err == nil && a.field.width > 0 {
			_, err = l.take(false)
		}
	}
	return err
}

// takeBlocks takes the data buffers of views.
func (l *loader) takeBlocks(a *column, want bool) error {
	if l.variadic >= l.batch.variadic.n {
		return fmt.Errorf("%w: views without a count of their buffers", formats.ErrDamaged)
	}
	n := l.batch.message.meta.int64(l.batch.variadic.pos + 8*l.variadic)
	l.variadic++
	if n < 0 || n > int64(l.batch.buffers.n-l.buffer) {
		return fmt.Errorf("%w: views into %d buffers", formats.ErrDamaged, n)
	}
	for range n {
		block, err := l.take(want)
		if err != nil {
			return err
		}
		a.blocks = append(a.blocks, block)
	}
	return nil
}

func (l *loader) loadChildren(a *column, want bool) error {
	for _, f := range a.field.children {
		child, err := l.load(f, want)
		if err != nil {
			return err
		}
		a.children = append(a.children, child)
	}
	return nil
}

// take returns the next buffer, unpacked, or passes over it.
func (l *loader) take(want bool) ([]byte, error) {
	if l.buffer >= l.batch.buffers.n {
		return nil, fmt.Errorf("%w: a record batch of too few buffers", formats.ErrDamaged)
	}
	offset, length := l.batch.buffers.pair(l.buffer)
	l.buffer++
	if !want || length == 0 {
		return nil, nil
	}
	at := l.batch.message.body + offset
	if l.batch.codec < 0 {
		raw, err := l.alloc(int(length))
		if err != nil {
			return nil, err
		}
		return raw, readFrom(l.from, raw, at)
	}
	packed, err := l.reader.scratch(int(length))
	if err != nil {
		return nil, err
	}
	if err := readFrom(l.from, packed, at); err != nil {
		return nil, err
	}
	return l.unpack(packed)
}

// unpack returns the contents of a compressed buffer: their length, or -1 when they are
// stored as they are, then the frame.
func (l *loader) unpack(packed []byte) ([]byte, error) {
	if len(packed) < 8 {
		return nil, errShortBuffer
	}
	n, frame := int64(binary.LittleEndian.Uint64(packed)), packed[8:]
	switch {
	case n == -1:
		raw, err := l.alloc(len(frame))
		copy(raw, frame)
		return raw, err
	case n > largest:
		return nil, fmt.Errorf("%w: a compressed buffer of %d bytes", formats.ErrUnsupported, n)
	case n < 0 || n > int64(len(frame)+1)*densest:
		return nil, fmt.Errorf("%w: a compressed buffer that cannot hold its %d bytes", formats.ErrDamaged, n)
	}
	raw, err := l.alloc(int(n))
	if err != nil {
		return nil, err
	}
	if l.batch.codec == codecZstd {
		err = l.reader.unzstd(raw, frame)
	} else {
		err = unlz4(raw, frame)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a compressed buffer: %w", formats.ErrDamaged, err)
	}
	return raw, nil
}

// unzstd fills raw from a frame of zstd.
func (r *reader) unzstd(raw, frame []byte) error {
	if r.zstd == nil {
		var err error
		r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := r.zstd.DecodeAll(frame, raw[:0:len(raw)])
	if err == nil && len(out) != len(raw) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// unlz4 fills raw from a frame of LZ4.
func unlz4(raw, frame []byte) error {
	_, err := io.ReadFull(lz4.NewReader(bytes.NewReader(frame)), raw)
	return err
}

// swap makes the numbers of a big-endian file little-endian.
func (a *column) swap() {
	f := a.field
	switch f.shape {
	case asFixed, asDictionary:
		if f.shape == asDictionary || f.typ.Kind != formats.Binary && f.typ.Kind != formats.UUID {
			swapBytes(a.data, f.width)
		}
	case asViews:
		swapViews(a.data)
	case asVariable, asList, asListView:
		swapBytes(a.offsets, f.width)
		swapBytes(a.sizes, f.width)
	}
}

func swapBytes(b []byte, width int) {
	for ; width > 0 && len(b) >= width; b = b[width:] {
		slices.Reverse(b[:width])
	}
}

// swapViews swaps the length of each view and, when it is long, its buffer and offset.
func swapViews(b []byte) {
	for ; len(b) >= 16; b = b[16:] {
		slices.Reverse(b[:4])
		if int32(binary.LittleEndian.Uint32(b)) > 12 {
			slices.Reverse(b[8:12])
			slices.Reverse(b[12:16])
		}
	}
}
