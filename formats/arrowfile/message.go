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
	start, length := at+4, numberAt(prefix, 0, 4)
	if length == continued {
		if len(prefix) < 8 {
			return nil, errEndsInside
		}
		start, length = at+8, numberAt(prefix, 4, 4)
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
	m.version = int16(root.number(0, 2))
	m.kind = byte(root.number(1, 1))
	m.header = root.child(2)
	m.size = int64(root.number(3, 8))
	switch {
	case m.header.data == nil:
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
	nodes    vector // length, nulls
	buffers  vector // offset, length
	variadic vector
	codec    int8
}

// The codecs of record batches.
const (
	codecNone = int8(-1)
	codecLZ4  = int8(0)
	codecZstd = int8(1)
)

// batch reads the table of a record batch, or that of a dictionary's values. It refuses buffers outside the body, and more of
// them than fit: no reading of a batch takes more memory than its body, but for compression.
func (m *message) batch() (b *recordBatch, err error) {
	defer brokenMetadata("metadata of a record batch", &err)
	t := m.header
	if m.kind == dictionaryMessage {
		if t = t.child(1); t.data == nil {
			return nil, fmt.Errorf("%w: a dictionary without values", formats.ErrDamaged)
		}
	}
	b = &recordBatch{message: m, rows: int64(t.number(0, 8)), codec: codecNone}
	b.nodes, b.buffers, b.variadic = t.vector(1, 16), t.vector(2, 16), t.vector(4, 8)
	if c := t.child(3); c.data != nil {
		b.codec = int8(c.number(0, 1))
		if method := c.number(1, 1); method != 0 || b.codec != codecLZ4 && b.codec != codecZstd {
			return nil, fmt.Errorf("%w: codec %d of a record batch", formats.ErrUnsupported, b.codec)
		}
	}
	if b.rows < 0 || b.rows > mostRows {
		return nil, fmt.Errorf("%w: a record batch of %d rows", formats.ErrDamaged, b.rows)
	}
	left := m.size
	for i := range b.buffers.n {
		offset, length := b.buffers.number(i, 2, 0), b.buffers.number(i, 2, 1)
		if offset < 0 || length < 0 || length > left || offset > m.size-length {
			return nil, fmt.Errorf("%w: buffer %d of a record batch lies outside its body",
				formats.ErrDamaged, i)
		}
		left -= length
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
