package formatstest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Bytes returns everything there is to read in a Parquet file, for a search: its raw bytes,
// its footer, and every page of every column chunk, dictionaries too, decompressed.
func Bytes(path string) ([][]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(raw) < 12 {
		return nil, fmt.Errorf("read %s: %d bytes are no Parquet file", path, len(raw))
	}
	end := len(raw) - 8
	size := int(binary.LittleEndian.Uint32(raw[end:]))
	if size > end {
		return nil, fmt.Errorf("read %s: footer of %d bytes", path, size)
	}
	footer := raw[end-size : end]
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, &meta); err != nil {
		return nil, fmt.Errorf("read footer of %s: %w", path, err)
	}
	all := [][]byte{raw, footer}
	for g := range meta.RowGroups {
		for _, c := range meta.RowGroups[g].Columns {
			pages, err := pagesOf(raw, &c.MetaData)
			if err != nil {
				return nil, fmt.Errorf("read row group %d of %s: %w", g, path, err)
			}
			all = append(all, pages...)
		}
	}
	return all, nil
}

// pagesOf returns the decompressed pages of a chunk.
func pagesOf(raw []byte, m *format.ColumnMetaData) ([][]byte, error) {
	from := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		from = min(from, m.DictionaryPageOffset)
	}
	chunk := bytes.NewReader(raw[from : from+m.TotalCompressedSize])
	var pages [][]byte
	for chunk.Len() > 0 {
		page, err := nextPage(chunk, m.Codec)
		if err != nil {
			return nil, err
		}
		pages = append(pages, page)
	}
	return pages, nil
}

func nextPage(chunk *bytes.Reader, codec format.CompressionCodec) ([]byte, error) {
	var h format.PageHeader
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(chunk)).Decode(&h); err != nil {
		return nil, fmt.Errorf("read page header: %w", err)
	}
	body := make([]byte, h.CompressedPageSize)
	if _, err := io.ReadFull(chunk, body); err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	levels := h.DataPageHeaderV2.V.DefinitionLevelsByteLength + h.DataPageHeaderV2.V.RepetitionLevelsByteLength
	if codec == format.Uncompressed || h.DataPageHeaderV2.Valid && h.DataPageHeaderV2.V.IsCompressed == thrift.New(false) {
		return body, nil
	}
	page, err := parquet.LookupCompressionCodec(codec).Decode(make([]byte, 0, h.UncompressedPageSize), body[levels:])
	if err != nil {
		return nil, fmt.Errorf("decompress page: %w", err)
	}
	return page, nil
}
