package pipeline

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/parallel"
	"github.com/kcut/kcut/spill"
)

// compressor reads the input once and counts it. The counts of a split depend on the split,
// the coders and the plan alone; sums do not depend on who counted what.
type compressor struct {
	dataset  *dataset.Dataset
	requests []formats.Request // masked columns in attribute order, then the class if it is counted
	coders   []coding.Coder    // of every request
	plan     engine.Plan
	budget   *spill.Budget
	threads  int
	advanced func(rows int64)

	newCounter func(columns []int) *partition.Counter
	classes    bool   // count the (value, class) pairs of every masked column, too
	class      string // name of the class column, when there is one among the requests
	attributes int    // number of masked columns
}

// count reads the input.
func (c *compressor) count(ctx context.Context) ([]*counting, error) {
	workers := make([]*counting, parallel.Workers(c.dataset, c.threads))
	for i := range workers {
		workers[i] = c.newCounting()
	}
	return workers, parallel.Read(ctx, c.dataset, c.requests, workers, c.advanced)
}

// groupings joins what the workers have counted of every grouping.
func groupings(workers []*counting, join func([]*partition.Counter) (*partition.Table, error)) ([]*partition.Table, error) {
	tables := make([]*partition.Table, len(workers[0].groupings))
	for g := range tables {
		counters := make([]*partition.Counter, len(workers))
		for i, w := range workers {
			counters[i] = w.groupings[g].counter
		}
		var err error
		if tables[g], err = join(counters); err != nil {
			return nil, fmt.Errorf("join the counts of quasi-identifier set %d: %w", g+1, err)
		}
	}
	return tables, nil
}

// pairs joins what the workers have counted of every masked column.
func (c *compressor) pairs(ctx context.Context, workers []*counting) ([]partition.Pairs, error) {
	pairs := make([]partition.Pairs, c.attributes)
	for a := range pairs {
		counters := make([]*partition.ClassCounter, len(workers))
		for i, w := range workers {
			counters[i] = w.counters[a]
		}
		var err error
		if pairs[a], err = partition.JoinClassCounters(ctx, counters, c.budget, c.threads); err != nil {
			return nil, fmt.Errorf("join the class counts of masked column %d: %w", a+1, err)
		}
	}
	return pairs, nil
}

// counting is one worker's share of the counts.
type counting struct {
	class     string
	maps      []coding.Mapping // of every request
	codes     [][]uint32       // of the rows being counted, of every request
	domains   []int
	groupings []groupingCount
	counters  []*partition.ClassCounter // of every masked column, when classes are counted
}

// groupingCount counts one grouping; its slices select the grouping's columns.
type groupingCount struct {
	counter *partition.Counter
	columns []int
	codes   [][]uint32
	domains []int
}

func (c *compressor) newCounting() *counting {
	w := &counting{
		class:   c.class,
		maps:    make([]coding.Mapping, len(c.requests)),
		codes:   make([][]uint32, len(c.requests)),
		domains: make([]int, len(c.requests)),
	}
	for i, coder := range c.coders {
		w.maps[i] = coding.NewMapping(coder)
	}
	for range c.attributes {
		if c.classes {
			w.counters = append(w.counters, partition.NewClassCounter(c.budget))
		}
	}
	for _, g := range c.plan.Groupings {
		columns := g.Columns
		if g.Class && w.class != "" {
			columns = append(columns[:len(columns):len(columns)], c.attributes)
		}
		w.groupings = append(w.groupings, groupingCount{
			counter: c.newCounter(columns),
			columns: columns,
			codes:   make([][]uint32, len(columns)),
			domains: make([]int, len(columns)),
		})
	}
	return w
}

func (w *counting) BeginSplit(formats.Split) {}

func (w *counting) EndSplit() error { return nil }

// countRows is how many rows are counted at a time: their codes and keys stay in a
// second-level cache on the way from the reader's codes to the counts.
const countRows = 2048

func (w *counting) Batch(b *formats.Batch) error {
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
	for lo := 0; lo < b.Rows; lo += countRows {
		hi := min(lo+countRows, b.Rows)
		for i, column := range b.Columns {
			w.codes[i] = w.maps[i].Apply(column.Codes[lo:hi], w.codes[i])
		}
		if err := w.count(hi - lo); err != nil {
			return err
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
