package writer

import (
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The structs of this file are Parquet's metadata as far as a release has it. Those of
// parquet-go cannot leave out the number of nulls, and a wrong zero would be believed.

type fileMetaData struct {
	Version          int32                  `thrift:"1,required"`
	Schema           []format.SchemaElement `thrift:"2,required"`
	NumRows          int64                  `thrift:"3,required"`
	RowGroups        []rowGroupMeta         `thrift:"4,required"`
	KeyValueMetadata []format.KeyValue      `thrift:"5,optional"`
	CreatedBy        string                 `thrift:"6,optional"`
	ColumnOrders     []format.ColumnOrder   `thrift:"7,optional"`
}

type rowGroupMeta struct {
	Columns             []chunkMeta `thrift:"1,required"`
	TotalByteSize       int64       `thrift:"2,required"`
	NumRows             int64       `thrift:"3,required"`
	FileOffset          int64       `thrift:"5,optional"`
	TotalCompressedSize int64       `thrift:"6,optional"`
	Ordinal             int16       `thrift:"7,optional,writezero"`
}

type chunkMeta struct {
	FileOffset int64      `thrift:"2,required"` // always 0
	MetaData   columnMeta `thrift:"3,optional"`
}

type columnMeta struct {
	Type                  format.Type                    `thrift:"1,required"`
	Encoding              []format.Encoding              `thrift:"2,required"`
	PathInSchema          []string                       `thrift:"3,required"`
	Codec                 format.CompressionCodec        `thrift:"4,required"`
	NumValues             int64                          `thrift:"5,required"`
	TotalUncompressedSize int64                          `thrift:"6,required"`
	TotalCompressedSize   int64                          `thrift:"7,required"`
	DataPageOffset        int64                          `thrift:"9,required"`
	DictionaryPageOffset  int64                          `thrift:"11,optional"`
	Statistics            thrift.Null[format.Statistics] `thrift:"12,optional"`
	EncodingStats         []format.PageEncodingStats     `thrift:"13,optional"`
}
