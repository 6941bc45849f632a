package release

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// BlockRows is the largest number of rows that a Scanner shows at a time: few, so that the numbers
// of all columns stay in the processor's cache. It reads windowBlocks of them from one column
// before the next has its turn, which makes parallel work worthwhile.
const (
	BlockRows    = 1 << 10
	windowBlocks = 4
)

// Scanner reads row groups of releases that have the same masked columns, one after the other, and
// checks every page. One goroutine uses it at a time, which may share the work; its memory is a
// buffer and a page of every masked column, packed, unpacked and decoded, and of one kept column
// for each worker, whatever the size of row groups is.
type Scanner struct {
	masked  int       // number of masked columns
	chunks  []chunk   // of the masked columns, followed by the kept ones
	group   *rowGroup // the last one
	share   formats.Share
	workers []scanWorker // of all scanners that were made together
}

// scanWorker is the memory of one goroutine for any scanner.
type scanWorker struct {
	numbers []Numbers // of a block
	hashes  []Hashes
	kept    chunk
}

// NewScanner returns a scanner.
func NewScanner(masked []Masked) *Scanner { return NewScanners(masked, nil, 1)[0] }

// NewScanners returns scanners for use at the same time. Each belongs to the worker with its
// number. The kept columns are those whose values are shown, too; they are not nested, and there
// may be none.
func NewScanners(masked []Masked, kept []Kept, n int) []*Scanner {
	scanners, workers := make([]*Scanner, n), make([]scanWorker, n)
	for i := range scanners {
		workers[i].numbers, workers[i].hashes = make([]Numbers, len(masked)),
			make([]Hashes, len(kept))
		chunks := make([]chunk, len(masked)+len(kept))
		for k := range masked {
			chunks[k].masked = &masked[k]
		}
		for k := range kept {
			chunks[len(masked)+k].kept = &kept[k]
		}
		scanners[i] = &Scanner{
			masked:  len(masked),
			chunks:  chunks,
			workers: workers,
			share:   formats.Alone(i),
		}
	}
	return scanners
}

// Share makes the scanner process columns and blocks of rows in parallel through share, which
// passes the numbers of workers to calls.
func (s *Scanner) Share(share formats.Share) { s.share = share }

// Rows reads the masked columns of a row group, and the kept ones that are shown, and passes their
// numbers and hashes to block, BlockRows rows at a time at most, in the columns' order; they are
// valid until it returns. Blocks come in any order, each on the worker whose number block gets. It
// returns the content of the pages that a release must not have; formats.ErrSchema when the file
// does not have a column, formats.ErrUnsupported for one that is nested or whose pages have other
// encodings than PLAIN and dictionary, and formats.ErrDamaged when a page does not match its
// checksum.
func (s *Scanner) Rows(ctx context.Context, r *File, rowGroup int,
	block func(worker, rows int, numbers []Numbers, kept []Hashes) error) (findings []Finding,
	err error) {
	g, err := s.rowGroup(r, rowGroup)
	if err != nil {
		return nil, err
	}
	for i := range s.chunks {
		if err := inColumn(g, s.chunks[i].name(), func() error {
			return s.chunks[i].openShown(g)
		}); err != nil {
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

// ShowKept makes Rows show only the first n of the kept columns from now on, and Kept walk the
// others.
func (s *Scanner) ShowKept(n int) { s.chunks = s.chunks[:s.masked+n] }

// window reads the next n rows of all columns, and shows them.
func (s *Scanner) window(g *rowGroup, n int,
	block func(worker, rows int, numbers []Numbers, kept []Hashes) error) error {
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
		numbers, kept := s.workers[worker].numbers,
			s.workers[worker].hashes[:len(s.chunks)-s.masked]
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

// rowGroup returns the metadata of a row group, which is requested twice in succession.
func (s *Scanner) rowGroup(r *File, rowGroup int) (_ *rowGroup, err error) {
	if s.group == nil || s.group.file != r || s.group.Number != rowGroup {
		s.group, err = r.rowGroup(rowGroup)
	}
	return s.group, err
}

// inColumn calls a function for a column of a row group, and adds their names to its errors. A
// codec may panic on damaged bytes.
func inColumn(g *rowGroup, name string, do func() error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("scan column %s of row group %d of %s: %w", name, g.Number,
				g.file.path, err)
		}
	}()
	defer fence.Catch(&err)
	return do()
}

// Kept walks the pages of all columns of a row group that Rows does not read, to their last byte.
// It compares them with their checksums, and their headers and values with the footer, and returns
// the differences. It returns formats.ErrDamaged when a page does not match its checksum.
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
