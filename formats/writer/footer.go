package writer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The structs of this file are Parquet's metadata as far as a release has it. Those of
// parquet-go cannot leave out the number of nulls, and a wrong zero would be believed.

// footer is the file's metadata. Entries of row groups are encoded when these are written:
// that takes a quarter of the memory.
type footer struct {
	head   footerHead
	groups [][]byte
	held   int64 // bytes of groups
	tail   footerTail
}

// footerHead is what comes before the row groups.
type footerHead struct {
	Version int32                  `thrift:"1,required"`
	Schema  []format.SchemaElement `thrift:"2,required"`
	NumRows int64                  `thrift:"3,required"`
}

// footerTail is what comes after the row groups, which are field 4: the protocol writes the
// distance from one field's number to the next.
type footerTail struct {
	KeyValueMetadata []format.KeyValue    `thrift:"1,optional"` // 5
	CreatedBy        string               `thrift:"2,optional"` // 6
	ColumnOrders     []format.ColumnOrder `thrift:"3,optional"` // 7
}

// listField begins a field that is a list, right after the field before it.
const listField = 1<<4 | byte(thrift.LIST)

// add adds the entry of a row group.
func (f *footer) add(g *rowGroupMeta) error {
	entry, err := encode(g)
	if err != nil {
		return err
	}
	entry = slices.Clone(entry) // without room to grow
	f.groups = append(f.groups, entry)
	f.held += entryBytes + int64(len(entry))
	f.head.NumRows += g.NumRows
	return nil
}

// entryBytes is what holding an entry takes beside its bytes.
const entryBytes = 48

// write writes the footer, its length and the magic.
func (f *footer) write(to io.Writer) error {
	head, err := encode(&f.head)
	if err != nil {
		return err
	}
	tail, err := encode(&f.tail)
	if err != nil {
		return err
	}
	list := bytes.NewBuffer([]byte{listField})
	_ = protocol.NewWriter(list).WriteList(thrift.List{Size: int32(len(f.groups)), Type: thrift.STRUCT}) // to memory
	parts := slices.Concat([][]byte{head[:len(head)-1], list.Bytes()}, f.groups, [][]byte{tail})         // a struct ends with a byte
	size := 0
	out := bufio.NewWriterSize(to, footerBuffer)
	for _, part := range parts {
		size += len(part)
		out.Write(part) // an error stays until the flush
	}
	out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), magic...))
	return out.Flush()
}

// footerBuffer is how much of a footer is written at a time, in bytes.
const footerBuffer = 1 << 16

var protocol thrift.CompactProtocol

func encode(v any) ([]byte, error) {
	b, err := thrift.Marshal(&protocol, v)
	if err != nil {
		return nil, fmt.Errorf("encode footer: %w", err)
	}
	return b, nil
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
