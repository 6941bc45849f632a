package count

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// survey is the first of two readings of an input: it counts the values of every column, and no
// tuples. Columns that may have more values than fit the memory count them in sorted runs; those
// of labels, and short lists, by the codes of their source.
type survey struct {
	*Request
	res     *Resources
	values  []*Values // by column; nil of one that has a source
	sources []source  // by column; nil of one that has values
	class   *domain.Interner
	room    int // entries that the part of every worker of every column holds
	listed  int // longest list of values that is tallied, and not counted row by row
	workers []*surveying
	rows    int64 // that were taken
}

func (r *Request) newSurvey(res *Resources) *survey {
	n := r.bound()
	s := &survey{Request: r, res: res, values: make([]*Values, n), sources: make([]source, n)}
	parts := int64(max(1, n)) * int64(r.Dataset.Scanners(res.Threads))
	s.room = int(max(res.Budget.Grant(&spill.SurveyedValues)/parts/EntryBytes, 1024))
	s.listed = int(min(max(res.Budget.Grant(&spill.SurveyedCodes)/parts/16, 256), 1<<16)) // four classes of four bytes
	if r.Room > 0 {
		s.room, s.listed = r.Room, min(r.Room, 1<<16)
	}
	for i := range n {
		c := &r.Columns[i]
		if c.Labeler != nil || c.Most > 0 {
			s.sources[i] = r.newSource(c, res.Budget)
		} else {
			s.values[i] = NewValues(r.field(c), c.Spec.Mask, res.Open, res.Budget)
		}
	}
	if r.Class >= 0 {
		s.class = domain.NewInterner(r.field(&r.Columns[r.Class]), false, res.Budget)
	}
	return s
}

// start makes the state of so many workers, and returns what they read.
func (s *survey) start(n int) []formats.Request {
	for range n {
		s.workers = append(s.workers, s.newSurveying())
	}
	if s.class != nil {
		return s.requests()[:s.Class+1]
	}
	return s.requests()[:s.bound()]
}

// read reads the whole input.
func (s *survey) read(ctx context.Context) error {
	requests := s.start(s.Dataset.Scanners(s.res.Threads))
	total := s.Dataset.Rows()
	err := dataset.Scan(ctx, s.Dataset, requests, s.workers, func(rows int64) { s.res.Advanced(rows, 2*total) })
	for _, w := range s.workers {
		s.rows += w.rows
	}
	return err
}

// bind makes the domains of all columns, one after the other: each may need much of the memory.
func (s *survey) bind(ctx context.Context) ([]*Bound, error) {
	columns := make([]*Bound, s.bound())
	for i := range columns {
		var err error
		if columns[i], err = s.bindColumn(ctx, i); err != nil {
			return nil, s.locate(ctx, i, err)
		}
	}
	return columns, nil
}

func (s *survey) bindColumn(ctx context.Context, i int) (*Bound, error) {
	c := &s.Columns[i]
	if values := s.values[i]; values != nil {
		return values.bind(ctx, c, s.rows)
	}
	counters := make([]*partition.ClassCounter, len(s.workers))
	for w := range counters {
		counters[w] = s.workers[w].coded[i].counter
	}
	pairs, err := partition.JoinClassCounters(ctx, counters, s.res.Budget, s.res.Threads)
	if err != nil {
		return nil, fmt.Errorf("join the counts of column %s: %w", c.Spec.Name, err)
	}
	return s.sources[i].bind(pairs)
}

// surveying is one worker's state.
type surveying struct {
	sampling
	s       *survey
	class   domain.Mapping
	classes []uint32
	tallies []columnTally // by column that has values
	coded   []columnCodes // by column that has a source
	rows    int64
}

// columnCodes counts the codes of a column that has a source.
type columnCodes struct {
	codes   domain.Mapping
	scratch []uint32
	counter *partition.ClassCounter
}

// columnTally counts the local codes of one column while the reader's list of values stays
// the same.
type columnTally struct {
	part   *part
	of     *formats.Values
	counts []uint32 // by local code and class
	stride int      // classes there is room for
}

func (s *survey) newSurveying() *surveying {
	n := len(s.values)
	w := &surveying{sampling: sampling{take: s.Take}, s: s, tallies: make([]columnTally, n), coded: make([]columnCodes, n)}
	for i, values := range s.values {
		if values != nil {
			w.tallies[i] = columnTally{part: values.newPart(s.room), stride: 1}
		} else {
			w.coded[i] = columnCodes{codes: domain.NewMapping(s.sources[i]), counter: partition.NewClassCounter(s.res.Budget)}
		}
	}
	if s.class != nil {
		w.class = domain.NewMapping(s.class)
	}
	return w
}

func (w *surveying) Batch(b *formats.Batch) (err error) {
	b = w.taken(b)
	w.rows += int64(b.Rows)
	classDomain := 1
	if w.s.class == nil {
		if len(w.classes) < b.Rows {
			w.classes = make([]uint32, b.Rows)
		}
	} else {
		if w.classes, err = w.class.Translate(b.Columns[w.s.Class], w.classes); err != nil {
			return err
		}
		classDomain = w.class.Domain()
		if err := domain.CheckClasses(w.s.class.Column, classDomain); err != nil {
			return err
		}
	}
	for i := range w.tallies {
		if w.s.values[i] == nil {
			err = w.coded[i].batch(b.Columns[i], w.classes[:b.Rows], classDomain)
		} else {
			err = w.tallies[i].batch(b.Columns[i], w.classes[:b.Rows], classDomain, w.s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *columnCodes) batch(column *formats.Column, classes []uint32, classDomain int) (err error) {
	if c.scratch, err = c.codes.Translate(column, c.scratch); err != nil {
		return err
	}
	return c.counter.Add(c.scratch, classes, c.codes.Domain(), classDomain)
}

// EndSplit empties the tallies: the reader's lists of values end with the split.
func (w *surveying) EndSplit() error {
	for i := range w.tallies {
		if err := w.tallies[i].flush(w.s.res.Budget); err != nil {
			return err
		}
	}
	return nil
}

// batch counts the rows of a batch: in the tally while the list of values is short, else
// one by one.
func (t *columnTally) batch(column *formats.Column, classes []uint32, classDomain int, s *survey) error {
	if t.of != column.Values || classDomain > t.stride || column.Values.Len() > s.listed {
		if err := t.flush(s.res.Budget); err != nil {
			return err
		}
		t.of = column.Values
		for t.stride < classDomain {
			t.stride *= 2
		}
	}
	if column.Values.Len() > s.listed {
		return t.part.addRows(column, classes)
	}
	if n := (column.Values.Len() + 1) * t.stride; n > len(t.counts) {
		if err := s.res.Budget.Draw("value counts", int64(n-len(t.counts))*4); err != nil {
			return err
		}
		t.counts = append(t.counts, make([]uint32, n-len(t.counts))...)
	}
	for i, code := range column.Codes {
		t.counts[int(code)*t.stride+int(classes[i])]++
	}
	return nil
}

// flush hands the tally over to its part and empties it.
func (t *columnTally) flush(budget *spill.Budget) error {
	if len(t.counts) == 0 {
		return nil
	}
	if err := t.part.addTally(t.of, t.counts, t.stride); err != nil {
		return err
	}
	budget.Return(int64(len(t.counts)) * 4)
	t.of, t.counts = nil, nil
	return nil
}

// addTally adds the counts of local codes and classes.
func (p *part) addTally(values *formats.Values, counts []uint32, stride int) error {
	for i, n := range counts {
		if n == 0 {
			continue
		}
		code, class := i/stride, uint32(i%stride)
		if code == 0 {
			p.addNull(class, n)
		} else if err := p.add(values, code-1, class, n); err != nil {
			return err
		}
	}
	return nil
}

// addRows adds every row of a batch.
func (p *part) addRows(column *formats.Column, classes []uint32) error {
	for i, code := range column.Codes {
		if code == 0 {
			p.addNull(classes[i], 1)
		} else if err := p.add(column.Values, int(code)-1, classes[i], 1); err != nil {
			return err
		}
	}
	return nil
}
