package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"regexp"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

const (
	// footerHeld is the factor of a footer's memory while it is read: its bytes in the file, and
	// the decoded structs.
	footerHeld = 2
	// footerRead is the number of its bytes that are read at a time.
	footerRead = 4 << 10
)

// readFooter reads the file's metadata, which stays in memory.
func (s *source) readFooter(ctx context.Context) error {
	file := s.file.Plan(ctx, nil)
	defer file.Close()
	at, end, err := meta.FindFooter(file, s.size)
	if err != nil {
		return err
	}
	size := end - at
	if err := s.holding.Hold(footerHeld * size); err != nil {
		return err
	}
	data := make([]byte, size)
	if _, err := file.ReadAt(data, at); err != nil {
		return meta.EndOfFile(err)
	}
	hold := func(bytes int64) error { return s.holding.Hold(footerHeld*size + bytes) }
	if s.footer, err = meta.ReadFooter(bytes.NewReader(data), 0, size, footerRead,
		hold); err != nil {
		return err
	}
	if s.footer.Behind > 0 {
		return fmt.Errorf("%d bytes too many: %w", s.footer.Behind, formats.ErrDamaged)
	}
	s.alwaysCompressed = cppBefore3.MatchString(s.footer.CreatedBy)
	return s.holding.Hold(size + s.footer.Held + s.footer.Weight)
}

// cppBefore3 matches the name of the writer parquet-cpp before 3.0.0.
var cppBefore3 = regexp.MustCompile(`^parquet-cpp\S* version [0-2]\b`)

// checkRowGroups checks that the row groups agree with the schema, with each other and
// with the size of the file.
func (s *source) checkRowGroups() error {
	rows := int64(0)
	err := s.footer.EachGroup(footerRead, func(g *meta.Group) error {
		if g.NumRows < 0 || g.NumRows > maxFileRows-rows {
			return fmt.Errorf("row group %d: %d rows: %w", g.Number, g.NumRows, formats.ErrDamaged)
		}
		rows += g.NumRows
		for i := range s.footer.Leaves {
			if err := s.checkChunk(g.Chunk(i), &s.footer.Leaves[i], g.NumRows); err != nil {
				return fmt.Errorf("row group %d: column %q: %w", g.Number,
					s.footer.Leaves[i].Column(), err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Some writers leave the number for the whole file at 0.
	if rows != s.footer.NumRows && s.footer.NumRows != 0 {
		return fmt.Errorf("row groups hold %d rows, the file %d: %w", rows, s.footer.NumRows,
			formats.ErrDamaged)
	}
	return nil
}

// maxFileRows keeps sums of rows far from overflow.
const maxFileRows = 1 << 48

func (s *source) checkChunk(m *meta.Column, leaf *schema.Leaf, rows int64) error {
	pages := m.Extent()
	switch {
	case m.Type != leaf.Type.V:
		return fmt.Errorf("pages of %s for a column of %s: %w", m.Type, leaf.Type.V,
			formats.ErrDamaged)
	case m.NumValues < rows || leaf.Repetition == 0 && m.NumValues != rows:
		return fmt.Errorf("%d values for %d rows: %w", m.NumValues, rows, formats.ErrDamaged)
	case m.NumValues > 0 && (pages.From < 4 || m.TotalCompressedSize < 0 || pages.To < pages.From ||
		pages.To > s.size-8):
		return fmt.Errorf("pages beyond the file: %w", formats.ErrDamaged)
	}
	return nil
}
