package release

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/kcut/kcut/formats"
)

// Parquet's numbers of the kinds of pages that a release has, and of its level encoding.
const (
	dataPage       = 0
	dictionaryPage = 2
	runLengths     = 3
)

// maxHeader bounds a page header, in bytes: one that holds two long values of the column is
// still far below.
const maxHeader = 1 << 24

// pageHeader is what the header of a page says. A number that is missing is 0.
type pageHeader struct {
	size         int64 // bytes of the header itself
	kind         int64 // dataPage, dictionaryPage or another
	uncompressed int64 // bytes of the page before compression
	compressed   int64 // bytes of the page as stored
	crc          int64 // CRC-32 (IEEE) of the page as stored, with the sign of 32 bits
	entries      int64 // nulls too
	encoding     int64
	nulls        int64

	checked bool // has a crc
	foreign bool // is not of the form that kcut writes
}

// readHeader reads the header of a page, by the library that Arrow reads it by.
func readHeader(r io.Reader) (*pageHeader, error) {
	var raw bytes.Buffer
	transport := &thrift.StreamTransport{Reader: io.TeeReader(io.LimitReader(r, maxHeader), &raw)}
	protocol := thrift.NewTCompactProtocolConf(transport, &thrift.TConfiguration{MaxMessageSize: maxHeader})
	h := &pageHeader{}
	if err := h.fields(protocol, 0); err != nil {
		return nil, fmt.Errorf("%w: page header: %w", formats.ErrDamaged, err)
	}
	if min(h.uncompressed, h.compressed, h.entries) < 0 {
		return nil, fmt.Errorf("%w: page header has a negative size", formats.ErrDamaged)
	}
	h.size = int64(raw.Len())
	h.foreign = !bytes.Equal(raw.Bytes(), h.form())
	return h, nil
}

// fields reads the struct at a path, 0 for the header itself.
func (h *pageHeader) fields(p thrift.TProtocol, path int) error {
	ctx := context.Background()
	if _, err := p.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, wire, id, err := p.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if wire == thrift.STOP {
			return p.ReadStructEnd(ctx)
		}
		if err := h.field(p, wire, 10*path+int(id)); err != nil {
			return err
		}
	}
}

// field reads the field at a path, which is read digit by digit: 51 is field 1 of the struct
// in field 5.
func (h *pageHeader) field(p thrift.TProtocol, wire thrift.TType, path int) error {
	ctx := context.Background()
	number := h.number(path)
	var err error
	switch {
	case wire == thrift.STRUCT && (path == 5 || path == 55 || path == 7):
		err = h.fields(p, path)
	case wire == thrift.I32 && number != nil:
		var n int32
		n, err = p.ReadI32(ctx)
		*number = int64(n)
	case wire == thrift.I64 && number != nil:
		*number, err = p.ReadI64(ctx)
	default:
		err = p.Skip(ctx, wire)
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
	case 553, 82:
		return &h.nulls
	}
	return nil
}

// Bytes of Thrift's compact protocol before a field: its number less that of the field
// before it, and its type.
const (
	nextInt32   = 1<<4 | 5
	thirdInt64  = 3<<4 | 6
	nextStruct  = 1<<4 | 12
	thirdStruct = 3<<4 | 12
	stop        = 0
)

// form returns the header as kcut writes it: nothing but what h has, every number at its
// shortest. A header of other bytes hides something, or hides damage.
func (h *pageHeader) form() []byte {
	var b []byte
	int32s := func(numbers ...int64) {
		for _, n := range numbers {
			b = binary.AppendVarint(append(b, nextInt32), n)
		}
	}
	int32s(h.kind, h.uncompressed, h.compressed, h.crc)
	if h.kind == dictionaryPage {
		b = append(b, thirdStruct)
		int32s(h.entries, h.encoding)
		return append(b, stop, stop)
	}
	b = append(b, nextStruct)
	int32s(h.entries, h.encoding, runLengths, runLengths)
	b = binary.AppendVarint(append(b, nextStruct, thirdInt64), h.nulls)
	return append(b, stop, stop, stop)
}
