package writer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Writer writes a release: magic bytes, row groups in the given order, footer. The footer contains
// no time and no names other than those of columns and metadata keys.
type Writer struct {
	out    *bufio.Writer
	offset int64
	// The footer. Entries of row groups are encoded when these are written, which takes a quarter
	// of the memory.
	head   footerHead
	groups [][]byte
	held   int64 // bytes of groups
	tail   footerTail
}

// writeBuffer is the number of bytes that are written at a time.
const writeBuffer = 1 << 20

// New returns a Writer to w of a file with these columns and key-value metadata, which is written
// in the order of its keys. A file without a row group is a valid, empty table once closed.
func New(w io.Writer, columns []Column, metadata map[string]string) (*Writer, error) {
	f := &Writer{out: bufio.NewWriterSize(w, writeBuffer), offset: firstOffset}
	head, tail := &f.head, &f.tail
	head.Version, tail.CreatedBy = 2, formats.CreatedBy
	head.Schema = schema.Elements{{Name: "schema", NumChildren: thrift.New(int32(len(columns)))}}
	for _, c := range columns {
		elements := c.elements()
		leaves, err := elements.Leaves()
		if err != nil {
			return nil, fmt.Errorf("write column %s: %w", c.Field.Name, err)
		}
		order := format.ColumnOrder{Value: &format.TypeDefinedOrder{}}
		tail.ColumnOrders = append(tail.ColumnOrders,
			slices.Repeat([]format.ColumnOrder{order}, len(leaves))...)
		head.Schema = append(head.Schema, elements...)
	}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		tail.KeyValueMetadata = append(tail.KeyValueMetadata,
			format.KeyValue{Key: key, Value: metadata[key]})
	}
	_, err := f.out.WriteString(meta.Magic)
	return f, errors.Join(err, f.out.Flush())
}

// Stamped is a file whose metadata can be replaced.
type Stamped interface {
	io.ReaderAt
	io.WriterAt
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
}

// Restamp replaces the key-value metadata of a closed file that was written with these columns and
// other metadata. Nothing else in it changes.
func Restamp(file Stamped, columns []Column, was, now map[string]string) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	before, err := footerTailOf(columns, was)
	if err != nil {
		return err
	}
	after, err := footerTailOf(columns, now)
	if err != nil {
		return err
	}
	end := make([]byte, len(before)+meta.Tail)
	at := info.Size() - int64(len(end))
	if _, err := file.ReadAt(end, at); err != nil {
		return fmt.Errorf("read footer: %w", err)
	}
	if !bytes.Equal(end[:len(before)], before) {
		return fmt.Errorf("read footer: it is not the one that was written: %w", formats.ErrDamaged)
	}
	size := int(binary.LittleEndian.Uint32(end[len(before):])) + len(after) - len(before)
	after = append(binary.LittleEndian.AppendUint32(after, uint32(size)), meta.Magic...)
	if _, err = file.WriteAt(after, at); err == nil {
		err = file.Truncate(at + int64(len(after)))
	}
	if err != nil {
		return fmt.Errorf("write footer: %w", err)
	}
	return nil
}

// footerTailOf returns the bytes of a footer behind its row groups.
func footerTailOf(columns []Column, metadata map[string]string) ([]byte, error) {
	f, err := New(io.Discard, columns, metadata)
	if err != nil {
		return nil, err
	}
	return meta.Encode(&f.tail)
}

// Write appends a row group, unless it has no rows.
func (w *Writer) Write(g *EncodedRowGroup) error {
	if g.Rows == 0 {
		return nil
	}
	ordinal := len(w.groups)
	if ordinal > math.MaxInt16 {
		return fmt.Errorf("write row group %d: %w: a Parquet file numbers them with 15 bits",
			ordinal, formats.ErrUnsupported)
	}
	entry, by := g.entry, w.offset-firstOffset
	entry.Ordinal = thrift.New(int16(ordinal))
	entry.FileOffset = thrift.New(w.offset)
	entry.Columns = slices.Clone(entry.Columns)
	for i := range entry.Columns {
		m := &entry.Columns[i].MetaData.V
		m.DataPageOffset += by
		if m.DictionaryPageOffset > 0 {
			m.DictionaryPageOffset += by
		}
	}
	footerEntry, err := meta.Encode(&entry)
	for _, page := range g.out {
		w.out.Write(page) // an error stays until the flush
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write row group %d: %w", ordinal, err)
	}
	w.groups = append(w.groups, slices.Clone(footerEntry)) // without spare capacity
	w.held += entryBytes + int64(len(footerEntry))
	w.head.NumRows += g.Rows
	w.offset += g.size
	return nil
}

// entryBytes is the memory of an entry of the footer without its bytes.
const entryBytes = 48

// Held returns the approximate number of bytes that the footer takes until the file is closed: it
// has an entry for every written chunk.
func (w *Writer) Held() int64 { return w.held }

// footerHead is the part before the row groups.
type footerHead struct {
	Version int32                  `thrift:"1,required"`
	Schema  []format.SchemaElement `thrift:"2,required"`
	NumRows int64                  `thrift:"3,required"`
}

// footerTail is the part after the row groups, which are field 4: the protocol writes the distance
// from one field's number to the next.
type footerTail struct {
	KeyValueMetadata []format.KeyValue    `thrift:"1,optional"` // 5
	CreatedBy        string               `thrift:"2,optional"` // 6
	ColumnOrders     []format.ColumnOrder `thrift:"3,optional"` // 7
}

// listField begins a list field, right after the field before it.
const listField = 1<<4 | byte(thrift.LIST)

// Close writes the footer, its length and the magic. It does not close the underlying writer.
func (w *Writer) Close() error {
	head, err := meta.Encode(&w.head)
	if err != nil {
		return fmt.Errorf("write footer: %w", err)
	}
	tail, err := meta.Encode(&w.tail)
	if err != nil {
		return fmt.Errorf("write footer: %w", err)
	}
	list := bytes.NewBuffer([]byte{listField})
	// to memory
	_ = new(thrift.CompactProtocol).NewWriter(list).WriteList(
		thrift.List{Size: int32(len(w.groups)), Type: thrift.STRUCT})
	size := 0
	// a struct ends with a byte
	for _, part := range slices.Concat([][]byte{head[:len(head)-1], list.Bytes()}, w.groups,
		[][]byte{tail}) {
		size += len(part)
		w.out.Write(part) // an error stays until the flush
	}
	w.out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), meta.Magic...))
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write footer: %w", err)
	}
	return nil
}
