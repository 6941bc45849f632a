package risk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
)

// Request says by what rows are counted.
// Columns are named by their positions in batches, and none is nested.
type Request struct {
	Groupings    [][]int // columns whose tuples are counted
	Kept, Masked []int   // it is found out which columns of the former tell one of the latter
}

// Counts are what is counted: by several scanners, until they are joined. They must be closed.
type Counts struct {
	scanners []*Scanner
}

// NewCounts returns what so many scanners count of so many rows, each by one goroutine.
func NewCounts(r *Request, rows int64, scanners int, budget *spill.Budget) *Counts {
	c := &Counts{}
	share := budget.Grant(&spill.Exposure) / int64(scanners)
	for range scanners {
		c.scanners = append(c.scanners, newScanner(r, rows, budget, share))
	}
	return c
}

// Scanner returns one of the scanners.
func (c *Counts) Scanner(i int) *Scanner { return c.scanners[i] }

// Join adds up what the scanners have counted. It is called once, when they are done.
func (c *Counts) Join() {
	first := c.scanners[0]
	for _, s := range c.scanners[1:] {
		first.merge(s)
	}
	c.scanners = c.scanners[:1]
}

// Rows returns how many rows are counted.
func (c *Counts) Rows() int64 { return c.scanners[0].rows }

// Figures tells what the classes of a grouping are like, of which those below k are small.
func (c *Counts) Figures(grouping, k int) *Figures {
	return c.scanners[0].tallies[grouping].Figures(c.scanners[0].rows, k)
}

// Determines returns the positions of kept and masked columns of which the former tell the latter.
func (c *Counts) Determines() [][2]int { return c.scanners[0].dependencies.found(c.scanners[0].rows) }

// Close gives back what is drawn.
func (c *Counts) Close() {
	for _, s := range c.scanners {
		for _, t := range s.tallies {
			t.Close()
		}
		s.dependencies.close()
	}
	c.scanners = nil
}

// Count reads the columns of an input and counts its rows, on so many threads. It tells how many it has read.
func Count(ctx context.Context, d *dataset.Dataset, r *Request, columns []int, threads int, budget *spill.Budget, advanced func(rows int64)) (*Counts, error) {
	c := NewCounts(r, d.Rows(), d.BlockScanners(threads), budget)
	if err := dataset.Scan(ctx, d, requests(columns), c.scanners, advanced); err != nil {
		c.Close()
		return nil, fmt.Errorf("count what kept columns tell: %w", err)
	}
	c.Join()
	return c, nil
}

// MayTell returns which kept columns tell a masked one, as far as the first rows show: most tell none.
func MayTell(ctx context.Context, d *dataset.Dataset, r *Request, columns []int, budget *spill.Budget) (kept []int, err error) {
	s := newScanner(&Request{Kept: r.Kept, Masked: r.Masked}, 0, budget, budget.Grant(&spill.Exposure))
	defer s.dependencies.close()
	if len(d.Splits()) > 0 {
		if err = s.readFirst(ctx, d, columns); err != nil {
			return nil, err
		}
	}
	for _, k := range s.dependencies.kept {
		kept = append(kept, k.column)
	}
	return kept, nil
}

// readFirst counts the rows of the first batch.
func (s *Scanner) readFirst(ctx context.Context, d *dataset.Dataset, columns []int) (err error) {
	reader, err := d.Read(ctx, d.Splits()[0], requests(columns))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	batch, err := reader.Next(ctx)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Batch(batch)
}

// requests asks for columns with codes.
func requests(columns []int) (all []formats.Request) {
	for _, column := range columns {
		all = append(all, formats.Request{Column: column, Coded: true})
	}
	return all
}

// Scanner is one goroutine's share of the counts.
type Scanner struct {
	*Request
	rows         int64
	hashes       []Hashes   // of the columns of a batch
	byCode       [][]uint64 // what they have learned
	tallies      []*Tally
	tuples       []uint64   // of a block of rows
	codes        [][]uint32 // of these, in the columns of a grouping
	ofCodes      [][]uint64 // hashes
	dependencies *dependencies
}

// countRows is how many rows are hashed at a time: their hashes stay in a first-level cache.
const countRows = 1024

func newScanner(r *Request, rows int64, budget *spill.Budget, share int64) *Scanner {
	return &Scanner{
		Request: r, tallies: NewTallies(len(r.Groupings), rows, budget, share/4*3),
		tuples: make([]uint64, countRows), dependencies: newDependencies(r, budget, share/4),
	}
}

func (s *Scanner) BeginSplit(formats.Split)     {}
func (s *Scanner) EndSplit() error              { return nil }
func (s *Scanner) Batch(b *formats.Batch) error { return s.Block(b, 0, b.Rows) }

// Divides reports whether lists of values are short: every worker that takes a part hashes them.
func (s *Scanner) Divides(b *formats.Batch) bool {
	for _, column := range b.Columns {
		if column.Values.Len() > b.Rows {
			return false
		}
	}
	return true
}

// Block counts rows of a batch.
func (s *Scanner) Block(b *formats.Batch, from, to int) error {
	if s.hashes == nil {
		s.hashes, s.byCode = make([]Hashes, len(b.Columns)), make([][]uint64, len(b.Columns))
	}
	for i, column := range b.Columns {
		s.byCode[i] = s.hashes[i].Learn(column.Values)
	}
	for lo := from; lo < to; lo += countRows {
		hi := min(lo+countRows, to)
		for g, columns := range s.Groupings {
			s.tallies[g].Add(s.hash(b, columns, lo, hi))
		}
	}
	s.dependencies.add(b, s.byCode, from, to)
	s.rows += int64(to - from)
	return nil
}

// hash returns the hashes of the tuples of rows.
func (s *Scanner) hash(b *formats.Batch, columns []int, from, to int) []uint64 {
	tuples := s.tuples[:to-from]
	clear(tuples)
	s.codes, s.ofCodes = s.codes[:0], s.ofCodes[:0]
	for _, c := range columns {
		s.codes, s.ofCodes = append(s.codes, b.Columns[c].Codes[from:to]), append(s.ofCodes, s.byCode[c])
	}
	JoinAll(tuples, s.codes, s.ofCodes)
	return tuples
}

// merge adds what another scanner has counted.
func (s *Scanner) merge(o *Scanner) {
	for g, t := range s.tallies {
		t.Merge(o.tallies[g])
	}
	s.dependencies.merge(o.dependencies)
	s.rows += o.rows
}
