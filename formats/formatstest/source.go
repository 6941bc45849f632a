package formatstest

import (
	"errors"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
)

// Text is a column of texts for a source file, with unused entries for its dictionary.
type Text struct {
	Name   string
	Rows   []string
	Unused []string
}

// WriteIndexed writes a source file of texts with all parts that a reader may use without reading
// pages: statistics, a page index, a bloom filter for every column, and metadata.
func WriteIndexed(path string, columns []Text, metadata map[string]string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	group := parquet.Group{}
	var filters []parquet.BloomFilterColumn
	for _, c := range columns {
		group[c.Name] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		filters = append(filters, parquet.SplitBlockFilter(10, c.Name))
	}
	schema := parquet.NewSchema("source", group)
	options := []parquet.WriterOption{schema, parquet.BloomFilters(filters...),
		parquet.DataPageStatistics(true)}
	for key, value := range metadata {
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	w := parquet.NewGenericWriter[any](f, options...)
	err = writeRows(w, schema, columns)
	return errors.Join(err, w.Close(), f.Close())
}

func writeRows(w *parquet.GenericWriter[any], schema *parquet.Schema, columns []Text) error {
	position := make(map[string]int)
	for i, path := range schema.Columns() {
		position[path[0]] = i
	}
	for i := range columns[0].Rows {
		row := make(parquet.Row, len(columns))
		for _, c := range columns {
			at := position[c.Name]
			row[at] = parquet.ByteArrayValue([]byte(c.Rows[i])).Level(0, 0, at)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return fmt.Errorf("write row %d: %w", i, err)
		}
	}
	return nil
}

// WriteUnused writes a source file of texts whose dictionary pages also have the unused entries, as
// Arrow does with filtered arrays, and Arrow's own schema metadata in addition to that given.
func WriteUnused(path string, columns []Text, metadata map[string]string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	record := recordOf(columns, metadata)
	defer record.Release()
	w, err := pqarrow.NewFileWriter(record.Schema(), f, arrowparquet.NewWriterProperties(),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
	}
	return errors.Join(w.Write(record), w.Close()) // Close closes f
}

// WriteArrow writes an Arrow file of texts.
func WriteArrow(path string, columns []Text) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	record := recordOf(columns, nil)
	defer record.Release()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(record.Schema()))
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
	}
	return errors.Join(w.Write(record), w.Close(), f.Close())
}

// recordOf returns the columns, with metadata of the schema and of each column.
func recordOf(columns []Text, metadata map[string]string) arrow.Record {
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		a := c.array()
		defer a.Release()
		arrays = append(arrays, a)
		fields = append(fields, arrow.Field{
			Name:     c.Name,
			Type:     a.DataType(),
			Metadata: arrow.MetadataFrom(metadata),
		})
	}
	about := arrow.MetadataFrom(metadata)
	return array.NewRecord(arrow.NewSchema(fields, &about), arrays, int64(len(columns[0].Rows)))
}

// array returns the column as an array with a dictionary.
func (c *Text) array() arrow.Array {
	entries := array.NewStringBuilder(memory.DefaultAllocator)
	codes := array.NewInt32Builder(memory.DefaultAllocator)
	defer entries.Release()
	defer codes.Release()
	known := make(map[string]int32)
	for _, text := range c.Unused {
		entries.Append(text)
	}
	for _, text := range c.Rows {
		code, ok := known[text]
		if !ok {
			code = int32(entries.Len())
			known[text] = code
			entries.Append(text)
		}
		codes.Append(code)
	}
	dictionary, index := entries.NewArray(), codes.NewArray()
	defer dictionary.Release()
	defer index.Release()
	t := &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int32,
		ValueType: arrow.BinaryTypes.String,
	}
	return array.NewDictionaryArray(t, index, dictionary)
}

// WriteStructs writes rows of a struct with tags of parquet-go as Parquet.
func WriteStructs[T any](path string, rows []T) error { return parquet.WriteFile(path, rows) }
