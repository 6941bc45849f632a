package writer

import (
	"bytes"
	"fmt"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageHeader is format.PageHeader with a checksum that is always there: that one leaves out
// a checksum that happens to be 0, and a page without one cannot be held against it.
type pageHeader struct {
	Type                 format.PageType                          `thrift:"1,required"`
	UncompressedPageSize int32                                    `thrift:"2,required"`
	CompressedPageSize   int32                                    `thrift:"3,required"`
	CRC                  int32                                    `thrift:"4,required"` // CRC-32 (IEEE) of the page as stored
	DataPageHeader       thrift.Null[format.DataPageHeader]       `thrift:"5,optional"`
	DictionaryPageHeader thrift.Null[format.DictionaryPageHeader] `thrift:"7,optional"`
}

// encode writes the header of a page of so many bytes before compression, given as stored.
func (h *pageHeader) encode(dst *bytes.Buffer, uncompressed int, stored []byte) error {
	h.UncompressedPageSize, h.CompressedPageSize = int32(uncompressed), int32(len(stored))
	h.CRC = int32(crc32.ChecksumIEEE(stored))
	if err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(dst)).Encode(h); err != nil {
		return fmt.Errorf("encode page header: %w", err)
	}
	return nil
}
