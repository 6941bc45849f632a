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
	group   *rowGroup // the last one
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
	group, err := s.rowGroup(r, rowGroup)
	if err != nil {
		return nil, err
	}
	for i := range s.chunks {
		if err := s.open(group, i); err != nil {
			return nil, s.wrap(err, group, i)
		}
	}
	for left := group.rows(); left > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := int(min(left, BlockRows))
		for i := range s.chunks {
			if err := s.read(i, n); err != nil {
				return nil, s.wrap(err, group, i)
			}
		}
		if err := block(n, s.numbers); err != nil {
			return nil, err
		}
		left -= int64(n)
	}
	return s.finish(group)
}

// rowGroup returns what a footer says of a row group, which is asked for twice in turn.
func (s *Scanner) rowGroup(r *File, rowGroup int) (_ *rowGroup, err error) {
	if s.group == nil || s.group.file != r || s.group.number != rowGroup {
		s.group, err = r.rowGroup(rowGroup)
	}
	return s.group, err
}

func (s *Scanner) open(g *rowGroup, i int) (err error) {
	defer fence.Catch(&err)
	return s.chunks[i].open(g, &s.masked[i])
}

func (s *Scanner) read(i, n int) (err error) {
	defer fence.Catch(&err)
	err = s.chunks[i].read(n)
	s.numbers[i] = s.chunks[i].block
	return err
}

func (s *Scanner) finish(g *rowGroup) (findings []Finding, err error) {
	for i := range s.chunks {
		report, err := s.finishOne(i)
		if err != nil {
			return nil, s.wrap(err, g, i)
		}
		for _, what := range report {
			findings = append(findings, Finding{s.masked[i].Name, g.number, what})
		}
	}
	return findings, nil
}

func (s *Scanner) finishOne(i int) (report []string, err error) {
	defer fence.Catch(&err)
	return s.chunks[i].finish()
}

func (s *Scanner) wrap(err error, g *rowGroup, i int) error {
	return inColumn(err, s.masked[i].Name, g)
}

func inColumn(err error, name string, g *rowGroup) error {
	return fmt.Errorf("scan column %s of row group %d of %s: %w", name, g.number, g.file.path, err)
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
	group, err := s.rowGroup(r, rowGroup)
	if err != nil {
		return nil, err
	}
	for leaf := range group.RowGroups[0].Columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if masked[leaf] {
			continue
		}
		name := group.column(leaf).Path()
		report, err := s.keptChunk(group, leaf)
		if err != nil {
			return nil, inColumn(err, name, group)
		}
		for _, what := range report {
			findings = append(findings, Finding{name, rowGroup, what})
		}
	}
	return findings, nil
}

func (s *Scanner) keptChunk(g *rowGroup, leaf int) (report []string, err error) {
	defer fence.Catch(&err)
	if err := s.kept.open(g, leaf); err != nil {
		return nil, err
	}
	return s.kept.kept()
}
