package arrowfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
)

// table is a table of Arrow's metadata, a FlatBuffer. Go checks each access, and panics when that
// of a damaged file points outside of it: all readers run inside a fence. The zero table has no
// fields.
type table struct{ flatbuffers.Table }

// tableAt returns the table to which the reference at a position points, if its list of fields is
// inside the buffer.
func tableAt(data []byte, at flatbuffers.UOffsetT) table {
	t := table{flatbuffers.Table{Bytes: data, Pos: at + flatbuffers.GetUOffsetT(data[at:])}}
	t.slot(0)
	return t
}

// slot returns the position of a field's value, or 0 when the table does not have it.
func (t table) slot(field int) flatbuffers.UOffsetT {
	if t.Bytes == nil {
		return 0
	}
	if offset := t.Offset(flatbuffers.VOffsetT(4 + 2*field)); offset != 0 {
		return t.Pos + flatbuffers.UOffsetT(offset)
	}
	return 0
}

// number returns the field that get reads, 0 when the table does not have it.
func number[T any](t table, field int, get func([]byte) T) (n T) {
	if at := t.slot(field); at != 0 {
		n = get(t.Bytes[at:])
	}
	return n
}

// child returns the table to which a field refers, the zero table when there is none.
func (t table) child(field int) table {
	if at := t.slot(field); at != 0 {
		return tableAt(t.Bytes, at)
	}
	return table{}
}

// vector returns the start of the vector to which a field refers, and the number of its elements of
// size bytes, which are all inside the buffer.
func (t table) vector(field, size int) (at flatbuffers.UOffsetT, n int) {
	if at = t.slot(field); at == 0 {
		return 0, 0
	}
	at += flatbuffers.GetUOffsetT(t.Bytes[at:])
	n, at = int(flatbuffers.GetUOffsetT(t.Bytes[at:])), at+4
	_ = t.Bytes[at:][:n*size]
	return at, n
}

// numbers returns a vector of structs that each have some numbers of 8 bytes.
func (t table) numbers(field, each int) []int64 {
	at, n := t.vector(field, 8*each)
	out := make([]int64, n*each)
	for i := range out {
		out[i] = flatbuffers.GetInt64(t.Bytes[int(at)+8*i:])
	}
	return out
}

// tables returns the tables to which a vector refers.
func (t table) tables(field int) []table {
	at, n := t.vector(field, 4)
	out := make([]table, n)
	for i := range out {
		out[i] = tableAt(t.Bytes, at+flatbuffers.UOffsetT(4*i))
	}
	return out
}

// The kinds of Arrow messages that are read.
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
)

const (
	version4     = 3         // of Arrow 0.8; older files are not supported
	version5     = 4         // of Arrow 1.0: since then unions have no validity bitmap
	mostRows     = 1<<31 - 1 // largest number of rows of a record batch, as Arrow recommends
	mostMetadata = 64 << 20  // largest number of bytes of a message's metadata, or of a footer
	continued    = 0xffffffff
)

// message is the metadata of a message and the place of its body in the file.
type message struct {
	at      int64 // position in the file
	kind    byte
	version int16
	header  table
	body    int64 // position of the body
	size    int64 // of the body
}

// end returns the position behind the message.
func (m *message) end() int64 { return m.body + m.size }

// readMessage reads the metadata of the message at a position. It returns io.EOF at the end of a
// stream: a marker, or the end of the file. Before Arrow 0.15 a message began with the length of
// its metadata, without a continuation marker.
func (s *source) readMessage(at int64) (*message, error) {
	if at == s.size {
		return nil, io.EOF
	}
	prefix, err := s.metadata(at, min(8, s.size-at))
	if err != nil {
		return nil, err
	}
	start, length := at+4, binary.LittleEndian.Uint32(prefix)
	if length == continued {
		start, length = at+8, binary.LittleEndian.Uint32(prefix[4:])
	}
	if length == 0 {
		return nil, io.EOF
	}
	meta, err := s.metadata(start, int64(length))
	if err != nil {
		return nil, err
	}
	root := tableAt(meta, 0)
	m := &message{
		at:      at,
		version: number(root, 0, flatbuffers.GetInt16),
		kind:    number(root, 1, flatbuffers.GetByte),
		header:  root.child(2),
		body:    start + int64(length),
		size:    number(root, 3, flatbuffers.GetInt64),
	}
	switch {
	case m.size < 0 || m.size > s.size-m.body:
		return nil, fmt.Errorf("%w: a message with a body of %d bytes", formats.ErrDamaged, m.size)
	case m.version < version4 || m.version > version5:
		return nil, fmt.Errorf("%w: Arrow metadata version %d", formats.ErrUnsupported, m.version+1)
	}
	return m, nil
}

// metadata returns n bytes of metadata at a position.
func (s *source) metadata(at, n int64) ([]byte, error) {
	switch {
	case at < 0 || n < 0 || n > s.size-at:
		return nil, fmt.Errorf("%w: ends inside a message or its footer", formats.ErrDamaged)
	case n > mostMetadata:
		return nil, fmt.Errorf("%w: %d bytes of metadata", formats.ErrUnsupported, n)
	}
	b := make([]byte, n)
	return b, readFrom(s.file, b, at)
}

// readFrom fills p from the file, or from the part that was fetched ahead.
func readFrom(file io.ReaderAt, p []byte, at int64) error {
	_, err := file.ReadAt(p, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: ends at a place where it did not when it was opened",
			formats.ErrDamaged)
	}
	return err
}

// recordBatch is the metadata of a record batch, or of a dictionary's values: the shape of
// its columns and the places of their buffers.
type recordBatch struct {
	*message
	rows     int64
	nodes    []int64         // length, nulls
	buffers  []storage.Range // in the file
	variadic []int64
	codec    int8
}

// The codecs of record batches.
const (
	codecNone = int8(-1)
	codecLZ4  = int8(0)
	codecZstd = int8(1)
)

// readBatch reads the metadata of the record batch at a position, or of a dictionary's values.
func (s *source) readBatch(at int64) (*recordBatch, error) {
	m, err := s.readMessage(at)
	if err != nil {
		return nil, err
	}
	return m.batch()
}

// batch reads the table of a record batch, or that of a dictionary's values. It refuses buffers
// outside the body, and more of them than fit: without compression, reading a batch never takes
// more memory than its body.
func (m *message) batch() (*recordBatch, error) {
	t := m.header
	if m.kind == dictionaryMessage {
		t = t.child(1)
	}
	b := &recordBatch{
		message: m, rows: number(t, 0, flatbuffers.GetInt64), nodes: t.numbers(1, 2),
		variadic: t.numbers(4, 1), codec: codecNone,
	}
	if c := t.child(3); c.Bytes != nil {
		b.codec = number(c, 0, flatbuffers.GetInt8)
		if method := number(c, 1, flatbuffers.GetByte); method != 0 ||
			b.codec != codecLZ4 && b.codec != codecZstd {
			return nil, fmt.Errorf("%w: codec %d of a record batch", formats.ErrUnsupported,
				b.codec)
		}
	}
	if t.Bytes == nil || b.rows < 0 || b.rows > mostRows {
		return nil, fmt.Errorf("%w: a record batch of %d rows", formats.ErrDamaged, b.rows)
	}
	for i := 0; i < len(b.nodes); i += 2 {
		if rows, nulls := b.nodes[i], b.nodes[i+1]; rows < 0 || rows > mostRows || nulls < 0 ||
			nulls > rows {
			return nil, fmt.Errorf("%w: a node of %d rows and %d nulls", formats.ErrDamaged, rows,
				nulls)
		}
	}
	left, buffers := m.size, t.numbers(2, 2)
	b.buffers = make([]storage.Range, len(buffers)/2)
	for i := range b.buffers {
		offset, length := buffers[2*i], buffers[2*i+1]
		if offset < 0 || length < 0 || length > left || offset > m.size-length {
			return nil, fmt.Errorf("%w: buffer %d lies outside the body of its message",
				formats.ErrDamaged, i)
		}
		left -= length
		b.buffers[i] = storage.Range{From: m.body + offset, To: m.body + offset + length}
	}
	for _, count := range b.variadic {
		if count < 0 || count > int64(len(b.buffers)) {
			return nil, fmt.Errorf("%w: a view of %d buffers", formats.ErrDamaged, count)
		}
	}
	return b, nil
}
