package parquetfile

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// The structs of this file are a footer without what a reader of whole columns has no use for. Statistics, page indexes and key-value metadata are by far the most of
// a footer; they are not decoded, so that nothing in them can be wrong.

type footer struct {
	Schema     thrift.Slice[format.SchemaElement] `thrift:"2,required"`
	NumRows    int64                              `thrift:"3,required"`
	RowGroups  thrift.Slice[rowGroupMeta]         `thrift:"4,required"`
	CreatedBy  string                             `thrift:"6,optional"`
	Encryption format.EncryptionAlgorithm         `thrift:"8,optional"`
}

type rowGroupMeta struct {
	Columns thrift.Slice[chunkMeta] `thrift:"1,required"`
	NumRows int64                   `thrift:"3,required"`
}

type chunkMeta struct {
	FilePath  string                      `thrift:"1,optional"`
	Column    columnMeta                  `thrift:"3,optional"`
	Crypto    format.ColumnCryptoMetaData `thrift:"8,optional"`
	Encrypted []byte                      `thrift:"9,optional"`
}

type columnMeta struct {
	Type                 format.Type             `thrift:"1,required"`
	Codec                format.CompressionCodec `thrift:"4,required"`
	NumValues            int64                   `thrift:"5,required"`
	TotalCompressedSize  int64                   `thrift:"7,required"`
	DataPageOffset       int64                   `thrift:"9,required"`
	DictionaryPageOffset int64                   `thrift:"11,optional"`
}

// extent returns where the chunk's pages lie.
func (c *columnMeta) extent() formats.Range {
	return meta.ChunkRange(c.DataPageOffset, c.DictionaryPageOffset, c.TotalCompressedSize)
}

// writtenBefore reports whether the file was written by a version of a writer, whose name
// starts so, before the given one.
func (f *footer) writtenBefore(writer string, major, minor int) bool {
	name, version, _ := strings.Cut(f.CreatedBy, " version ")
	var have [2]int
	n, _ := fmt.Sscanf(version, "%d.%d", &have[0], &have[1])
	return strings.HasPrefix(name, writer) && n > 0 && (have[0] < major || have[0] == major && have[1] < minor)
}

// readFooter reads and decodes the file's metadata.
func (s *source) readFooter(ctx context.Context) error {
	file := s.file.Plan(ctx, nil)
	defer file.Close()
	data, err := s.footerBytes(file)
	if err != nil {
		return err
	}
	if err := s.decodeFooter(data); err != nil {
		return err
	}
	return s.holding.Hold(s.weight())
}

const (
	// chunkBytes is what the footer's entry of a chunk takes, decoded.
	chunkBytes = 112
	// footerHeld is how often a footer is held while it is decoded: once as it lies in the
	// file, and what becomes of it.
	footerHeld = 2
)

// weight returns the bytes that the decoded footer takes.
func (s *source) weight() (bytes int64) {
	for i := range s.footer.RowGroups {
		bytes += chunkBytes * int64(len(s.footer.RowGroups[i].Columns))
	}
	return bytes
}

// footerBytes reads the file's metadata.
func (s *source) footerBytes(file io.ReaderAt) ([]byte, error) {
	at, end, err := meta.FindFooter(file, s.size)
	if err != nil {
		return nil, fmt.Errorf("read footer: %w", err)
	}
	if err := s.holding.Hold(s.weight() + footerHeld*(end-at)); err != nil {
		return nil, err
	}
	data := make([]byte, end-at)
	if _, err := file.ReadAt(data, at); err != nil {
		return nil, meta.EndOfFile(err)
	}
	return data, nil
}

func (s *source) decodeFooter(data []byte) error {
	n, err := meta.Decode(data, &s.footer)
	switch {
	case err != nil:
		return fmt.Errorf("read footer: %w", err)
	case s.footer.Encryption.Value != nil:
		return fmt.Errorf("read footer: columns are encrypted: %w", formats.ErrUnsupported)
	case n != len(data):
		return fmt.Errorf("read footer: %d bytes too many: %w", len(data)-n, formats.ErrDamaged)
	}
	s.footer.detach()
	s.alwaysCompressed = s.footer.writtenBefore("parquet-cpp", 3, 0)
	return nil
}

// detach copies all texts, which else would keep the bytes that they were decoded from.
func (f *footer) detach() {
	f.CreatedBy = strings.Clone(f.CreatedBy)
	for i := range f.Schema {
		f.Schema[i].Name = strings.Clone(f.Schema[i].Name)
		switch t := f.Schema[i].LogicalType.Value.(type) {
		case *format.GeometryType:
			t.CRS = strings.Clone(t.CRS)
		case *format.GeographyType:
			t.CRS = strings.Clone(t.CRS)
		}
	}
}

// checkRowGroups checks that the row groups agree with the schema, with each other and
// with the size of the file.
func (s *source) checkRowGroups() error {
	rows := int64(0)
	for i := range s.footer.RowGroups {
		g := &s.footer.RowGroups[i]
		if g.NumRows < 0 || g.NumRows > maxFileRows-rows {
			return fmt.Errorf("row group %d: %d rows: %w", i, g.NumRows, formats.ErrDamaged)
		}
		rows += g.NumRows
		if len(g.Columns) != len(s.leaves) {
			return fmt.Errorf("row group %d: %d column chunks for %d columns: %w", i, len(g.Columns), len(s.leaves), formats.ErrDamaged)
		}
		for j := range g.Columns {
			if err := s.checkChunk(&g.Columns[j], &s.leaves[j], g.NumRows); err != nil {
				return fmt.Errorf("row group %d: column %q: %w", i, s.leaves[j].Column(), err)
			}
		}
	}
	// Some writers leave the number for the whole file at 0.
	if rows != s.footer.NumRows && s.footer.NumRows != 0 {
		return fmt.Errorf("row groups hold %d rows, the file %d: %w", rows, s.footer.NumRows, formats.ErrDamaged)
	}
	return nil
}

// maxFileRows keeps sums of rows far from overflow.
const maxFileRows = 1 << 48

func (s *source) checkChunk(c *chunkMeta, leaf *schema.Leaf, rows int64) error {
	m := &c.Column
	pages := m.extent()
	switch {
	case c.Crypto.Value != nil || len(c.Encrypted) > 0:
		return fmt.Errorf("column is encrypted: %w", formats.ErrUnsupported)
	case c.FilePath != "":
		return fmt.Errorf("column lies in another file: %w", formats.ErrUnsupported)
	case m.Type != leaf.Type.V:
		return fmt.Errorf("pages of %s for a column of %s: %w", m.Type, leaf.Type.V, formats.ErrDamaged)
	case m.NumValues < rows || leaf.Repetition == 0 && m.NumValues != rows:
		return fmt.Errorf("%d values for %d rows: %w", m.NumValues, rows, formats.ErrDamaged)
	case m.NumValues > 0 && (pages.From < 4 || m.TotalCompressedSize < 0 || pages.To < pages.From || pages.To > s.size-8):
		return fmt.Errorf("pages beyond the file: %w", formats.ErrDamaged)
	}
	return nil
}
