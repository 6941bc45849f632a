package arrowfile

import (
	"encoding/binary"
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
	version4   = 3         // of Arrow 0.8; older files are not read
	version5   = 4         // of Arrow 1.0: unions lost their validity
	mostRows   = 1<<31 - 1 // rows of a record batch, as Arrow recommends
	continued  = 0xffffffff
	prefixSize = 8
)

// message is the metadata of a message and the place of its body in the file.
type message struct {
	at      int64 // position in the file
	meta    flatbuf
	raw     []byte // the message up to its body
	kind    byte
	version int16
	header  flatTable
	body    int64 // position of the body
	size    int64 // of the body
}

// end returns the position behind the message.
func (m *message) end() int64 { return m.body + m.size }

// readMessage reads the metadata of the message at a position. It returns io.EOF at the
// end of a stream: a marker, or the end of the file.
func (s *source) readMessage(at int64) (*message, error) {
	if at == s.size {
		return nil, io.EOF
	}
	start, length, err := s.prefix(at)
	if err != nil {
		return nil, err
	}
	if length == 0 {
		return nil, io.EOF
	}
	if length < 8 || int64(length) > s.size-start {
		return nil, fmt.Errorf("%w: a message of %d bytes of metadata", formats.ErrDamaged, length)
	}
	m := &message{at: at, raw: make([]byte, start-at+int64(length)), body: start + int64(length)}
	if err := s.readAt(m.raw, at); err != nil {
		return nil, err
	}
	m.meta.data = m.raw[start-at:]
	return m, m.parse(s.size)
}

// prefix returns where the metadata of the message at a position start, and their length.
// Before Arrow 0.15 the length came without a continuation marker.
func (s *source) prefix(at int64) (start int64, length uint32, err error) {
	var b [prefixSize]byte
	n := min(prefixSize, s.size-at)
	if at < 0 || n < 4 {
		return 0, 0, fmt.Errorf("%w: ends inside a message", formats.ErrDamaged)
	}
	if err := s.readAt(b[:n], at); err != nil {
		return 0, 0, err
	}
	length = binary.LittleEndian.Uint32(b[:])
	if length != continued {
		return at + 4, length, nil
	}
	if n < prefixSize {
		return 0, 0, fmt.Errorf("%w: ends inside a message", formats.ErrDamaged)
	}
	return at + prefixSize, binary.LittleEndian.Uint32(b[4:]), nil
}

// parse reads the outer table of a message in a file of the given size.
func (m *message) parse(file int64) error {
	root := m.meta.root()
	m.version = root.int16(0)
	m.kind = root.byte(1)
	m.header, _ = root.child(2)
	m.size = root.int64(3)
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
	codec    int // -1: none
}

// The codecs of record batches.
const (
	codecLZ4  = 0
	codecZstd = 1
)

// batch reads the table of a record batch.
func (m *message) batch(t flatTable) (*recordBatch, error) {
	b := &recordBatch{message: m, rows: t.int64(0), codec: -1}
	b.nodes = t.vector(1, 16)
	b.buffers = t.vector(2, 16)
	b.variadic = t.vector(4, 8)
	if c, ok := t.child(3); ok {
		b.codec = int(int8(c.byte(0)))
		if method := c.byte(1); method != 0 || b.codec != codecLZ4 && b.codec != codecZstd {
			return nil, fmt.Errorf("%w: codec %d of a record batch", formats.ErrUnsupported, b.codec)
		}
	}
	if m.meta.bad {
		return nil, fmt.Errorf("%w: broken metadata of a record batch", formats.ErrDamaged)
	}
	if b.rows < 0 || b.rows > mostRows {
		return nil, fmt.Errorf("%w: a record batch of %d rows", formats.ErrDamaged, b.rows)
	}
	return b, b.check()
}

// check refuses buffers outside the body, and more of them than fit: no reading of a batch
// takes more memory than its body, but for compression.
func (b *recordBatch) check() error {
	left := b.message.size
	for i := range b.buffers.n {
		offset, length := b.buffers.pair(i)
		if offset < 0 || length < 0 || length > left || offset > b.message.size-length {
			return fmt.Errorf("%w: buffer %d of a record batch lies outside its body", formats.ErrDamaged, i)
		}
		left -= length
	}
	return nil
}

// readAt fills p from the file.
func (s *source) readAt(p []byte, at int64) error { return readFrom(s.file, p, at) }

// readFrom fills p from the file, or from a plan of it.
func readFrom(file io.ReaderAt, p []byte, at int64) error {
	_, err := file.ReadAt(p, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: ends at a place where it did not when it was opened", formats.ErrDamaged)
	}
	return err
}
