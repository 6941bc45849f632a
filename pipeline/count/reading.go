package count

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Reading is one reading of the input that counts tuples. The counts of a split depend on the
// split, the coders and the groupings alone; sums do not depend on who counted what.
type Reading struct {
	Dataset   *dataset.Dataset
	Requests  []formats.Request
	Coders    []domain.Coder // of every request
	Class     int            // position of the class among the requests; −1: it is not counted
	ClassName string
	Groupings [][]int // positions of the requests whose tuples are counted
	Pairs     int     // so many requests, the first ones, are counted by value and class, too
	Most      int     // tuples of a grouping that are counted while most rows are to come; 0: any number
	Take      func(row uint64) bool
	Threads   int
	Advanced  func(rows int64)
	Tables
}

// Tables say where tuples are counted. With a store they go to it when those of a grouping take
// more than Share bytes; Domains are then above the codes of every request.
type Tables struct {
	Budget  *spill.Budget
	Store   *spill.Store
	Share   int64
	Domains []int
}

// newReading returns a reading of all columns that counts the tuples of all groupings.
func (r *Request) newReading(budget *spill.Budget, threads int) *Reading {
	return &Reading{
		Dataset: r.Dataset, Requests: r.requests(), Class: r.Class, ClassName: r.className(), Groupings: r.Groupings, Take: r.Take,
		Threads: threads, Tables: Tables{Budget: budget},
	}
}

// ErrManyTuples ends a reading of tuples that are better counted in another way.
var ErrManyTuples = errors.New("there are many tuples")

// Tuples are what a reading has counted.
type Tuples struct {
	reading *Reading
	workers []*counting
}

// Count reads the input.
func (r *Reading) Count(ctx context.Context) (*Tuples, error) {
	c := &Tuples{reading: r, workers: make([]*counting, r.workers())}
	for i := range c.workers {
		c.workers[i] = r.newCounting(int64(len(c.workers)))
	}
	return c, dataset.Scan(ctx, r.Dataset, r.Requests, c.workers, r.Advanced)
}

// workers returns how many workers count. Those without a split of their own would take part of
// the share of a store from the others.
func (r *Reading) workers() int {
	if r.Store != nil {
		return r.Dataset.Scanners(r.Threads)
	}
	return r.Dataset.BlockScanners(r.Threads)
}

// Tables joins what the workers have counted of every grouping. It is called once.
func (c *Tuples) Tables(ctx context.Context) ([]*partition.Table, error) {
	tables := make([]*partition.Table, len(c.workers[0].groupings))
	for g := range tables {
		counters := make([]*partition.Counter, len(c.workers))
		for i, w := range c.workers {
			counters[i] = w.groupings[g].counter
		}
		var err error
		if tables[g], err = c.reading.tabulate(ctx, counters); err != nil {
			return nil, fmt.Errorf("join the counts of quasi-identifier set %d: %w", g+1, err)
		}
	}
	return tables, nil
}

func (r *Reading) tabulate(ctx context.Context, counters []*partition.Counter) (*partition.Table, error) {
	if r.Store == nil {
		return partition.Tabulate(ctx, counters, r.Budget, r.Threads)
	}
	return partition.TabulateSpilled(ctx, counters, partition.Space{Budget: r.Budget, Store: r.Store, Share: r.Share}, r.Threads)
}

// JoinPairs joins the pairs that the workers have counted of every column. It is called once.
func (c *Tuples) JoinPairs(ctx context.Context) ([]partition.Pairs, error) {
	pairs := make([]partition.Pairs, c.reading.Pairs)
	return pairs, workers.Each(len(pairs), c.reading.Threads, func(_ workers.Worker, a int) (err error) {
		counters := make([]*partition.ClassCounter, len(c.workers))
		for i, w := range c.workers {
			counters[i] = w.counters[a]
		}
		if pairs[a], err = partition.JoinClassCounters(ctx, counters, c.reading.Budget, c.reading.Threads); err != nil {
			return fmt.Errorf("join the class counts of column %d: %w", a+1, err)
		}
		return nil
	})
}

// counting is one worker's share of the counts.
type counting struct {
	sampling
	class     int // position among the maps, or −1
	name      string
	maps      []domain.Mapping // of every request
	codes     [][]uint32       // of the rows being counted, of every request
	domains   []int
	groupings []groupingCount
	counters  []*partition.ClassCounter // of the columns whose pairs are counted
	rows      int64                     // before most of the worker's share is counted; 0: nobody asks
	most      int                       // tuples of a grouping until then
}

// groupingCount counts one grouping; its slices select the grouping's columns.
type groupingCount struct {
	counter *partition.Counter
	columns []int
	codes   [][]uint32
	domains []int
}

// newCounting returns the state of one of so many workers.
func (r *Reading) newCounting(workers int64) *counting {
	w := &counting{
		sampling: sampling{take: r.Take},
		class:    r.Class,
		name:     r.ClassName,
		maps:     make([]domain.Mapping, len(r.Requests)),
		codes:    make([][]uint32, len(r.Requests)),
		domains:  make([]int, len(r.Requests)),
	}
	if r.Most > 0 {
		w.rows, w.most = r.Dataset.Rows()/workers/2, r.Most/int(workers)
	}
	for i, coder := range r.Coders {
		w.maps[i] = domain.NewMapping(coder)
	}
	for range r.Pairs {
		w.counters = append(w.counters, partition.NewClassCounter(r.Budget))
	}
	for _, columns := range r.Groupings {
		w.groupings = append(w.groupings, groupingCount{
			counter: r.newCounter(columns, workers),
			columns: columns,
			codes:   make([][]uint32, len(columns)),
			domains: make([]int, len(columns)),
		})
	}
	return w
}

func (r *Reading) newCounter(columns []int, workers int64) *partition.Counter {
	if r.Store == nil {
		return partition.NewCounter(len(columns), r.Budget)
	}
	domains := make([]int, len(columns))
	for i, column := range columns {
		domains[i] = r.Domains[column]
	}
	return partition.NewSpillCounter(domains, partition.Space{Budget: r.Budget, Store: r.Store, Share: r.Share / workers})
}

func (w *counting) EndSplit() error { return nil }

// countRows is how many rows are counted at a time: their codes and keys stay in a
// second-level cache on the way from the reader's codes to the counts.
const countRows = 2048

func (w *counting) Batch(b *formats.Batch) error {
	b = w.taken(b)
	return w.Block(b, 0, b.Rows)
}

// Divides reports whether lists of values are short: every worker that takes a part learns them.
func (w *counting) Divides(b *formats.Batch) bool {
	if w.take != nil {
		return false
	}
	for _, column := range b.Columns {
		if column.Values.Len() > b.Rows {
			return false
		}
	}
	return true
}

func (w *counting) Block(b *formats.Batch, from, to int) error {
	for i, column := range b.Columns {
		if err := w.maps[i].Learn(column.Values); err != nil {
			return err
		}
		w.domains[i] = w.maps[i].Domain()
	}
	if w.class >= 0 {
		if err := domain.CheckClasses(w.name, w.domains[w.class]); err != nil {
			return err
		}
	}
	for lo := from; lo < to; lo += countRows {
		hi := min(lo+countRows, to)
		for i, column := range b.Columns {
			w.codes[i] = w.maps[i].Apply(column.Codes[lo:hi], w.codes[i])
		}
		if err := w.count(hi - lo); err != nil {
			return err
		}
	}
	w.rows -= int64(to - from)
	return w.predict()
}

// predict ends the reading when there are many tuples in the first half of the rows already.
func (w *counting) predict() error {
	for i := range w.groupings {
		if w.rows > 0 && w.groupings[i].counter.Held() > w.most {
			return ErrManyTuples
		}
	}
	return nil
}

// count counts n rows whose codes are there.
func (w *counting) count(n int) error {
	var classes []uint32
	classDomain := 1
	if w.class >= 0 {
		classes, classDomain = w.codes[w.class], w.domains[w.class]
	}
	for i, counter := range w.counters {
		if err := counter.Add(w.codes[i], classes, w.domains[i], classDomain); err != nil {
			return err
		}
	}
	for i := range w.groupings {
		if err := w.groupings[i].add(n, w.codes, w.domains); err != nil {
			return err
		}
	}
	return nil
}

func (g *groupingCount) add(rows int, codes [][]uint32, domains []int) error {
	for i, column := range g.columns {
		g.codes[i], g.domains[i] = codes[column], domains[column]
	}
	return g.counter.Add(rows, g.codes, g.domains)
}

// leaveOutUncounted leaves out the class when no grouping has it, unless it is needed for pairs.
func (r *Reading) leaveOutUncounted() {
	last := len(r.Requests) - 1
	if r.Class != last || r.Pairs > 0 || slices.ContainsFunc(r.Groupings, func(columns []int) bool { return slices.Contains(columns, last) }) {
		return
	}
	r.Class, r.Requests, r.Coders, r.Domains = -1, r.Requests[:last], r.Coders[:last], r.Domains[:last]
}
