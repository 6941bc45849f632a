package meta

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

func TestWalker(t *testing.T) {
	header := format.PageHeader{
		Type:                 format.DataPage,
		UncompressedPageSize: 100,
		CompressedPageSize:   90,
	}
	header.DataPageHeader.Valid = true
	header.DataPageHeader.V = format.DataPageHeader{
		NumValues:  1000,
		Statistics: format.Statistics{MinValue: []byte("low"), MaxValue: []byte("top")},
	}
	data, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		t.Fatal(err)
	}
	var page format.PageHeader
	n, err := Decode(append(data, 1, 2, 3), &page)
	if err != nil || n != len(data) || page.DataPageHeader.V.NumValues != 1000 ||
		page.CompressedPageSize != 90 {
		t.Errorf("length %d, %v, want %d; %+v", n, err, len(data), page)
	}
	for cut := range data {
		if _, err := Decode(data[:cut], &page); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%d of %d bytes: %v, want ErrDamaged", cut, len(data), err)
		}
	}
	w := NewWalker(bufio.NewReader(bytes.NewReader(append(data, data...))), len(data))
	for range 2 {
		if raw, err := w.Next(); err != nil || !bytes.Equal(raw, data) {
			t.Errorf("%d bytes of %d, %v", len(raw), len(data), err)
		}
	}
	short := NewWalker(bytes.NewReader(data), len(data)-1)
	if _, err := short.Next(); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("a struct that is too long: %v", err)
	}
	if _, err := NewWalker(broken{bytes.NewReader(data[:9])}, 0).Next(); !errors.Is(err,
		errBroken) || errors.Is(err, formats.ErrDamaged) {
		t.Errorf("an input that fails: %v", err)
	}
}

var errBroken = errors.New("broken")

// broken fails at the end of its bytes.
type broken struct{ *bytes.Reader }

func (b broken) ReadByte() (byte, error) {
	one, err := b.Reader.ReadByte()
	if err != nil {
		err = errBroken
	}
	return one, err
}

func TestWalkerRefuses(t *testing.T) {
	for name, data := range map[string][]byte{
		"long list":    {0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0},
		"long text":    {0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 'a'},
		"long map":     {0x1b, 0xff, 0xff, 0x7f, 0x88, 0},
		"no such type": {0x1d, 0},
		"long number":  bytes.Repeat([]byte{0x16, 0xff, 0xff, 0xff}, 8),
		"deep structs": []byte(strings.Repeat("\x1c", 1000)),
		"deep lists":   append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1000)...),
	} {
		if n, err := Decode(data, new(format.PageHeader)); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
}

// A list of values that are not there ends with the input, for every type.
func TestListsThatEndEarly(t *testing.T) {
	for _, kind := range []thrift.Type{thrift.I8, thrift.I64, thrift.DOUBLE, thrift.BINARY,
		thrift.STRUCT} {
		list := []byte{0xf0 | byte(kind), 2} // two elements, none of which is there
		if err := NewWalker(bytes.NewReader(list), 100).Pass(thrift.LIST); !errors.Is(err,
			formats.ErrDamaged) {
			t.Errorf("%v: %v", kind, err)
		}
	}
}
