package formatstest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v17/parquet/file"
)

// Bytes returns everything there is to read in a Parquet file, for a search: its raw bytes,
// its footer, and every page of every column chunk, dictionaries too, decompressed.
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
