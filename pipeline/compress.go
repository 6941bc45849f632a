package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// compression is what one reading of the input leaves: the distinct values of every masked
// column and of the class, and the counts an engine asked for, all in provisional codes.
type compression struct {
	columns   []*interner // masked columns, in attribute order
	class     *interner   // nil without a class
	groupings []*partition.Table
	pairs     []partition.Pairs // (value, class) of every attribute
}

// compressor reads splits and counts them. The counts of a split depend on the split and
// the plan alone; sums do not depend on who counted what.
type compressor struct {
	dataset  *dataset.Dataset
	requests []formats.Request // masked columns in attribute order, then the class
	plan     engine.Plan
	budget   *spill.Budget
	threads  int
	events   *Events
	compression
}

// compress reads the masked columns and the class of the whole input once. The rows that
// it can count are limited to 4,294,967,295.
func (c *compressor) compress(ctx context.Context) (*compression, error) {
	if rows := c.dataset.Rows(); rows > math.MaxUint32 {
		return nil, fmt.Errorf("count %d rows: more than %d: %w", rows, math.MaxUint32, formats.ErrUnsupported)
	}
	workers := make([]*counting, max(1, min(c.threads, len(c.dataset.Splits()))))
	for i := range workers {
		workers[i] = c.newCounting()
	}
	if err := c.countAll(ctx, workers); err != nil {
		return nil, err
	}
	if err := c.join(ctx, workers); err != nil {
		return nil, err
	}
	return &c.compression, nil
}

func (c *compressor) countAll(ctx context.Context, workers []*counting) error {
	splits := c.dataset.Splits()
	var next, rows atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range workers {
		group.Go(func() error {
			return Fence(func() error {
				for i := next.Add(1) - 1; int(i) < len(splits); i = next.Add(1) - 1 {
					err := w.split(ctx, splits[i], func(n int) {
						c.events.Advanced(StageCompress, Progress{rows.Add(int64(n)), c.dataset.Rows()})
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return group.Wait()
}

func (c *compressor) join(ctx context.Context, workers []*counting) error {
	c.groupings = make([]*partition.Table, len(c.plan.Groupings))
	for g := range c.groupings {
		counters := make([]*partition.Counter, len(workers))
		for i, w := range workers {
			counters[i] = w.groupings[g].counter
		}
		var err error
		if c.groupings[g], err = partition.Tabulate(ctx, counters, c.budget, c.threads); err != nil {
			return fmt.Errorf("join the counts of quasi-identifier set %d: %w", g+1, err)
		}
	}
	c.pairs = make([]partition.Pairs, len(c.columns))
	for a := range c.pairs {
		counters := make([]*partition.ClassCounter, len(workers))
		for i, w := range workers {
			counters[i] = w.counters[a]
		}
		var err error
		if c.pairs[a], err = partition.JoinClassCounters(ctx, counters, c.budget, c.threads); err != nil {
			return fmt.Errorf("join the class counts of column %s: %w", c.columns[a].column, err)
		}
	}
	return nil
}

// counting is one worker's share of the counts.
type counting struct {
	c         *compressor
	maps      []mapping  // of every request
	codes     [][]uint32 // provisional codes of the batch, of every request
	domains   []int
	groupings []groupingCount
	counters  []*partition.ClassCounter
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
		c:        c,
		maps:     make([]mapping, len(c.requests)),
		codes:    make([][]uint32, len(c.requests)),
		domains:  make([]int, len(c.requests)),
		counters: make([]*partition.ClassCounter, len(c.columns)),
	}
	for i, in := range c.columns {
		w.maps[i] = newMapping(in)
		w.counters[i] = partition.NewClassCounter(c.budget)
	}
	if c.class != nil {
		w.maps[len(c.columns)] = newMapping(c.class)
	}
	for _, g := range c.plan.Groupings {
		columns := g.Columns
		if g.Class && c.class != nil {
			columns = append(columns[:len(columns):len(columns)], len(c.columns))
		}
		w.groupings = append(w.groupings, groupingCount{
			counter: partition.NewCounter(len(columns), c.budget),
			columns: columns,
			codes:   make([][]uint32, len(columns)),
			domains: make([]int, len(columns)),
		})
	}
	return w
}

// split counts the rows of one split.
func (w *counting) split(ctx context.Context, s formats.Split, counted func(rows int)) (err error) {
	reader, err := w.c.dataset.Read(ctx, s, w.c.requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.batch(batch); err != nil {
			return fmt.Errorf("count %s: %w", s.File, err)
		}
		counted(batch.Rows)
	}
}

func (w *counting) batch(b *formats.Batch) (err error) {
	for i, column := range b.Columns {
		if w.codes[i], err = w.maps[i].translate(column, w.codes[i]); err != nil {
			return err
		}
		w.domains[i] = w.maps[i].domain
	}
	var classes []uint32
	classDomain := 1
	if w.c.class != nil {
		last := len(w.codes) - 1
		classes, classDomain = w.codes[last], w.domains[last]
		if classDomain > maxClasses+1 {
			return w.c.tooManyClasses()
		}
	}
	for i, counter := range w.counters {
		if err := counter.Add(w.codes[i], classes, w.domains[i], classDomain); err != nil {
			return err
		}
	}
	for i := range w.groupings {
		if err := w.groupings[i].add(b.Rows, w.codes, w.domains); err != nil {
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

// maxClasses is the most class labels a search works with: a class column with more is
// nearly always an identifier named by mistake.
const maxClasses = 10_000

func (c *compressor) tooManyClasses() error {
	return &Error{
		Class: ClassInput,
		Hint:  "name a column with few distinct values as class",
		Err:   fmt.Errorf("count classes: class column %s has more than %d distinct values", c.class.column, maxClasses),
	}
}
