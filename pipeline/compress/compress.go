package compress

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/spill"
)

// Reading is one reading of the input that counts it. The counts of a split depend on the split,
// the coders and the plan alone; sums do not depend on who counted what.
type Reading struct {
	Dataset    *dataset.Dataset
	Requests   []formats.Request // masked columns in attribute order, then the class if it is counted
	Coders     []coding.Coder    // of every request
	Attributes int               // number of masked columns
	Class      string            // name of the class column, when there is one among the requests

	Plan  engine.Plan // the groupings that are counted
	Pairs bool        // count the (value, class) pairs of every masked column, too
	Most  int         // tuples of a grouping that are counted while most rows are to come; 0: any number

	// Budget is what the counts are drawn from. With a store tuples go to it when those of a
	// grouping take more than Share bytes; Domains are then above the codes of every request.
	Budget  *spill.Budget
	Store   *spill.Store
	Share   int64
	Domains []int

	Threads  int
	Advanced func(rows int64)
}

// ErrManyTuples ends a reading of tuples that are better counted in another way.
var ErrManyTuples = errors.New("there are many tuples")

// Counts are what a reading has counted.
type Counts struct {
	reading *Reading
	workers []*counting
}

// Count reads the input.
func (r *Reading) Count(ctx context.Context) (*Counts, error) {
	c := &Counts{reading: r, workers: make([]*counting, r.workers())}
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
func (c *Counts) Tables(ctx context.Context) ([]*partition.Table, error) {
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

// Pairs joins what the workers have counted of every masked column. It is called once.
func (c *Counts) Pairs(ctx context.Context) ([]partition.Pairs, error) {
	pairs := make([]partition.Pairs, c.reading.Attributes)
	return pairs, workers.Each(len(pairs), c.reading.Threads, func(_ workers.Worker, a int) (err error) {
		counters := make([]*partition.ClassCounter, len(c.workers))
		for i, w := range c.workers {
			counters[i] = w.counters[a]
		}
		if pairs[a], err = partition.JoinClassCounters(ctx, counters, c.reading.Budget, c.reading.Threads); err != nil {
			return fmt.Errorf("join the class counts of masked column %d: %w", a+1, err)
		}
		return nil
	})
}

// counting is one worker's share of the counts.
type counting struct {
	class     string
	maps      []coding.Mapping // of every request
	codes     [][]uint32       // of the rows being counted, of every request
	domains   []int
	groupings []groupingCount
	counters  []*partition.ClassCounter // of every masked column, when classes are counted
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
		class:   r.Class,
		maps:    make([]coding.Mapping, len(r.Requests)),
		codes:   make([][]uint32, len(r.Requests)),
		domains: make([]int, len(r.Requests)),
	}
	if r.Most > 0 {
		w.rows, w.most = r.Dataset.Rows()/workers/2, r.Most/int(workers)
	}
	for i, coder := range r.Coders {
		w.maps[i] = coding.NewMapping(coder)
	}
	for range r.Attributes {
		if r.Pairs {
			w.counters = append(w.counters, partition.NewClassCounter(r.Budget))
		}
	}
	for _, g := range r.Plan.Groupings {
		columns := g.Columns
		if g.Class && r.Class != "" {
			columns = append(columns[:len(columns):len(columns)], r.Attributes)
		}
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

func (w *counting) BeginSplit(formats.Split) {}

func (w *counting) EndSplit() error { return nil }

// countRows is how many rows are counted at a time: their codes and keys stay in a
// second-level cache on the way from the reader's codes to the counts.
const countRows = 2048

func (w *counting) Batch(b *formats.Batch) error { return w.Block(b, 0, b.Rows) }

// Divides reports whether lists of values are short: every worker that takes a part learns them.
func (w *counting) Divides(b *formats.Batch) bool {
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
	if w.class != "" {
		if err := coding.CheckClasses(w.class, w.domains[len(w.domains)-1]); err != nil {
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
	return w.foresee()
}

// foresee ends the reading when there are many tuples in the first half of the rows already.
func (w *counting) foresee() error {
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
	if w.class != "" {
		last := len(w.codes) - 1
		classes, classDomain = w.codes[last], w.domains[last]
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
