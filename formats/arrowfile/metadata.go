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

// table is a table of Arrow's metadata, a FlatBuffer. Its bytes may be damaged: what leads
// outside of them panics, see brokenMetadata. The zero table has no fields.
type table struct{ flatbuffers.Table }

// brokenMetadata makes a panic the error that metadata is broken. It is deferred itself.
func brokenMetadata(of string, err *error) {
	if recover() != nil {
		*err = fmt.Errorf("%w: broken %s", formats.ErrDamaged, of)
	}
}

// tableAt returns the table that the reference at a position leads to, if it has its list of
// fields.
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

// number returns a field that get reads, 0 when the table does not have it.
func number[T any](t table, field int, get func([]byte) T) (n T) {
	if at := t.slot(field); at != 0 {
		n = get(t.Bytes[at:])
	}
	return n
}

// child returns the table that a field refers to, the zero table when there is none.
func (t table) child(field int) table {
	if at := t.slot(field); at != 0 {
		return tableAt(t.Bytes, at)
	}
	return table{}
}

// vector returns where the vector that a field refers to begins, and how many elements of
// size bytes it has, all of which lie inside the buffer.
func (t table) vector(field, size int) (at flatbuffers.UOffsetT, n int) {
	if at = t.slot(field); at == 0 {
		return 0, 0
	}
	at += flatbuffers.GetUOffsetT(t.Bytes[at:])
	n = int(flatbuffers.GetUOffsetT(t.Bytes[at:]))
	if n > (len(t.Bytes)-int(at)-4)/size {
		panic("a vector that is longer than its buffer")
	}
	return at + 4, n
}

// numbers returns a vector of structs of so many numbers of 8 bytes.
func (t table) numbers(field, each int) []int64 {
	at, n := t.vector(field, 8*each)
	out := make([]int64, n*each)
	for i := range out {
		out[i] = flatbuffers.GetInt64(t.Bytes[int(at)+8*i:])
	}
	return out
}

// tables returns the tables that a vector refers to.
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
	version4  = 3         // of Arrow 0.8; older files are not read
	version5  = 4         // of Arrow 1.0: unions lost their validity
	mostRows  = 1<<31 - 1 // rows of a record batch, as Arrow recommends
	continued = 0xffffffff
)

// message is the metadata of a message and the place of its body in the file.
type message struct {
	at      int64 // position in the file
	meta    []byte
	kind    byte
	version int16
	header  table
	body    int64 // position of the body
	size    int64 // of the body
}

// end returns the position behind the message.
func (m *message) end() int64 { return m.body + m.size }

var errEndsInside = fmt.Errorf("%w: ends inside a message", formats.ErrDamaged)

// readMessage reads the metadata of the message at a position. It returns io.EOF at the
// end of a stream: a marker, or the end of the file. Before Arrow 0.15 a message began with
// the length of its metadata, without a continuation marker.
func (s *source) readMessage(at int64) (*message, error) {
	if at == s.size {
		return nil, io.EOF
	}
	if at < 0 || at > s.size-4 {
		return nil, errEndsInside
	}
	prefix := make([]byte, min(8, s.size-at))
	if err := readFrom(s.file, prefix, at); err != nil {
		return nil, err
	}
	start, length := at+4, binary.LittleEndian.Uint32(prefix)
	if length == continued {
		if len(prefix) < 8 {
			return nil, errEndsInside
		}
		start, length = at+8, binary.LittleEndian.Uint32(prefix[4:])
	}
	switch {
	case length == 0:
		return nil, io.EOF
	case length < 8 || int64(length) > s.size-start:
		return nil, fmt.Errorf("%w: a message of %d bytes of metadata", formats.ErrDamaged, length)
	}
	m := &message{at: at, body: start + int64(length), meta: make([]byte, length)}
	if err := readFrom(s.file, m.meta, start); err != nil {
		return nil, err
	}
	return m, m.parse(s.size)
}

// parse reads the outer table of a message in a file of the given size.
func (m *message) parse(file int64) (err error) {
	defer brokenMetadata("metadata of a message", &err)
	root := tableAt(m.meta, 0)
	m.version = number(root, 0, flatbuffers.GetInt16)
	m.kind = number(root, 1, flatbuffers.GetByte)
	m.header = root.child(2)
	m.size = number(root, 3, flatbuffers.GetInt64)
	switch {
	case m.header.Bytes == nil:
		return fmt.Errorf("%w: broken metadata of a message", formats.ErrDamaged)
	case m.size < 0 || m.size > file-m.body:
		return fmt.Errorf("%w: a message with a body of %d bytes", formats.ErrDamaged, m.size)
	case m.version < version4 || m.version > version5:
		return fmt.Errorf("%w: Arrow metadata version %d", formats.ErrUnsupported, m.version+1)
	}
	return nil
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

// batch reads the table of a record batch, or that of a dictionary's values. It refuses
// buffers outside the body, and more of them than fit: no reading of a batch takes more
// memory than its body, but for compression.
func (m *message) batch() (b *recordBatch, err error) {
	defer brokenMetadata("metadata of a record batch", &err)
	t := m.header
	if m.kind == dictionaryMessage {
		if t = t.child(1); t.Bytes == nil {
			return nil, fmt.Errorf("%w: a dictionary without values", formats.ErrDamaged)
		}
	}
	b = &recordBatch{message: m, rows: number(t, 0, flatbuffers.GetInt64), codec: codecNone}
	b.nodes, b.variadic = t.numbers(1, 2), t.numbers(4, 1)
	buffers := t.numbers(2, 2)
	if c := t.child(3); c.Bytes != nil {
		b.codec = number(c, 0, flatbuffers.GetInt8)
		if method := number(c, 1, flatbuffers.GetByte); method != 0 || b.codec != codecLZ4 && b.codec != codecZstd {
			return nil, fmt.Errorf("%w: codec %d of a record batch", formats.ErrUnsupported, b.codec)
		}
	}
	if b.rows < 0 || b.rows > mostRows {
		return nil, fmt.Errorf("%w: a record batch of %d rows", formats.ErrDamaged, b.rows)
	}
	left := m.size
	b.buffers = make([]storage.Range, 0, len(buffers)/2)
	for i := 0; i < len(buffers); i += 2 {
		offset, length := buffers[i], buffers[i+1]
		if offset < 0 || length < 0 || length > left || offset > m.size-length {
			return nil, fmt.Errorf("%w: buffer %d of a record batch lies outside its body",
				formats.ErrDamaged, i/2)
		}
		left -= length
		b.buffers = append(b.buffers, storage.Range{From: m.body + offset, To: m.body + offset + length})
	}
	return b, nil
}

// readFrom fills p from the file, or from a plan of it.
func readFrom(file io.ReaderAt, p []byte, at int64) error {
	_, err := file.ReadAt(p, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: ends at a place where it did not when it was opened",
			formats.ErrDamaged)
	}
	return err
}
