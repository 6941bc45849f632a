package release

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// openReader opens a file with Arrow's library, which panics over logical types that are
// younger than itself. A kept column may have one; a released column never has. So a file
// that makes it panic is tried once more with these annotations left out of the footer, of
// which is noted then whether it has nothing but its fields.
func (r *File) openReader() error {
	var err error
	if r.reader, err = tryReader(r.whole(), nil); err == nil {
		return nil
	}
	if r.later = withoutLaterTypes(r.whole(), r.size); r.later == nil {
		return err
	}
	r.reader, err = tryReader(r.whole(), r.later.footer)
	return err
}

// laterFooter is a footer without the logical types that Arrow's library does not know.
type laterFooter struct {
	footer []byte
	plain  bool // the original has the bytes that its fields have when they are written again
}

func tryReader(f *io.SectionReader, footer []byte) (reader *file.Reader, err error) {
	defer fence.Catch(&err)
	var options []file.ReadOption
	if footer != nil {
		m, err := metadata.NewFileMetaData(footer, nil)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", formats.ErrDamaged, err)
		}
		options = append(options, file.WithMetadata(m))
	}
	if reader, err = file.NewParquetReader(f, options...); err != nil {
		return nil, fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	return reader, nil
}

// withoutLaterTypes returns nil when the footer has no such types, or cannot be read.
func withoutLaterTypes(f *io.SectionReader, size int64) *laterFooter {
	const tail = 8 // the footer's length, and the magic
	var end [tail]byte
	if _, err := f.ReadAt(end[:], size-tail); err != nil {
		return nil
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-tail {
		return nil
	}
	footer := make([]byte, length)
	if _, err := f.ReadAt(footer, size-tail-length); err != nil {
		return nil
	}
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, &meta); err != nil {
		return nil
	}
	again, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return nil
	}
	later := &laterFooter{plain: bytes.Equal(again, footer)}
	found := false
	for i := range meta.Schema {
		switch meta.Schema[i].LogicalType.Value.(type) {
		case *format.VariantType, *format.GeometryType, *format.GeographyType:
			meta.Schema[i].LogicalType = format.LogicalType{}
			found = true
		}
	}
	if later.footer, err = thrift.Marshal(new(thrift.CompactProtocol), &meta); err != nil || !found {
		return nil
	}
	return later
}
