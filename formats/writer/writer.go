package writer

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

const magic = "PAR1"

// Writer writes a release: magic bytes, row groups in the order given, footer. The footer
// holds no time and no name but those of columns and metadata keys.
type Writer struct {
	w      io.Writer
	footer footer
	offset int64
	buffer []byte // what comes next, until it is as much as is written at a time
}

// New returns a Writer to w of a file with these columns and key-value metadata,
// which is written in the order of its keys. A file without a row group is a valid, empty
// table once closed.
func New(w io.Writer, columns []Column, metadata map[string]string) (*Writer, error) {
	head, tail := footerHead{Version: 2, Schema: schemaOf(columns)}, footerTail{CreatedBy: formats.CreatedBy}
	order := format.ColumnOrder{Value: &format.TypeDefinedOrder{}}
	tail.ColumnOrders = slices.Repeat([]format.ColumnOrder{order}, len(leavesOf(head.Schema)))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		tail.KeyValueMetadata = append(tail.KeyValueMetadata, format.KeyValue{Key: key, Value: metadata[key]})
	}
	f := &Writer{w: w, footer: footer{head: head, tail: tail}}
	return f, f.write([]byte(magic))
}

// schemaOf returns the schema of a file, root first.
func schemaOf(columns []Column) []format.SchemaElement {
	schema := []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(len(columns)))}}
	for _, c := range columns {
		schema = append(schema, c.elements()...)
	}
	return schema
}

// Write appends a row group that copies nothing; one without rows leaves no trace.
func (w *Writer) Write(g *EncodedRowGroup) error { return w.WriteFrom(nil, g) }

// WriteFrom appends a row group whose copied pages lie in source. The error wraps
// formats.ErrDamaged when the source has become shorter.
func (w *Writer) WriteFrom(source io.ReaderAt, g *EncodedRowGroup) error {
	if g.Rows == 0 {
		return nil
	}
	ordinal := len(w.footer.groups)
	if ordinal > math.MaxInt16 {
		return fmt.Errorf("write row group %d: %w: a Parquet file numbers them with 15 bits", ordinal, formats.ErrUnsupported)
	}
	entry := g.entry
	entry.Ordinal = int16(ordinal)
	entry.FileOffset += w.offset - firstOffset
	entry.Columns = slices.Clone(entry.Columns)
	for i := range entry.Columns {
		move(&entry.Columns[i].MetaData, w.offset-firstOffset)
	}
	if err := w.footer.add(&entry); err != nil {
		return fmt.Errorf("write row group %d: %w", ordinal, err)
	}
	for _, s := range g.out {
		if err := w.segment(source, s); err != nil {
			return fmt.Errorf("write row group %d: %w", ordinal, err)
		}
	}
	if err := w.flush(); err != nil {
		return fmt.Errorf("write row group %d: %w", ordinal, err)
	}
	return nil
}

// Held returns about how many bytes the footer takes until the file is closed: it has an entry
// for every chunk that was written.
func (w *Writer) Held() int64 { return w.footer.held }

// Copied returns where the pages lie that are copied, those that follow each other as one.
func (g *EncodedRowGroup) Copied() (ranges []formats.Range) {
	for _, s := range g.out {
		last := len(ranges) - 1
		switch {
		case s.bytes != nil:
		case last >= 0 && s.offset >= ranges[last].To && s.offset-ranges[last].To <= copyGap:
			ranges[last].To = s.offset + s.size
		default:
			ranges = append(ranges, formats.Range{From: s.offset, To: s.offset + s.size})
		}
	}
	return ranges
}

// copyGap is the most that lies between pages that follow each other: the header of a page.
const copyGap = 4 << 10

// move adds by to the offsets that are set.
func move(m *columnMeta, by int64) {
	m.DataPageOffset += by
	if m.DictionaryPageOffset > 0 {
		m.DictionaryPageOffset += by
	}
}

// Close writes the footer. It does not close the writer underneath.
func (w *Writer) Close() error {
	if err := w.footer.write(w.w); err != nil {
		return fmt.Errorf("write footer: %w", err)
	}
	return nil
}

const (
	// writeBuffer is how much is written at a time, in bytes.
	writeBuffer = 1 << 20
	// writtenAlone is how much is not copied for that.
	writtenAlone = writeBuffer / 16
)

// segment writes or copies a run of bytes.
func (w *Writer) segment(source io.ReaderAt, s segment) error {
	if w.buffer == nil {
		w.buffer = make([]byte, 0, writeBuffer)
	}
	if s.bytes != nil {
		return w.put(s.bytes)
	}
	for end := s.offset + s.size; s.offset < end; {
		if len(w.buffer) == cap(w.buffer) {
			if err := w.flush(); err != nil {
				return err
			}
		}
		at := len(w.buffer)
		some := w.buffer[at:min(int64(cap(w.buffer)), int64(at)+end-s.offset)]
		if n, err := source.ReadAt(some, s.offset); n < len(some) {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("file ends early: %w", formats.ErrDamaged)
			}
			return fmt.Errorf("copy pages: %w", err)
		}
		w.buffer = w.buffer[:at+len(some)]
		s.offset += int64(len(some))
	}
	return nil
}

// put writes bytes, together with what is small before and after them.
func (w *Writer) put(b []byte) error {
	if len(b) > cap(w.buffer)-len(w.buffer) || len(b) >= writtenAlone {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(b) >= writtenAlone {
		return w.write(b)
	}
	w.buffer = append(w.buffer, b...)
	return nil
}

func (w *Writer) flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	err := w.write(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.offset += int64(n)
	return err
}
