package risk

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
)

// Request says by what rows are counted.
// Columns are named by their positions in batches. Those of guards alone may be nested.
type Request struct {
	Kept, Masked []int   // it is found out which columns on one side determine one of the other,
	Sets         [][]int // alone or as two of a set, each of masked columns
	Raw          bool    // the tuples of the masked columns are counted

	Guards []Guard
	Entity []int // the column whose values guards count, if there is one
	K      int   // classes of fewer of these are small

	Lists bool // dictionaries of kept columns are made, too
}

// Guard are columns whose tuples are counted by those whom they may be of: entities, else records.
type Guard struct {
	Columns []int
	Few     bool // there should be few classes: of more than fewClasses a part is counted
}

const (
	// guardedPairs is how many entities of classes are held of a guard: about 3 MiB.
	guardedPairs = 1 << 15
	// pairBytes is what each takes, and its class.
	pairBytes = 96
)

// fewClasses is how many classes are counted one by one where there should be few.
const fewClasses = 1 << 12

// Counts are what is counted: by several scanners, until they are joined. They must be closed.
type Counts struct {
	request      *Request
	raw          *Sum // of the masked columns; nil: it is not asked for
	guards       *Groups
	scanners     []*Scanner
	dictionaries *dictionaries // nil: none are asked for
}

// NewCounts returns what so many scanners count of so many rows, each by one goroutine.
func NewCounts(r *Request, rows int64, scanners int, budget *spill.Budget) *Counts {
	c := &Counts{request: r}
	bytes := budget.Grant(&spill.Exposure)
	if r.Lists {
		c.dictionaries = newDictionaries(len(r.Kept), budget)
		bytes -= budget.Grant(&spill.KeptValues)
	}
	c.openSums(rows, budget, bytes)
	share := bytes / int64(scanners)
	for i := range scanners {
		own := budget.Part(share / 4)
		s := &Scanner{
			Request: r, tuples: make([]uint64, countRows), dependencies: newDependencies(r, rows, i == 0, budget),
			guards: c.guards.Counter(own), listing: listing{c.dictionaries, make([]seenValues, len(r.Kept))},
		}
		if c.raw != nil {
			s.raw = c.raw.Tally(own)
		}
		c.scanners = append(c.scanners, s)
	}
	return c
}

// openSums makes what all scanners add to, in so many bytes.
func (c *Counts) openSums(rows int64, budget *spill.Budget, bytes int64) {
	r := c.request
	c.guards = &Groups{ks: slices.Repeat([]int{r.K}, len(r.Guards))}
	wide := 0
	for _, g := range r.Guards {
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
		c.guards.owners = NewPartSum(most, rows, budget)
	}
	pairs := guardedPairs
	for pairs > 1 && int64(len(r.Guards)*pairs*pairBytes) > bytes/4 {
		pairs /= 2
	}
	for _, g := range r.Guards {
		switch {
		case len(r.Entity) > 0:
			c.guards.people = append(c.guards.people, newPeople(r.K, pairs, budget))
		case g.Few:
			c.guards.rows = append(c.guards.rows, NewPartSum(fewClasses, rows, budget))
		default:
			c.guards.rows = append(c.guards.rows, NewPartSum(most, rows, budget))
		}
	}
}

// Scanner returns one of the scanners.
func (c *Counts) Scanner(i int) *Scanner { return c.scanners[i] }

// Join adds up what the scanners have counted. It is called once, when they are done.
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

// Rows returns how many rows are counted.
func (c *Counts) Rows() int64 { return c.scanners[0].rows }

// Raw returns what the classes of the masked columns are like, of which those below k are small.
// The request asks for it.
func (c *Counts) Raw(k int) *Figures { return c.raw.Figures(c.Rows(), k) }

// Guard tells what the classes of a guard are like, of which those below k are small.
func (c *Counts) Guard(guard int) *Figures {
	f, _ := c.guards.Figures(guard, c.Rows()) // what had no room was left out
	return f
}

// Determines returns which columns tell others.
func (c *Counts) Determines() []Determination { return c.scanners[0].dependencies.found() }

// Dictionaries returns the values of each kept column in their order, nil where they are many, and
// the bytes drawn for them, which are the caller's from then on. The request lists them.
func (c *Counts) Dictionaries() (values []*formats.Values, drawn int64) { return c.dictionaries.take() }

// Close gives back the bytes that were drawn.
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
	c.guards.Close()
	c.scanners = nil
}

// Count reads the columns of an input and counts its rows, on so many threads. It tells how many it has read.
func Count(ctx context.Context, d *dataset.Dataset, r *Request, columns []int, threads int, budget *spill.Budget, advanced func(rows int64)) (*Counts, error) {
	c := NewCounts(r, d.Rows(), d.BlockScanners(threads), budget)
	if err := dataset.Scan(ctx, d, requests(d.Schema(), columns), c.scanners, advanced); err != nil {
		c.Close()
		return nil, fmt.Errorf("count what kept columns tell: %w", err)
	}
	c.Join()
	return c, nil
}

// requests asks for columns, with codes where they are not nested.
func requests(schema *formats.Schema, columns []int) (all []formats.Request) {
	for _, column := range columns {
		all = append(all, formats.Request{Column: column, Coded: schema.Fields[column].Type.Kind != formats.Nested})
	}
	return all
}

// Scanner is one goroutine's share of the counts.
type Scanner struct {
	*Request
	rows         int64
	hashes       []Hashes     // of the columns of a batch
	nested       []nestedRows // of those that are nested
	raw          *Tally       // nil: it is not asked for
	guards       *GroupCounter
	entities     []uint64   // of a block of rows
	tuples       []uint64   // of a block of rows
	codes        [][]uint32 // of these, in the columns of a grouping
	ofCodes      [][]uint64 // hashes
	dependencies *dependencies
	listing      listing
}

// countRows is how many rows are hashed at a time: their hashes stay in a first-level cache.
const countRows = 1024

func (s *Scanner) BeginSplit(formats.Split)     {}
func (s *Scanner) EndSplit() error              { return nil }
func (s *Scanner) Batch(b *formats.Batch) error { return s.Block(b, 0, b.Rows) }

// Divides reports whether lists of values are short: every worker that takes a part hashes them.
func (s *Scanner) Divides(b *formats.Batch) bool {
	for _, column := range b.Columns {
		if column.Leaves != nil || column.Values.Len() > b.Rows {
			return false
		}
	}
	return true
}

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
		s.guard(b, lo, hi)
	}
	s.rows += b.Records(from, to)
	return nil
}

// learn hashes the values of a batch, and the nested ones of its first rows.
func (s *Scanner) learn(b *formats.Batch, rows int) error {
	if s.hashes == nil {
		s.hashes, s.nested = make([]Hashes, len(b.Columns)), make([]nestedRows, len(b.Columns))
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
	if s.Lists {
		for i, column := range s.Kept {
			s.listing.learn(i, b.Columns[column].Values)
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
			s.codes, s.ofCodes = append(s.codes, rowNumbers[:to-from]), append(s.ofCodes, s.nested[c][from:to])
			continue
		}
		s.codes, s.ofCodes = append(s.codes, b.Columns[c].Codes[from:to]), append(s.ofCodes, s.hashes[c].byCode)
	}
	JoinAll(tuples, s.codes, s.ofCodes)
	return tuples
}

// guard counts rows by those whom they may be of.
func (s *Scanner) guard(b *formats.Batch, from, to int) {
	if len(s.Entity) > 0 {
		s.entities = append(s.entities[:0], s.hash(b, s.Entity, from, to)...)
		s.guards.Begin(s.entities, b.CountsOf(from, to))
	}
	for i, g := range s.Guards {
		s.guards.Add(i, s.hash(b, g.Columns, from, to), b.CountsOf(from, to))
	}
}

// handOver hands over what was counted.
func (s *Scanner) handOver() {
	if s.guards.Close(); s.raw != nil {
		s.raw.close()
		s.raw = nil
	}
}

// rowNumbers are the numbers of rows in a block: codes of nested values, each of which is its row's.
var rowNumbers = func() (all [countRows]uint32) {
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}()
