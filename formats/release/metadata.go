package release

import (
	"bytes"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// The structs of this file are Parquet's metadata as far as a release has it, and what a leak may
// hide in. What else a file has is not decoded: it shows when the struct is written again, which
// gives other bytes than the file has then.

// fileMeta is a footer without row groups.
type fileMeta struct {
	Version          int32                              `thrift:"1,required"`
	Schema           thrift.Slice[format.SchemaElement] `thrift:"2,required"`
	NumRows          int64                              `thrift:"3,required"`
	RowGroups        thrift.Slice[rowGroupMeta]         `thrift:"4,required"` // empty
	KeyValueMetadata thrift.Slice[keyValue]             `thrift:"5,optional"`
	CreatedBy        string                             `thrift:"6,optional"`
	ColumnOrders     thrift.Slice[format.ColumnOrder]   `thrift:"7,optional"`
	Encryption       format.EncryptionAlgorithm         `thrift:"8,optional"`
}

type keyValue struct {
	Key   string              `thrift:"1,required"`
	Value thrift.Null[string] `thrift:"2,optional"`
}

type rowGroupMeta struct {
	Columns             thrift.Slice[chunkMeta] `thrift:"1,required"`
	TotalByteSize       int64                   `thrift:"2,required"`
	NumRows             int64                   `thrift:"3,required"`
	FileOffset          thrift.Null[int64]      `thrift:"5,optional"`
	TotalCompressedSize thrift.Null[int64]      `thrift:"6,optional"`
	Ordinal             thrift.Null[int16]      `thrift:"7,optional"`
}

type chunkMeta struct {
	FilePath          string                  `thrift:"1,optional"`
	FileOffset        int64                   `thrift:"2,required"`
	MetaData          thrift.Null[columnMeta] `thrift:"3,optional"`
	OffsetIndexOffset thrift.Null[int64]      `thrift:"4,optional"`
	OffsetIndexLength thrift.Null[int32]      `thrift:"5,optional"`
	ColumnIndexOffset thrift.Null[int64]      `thrift:"6,optional"`
	ColumnIndexLength thrift.Null[int32]      `thrift:"7,optional"`
}

type columnMeta struct {
	Type                  format.Type                            `thrift:"1,required"`
	Encoding              thrift.Slice[format.Encoding]          `thrift:"2,required"`
	PathInSchema          thrift.Slice[string]                   `thrift:"3,required"`
	Codec                 format.CompressionCodec                `thrift:"4,required"`
	NumValues             int64                                  `thrift:"5,required"`
	TotalUncompressedSize int64                                  `thrift:"6,required"`
	TotalCompressedSize   int64                                  `thrift:"7,required"`
	KeyValueMetadata      thrift.Slice[keyValue]                 `thrift:"8,optional"`
	DataPageOffset        int64                                  `thrift:"9,required"`
	DictionaryPageOffset  int64                                  `thrift:"11,optional"`
	Statistics            thrift.Null[statistics]                `thrift:"12,optional"`
	EncodingStats         thrift.Slice[format.PageEncodingStats] `thrift:"13,optional"`
	BloomFilterOffset     thrift.Null[int64]                     `thrift:"14,optional"`
}

type statistics struct {
	Max       []byte             `thrift:"1,optional"`
	Min       []byte             `thrift:"2,optional"`
	NullCount thrift.Null[int64] `thrift:"3,optional"`
	MaxValue  []byte             `thrift:"5,optional"`
	MinValue  []byte             `thrift:"6,optional"`
}

type pageMeta struct {
	Type         format.PageType             `thrift:"1,required"`
	Uncompressed int32                       `thrift:"2,required"`
	Compressed   int32                       `thrift:"3,required"`
	CRC          thrift.Null[int32]          `thrift:"4,optional"`
	Data         thrift.Null[dataMeta]       `thrift:"5,optional"`
	Dictionary   thrift.Null[dictionaryMeta] `thrift:"7,optional"`
	DataV2       thrift.Null[dataV2Meta]     `thrift:"8,optional"`
}

type dataMeta struct {
	NumValues   int32                       `thrift:"1,required"`
	Encoding    format.Encoding             `thrift:"2,required"`
	Definitions format.Encoding             `thrift:"3,required"`
	Repetitions format.Encoding             `thrift:"4,required"`
	Statistics  thrift.Null[pageStatistics] `thrift:"5,optional"`
}

type pageStatistics struct {
	NullCount thrift.Null[int64] `thrift:"3,optional"`
}

type dictionaryMeta struct {
	NumValues int32           `thrift:"1,required"`
	Encoding  format.Encoding `thrift:"2,required"`
}

type dataV2Meta struct {
	NumValues       int32             `thrift:"1,required"`
	NumNulls        int32             `thrift:"2,required"`
	NumRows         int32             `thrift:"3,required"`
	Encoding        format.Encoding   `thrift:"4,required"`
	DefinitionBytes int32             `thrift:"5,required"`
	RepetitionBytes int32             `thrift:"6,required"`
	IsCompressed    thrift.Null[bool] `thrift:"7,optional"`
}

var protocol thrift.CompactProtocol

// decode decodes a struct at the start of bytes that a structReader has passed: no list in it is
// longer than it says. The struct refers to them. It reports whether it has these very bytes when
// it is written again.
func decode(raw []byte, into any) (same bool, err error) {
	if err := thrift.NewDecoder(protocol.NewReaderFromBytes(raw)).Decode(into); err != nil {
		return false, fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	again, err := thrift.Marshal(&protocol, into)
	if err != nil {
		return false, fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	return bytes.Equal(again, raw), nil
}
