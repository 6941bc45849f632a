package release

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// footer is what a file says of itself, but for its row groups: those are read one at a time,
// so that however many column chunks a release has, it takes a few bytes for each row group.
type footer struct {
	*metadata.FileMetaData              // without row groups
	raw                    []byte       // what it was read from: the file's footer with an empty list of row groups
	at, end                int64        // in the file
	groups                 []groupEntry // in the file's order
	shortest               bool         // the header of their list is at its shortest
	later                  *laterFooter // nil unless types had to be left out
}

// groupEntry says where the entry of a row group begins in the file, and ends.
type groupEntry struct{ at, end, rows int64 }

// bufferSize is how much of a file is read at a time, in bytes: of an object every time is a
// request.
func (r *File) bufferSize() int {
	if r.remote {
		return 1 << 20
	}
	return 1 << 16
}

// tail is what follows a footer: its length, and the magic.
const tail = 8

// findFooter finds the footer of the file.
func (r *File) findFooter() (f footer, err error) {
	var last [tail]byte
	if r.size < int64(len(magic))+tail {
		return f, fmt.Errorf("%w: file of %d bytes", formats.ErrDamaged, r.size)
	}
	if _, err := r.file.ReadAt(last[:], r.size-tail); err != nil {
		return f, endOfFile(err)
	}
	switch string(last[4:]) {
	case magic:
	case "PARE":
		return f, fmt.Errorf("%w: encrypted", formats.ErrUnsupported)
	default:
		return f, fmt.Errorf("%w: not Parquet", formats.ErrDamaged)
	}
	f.end = r.size - tail
	if f.at = f.end - int64(binary.LittleEndian.Uint32(last[:])); f.at < int64(len(magic)) {
		return f, fmt.Errorf("%w: the footer is longer than the file", formats.ErrDamaged)
	}
	return f, nil
}

// openFooter reads the footer.
func (r *File) openFooter() (err error) {
	defer fence.Catch(&err)
	if r.footer, err = r.findFooter(); err != nil {
		return err
	}
	f := &r.footer
	section := io.NewSectionReader(r.file, f.at, f.end-f.at)
	if err := f.split(bufio.NewReaderSize(section, r.bufferSize())); err != nil {
		return fmt.Errorf("%w: footer: %w", formats.ErrDamaged, err)
	}
	return f.decode()
}

// decode decodes what is not of row groups with Arrow's library, which panics over logical
// types that are younger than itself. A kept column may have one; a released column never has.
// So what makes it panic is tried once more with these annotations left out, of which is noted
// then whether it has nothing but its fields.
func (f *footer) decode() (err error) {
	if f.FileMetaData, err = decodeFooter(f.raw); err == nil {
		return nil
	}
	if f.later = withoutLaterTypes(f.raw); f.later == nil {
		return err
	}
	f.FileMetaData, err = decodeFooter(f.later.footer)
	return err
}

// laterFooter is a footer without the logical types that Arrow's library does not know.
type laterFooter struct {
	footer []byte
	plain  bool // the original has the bytes that its fields have when they are written again
}

func decodeFooter(raw []byte) (_ *metadata.FileMetaData, err error) {
	defer fence.Catch(&err)
	f, err := metadata.NewFileMetaData(raw, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	return f, nil
}

// withoutLaterTypes returns nil when the footer has no such types, or cannot be read.
func withoutLaterTypes(footer []byte) *laterFooter {
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

// plain reports whether the footer has the bytes that its fields have when they are written
// again, but for those of row groups. One of other bytes has fields that readers skip.
func (f *footer) plain() (bool, error) {
	if f.later != nil {
		return f.later.plain && f.shortest, nil
	}
	same, err := isPlain(f.FileMetaData, f.raw)
	return same && f.shortest, err
}

func isPlain(m *metadata.FileMetaData, raw []byte) (_ bool, err error) {
	defer fence.Catch(&err)
	var again bytes.Buffer
	if _, err := m.WriteTo(&again, nil); err != nil {
		return false, fmt.Errorf("%w: %w", formats.ErrDamaged, err)
	}
	return bytes.Equal(again.Bytes(), raw), nil
}
