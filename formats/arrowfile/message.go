package arrowfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
)

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
	meta    flatbuf
	kind    byte
	version int16
	header  flatTable
	body    int64 // position of the body
	size    int64 // of the body
}

// end returns the position behind the message.
func (m *message) end() int64 { return m.body + m.size }

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
	prefix := flatbuf{data: make([]byte, min(8, s.size-at))}
	if err := readFrom(s.file, prefix.data, at); err != nil {
		return nil, err
	}
	start, length := at+4, prefix.number(0, 4)
	if length == continued {
		start, length = at+8, prefix.number(4, 4)
	}
	switch {
	case prefix.bad:
		return nil, errEndsInside
	case length == 0:
		return nil, io.EOF
	case length < 8 || int64(length) > s.size-start:
		return nil, fmt.Errorf("%w: a message of %d bytes of metadata", formats.ErrDamaged, length)
	}
	m := &message{at: at, body: start + int64(length), meta: flatbuf{data: make([]byte, length)}}
	if err := readFrom(s.file, m.meta.data, start); err != nil {
		return nil, err
	}
	return m, m.parse(s.size)
}

var errEndsInside = fmt.Errorf("%w: ends inside a message", formats.ErrDamaged)

// parse reads the outer table of a message in a file of the given size.
func (m *message) parse(file int64) error {
	root := m.meta.table(0)
	m.version = int16(root.number(0, 2))
	m.kind = byte(root.number(1, 1))
	m.header, _ = root.child(2)
	m.size = int64(root.number(3, 8))
	switch {
	case m.meta.bad || m.header.f == nil:
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
	message  *message
	rows     int64
	nodes    flatVector // length, nulls
	buffers  flatVector // offset, length
	variadic flatVector
	codec    int8
}

// The codecs of record batches.
const (
	codecNone = int8(-1)
	codecLZ4  = int8(0)
	codecZstd = int8(1)
)

// batch reads the table of a record batch. It refuses buffers outside the body, and more of
// them than fit: no reading of a batch takes more memory than its body, but for compression.
func (m *message) batch(t flatTable) (*recordBatch, error) {
	b := &recordBatch{message: m, rows: int64(t.number(0, 8)), codec: codecNone}
	b.nodes, b.buffers, b.variadic = t.vector(1, 16), t.vector(2, 16), t.vector(4, 8)
	if c, ok := t.child(3); ok {
		b.codec = int8(c.number(0, 1))
		if method := c.number(1, 1); method != 0 || b.codec != codecLZ4 && b.codec != codecZstd {
			return nil, fmt.Errorf("%w: codec %d of a record batch", formats.ErrUnsupported, b.codec)
		}
	}
	switch {
	case m.meta.bad:
		return nil, fmt.Errorf("%w: broken metadata of a record batch", formats.ErrDamaged)
	case b.rows < 0 || b.rows > mostRows:
		return nil, fmt.Errorf("%w: a record batch of %d rows", formats.ErrDamaged, b.rows)
	}
	left := m.size
	for i := range b.buffers.n {
		offset, length := b.buffers.pair(i)
		if offset < 0 || length < 0 || length > left || offset > m.size-length {
			return nil, fmt.Errorf("%w: buffer %d of a record batch lies outside its body", formats.ErrDamaged, i)
		}
		left -= length
	}
	return b, nil
}

// readFrom fills p from the file, or from a plan of it.
func readFrom(file io.ReaderAt, p []byte, at int64) error {
	_, err := file.ReadAt(p, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: ends at a place where it did not when it was opened", formats.ErrDamaged)
	}
	return err
}
