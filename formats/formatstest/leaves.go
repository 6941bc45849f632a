package formatstest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"

	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Leaf is a leaf column of a Parquet file as arrow-go reads it. Levels that are always 0 may have
// any value.
type Leaf struct {
	Definition, Repetition []int16
	Values                 [][]byte // PLAIN bytes without a length
}

// leafBatch is the number of entries of a leaf that are read at a time.
const leafBatch = 4096

// Leaves reads all leaf columns of a Parquet file with arrow-go.
func Leaves(data []byte) (_ *schema.Schema, leaves []Leaf, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("arrow-go: %v", p)
		}
	}()
	f, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil, fmt.Errorf("arrow-go: %w", err)
	}
	defer f.Close()
	s := f.MetaData().Schema
	leaves = make([]Leaf, s.NumColumns())
	for g := range f.NumRowGroups() {
		for i := range leaves {
			chunk, err := f.RowGroup(g).Column(i)
			if err == nil {
				err = leaves[i].read(chunk)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("arrow-go: %w", err)
			}
		}
	}
	return s, leaves, nil
}

// read appends a chunk, whose reader's type has a method ReadBatch for slices of its own type.
func (l *Leaf) read(chunk file.ColumnChunkReader) error {
	readBatch := reflect.ValueOf(chunk).MethodByName("ReadBatch")
	values := reflect.MakeSlice(readBatch.Type().In(1), leafBatch, leafBatch)
	definition, repetition := make([]int16, leafBatch), make([]int16, leafBatch)
	for chunk.HasNext() {
		out := readBatch.Call([]reflect.Value{
			reflect.ValueOf(int64(leafBatch)), values,
			reflect.ValueOf(definition), reflect.ValueOf(repetition),
		})
		if err, failed := out[2].Interface().(error); failed {
			return err
		}
		total := out[0].Int()
		if total == 0 {
			break
		}
		l.Definition = append(l.Definition, definition[:total]...)
		l.Repetition = append(l.Repetition, repetition[:total]...)
		for i := range int(out[1].Int()) {
			value := values.Index(i)
			if value.Kind() == reflect.Slice {
				l.Values = append(l.Values, bytes.Clone(value.Bytes()))
				continue
			}
			plain, err := binary.Append(nil, binary.LittleEndian, value.Interface())
			if err != nil {
				return err
			}
			l.Values = append(l.Values, plain)
		}
	}
	return chunk.Err()
}

// Bytes returns all readable bytes of a Parquet file, for a search: its raw bytes, its footer, and
// every page of every column chunk, decompressed, with dictionaries.
func Bytes(path string) ([][]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read footer of %s: %w", path, err)
	}
	defer f.Close()
	end := len(raw) - 8
	all := [][]byte{raw, raw[end-int(binary.LittleEndian.Uint32(raw[end:])) : end]}
	for g := range f.NumRowGroups() {
		group := f.RowGroup(g)
		for c := range group.NumColumns() {
			pages, err := group.GetColumnPageReader(c)
			if err != nil {
				return nil, fmt.Errorf("read row group %d of %s: %w", g, path, err)
			}
			for pages.Next() {
				all = append(all, bytes.Clone(pages.Page().Data()))
			}
			if err := pages.Err(); err != nil {
				return nil, fmt.Errorf("read row group %d of %s: %w", g, path, err)
			}
		}
	}
	return all, nil
}
