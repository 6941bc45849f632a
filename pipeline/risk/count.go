package risk

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
)

// Request says which rows are counted, and by what.
type Request struct {
	Dataset   *dataset.Dataset
	Columns   []int   // fields that are read: none is nested
	Groupings [][]int // positions of the columns whose tuples are counted
	// Kept and Masked are positions: it is found out which columns of the former tell one of the latter.
	Kept, Masked []int
}

// Resources are what counting may take.
type Resources struct {
	Budget   *spill.Budget
	Threads  int
	Advanced func(rows int64) // is told how many rows have been read
}

// Counts are what was counted. They must be closed.
type Counts struct {
	rows       int64
	tallies    []*tally // of every grouping
	Determines [][2]int // positions of kept and masked columns
}

// Figures tells what the classes of a grouping are like, of which those below k are small.
func (c *Counts) Figures(grouping, k int) *Figures { return c.tallies[grouping].figures(c.rows, k) }

// Close gives back what is drawn.
func (c *Counts) Close() {
	for _, t := range c.tallies {
		t.close()
	}
}

// Count reads the columns and counts the rows.
func Count(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	scanners := make([]*scanner, r.Dataset.BlockScanners(res.Threads))
	share := res.Budget.Grant(&spill.Exposure) / int64(len(scanners))
	for i := range scanners {
		scanners[i] = newScanner(r, res.Budget, share)
	}
	requests := make([]formats.Request, len(r.Columns))
	for i, column := range r.Columns {
		requests[i] = formats.Request{Column: column, Coded: true}
	}
	err := dataset.Scan(ctx, r.Dataset, requests, scanners, res.Advanced)
	first := scanners[0]
	for _, s := range scanners[1:] {
		first.merge(s)
	}
	c := &Counts{rows: r.Dataset.Rows(), tallies: first.tallies, Determines: first.dependencies.found(r.Dataset.Rows())}
	first.dependencies.close()
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("count what kept columns tell: %w", err)
	}
	return c, nil
}

// scanner is one worker's share of the counts.
type scanner struct {
	*Request
	hashes       []Hashes
	byCode       [][]uint64 // of the columns of a batch
	tallies      []*tally
	tuples       []uint64 // of a block of rows
	dependencies *dependencies
}

// countRows is how many rows are hashed at a time: their hashes stay in a first-level cache.
const countRows = 1024

func newScanner(r *Request, budget *spill.Budget, share int64) *scanner {
	s := &scanner{
		Request: r, hashes: make([]Hashes, len(r.Columns)), byCode: make([][]uint64, len(r.Columns)),
		tuples: make([]uint64, countRows), dependencies: newDependencies(r, budget, share/4),
	}
	most := fewest / 2 // hashes: a power of two
	for most < mostHashes && int64(2*2*most)*slotBytes*int64(len(r.Groupings)) <= share/4*3 {
		most *= 2
	}
	for range r.Groupings {
		s.tallies = append(s.tallies, newTally(most, budget))
	}
	return s
}

func (s *scanner) BeginSplit(formats.Split)     {}
func (s *scanner) EndSplit() error              { return nil }
func (s *scanner) Batch(b *formats.Batch) error { return s.Block(b, 0, b.Rows) }

// Divides reports whether lists of values are short: every worker that takes a part hashes them.
func (s *scanner) Divides(b *formats.Batch) bool {
	for _, column := range b.Columns {
		if column.Values.Len() > b.Rows {
			return false
		}
	}
	return true
}

func (s *scanner) Block(b *formats.Batch, from, to int) error {
	for i, column := range b.Columns {
		s.byCode[i] = s.hashes[i].Learn(column.Values)
	}
	for lo := from; lo < to; lo += countRows {
		hi := min(lo+countRows, to)
		for g, columns := range s.Groupings {
			for _, tuple := range s.hash(b, columns, lo, hi) {
				s.tallies[g].add(tuple, 1)
			}
		}
	}
	s.dependencies.add(b, s.byCode, from, to)
	return nil
}

// hash returns the hashes of the tuples of rows.
func (s *scanner) hash(b *formats.Batch, columns []int, from, to int) []uint64 {
	tuples := s.tuples[:to-from]
	clear(tuples)
	for _, c := range columns {
		byCode := s.byCode[c]
		for i, code := range b.Columns[c].Codes[from:to] {
			tuples[i] = Join(tuples[i], byCode[code])
		}
	}
	return tuples
}

// merge adds what another scanner has counted.
func (s *scanner) merge(o *scanner) {
	for g, t := range s.tallies {
		t.merge(o.tallies[g])
	}
	s.dependencies.merge(o.dependencies)
}
