package release

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats/internal/fence"
)

// BlockRows is the most rows that a Scanner shows at a time: few, so that the numbers of all
// columns stay in the processor's cache.
const BlockRows = 1 << 11

// Scanner reads row groups of releases that have the same masked columns, one after the
// other, and checks every page on the way. One goroutine uses it at a time; its memory is a
// buffer and two pages of every masked column, whatever the row groups' size is.
type Scanner struct {
	masked  []Masked
	chunks  []maskedChunk
	numbers []Numbers
	kept    pages
}

// NewScanner returns a scanner.
func NewScanner(masked []Masked) *Scanner {
	return &Scanner{masked: masked, chunks: make([]maskedChunk, len(masked)), numbers: make([]Numbers, len(masked))}
}

// Rows reads the masked columns of a row group and shows their numbers to block, so many rows
// at a time, in the columns' order; they are valid until it returns. It returns what the
// pages hold that a release must not; formats.ErrSchema when the file lacks a column,
// formats.ErrUnsupported for one that is nested or whose pages are encoded otherwise than PLAIN
// or by dictionary, and formats.ErrDamaged when a page is not as it was written.
func (s *Scanner) Rows(ctx context.Context, r *File, rowGroup int, block func(rows int, numbers []Numbers) error) ([]Finding, error) {
	for i := range s.chunks {
		if err := s.open(r, rowGroup, i); err != nil {
			return nil, s.wrap(err, r, rowGroup, i)
		}
	}
	for left := r.RowGroupRows(rowGroup); left > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := int(min(left, BlockRows))
		for i := range s.chunks {
			if err := s.read(i, n); err != nil {
				return nil, s.wrap(err, r, rowGroup, i)
			}
		}
		if err := block(n, s.numbers); err != nil {
			return nil, err
		}
		left -= int64(n)
	}
	return s.finish(r, rowGroup)
}

func (s *Scanner) open(r *File, rowGroup, i int) (err error) {
	defer fence.Catch(&err)
	return s.chunks[i].open(r, rowGroup, &s.masked[i])
}

func (s *Scanner) read(i, n int) (err error) {
	defer fence.Catch(&err)
	err = s.chunks[i].read(n)
	s.numbers[i] = s.chunks[i].block
	return err
}

func (s *Scanner) finish(r *File, rowGroup int) (findings []Finding, err error) {
	for i := range s.chunks {
		report, err := s.finishOne(i)
		if err != nil {
			return nil, s.wrap(err, r, rowGroup, i)
		}
		for _, what := range report {
			findings = append(findings, Finding{s.masked[i].Name, rowGroup, what})
		}
	}
	return findings, nil
}

func (s *Scanner) finishOne(i int) (report []string, err error) {
	defer fence.Catch(&err)
	return s.chunks[i].finish()
}

func (s *Scanner) wrap(err error, r *File, rowGroup, i int) error {
	return inColumn(err, s.masked[i].Name, r, rowGroup)
}

func inColumn(err error, name string, r *File, rowGroup int) error {
	return fmt.Errorf("scan column %s of row group %d of %s: %w", name, rowGroup, r.path, err)
}

// Kept holds the pages of all other columns of a row group against their checksums and their
// headers against the footer, and returns what is wrong with them. It returns
// formats.ErrDamaged when a page is not as it was written.
func (s *Scanner) Kept(ctx context.Context, r *File, rowGroup int) (findings []Finding, err error) {
	masked := make(map[int]bool, len(s.masked))
	for i := range s.masked {
		if leaf, err := r.leaf(s.masked[i].Name); err == nil {
			masked[leaf] = true
		}
	}
	for leaf := range r.footer.RowGroups[rowGroup].Columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if masked[leaf] {
			continue
		}
		name := r.footer.Schema.Column(leaf).Path()
		report, err := s.keptChunk(r, rowGroup, leaf)
		if err != nil {
			return nil, inColumn(err, name, r, rowGroup)
		}
		for _, what := range report {
			findings = append(findings, Finding{name, rowGroup, what})
		}
	}
	return findings, nil
}

func (s *Scanner) keptChunk(r *File, rowGroup, leaf int) (report []string, err error) {
	defer fence.Catch(&err)
	if err := s.kept.open(r, rowGroup, leaf); err != nil {
		return nil, err
	}
	return s.kept.kept()
}
