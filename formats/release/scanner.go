package release

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// BlockRows is the most rows that a Scanner shows at a time: few, so that the numbers of all
// columns stay in the processor's cache. It reads windowBlocks of them from one column before the
// next has its turn, which is worth sharing.
const (
	BlockRows    = 1 << 10
	windowBlocks = 4
)

// Scanner reads row groups of releases that have the same masked columns, one after the
// other, and checks every page on the way. One goroutine uses it at a time, which may share what
// it does; its memory is a buffer and two pages of every masked column, and of one kept column a
// hand, whatever the row groups' size is.
type Scanner struct {
	masked []Masked
	chunks []maskedChunk
	group  *rowGroup // the last one
	share  formats.Share
	hands  []scanningHand // of all scanners that were made together
}

// scanningHand is what one goroutine scans with, for any scanner.
type scanningHand struct {
	numbers []Numbers // of a block
	kept    pages
}

// NewScanner returns a scanner.
func NewScanner(masked []Masked) *Scanner { return NewScanners(masked, 1)[0] }

// NewScanners returns scanners that are used at the same time, each by the goroutine that is the
// hand of its number.
func NewScanners(masked []Masked, n int) []*Scanner {
	scanners, hands := make([]*Scanner, n), make([]scanningHand, n)
	for i := range scanners {
		hands[i].numbers = make([]Numbers, len(masked))
		scanners[i] = &Scanner{masked: masked, chunks: make([]maskedChunk, len(masked)), hands: hands, share: formats.Alone(i)}
	}
	return scanners
}

// Share has columns and blocks of rows looked at by way of share, which tells calls the numbers
// of hands.
func (s *Scanner) Share(share formats.Share) { s.share = share }

// Rows reads the masked columns of a row group and shows their numbers to block, so many rows
// at a time, in the columns' order; they are valid until it returns. Blocks come in any order,
// each on the hand that block is told. It returns what the pages hold that a release must not;
// formats.ErrSchema when the file lacks a column, formats.ErrUnsupported for one that is nested
// or whose pages are encoded otherwise than PLAIN or by dictionary, and formats.ErrDamaged when
// a page is not as it was written.
func (s *Scanner) Rows(ctx context.Context, r *File, rowGroup int, block func(hand, rows int, numbers []Numbers) error) ([]Finding, error) {
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
		n := int(min(left, windowBlocks*BlockRows))
		if err := s.share(len(s.chunks), func(_, i int) error { return s.read(group, i, n) }); err != nil {
			return nil, err
		}
		if err := s.share((n+BlockRows-1)/BlockRows, func(hand, b int) error {
			return block(hand, min(BlockRows, n-b*BlockRows), s.block(hand, b))
		}); err != nil {
			return nil, err
		}
		left -= int64(n)
	}
	return s.finish(group)
}

// block returns the numbers of a block of the window, for a hand.
func (s *Scanner) block(hand, b int) []Numbers {
	numbers := s.hands[hand].numbers
	for i := range s.chunks {
		numbers[i] = s.chunks[i].blocks[b]
	}
	return numbers
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

func (s *Scanner) read(g *rowGroup, i, n int) error {
	if err := s.readWindow(i, n); err != nil {
		return s.wrap(err, g, i)
	}
	return nil
}

func (s *Scanner) readWindow(i, n int) (err error) {
	defer fence.Catch(&err)
	return s.chunks[i].readWindow(n)
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
	reports := make([][]string, len(group.RowGroups[0].Columns))
	err = s.share(len(reports), func(hand, leaf int) (err error) {
		if masked[leaf] || ctx.Err() != nil {
			return ctx.Err()
		}
		if reports[leaf], err = s.keptChunk(hand, group, leaf); err != nil {
			return inColumn(err, group.column(leaf).Path(), group)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for leaf, report := range reports {
		for _, what := range report {
			findings = append(findings, Finding{group.column(leaf).Path(), rowGroup, what})
		}
	}
	return findings, nil
}

func (s *Scanner) keptChunk(hand int, g *rowGroup, leaf int) (report []string, err error) {
	defer fence.Catch(&err)
	kept := &s.hands[hand].kept
	if err := kept.open(g, leaf); err != nil {
		return nil, err
	}
	return kept.kept()
}
