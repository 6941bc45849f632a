package release

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/kcut/kcut/formats"
)

// Parquet's numbers of the kinds of pages, and of the encoding of levels.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3

	runLengths = 3 // the hybrid of run lengths and packed bits
)

// maxHeader bounds a page header, in bytes: one that holds two long values of the column is
// still far below.
const maxHeader = 1 << 24

// pageHeader is what the header of a page says. A number that is missing is 0.
type pageHeader struct {
	size         int64 // bytes of the header itself
	kind         int64 // dataPage, dictionaryPage, dataPageV2 or another
	uncompressed int64 // bytes of the page before compression
	compressed   int64 // bytes of the page as stored
	crc          int64 // CRC-32 (IEEE) of the page as stored, with the sign of 32 bits
	entries      int64 // nulls too
	encoding     int64
	nulls        int64
	rows         int64 // dataPageV2 only

	definitions, repetitions         int64 // how the levels of a dataPage are encoded
	definitionBytes, repetitionBytes int64 // of the levels of a dataPageV2, which are not compressed
	plain                            bool  // a dataPageV2 whose values are not compressed either

	checked bool // has a crc
	counted bool // has nulls
	foreign bool // is not of the form that kcut writes
}

// headerReader reads page headers, by the library that Arrow reads them by.
type headerReader struct {
	limit    io.LimitedReader
	raw      bytes.Buffer // the header's bytes
	form     headerForm
	protocol *thrift.TCompactProtocol
	header   pageHeader
}

func newHeaderReader() *headerReader {
	h := &headerReader{}
	transport := &thrift.StreamTransport{Reader: io.TeeReader(&h.limit, &h.raw)}
	h.protocol = thrift.NewTCompactProtocolConf(transport, &thrift.TConfiguration{MaxMessageSize: maxHeader})
	return h
}

// read reads the next header, which is overwritten by the one after it.
func (h *headerReader) read(from *bufio.Reader) (*pageHeader, error) {
	h.limit = io.LimitedReader{R: from, N: maxHeader}
	h.raw.Reset()
	h.form.reset()
	h.header = pageHeader{}
	p := &h.header
	if err := h.fields(0); err != nil {
		return nil, fmt.Errorf("%w: page header: %w", formats.ErrDamaged, err)
	}
	if min(p.uncompressed, p.compressed, p.entries, p.rows, p.definitionBytes, p.repetitionBytes) < 0 {
		return nil, fmt.Errorf("%w: page header has a negative size", formats.ErrDamaged)
	}
	p.size = int64(h.raw.Len())
	p.foreign = !bytes.Equal(h.raw.Bytes(), h.form.bytes) || !h.form.of(p)
	return p, nil
}

// fields reads the struct at a path, 0 for the header itself.
func (h *headerReader) fields(path int) error {
	ctx := context.Background()
	if _, err := h.protocol.ReadStructBegin(ctx); err != nil {
		return err
	}
	h.form.begin()
	for {
		_, wire, id, err := h.protocol.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if wire == thrift.STOP {
			h.form.end()
			return h.protocol.ReadStructEnd(ctx)
		}
		if err := h.field(wire, path, int(id)); err != nil {
			return err
		}
	}
}

// field reads a field of the struct at a path. A path is read digit by digit: 51 is field 1
// of the struct in field 5.
func (h *headerReader) field(wire thrift.TType, path, id int) (err error) {
	ctx := context.Background()
	path = 10*path + id
	number := h.header.number(path)
	switch {
	case wire == thrift.STRUCT && (path == 5 || path == 7 || path == 8 || path == 55):
		h.form.field(id, compactStruct)
		err = h.fields(path)
	case wire == thrift.I32 && number != nil:
		var n int32
		n, err = h.protocol.ReadI32(ctx)
		*number = int64(n)
		h.form.number(id, compactInt32, *number)
	case wire == thrift.I64 && number != nil:
		*number, err = h.protocol.ReadI64(ctx)
		h.form.number(id, compactInt64, *number)
	case wire == thrift.BOOL && path == 87:
		var compressed bool
		compressed, err = h.protocol.ReadBool(ctx)
		h.header.plain = !compressed
		h.form.truth(id, compressed)
	default:
		err = h.protocol.Skip(ctx, wire)
	}
	return err
}

// number returns where the number at a path goes, nil when it is not needed.
func (h *pageHeader) number(path int) *int64 {
	switch path {
	case 1:
		return &h.kind
	case 2:
		return &h.uncompressed
	case 3:
		return &h.compressed
	case 4:
		h.checked = true
		return &h.crc
	case 51, 71, 81:
		return &h.entries
	case 52, 72, 84:
		return &h.encoding
	case 53:
		return &h.definitions
	case 54:
		return &h.repetitions
	case 553, 82:
		h.counted = true
		return &h.nulls
	case 83:
		return &h.rows
	case 85:
		return &h.definitionBytes
	case 86:
		return &h.repetitionBytes
	}
	return nil
}

// Types of fields in Thrift's compact protocol.
const (
	compactTrue   = 1
	compactFalse  = 2
	compactInt32  = 5
	compactInt64  = 6
	compactStruct = 12
)

// headerForm writes a header again as kcut writes it: nothing but what is read of it, every
// number at its shortest. A header of other bytes hides something, or hides damage.
type headerForm struct {
	bytes []byte
	last  []int // number of the last field of every struct that is open
	page  int   // number of the field that says what is particular to the kind of page
}

func (f *headerForm) reset() { f.bytes, f.last, f.page = f.bytes[:0], f.last[:0], 0 }

func (f *headerForm) begin() { f.last = append(f.last, 0) }

func (f *headerForm) end() {
	f.last = f.last[:len(f.last)-1]
	f.bytes = append(f.bytes, 0)
}

// field writes the number of a field, as its distance from the one before it, and its type.
func (f *headerForm) field(id int, wire byte) {
	last := &f.last[len(f.last)-1]
	f.bytes = append(f.bytes, byte(id-*last)<<4|wire)
	*last = id
	if len(f.last) == 1 && wire == compactStruct {
		f.page = id
	}
}

func (f *headerForm) number(id int, wire byte, n int64) {
	f.field(id, wire)
	f.bytes = binary.AppendVarint(f.bytes, n)
}

func (f *headerForm) truth(id int, yes bool) {
	if yes {
		f.field(id, compactTrue)
	} else {
		f.field(id, compactFalse)
	}
}

// of reports whether a header has the parts that its kind of page asks for.
func (f *headerForm) of(h *pageHeader) bool {
	switch h.kind {
	case dataPage:
		return f.page == 5 && h.definitions == runLengths && h.repetitions == runLengths
	case dictionaryPage:
		return f.page == 7
	case dataPageV2:
		return f.page == 8
	}
	return false
}
