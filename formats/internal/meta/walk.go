// Package meta finds, reads and writes the structs of Parquet's metadata: footers and the headers
// of pages.
//
// Contract: the decoder of parquet-go allocates lists as long as their headers claim, and goes as
// deep as structs nest. A Walker checks beforehand, without building anything, that all bytes are
// there and that nothing is too deep or too long; after that, decoding is safe.
package meta

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/kcut/kcut/formats"
)

var protocol thrift.CompactProtocol

// maxDepth exceeds the depth of every Parquet structure.
const maxDepth = 64

// Input is a source of structs: a bufio.Reader, a bytes.Reader.
type Input interface {
	io.Reader
	io.ByteReader
}

// Walker skips structs in Thrift's compact protocol, one after the other.
type Walker struct {
	Passed   int64  // number of bytes so far
	Raw      []byte // the bytes that were passed, except while Skipping
	Skipping bool
	Listed   int64 // number of elements of lists, sets and maps so far
	thrift.Reader
	in     Input
	failed error // error of the input other than its end
	most   int
}

// NewWalker returns a Walker that keeps at most most bytes of a struct.
func NewWalker(in Input, most int) *Walker {
	w := &Walker{in: in, most: most}
	w.Reader = protocol.NewReader(walked{w})
	return w
}

// Next returns the bytes of the next struct. They are valid until the next one.
func (w *Walker) Next() ([]byte, error) {
	w.Raw = w.Raw[:0]
	err := w.Pass(thrift.STRUCT)
	return w.Raw, err
}

// Pass skips a value. Its error is that of the input, or formats.ErrDamaged.
func (w *Walker) Pass(kind thrift.Type) error { return w.cause(w.pass(kind, 0)) }

func (w *Walker) cause(err error) error {
	switch {
	case err == nil || errors.Is(err, formats.ErrDamaged):
		return err
	case w.failed != nil:
		return w.failed
	}
	return fmt.Errorf("%w: %w", formats.ErrDamaged, err)
}

func (w *Walker) pass(kind thrift.Type, depth int) (err error) {
	if depth > maxDepth {
		return fmt.Errorf("values nest deeper than %d", maxDepth)
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = w.ReadInt64()
	case thrift.DOUBLE:
		// ReadFloat64 hides the end of the input
		_, err = io.CopyN(io.Discard, w.Reader.Reader(), 8)
	case thrift.BINARY:
		n, failed := w.ReadLength()
		if err = failed; err == nil {
			_, err = io.CopyN(io.Discard, w.Reader.Reader(), int64(n))
		}
	case thrift.LIST, thrift.SET:
		_, err = w.list(depth)
	case thrift.MAP:
		pairs, failed := w.ReadMap()
		if err = failed; err == nil {
			err = w.values(pairs.Size, depth, pairs.Key, pairs.Value)
		}
	case thrift.STRUCT:
		err = w.fields(func(_ int16, kind thrift.Type) error {
			return w.pass(kind, depth+1)
		})
	default:
		err = fmt.Errorf("unknown field type %d", kind)
	}
	return err
}

// PassList skips a list, and returns the number of its elements.
func (w *Walker) PassList() (size int32, err error) {
	size, err = w.list(0)
	return size, w.cause(err)
}

func (w *Walker) list(depth int) (size int32, err error) {
	list, err := w.ReadList()
	if err == nil {
		err = w.values(list.Size, depth, list.Type)
	}
	return list.Size, err
}

// values skips n groups of values. Each value takes at least one byte.
func (w *Walker) values(n int32, depth int, kinds ...thrift.Type) error {
	for range n {
		w.Listed++
		for _, kind := range kinds {
			if err := w.pass(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fields calls show with the fields of a struct; show must skip the field. Its errors are those of
// Pass.
func (w *Walker) Fields(show func(id int16, kind thrift.Type) error) error {
	return w.cause(w.fields(show))
}

func (w *Walker) fields(show func(id int16, kind thrift.Type) error) error {
	id := int16(0)
	for {
		field, err := w.ReadField()
		if err != nil || field == (thrift.Field{Type: thrift.STOP}) {
			return err
		}
		if id = field.ID + id; !field.Delta {
			id = field.ID
		}
		if field.Type == thrift.TRUE || field.Type == thrift.FALSE {
			continue // the type is the value
		}
		if err := show(id, field.Type); err != nil {
			return err
		}
	}
}

// walked is the input of a Walker. It counts and keeps the bytes that are read.
type walked struct{ w *Walker }

func (r walked) Read(b []byte) (int, error) {
	n, err := r.w.in.Read(b)
	if long := r.keep(b[:n], err); err == nil {
		err = long
	}
	return n, err
}

func (r walked) ReadByte() (byte, error) {
	b, err := r.w.in.ReadByte()
	if err != nil {
		return 0, r.keep(nil, err)
	}
	return b, r.keep([]byte{b}, nil)
}

func (r walked) keep(b []byte, err error) error {
	w := r.w
	if err != nil && err != io.EOF {
		w.failed = err
	}
	w.Passed += int64(len(b))
	if !w.Skipping {
		w.Raw = append(w.Raw, b...)
	}
	if w.most > 0 && len(w.Raw) > w.most {
		return errors.New("a struct is too long")
	}
	return err
}

// Decode decodes the struct at the start of data, and returns its length. The result refers to
// data.
func Decode(data []byte, into any) (int, error) {
	w := NewWalker(bytes.NewReader(data), 0)
	w.Skipping = true
	if err := w.Pass(thrift.STRUCT); err != nil {
		return 0, err
	}
	return int(w.Passed), DecodePassed(data[:w.Passed], into)
}

// DecodePassed decodes a struct that a Walker has passed. The result refers to raw.
func DecodePassed(raw []byte, into any) error {
	if err := thrift.NewDecoder(protocol.NewReaderFromBytes(raw)).Decode(into); err != nil {
		return fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	return nil
}

// Encode returns the bytes of a struct.
func Encode(v any) ([]byte, error) { return thrift.Marshal(&protocol, v) }

// Magic begins and ends every Parquet file.
const Magic = "PAR1"

// Tail is the number of bytes that follow a footer: its length, and the magic.
const Tail = 8

// FindFooter returns the place of the footer in a file of size bytes.
func FindFooter(file io.ReaderAt, size int64) (at, end int64, err error) {
	var tail [Tail]byte
	if size < int64(len(Magic))+Tail {
		return 0, 0, fmt.Errorf("file of %d bytes: %w", size, formats.ErrDamaged)
	}
	if _, err := file.ReadAt(tail[:], size-Tail); err != nil {
		return 0, 0, EndOfFile(err)
	}
	switch string(tail[4:]) {
	case Magic:
	case "PARE":
		return 0, 0, fmt.Errorf("file is encrypted: %w", formats.ErrUnsupported)
	default:
		return 0, 0, fmt.Errorf("file does not end in %s: %w", Magic, formats.ErrDamaged)
	}
	end = size - Tail
	if at = end - int64(binary.LittleEndian.Uint32(tail[:])); at < int64(len(Magic)) {
		return 0, 0, fmt.Errorf("footer of %d bytes in a file of %d: %w", end-at, size,
			formats.ErrDamaged)
	}
	return at, end, nil
}

// EndOfFile turns the end of a file, where more bytes must follow, into damage.
func EndOfFile(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("file ends early: %w", formats.ErrDamaged)
	}
	return err
}
