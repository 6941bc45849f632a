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
	DataPageHeader       thrift.Null[dataPageHeader]              `thrift:"5,optional"`
	DictionaryPageHeader thrift.Null[format.DictionaryPageHeader] `thrift:"7,optional"`
	DataPageHeaderV2     thrift.Null[dataPageHeaderV2]            `thrift:"8,optional"`
}

// dataPageHeader is format.DataPageHeader, which cannot leave out the number of nulls: a
// wrong zero would be believed.
type dataPageHeader struct {
	NumValues               int32                          `thrift:"1,required"`
	Encoding                format.Encoding                `thrift:"2,required"`
	DefinitionLevelEncoding format.Encoding                `thrift:"3,required"`
	RepetitionLevelEncoding format.Encoding                `thrift:"4,required"`
	Statistics              thrift.Null[format.Statistics] `thrift:"5,optional"`
}

// dataPageHeaderV2 is format.DataPageHeaderV2 without statistics.
type dataPageHeaderV2 struct {
	NumValues                  int32           `thrift:"1,required"`
	NumNulls                   int32           `thrift:"2,required"`
	NumRows                    int32           `thrift:"3,required"`
	Encoding                   format.Encoding `thrift:"4,required"`
	DefinitionLevelsByteLength int32           `thrift:"5,required"`
	RepetitionLevelsByteLength int32           `thrift:"6,required"`
	IsCompressed               bool            `thrift:"7,required"`
}

// dataHeader returns the header of a page of entries of which so many are null; −1: nobody counted.
func dataHeader(entries, nulls int, encoding format.Encoding) pageHeader {
	h := dataPageHeader{
		NumValues: int32(entries), Encoding: encoding,
		DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	}
	if nulls >= 0 {
		h.Statistics = thrift.New(format.Statistics{NullCount: int64(nulls)})
	}
	return pageHeader{Type: format.DataPage, DataPageHeader: thrift.New(h)}
}

func dictionaryHeader(entries int) pageHeader {
	return pageHeader{
		Type:                 format.DictionaryPage,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(entries), Encoding: format.Plain}),
	}
}

// store completes the header of a page of so many bytes before compression, given as stored.
func (h *pageHeader) store(uncompressed int, stored []byte) {
	h.UncompressedPageSize, h.CompressedPageSize = int32(uncompressed), int32(len(stored))
	h.CRC = int32(crc32.ChecksumIEEE(stored))
}

func (h *pageHeader) encode(dst *bytes.Buffer) error {
	if err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(dst)).Encode(h); err != nil {
		return fmt.Errorf("encode page header: %w", err)
	}
	return nil
}
