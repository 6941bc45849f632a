package parquetfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

func TestThriftLen(t *testing.T) {
	header := format.PageHeader{Type: format.DataPage, UncompressedPageSize: 100, CompressedPageSize: 90}
	header.DataPageHeader.Valid = true
	header.DataPageHeader.V = format.DataPageHeader{NumValues: 1000, Statistics: format.Statistics{MinValue: []byte("low"), MaxValue: []byte("top")}}
	data, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		t.Fatal(err)
	}
	n, err := thriftLen(append(data, 1, 2, 3))
	if err != nil || n != len(data) {
		t.Errorf("length %d, %v, want %d", n, err, len(data))
	}
	for cut := range data {
		if _, err := thriftLen(data[:cut]); !errors.Is(err, errShort) {
			t.Errorf("%d of %d bytes: %v, want errShort", cut, len(data), err)
		}
	}
	var page format.PageHeader
	if _, err := decodeThrift(data, &page); err != nil || page.DataPageHeader.V.NumValues != 1000 || page.CompressedPageSize != 90 {
		t.Errorf("decoded %+v, %v", page, err)
	}
}

func TestThriftRefuses(t *testing.T) {
	for name, data := range map[string][]byte{
		"long list":    {0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0},
		"long text":    {0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 'a'},
		"long map":     {0x1b, 0xff, 0xff, 0x7f, 0x88, 0},
		"no such type": {0x1d, 0},
		"long number":  bytes.Repeat([]byte{0x16, 0xff, 0xff, 0xff}, 8),
		"deep structs": []byte(strings.Repeat("\x1c", 1000)),
		"deep lists":   append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1000)...),
	} {
		if n, err := thriftLen(data); err == nil {
			t.Errorf("%s: taken for a struct of %d bytes", name, n)
		}
	}
}
