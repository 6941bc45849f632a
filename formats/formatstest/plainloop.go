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

// CountGroups counts the records of every combination of some columns of a flat Parquet
// file the way a plain program does: value by value, in a map. It returns the number of
// combinations, and the texts of every column's values, a null's empty, in the order they
// came in.
func CountGroups(path string, columns []string) (groups int, values [][]string, err error) {
	file, closeFile, err := openFlat(path)
	if err != nil {
		return 0, nil, err
	}
	defer closeFile()
	if len(columns) > len(plainKey{}) {
		return 0, nil, fmt.Errorf("count groups of %d columns: at most %d", len(columns), len(plainKey{}))
	}
	indexes, err := columnIndexes(file.Schema(), columns)
	if err != nil {
		return 0, nil, err
	}
	counts := make(map[plainKey]int)
	codes := make([]map[string]uint16, len(columns))
	for i := range codes {
		codes[i] = make(map[string]uint16)
	}
	keys, scratch := make([]plainKey, plainRows), []byte(nil)
	err = eachRows(file, indexes, func(rows [][]parquet.Value) error {
		for i, column := range rows {
			for row, value := range column {
				scratch = appendText(scratch[:0], value)
				code, known := codes[i][string(scratch)]
				if !known {
					code = uint16(len(codes[i]))
					codes[i][string(scratch)] = code
				}
				keys[row][i] = code
			}
		}
		for _, key := range keys[:len(rows[0])] {
			counts[key]++
		}
		return nil
	})
	for _, known := range codes {
		texts := make([]string, len(known))
		for text, code := range known {
			texts[code] = text
		}
		values = append(values, texts)
	}
	return len(counts), values, err
}

// plainKey is a combination of values.
type plainKey [16]uint16

// plainRows is how many values of a column are read at a time.
const plainRows = 4096

// RewriteColumns writes some columns of a flat Parquet file to another, in row groups of the
// same size, the way a plain program does: value by value. Values of the masked columns are
// replaced by the labels of their texts; nulls stay.
func RewriteColumns(from, to string, columns []string, labels map[string]map[string]string) (err error) {
	file, closeFile, err := openFlat(from)
	if err != nil {
		return err
	}
	defer closeFile()
	indexes, err := columnIndexes(file.Schema(), columns)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	schema, order := rewrittenSchema(file.Schema(), columns, labels)
	masks := make([]map[string]parquet.Value, len(columns))
	for i, name := range columns {
		for text, label := range labels[name] {
			if masks[i] == nil {
				masks[i] = make(map[string]parquet.Value)
			}
			masks[i][text] = parquet.ByteArrayValue([]byte(label))
		}
	}
	w := parquet.NewGenericWriter[any](out, schema, parquet.Compression(&parquet.Zstd))
	for _, group := range file.RowGroups() {
		err := eachRowsOf(group, indexes, func(rows [][]parquet.Value) error {
			for i, column := range rows {
				if masks[i] != nil {
					relabel(column, masks[i])
				}
				if _, err := w.ColumnWriters()[order[i]].WriteRowValues(column); err != nil {
					return err
				}
			}
			return nil
		})
		if err := errors.Join(err, w.Flush()); err != nil {
			return fmt.Errorf("rewrite %s: %w", from, err)
		}
	}
	return w.Close()
}

// rewrittenSchema returns the schema in which masked columns are texts, and the place in it
// of every column: a group orders its fields by name.
func rewrittenSchema(s *parquet.Schema, columns []string, labels map[string]map[string]string) (*parquet.Schema, []int) {
	group := parquet.Group{}
	for _, field := range s.Fields() {
		group[field.Name()] = field
		if labels[field.Name()] != nil {
			group[field.Name()] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
			if field.Optional() {
				group[field.Name()] = parquet.Optional(group[field.Name()])
			}
		}
	}
	for name := range group {
		if !slices.Contains(columns, name) {
			delete(group, name)
		}
	}
	schema := parquet.NewSchema("rewritten", group)
	order, _ := columnIndexes(schema, columns) // all are there
	return schema, order
}

// relabel replaces the values that are not null.
func relabel(values []parquet.Value, labels map[string]parquet.Value) {
	var scratch []byte
	for i, value := range values {
		if !value.IsNull() {
			scratch = appendText(scratch[:0], value)
			values[i] = labels[string(scratch)].Level(0, value.DefinitionLevel(), value.Column())
		}
	}
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

func openFlat(path string) (*parquet.File, func() error, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
	}
	return file, f.Close, nil
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

// eachRows calls f with the values of some columns, by column, of up to plainRows rows at a
// time.
func eachRows(file *parquet.File, columns []int, f func([][]parquet.Value) error) error {
	for _, group := range file.RowGroups() {
		if err := eachRowsOf(group, columns, f); err != nil {
			return err
		}
	}
	return nil
}

func eachRowsOf(group parquet.RowGroup, columns []int, f func([][]parquet.Value) error) (err error) {
	readers := make([]plainReader, len(columns))
	for i, column := range columns {
		readers[i] = plainReader{pages: group.ColumnChunks()[column].Pages(), buffer: make([]parquet.Value, plainRows)}
		defer func() { err = errors.Join(err, readers[i].pages.Close()) }()
	}
	rows := make([][]parquet.Value, len(columns))
	for done := int64(0); done < group.NumRows(); done += int64(len(rows[0])) {
		for i := range readers {
			if rows[i], err = readers[i].read(int(min(plainRows, group.NumRows()-done))); err != nil {
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

// StoredBytes returns how many bytes some columns of a Parquet file take in it.
func StoredBytes(path string, columns []string) (bytes int64, err error) {
	file, closeFile, err := openFlat(path)
	if err != nil {
		return 0, err
	}
	defer closeFile()
	indexes, err := columnIndexes(file.Schema(), columns)
	for _, group := range file.Metadata().RowGroups {
		for _, column := range indexes {
			bytes += group.Columns[column].MetaData.TotalCompressedSize
		}
	}
	return bytes, err
}
