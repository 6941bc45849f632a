package risk

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
)

// Request says which columns of rows are counted, and how. Columns are positions in batches. Only
// the columns of groups may be nested.
type Request struct {
	// The count finds kept columns that determine a masked column, and masked columns that
	// determine a kept column: one column alone, or two together. Two masked columns must be in one
	// set.
	Kept, Masked []int
	Sets         [][]int // masked columns
	Raw          bool    // the tuples of the masked columns are counted

	Groups []ColumnGroup
	Entity []int // the column whose values groups count instead of rows; empty: there is none
	K      int   // classes of fewer rows, or entities, are small

	Dictionaries bool // the values of kept columns are collected, too
}

// ColumnGroup is some columns. The rows, or the entities, of every class of their tuples are
// counted.
type ColumnGroup struct {
	Columns []int
	Few     bool // few classes are expected: of more than fewClasses a part is counted
}

const (
	// groupPairs is the largest number of pairs of a class and an entity that a group holds:
	// about 3 MiB.
	groupPairs = 1 << 15
	// pairBytes is the memory of such a pair, including its class.
	pairBytes = 96
)

// fewClasses is the number of classes that are counted one by one where few are expected.
const fewClasses = 1 << 12

// Counts are the counts of several scanners, which Join adds up. They must be closed.
type Counts struct {
	request      *Request
	raw          *Sum // of the masked columns; nil: not requested
	groups       *Groups
	scanners     []*Scanner
	dictionaries *dictionaries // nil: not requested
}

// NewCounts returns the counts of a table of the given number of rows, with as many scanners as
// there are goroutines.
func NewCounts(r *Request, rows int64, scanners int, budget *spill.Budget) *Counts {
	c := &Counts{request: r}
	bytes := budget.Grant(&spill.Exposure)
	if r.Dictionaries {
		c.dictionaries = newDictionaries(len(r.Kept), budget)
		bytes -= budget.Grant(&spill.KeptValues)
	}
	c.openSums(rows, budget, bytes)
	share := bytes / int64(scanners)
	for i := range scanners {
		own := budget.Part(share / 4)
		s := &Scanner{
			Request:      r,
			tuples:       make([]uint64, countRows),
			dependencies: newDependencies(r, rows, i == 0, budget),
			groups:       c.groups.Counter(own),
			dictionaries: c.dictionaries,
		}
		if c.raw != nil {
			s.raw = c.raw.Counter(own)
		}
		c.scanners = append(c.scanners, s)
	}
	return c
}

// openSums makes the sums that all scanners add to, within the given bytes.
func (c *Counts) openSums(rows int64, budget *spill.Budget, bytes int64) {
	r := c.request
	c.groups = &Groups{ks: slices.Repeat([]int{r.K}, len(r.Groups))}
	wide := 0
	for _, g := range r.Groups {
		if len(r.Entity) == 0 && !g.Few {
			wide++
		}
	}
	if r.Raw {
		wide++
	}
	if len(r.Entity) > 0 {
		wide++
	}
	most := MostClasses(wide, bytes/4*3)
	if r.Raw {
		c.raw = NewPartSum(most, rows, budget)
	}
	if len(r.Entity) > 0 {
		c.groups.owners = NewPartSum(most, rows, budget)
	}
	pairs := groupPairs
	for pairs > 1 && int64(len(r.Groups)*pairs*pairBytes) > bytes/4 {
		pairs /= 2
	}
	for _, g := range r.Groups {
		switch {
		case len(r.Entity) > 0:
			c.groups.byEntity = append(c.groups.byEntity, newEntities(r.K, pairs, budget))
		case g.Few:
			c.groups.rows = append(c.groups.rows, NewPartSum(fewClasses, rows, budget))
		default:
			c.groups.rows = append(c.groups.rows, NewPartSum(most, rows, budget))
		}
	}
}

// Scanner returns one of the scanners.
func (c *Counts) Scanner(i int) *Scanner { return c.scanners[i] }

// Join adds up the counts of the scanners. It is called once, when the scanners are done.
func (c *Counts) Join() {
	first := c.scanners[0]
	first.handOver()
	for _, s := range c.scanners[1:] {
		s.handOver()
		first.dependencies.merge(s.dependencies)
		first.rows += s.rows
	}
	c.scanners = c.scanners[:1]
}

// Rows returns the number of counted rows.
func (c *Counts) Rows() int64 { return c.scanners[0].rows }

// Raw returns the figures on the masked columns. The request must ask for them. Classes of fewer
// than k rows are small.
func (c *Counts) Raw(k int) *Figures { return c.raw.Figures(c.Rows(), k) }

// Population estimates the unique people of a population of the given size on the masked columns,
// like Raw.
func (c *Counts) Population(size int64) *Population { return c.raw.Population(size, c.Rows()) }

// Group returns the figures of a group of columns.
func (c *Counts) Group(group int) *Figures {
	f, _ := c.groups.Figures(group, c.Rows()) // classes without room were left out
	return f
}

// Determines returns the columns that determine others.
func (c *Counts) Determines() []Determination { return c.scanners[0].dependencies.found() }

// Dictionaries returns the sorted values of each kept column, nil for a column with many values,
// and the bytes that are drawn for them. The caller returns these bytes. The request must ask for
// dictionaries.
func (c *Counts) Dictionaries() (values []*formats.Values, drawn int64) {
	return c.dictionaries.take()
}

// Close returns the drawn bytes.
func (c *Counts) Close() {
	if c.dictionaries != nil {
		c.dictionaries.close()
	}
	for _, s := range c.scanners {
		s.handOver()
		s.dependencies.close()
	}
	if c.raw != nil {
		c.raw.Close()
	}
	c.groups.Close()
	c.scanners = nil
}

// Count reads the columns of an input and counts its rows on the given number of threads. It calls
// advanced with the number of rows that were read.
func Count(
	ctx context.Context, d *dataset.Dataset, r *Request, columns []int, threads int,
	budget *spill.Budget, advanced func(rows int64),
) (*Counts, error) {
	c := NewCounts(r, d.Rows(), d.BlockScanners(threads), budget)
	err := dataset.ScanBlocks(ctx, d, d.Coded(columns...), c.scanners, advanced)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("count rows on kept columns: %w", err)
	}
	c.Join()
	return c, nil
}

// Scanner is one goroutine's share of the counts.
type Scanner struct {
	*Request
	rows         int64
	hashes       []Hashes     // by column of a batch
	nested       []nestedRows // by column of a batch, if the column is nested
	raw          *Counter     // nil: not requested
	groups       *GroupCounter
	entities     []uint64   // of a block of rows
	tuples       []uint64   // of a block of rows
	codes        [][]uint32 // of these rows, in the columns that are hashed
	ofCodes      [][]uint64 // hashes of these columns, by code
	dependencies *dependencies
	dictionaries *dictionaries // nil: not requested
}

// countRows is the number of rows that are hashed at a time: their hashes stay in a first-level
// cache.
const countRows = 1024

// Block counts rows of a batch.
func (s *Scanner) Block(b *formats.Batch, from, to int) error {
	if err := s.learn(b, to); err != nil {
		return err
	}
	for lo := from; lo < to; lo += countRows {
		hi := min(lo+countRows, to)
		var masked []int
		if s.raw != nil {
			masked = s.Masked
		}
		tuples := s.hash(b, masked, lo, hi)
		if s.raw != nil {
			s.raw.AddCounted(tuples, b.CountsOf(lo, hi))
		}
		if err := s.dependencies.add(b, s.hashes, tuples, len(masked), lo, hi); err != nil {
			return err
		}
		s.countGroups(b, lo, hi)
	}
	s.rows += b.Records(from, to)
	return nil
}

// learn adds the new values of a batch to the dictionaries, and hashes them, and the nested values
// of the batch's first rows.
func (s *Scanner) learn(b *formats.Batch, rows int) error {
	if s.hashes == nil {
		s.hashes, s.nested = make([]Hashes, len(b.Columns)), make([]nestedRows, len(b.Columns))
	}
	if s.dictionaries != nil {
		for i, at := range s.Kept {
			values := b.Columns[at].Values
			s.dictionaries.learn(i, values, s.hashes[at].learned(values))
		}
	}
	for i, column := range b.Columns {
		if column.Leaves == nil {
			s.hashes[i].Learn(column.Values)
			continue
		}
		if err := s.nested[i].learn(column.Leaves, rows); err != nil {
			return err
		}
	}
	return nil
}

// hash returns the hashes of the tuples of rows.
func (s *Scanner) hash(b *formats.Batch, columns []int, from, to int) []uint64 {
	tuples := s.tuples[:to-from]
	clear(tuples)
	s.codes, s.ofCodes = s.codes[:0], s.ofCodes[:0]
	for _, c := range columns {
		if b.Columns[c].Leaves != nil {
			s.codes, s.ofCodes = append(s.codes, rowNumbers[:to-from]),
				append(s.ofCodes, s.nested[c][from:to])
			continue
		}
		s.codes, s.ofCodes = append(s.codes, b.Columns[c].Codes[from:to]),
			append(s.ofCodes, s.hashes[c].byCode)
	}
	JoinAll(tuples, s.codes, s.ofCodes)
	return tuples
}

// countGroups counts rows, or their entities, for all groups of columns.
func (s *Scanner) countGroups(b *formats.Batch, from, to int) {
	if len(s.Entity) > 0 {
		s.entities = append(s.entities[:0], s.hash(b, s.Entity, from, to)...)
		s.groups.Begin(s.entities, b.CountsOf(from, to))
	}
	for i, g := range s.Groups {
		s.groups.Add(i, s.hash(b, g.Columns, from, to), b.CountsOf(from, to))
	}
}

// handOver passes the scanner's counts on to the sums.
func (s *Scanner) handOver() {
	if s.groups.Close(); s.raw != nil {
		s.raw.close()
		s.raw = nil
	}
}

// rowNumbers are the numbers of the rows in a block. They are the codes of nested values, since
// every row has a value of its own.
var rowNumbers = func() (all [countRows]uint32) {
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}()
