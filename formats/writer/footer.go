package writer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats/internal/meta"
)

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
func (f *footer) add(g *meta.RowGroup) error {
	entry, err := meta.Encode(g)
	if err != nil {
		return fmt.Errorf("encode footer: %w", err)
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
func (f *footer) write(out *bufio.Writer) error {
	head, err := meta.Encode(&f.head)
	if err != nil {
		return fmt.Errorf("encode footer: %w", err)
	}
	tail, err := meta.Encode(&f.tail)
	if err != nil {
		return fmt.Errorf("encode footer: %w", err)
	}
	list := bytes.NewBuffer([]byte{listField})
	_ = new(thrift.CompactProtocol).NewWriter(list).WriteList(thrift.List{Size: int32(len(f.groups)), Type: thrift.STRUCT}) // to memory
	size := 0
	for _, part := range slices.Concat([][]byte{head[:len(head)-1], list.Bytes()}, f.groups, [][]byte{tail}) { // a struct ends with a byte
		size += len(part)
		out.Write(part) // an error stays until the flush
	}
	out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), magic...))
	return out.Flush()
}
