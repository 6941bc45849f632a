package formatstest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// plainRows is how many values of a column are read at a time.
const plainRows = 4096

// plainKey is a combination of values.
type plainKey [16]uint16

// CountGroups counts the records of every combination of some columns of a flat Parquet
// file the way a plain program does: value by value, in a map. It returns the number of
// combinations, and the texts of every column's values, a null's empty, in the order they
// came in.
func CountGroups(path string, columns []string) (groups int, values [][]string, err error) {
	if len(columns) > len(plainKey{}) {
		return 0, nil, fmt.Errorf("count groups of %d columns: at most %d",
			len(columns), len(plainKey{}))
	}
	counts := make(map[plainKey]int)
	codes := make([]map[string]uint16, len(columns))
	values = make([][]string, len(columns))
	for i := range codes {
		codes[i] = make(map[string]uint16)
	}
	keys, scratch := make([]plainKey, plainRows), []byte(nil)
	count := func(rows [][]parquet.Value) error {
		for i, column := range rows {
			for row, value := range column {
				scratch = appendText(scratch[:0], value)
				code, known := codes[i][string(scratch)]
				if !known {
					code = uint16(len(values[i]))
					codes[i][string(scratch)] = code
					values[i] = append(values[i], string(scratch))
				}
				keys[row][i] = code
			}
		}
		for _, key := range keys[:len(rows[0])] {
			counts[key]++
		}
		return nil
	}
	err = withFlat(path, columns, func(f *parquet.File, indexes []int) error {
		for _, group := range f.RowGroups() {
			if err := eachRows(group, indexes, count); err != nil {
				return err
			}
		}
		return nil
	})
	return len(counts), values, err
}

// RewriteColumns writes some columns of a flat Parquet file to another, in row groups of the
// same size, the way a plain program does: value by value. Values of the masked columns are
// replaced by the labels of their texts; nulls stay.
func RewriteColumns(from, to string, columns []string, labels map[string]map[string]string) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	err = withFlat(from, columns, func(f *parquet.File, indexes []int) error {
		return rewrite(out, f, indexes, columns, labels)
	})
	return errors.Join(err, out.Close())
}

func rewrite(
	out io.Writer, from *parquet.File, indexes []int, columns []string, labels map[string]map[string]string,
) error {
	schema, order := rewrittenSchema(from.Schema(), columns, labels)
	masks := make([]map[string]parquet.Value, len(columns))
	for i, name := range columns {
		if labels[name] != nil {
			masks[i] = make(map[string]parquet.Value)
		}
		for text, label := range labels[name] {
			masks[i][text] = parquet.ByteArrayValue([]byte(label))
		}
	}
	w := parquet.NewGenericWriter[any](out, schema, parquet.Compression(&parquet.Zstd))
	var scratch []byte
	write := func(rows [][]parquet.Value) error {
		for i, column := range rows {
			for k, value := range column {
				if masks[i] != nil && !value.IsNull() {
					scratch = appendText(scratch[:0], value)
					label := masks[i][string(scratch)]
					column[k] = label.Level(0, value.DefinitionLevel(), value.Column())
				}
			}
			if _, err := w.ColumnWriters()[order[i]].WriteRowValues(column); err != nil {
				return err
			}
		}
		return nil
	}
	for _, group := range from.RowGroups() {
		if err := errors.Join(eachRows(group, indexes, write), w.Flush()); err != nil {
			return fmt.Errorf("rewrite %v: %w", columns, err)
		}
	}
	return w.Close()
}

// rewrittenSchema returns the schema in which masked columns are texts, and the place in it
// of every column: a group orders its fields by name.
func rewrittenSchema(
	s *parquet.Schema, columns []string, labels map[string]map[string]string,
) (*parquet.Schema, []int) {
	group := parquet.Group{}
	for _, field := range s.Fields() {
		var node parquet.Node = field
		if labels[field.Name()] != nil {
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
			if field.Optional() {
				node = parquet.Optional(node)
			}
		}
		if slices.Contains(columns, field.Name()) {
			group[field.Name()] = node
		}
	}
	schema := parquet.NewSchema("rewritten", group)
	order, _ := columnIndexes(schema, columns) // all are there
	return schema, order
}

// StoredBytes returns how many bytes some columns of a Parquet file take in it.
func StoredBytes(path string, columns []string) (bytes int64, err error) {
	err = withFlat(path, columns, func(f *parquet.File, indexes []int) error {
		for _, group := range f.Metadata().RowGroups {
			for _, column := range indexes {
				bytes += group.Columns[column].MetaData.TotalCompressedSize
			}
		}
		return nil
	})
	return bytes, err
}

// appendText appends a value's text, nothing for a null.
func appendText(text []byte, value parquet.Value) []byte {
	if value.IsNull() {
		return text
	}
	switch value.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return append(text, value.ByteArray()...)
	case parquet.Int32, parquet.Int64:
		return strconv.AppendInt(text, value.Int64(), 10)
	}
	return fmt.Append(text, value)
}

// withFlat calls f with an open file and the positions of some of its columns.
func withFlat(path string, columns []string, f func(*parquet.File, []int) error) (err error) {
	data, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	info, err := data.Stat()
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(data, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	indexes, err := columnIndexes(file.Schema(), columns)
	if err != nil {
		return err
	}
	return f(file, indexes)
}

func columnIndexes(s *parquet.Schema, columns []string) (indexes []int, err error) {
	for _, name := range columns {
		leaf, ok := s.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("find column %s: there is none", name)
		}
		indexes = append(indexes, leaf.ColumnIndex)
	}
	return indexes, nil
}

// eachRows calls f with the values of some columns, by column, of up to plainRows rows of a
// row group at a time.
func eachRows(group parquet.RowGroup, columns []int, f func([][]parquet.Value) error) (err error) {
	readers := make([]plainReader, len(columns))
	for i, column := range columns {
		readers[i].pages = group.ColumnChunks()[column].Pages()
		readers[i].buffer = make([]parquet.Value, plainRows)
		defer func() { err = errors.Join(err, readers[i].pages.Close()) }()
	}
	rows := make([][]parquet.Value, len(columns))
	for left := group.NumRows(); left > 0; left -= int64(len(rows[0])) {
		for i := range readers {
			if rows[i], err = readers[i].read(int(min(plainRows, left))); err != nil {
				return err
			}
		}
		if err := f(rows); err != nil {
			return err
		}
	}
	return nil
}

// plainReader reads a column chunk value by value.
type plainReader struct {
	pages  parquet.Pages
	values parquet.ValueReader // of the page being read; nil before the first
	buffer []parquet.Value
}

// read returns the next n values, which are valid until the next call.
func (r *plainReader) read(n int) ([]parquet.Value, error) {
	for done := 0; done < n; {
		if r.values == nil {
			page, err := r.pages.ReadPage()
			if err != nil {
				return nil, err
			}
			r.values = page.Values()
		}
		some, err := r.values.ReadValues(r.buffer[done:n])
		done += some
		if err == io.EOF {
			r.values = nil
		} else if err != nil {
			return nil, err
		}
	}
	return r.buffer[:n], nil
}
