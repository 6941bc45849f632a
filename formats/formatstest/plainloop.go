package formatstest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// loopRows is the number of rows of a column that the plain loop reads at a time.
const loopRows = 4096

// CountGroups counts the records of every combination of at most 16 columns of a flat Parquet file
// as a plain program does: value by value, in a map. It returns the number of combinations, and the
// texts of every column's values in the order of their first occurrence; that of a null is empty.
func CountGroups(tb testing.TB, path string, columns []string) (groups int, values [][]string) {
	tb.Helper()
	counts := make(map[[16]uint16]int)
	keys, scratch := make([][16]uint16, loopRows), []byte(nil)
	codes := make([]map[string]uint16, len(columns))
	values = make([][]string, len(columns))
	for i := range codes {
		codes[i] = make(map[string]uint16)
	}
	code := func(i, row int, some []parquet.Value) {
		for _, value := range some {
			scratch = appendText(scratch[:0], value)
			code, known := codes[i][string(scratch)]
			if !known {
				code = uint16(len(values[i]))
				codes[i][string(scratch)] = code
				values[i] = append(values[i], string(scratch))
			}
			keys[row][i] = code
			row++
		}
	}
	file := openFlat(tb, path)
	for _, group := range file.RowGroups() {
		eachRows(tb, group, leavesOf(tb, file.Schema(), columns), code, func(rows int) {
			for _, key := range keys[:rows] {
				counts[key]++
			}
		})
	}
	return len(counts), values
}

// RewriteColumns writes some columns of a flat Parquet file to another, in row groups of the same
// size, as a plain program does: value by value. It replaces values of the masked columns by the
// labels of their texts; nulls stay.
func RewriteColumns(tb testing.TB, from, to string, columns []string,
	labels map[string]map[string]string) {
	tb.Helper()
	file, out := openFlat(tb, from), must(os.Create(to))(tb)
	defer out.Close()
	group, masks := parquet.Group{}, make([]map[string]parquet.Value, len(columns))
	for _, field := range file.Schema().Fields() {
		i := slices.Index(columns, field.Name())
		if i < 0 {
			continue
		}
		group[field.Name()] = field
		if labels[field.Name()] == nil {
			continue
		}
		node := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		if field.Optional() {
			node = parquet.Optional(node)
		}
		group[field.Name()], masks[i] = node, make(map[string]parquet.Value)
		for text, label := range labels[field.Name()] {
			masks[i][text] = parquet.ByteArrayValue([]byte(label))
		}
	}
	schema := parquet.NewSchema("rewritten", group)
	order := leavesOf(tb, schema, columns)
	w := parquet.NewGenericWriter[any](out, schema, parquet.Compression(&parquet.Zstd))
	var scratch []byte
	write := func(i, _ int, some []parquet.Value) {
		for k, value := range some {
			if masks[i] != nil && !value.IsNull() {
				scratch = appendText(scratch[:0], value)
				label := masks[i][string(scratch)]
				some[k] = label.Level(0, value.DefinitionLevel(), value.Column())
			}
		}
		must(w.ColumnWriters()[order[i]].WriteRowValues(some))(tb)
	}
	for _, group := range file.RowGroups() {
		eachRows(tb, group, leavesOf(tb, file.Schema(), columns), write, func(int) {})
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

// StoredBytes returns the number of bytes of some columns in a Parquet file.
func StoredBytes(tb testing.TB, path string, columns []string) (bytes int64) {
	tb.Helper()
	file := openFlat(tb, path)
	for _, group := range file.Metadata().RowGroups {
		for _, leaf := range leavesOf(tb, file.Schema(), columns) {
			bytes += group.Columns[leaf].MetaData.TotalCompressedSize
		}
	}
	return bytes
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

func openFlat(tb testing.TB, path string) *parquet.File {
	tb.Helper()
	data := must(os.Open(path))(tb)
	tb.Cleanup(func() { data.Close() })
	size := must(data.Stat())(tb).Size()
	return must(parquet.OpenFile(data, size, parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true)))(tb)
}

func leavesOf(tb testing.TB, s *parquet.Schema, columns []string) (leaves []int) {
	tb.Helper()
	for _, name := range columns {
		leaf, ok := s.Lookup(name)
		if !ok {
			tb.Fatalf("there is no column %s", name)
		}
		leaves = append(leaves, leaf.ColumnIndex)
	}
	return leaves
}

// eachRows reads some columns of a row group in turn, up to loopRows rows at a time. It calls f
// with some values of a column, from a row of these on, and then done with their number.
func eachRows(
	tb testing.TB, group parquet.RowGroup, leaves []int,
	f func(column, row int, some []parquet.Value), done func(rows int),
) {
	tb.Helper()
	readers, buffer := make([]parquet.ColumnChunkValueReader, len(leaves)),
		make([]parquet.Value, loopRows)
	for i, leaf := range leaves {
		readers[i] = parquet.NewColumnChunkValueReader(group.ColumnChunks()[leaf])
		defer readers[i].Close()
	}
	for left := int(group.NumRows()); left > 0; left -= loopRows {
		rows := min(left, loopRows)
		for i, r := range readers {
			for row := 0; row < rows; {
				n := must(r.ReadValues(buffer[:rows-row]))(tb)
				f(i, row, buffer[:n])
				row += n
			}
		}
		done(rows)
	}
}

// must returns a function that returns the value, or ends the test.
func must[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return value
	}
}
