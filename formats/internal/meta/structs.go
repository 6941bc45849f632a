package meta

import (
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The structs of this file are Parquet's metadata as far as a release has it, and the parts in
// which a leak may hide. Other parts are not decoded: when the struct is written again, its bytes
// differ from those of the file. The structs of parquet-go cannot leave out the number of nulls,
// and readers would believe a wrong zero; nor can they distinguish a checksum of 0 from none.

// File is a footer.
type File struct {
	Version          int32                              `thrift:"1,required"`
	Schema           thrift.Slice[format.SchemaElement] `thrift:"2,required"`
	NumRows          int64                              `thrift:"3,required"`
	RowGroups        thrift.Slice[RowGroup]             `thrift:"4,required"` // always empty
	KeyValueMetadata thrift.Slice[KeyValue]             `thrift:"5,optional"`
	CreatedBy        string                             `thrift:"6,optional"`
	ColumnOrders     thrift.Slice[format.ColumnOrder]   `thrift:"7,optional"`
	Encryption       format.EncryptionAlgorithm         `thrift:"8,optional"`
}

// KeyValue is an entry of the key-value metadata of a file or a chunk.
type KeyValue struct {
	Key   string              `thrift:"1,required"`
	Value thrift.Null[string] `thrift:"2,optional"`
}

// RowGroup is the entry of a row group.
type RowGroup struct {
	Columns             thrift.Slice[Chunk] `thrift:"1,required"`
	TotalByteSize       int64               `thrift:"2,required"`
	NumRows             int64               `thrift:"3,required"`
	FileOffset          thrift.Null[int64]  `thrift:"5,optional"`
	TotalCompressedSize thrift.Null[int64]  `thrift:"6,optional"`
	Ordinal             thrift.Null[int16]  `thrift:"7,optional"`
}

// Chunk is the entry of a column chunk.
type Chunk struct {
	FilePath          string                      `thrift:"1,optional"`
	FileOffset        int64                       `thrift:"2,required"`
	MetaData          thrift.Null[Column]         `thrift:"3,optional"`
	OffsetIndexOffset thrift.Null[int64]          `thrift:"4,optional"`
	OffsetIndexLength thrift.Null[int32]          `thrift:"5,optional"`
	ColumnIndexOffset thrift.Null[int64]          `thrift:"6,optional"`
	ColumnIndexLength thrift.Null[int32]          `thrift:"7,optional"`
	Crypto            format.ColumnCryptoMetaData `thrift:"8,optional"`
	Encrypted         []byte                      `thrift:"9,optional"`
}

// Column has the places and the properties of the pages of a chunk.
type Column struct {
	Type                  format.Type                            `thrift:"1,required"`
	Encoding              thrift.Slice[format.Encoding]          `thrift:"2,required"`
	PathInSchema          thrift.Slice[string]                   `thrift:"3,required"`
	Codec                 format.CompressionCodec                `thrift:"4,required"`
	NumValues             int64                                  `thrift:"5,required"`
	TotalUncompressedSize int64                                  `thrift:"6,required"`
	TotalCompressedSize   int64                                  `thrift:"7,required"`
	KeyValueMetadata      thrift.Slice[KeyValue]                 `thrift:"8,optional"`
	DataPageOffset        int64                                  `thrift:"9,required"`
	DictionaryPageOffset  int64                                  `thrift:"11,optional"`
	Statistics            thrift.Null[Statistics]                `thrift:"12,optional"`
	EncodingStats         thrift.Slice[format.PageEncodingStats] `thrift:"13,optional"`
	BloomFilterOffset     thrift.Null[int64]                     `thrift:"14,optional"`
	Sizes                 thrift.Null[Sizes]                     `thrift:"16,optional"`
}

// Statistics are those of a chunk.
type Statistics struct {
	Max       []byte             `thrift:"1,optional"`
	Min       []byte             `thrift:"2,optional"`
	NullCount thrift.Null[int64] `thrift:"3,optional"`
	MaxValue  []byte             `thrift:"5,optional"`
	MinValue  []byte             `thrift:"6,optional"`
}

// Sizes are those of a chunk's values.
type Sizes struct {
	Unencoded thrift.Null[int64] `thrift:"1,optional"` // bytes of all values that are texts
}

// PageHeader comes before every page.
type PageHeader struct {
	Type         format.PageType             `thrift:"1,required"`
	Uncompressed int32                       `thrift:"2,required"`
	Compressed   int32                       `thrift:"3,required"`
	CRC          thrift.Null[int32]          `thrift:"4,optional"`
	Data         thrift.Null[DataPage]       `thrift:"5,optional"`
	Dictionary   thrift.Null[DictionaryPage] `thrift:"7,optional"`
	DataV2       thrift.Null[DataPageV2]     `thrift:"8,optional"`
}

// DataPage is the part of the header for a page of version 1.
type DataPage struct {
	NumValues   int32                       `thrift:"1,required"`
	Encoding    format.Encoding             `thrift:"2,required"`
	Definitions format.Encoding             `thrift:"3,required"`
	Repetitions format.Encoding             `thrift:"4,required"`
	Statistics  thrift.Null[PageStatistics] `thrift:"5,optional"`
}

// PageStatistics are those of a page.
type PageStatistics struct {
	NullCount thrift.Null[int64] `thrift:"3,optional"`
}

// DictionaryPage is the part of the header for a dictionary.
type DictionaryPage struct {
	NumValues int32           `thrift:"1,required"`
	Encoding  format.Encoding `thrift:"2,required"`
}

// DataPageV2 is the part of the header for a page of version 2.
type DataPageV2 struct {
	NumValues       int32             `thrift:"1,required"`
	NumNulls        int32             `thrift:"2,required"`
	NumRows         int32             `thrift:"3,required"`
	Encoding        format.Encoding   `thrift:"4,required"`
	DefinitionBytes int32             `thrift:"5,required"`
	RepetitionBytes int32             `thrift:"6,required"`
	IsCompressed    thrift.Null[bool] `thrift:"7,optional"`
}
