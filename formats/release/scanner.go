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
// it does; its memory is a buffer and a page of every masked column, packed, unpacked
// and decoded, and of one kept column a worker, whatever the row groups' size is.
type Scanner struct {
	masked  int       // columns
	chunks  []chunk   // of the masked columns, and then of the kept ones
	group   *rowGroup // the last one
	share   formats.Share
	workers []scanWorker // of all scanners that were made together
}

// scanWorker is what one goroutine scans with, for any scanner.
type scanWorker struct {
	numbers []Numbers // of a block
	hashes  []Hashes
	kept    chunk
}

// NewScanner returns a scanner.
func NewScanner(masked []Masked) *Scanner { return NewScanners(masked, nil, 1)[0] }

// NewScanners returns scanners that are used at the same time, each by the goroutine that is the
// worker of its number. The kept columns are those, not nested, whose values are shown, too: there may be none.
func NewScanners(masked []Masked, kept []Kept, n int) []*Scanner {
	scanners, workers := make([]*Scanner, n), make([]scanWorker, n)
	for i := range scanners {
		workers[i].numbers, workers[i].hashes = make([]Numbers, len(masked)), make([]Hashes, len(kept))
		chunks := make([]chunk, len(masked)+len(kept))
		for k := range masked {
			chunks[k].masked = &masked[k]
		}
		for k := range kept {
			chunks[len(masked)+k].kept = &kept[k]
		}
		scanners[i] = &Scanner{masked: len(masked), chunks: chunks, workers: workers, share: formats.Alone(i)}
	}
	return scanners
}

// Share has columns and blocks of rows looked at by way of share, which tells calls the numbers
// of workers.
func (s *Scanner) Share(share formats.Share) { s.share = share }

// Rows reads the masked columns of a row group, and the kept ones that are shown, and shows their numbers and
// hashes to block, so many rows at a time, in the columns' order; they are valid until it returns. Blocks come in any order,
// each on the worker that block is told. It returns what the pages hold that a release must not;
// formats.ErrSchema when the file lacks a column, formats.ErrUnsupported for one that is nested
// or whose pages are encoded otherwise than PLAIN or by dictionary, and formats.ErrDamaged when
// a page is not as it was written.
func (s *Scanner) Rows(ctx context.Context, r *File, rowGroup int, block func(worker, rows int, numbers []Numbers, kept []Hashes) error) (findings []Finding, err error) {
	g, err := s.rowGroup(r, rowGroup)
	if err != nil {
		return nil, err
	}
	for i := range s.chunks {
		if err := inColumn(g, s.chunks[i].name(), func() error { return s.chunks[i].openShown(g) }); err != nil {
			return nil, err
		}
	}
	for left := g.NumRows; left > 0; left -= windowBlocks * BlockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.window(g, int(min(left, windowBlocks*BlockRows)), block); err != nil {
			return nil, err
		}
	}
	for i := range s.chunks {
		if s.chunks[i].given {
			continue
		}
		err := inColumn(g, s.chunks[i].name(), func() error {
			report, err := s.chunks[i].finish()
			findings = g.find(findings, s.chunks[i].name(), report)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return findings, nil
}

// ShowKept has Rows show the first n of the kept columns from now on, and Kept walk the others.
func (s *Scanner) ShowKept(n int) { s.chunks = s.chunks[:s.masked+n] }

// window reads the next n rows of all columns, and shows them.
func (s *Scanner) window(g *rowGroup, n int, block func(worker, rows int, numbers []Numbers, kept []Hashes) error) error {
	err := s.share(len(s.chunks), func(_, i int) error {
		if s.chunks[i].given {
			return nil
		}
		return inColumn(g, s.chunks[i].name(), func() error { return s.chunks[i].readWindow(n) })
	})
	if err != nil {
		return err
	}
	return s.share((n+BlockRows-1)/BlockRows, func(worker, b int) error {
		numbers, kept := s.workers[worker].numbers, s.workers[worker].hashes[:len(s.chunks)-s.masked]
		for i := range numbers {
			numbers[i] = s.chunks[i].blocks[b]
		}
		for i := range kept {
			c := &s.chunks[len(numbers)+i]
			kept[i] = Hashes{c.blocks[b], c.hashes}
		}
		return block(worker, min(BlockRows, n-b*BlockRows), numbers, kept)
	})
}

// rowGroup returns what a footer says of a row group, which is asked for twice in succession.
func (s *Scanner) rowGroup(r *File, rowGroup int) (_ *rowGroup, err error) {
	if s.group == nil || s.group.file != r || s.group.Number != rowGroup {
		s.group, err = r.rowGroup(rowGroup)
	}
	return s.group, err
}

// inColumn does something with a column of a row group, whose names its errors have. A codec may
// panic over what is damaged.
func inColumn(g *rowGroup, name string, do func() error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("scan column %s of row group %d of %s: %w", name, g.Number, g.file.path, err)
		}
	}()
	defer fence.Catch(&err)
	return do()
}

// Kept walks the pages of all columns of a row group that Rows does not read to their last byte, holds them against their
// checksums, and their headers and values against the footer, and returns what is wrong with them. It returns
// formats.ErrDamaged when a page is not as it was written.
func (s *Scanner) Kept(ctx context.Context, r *File, rowGroup int) (findings []Finding, err error) {
	read := make(map[int]bool, len(s.chunks))
	for i := range s.chunks {
		if leaf, err := r.leaf(s.chunks[i].column()); err == nil {
			read[leaf] = true
		}
	}
	g, err := s.rowGroup(r, rowGroup)
	if err != nil {
		return nil, err
	}
	reports := make([][]string, len(g.Columns))
	err = s.share(len(reports), func(worker, leaf int) error {
		if read[leaf] || ctx.Err() != nil {
			return ctx.Err()
		}
		return inColumn(g, g.leaf(leaf).Column(), func() (err error) {
			chunk := &s.workers[worker].kept
			if err = chunk.open(g, leaf); err == nil {
				reports[leaf], err = chunk.walk()
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for leaf, report := range reports {
		findings = g.find(findings, g.leaf(leaf).Column(), report)
	}
	return findings, nil
}
