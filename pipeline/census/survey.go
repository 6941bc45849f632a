package census

import (
	"context"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/spill"
)

// Survey is the first of the two readings of an input whose values or tuples do not fit the
// memory: it takes a census of every masked column, and counts no tuples.
type Survey struct {
	Dataset  *dataset.Dataset
	Requests []formats.Request // masked columns in attribute order, then the class
	Columns  []*Column
	Room     int              // entries that the part of every worker of every census holds
	Class    *coding.Interner // nil without a class
	Budget   *spill.Budget
	Listed   int // longest list of values that is tallied, and not counted row by row
	Threads  int
	Advanced func(rows int64)
}

// Take reads the whole input.
func (s *Survey) Take(ctx context.Context) error {
	scanners := make([]*surveying, s.Dataset.Scanners(s.Threads))
	for i := range scanners {
		scanners[i] = s.newSurveying()
	}
	return dataset.Scan(ctx, s.Dataset, s.Requests, scanners, s.Advanced)
}

// Scanner returns one worker's state in a reading that the caller makes, of which the
// survey's columns may see some rows only.
func (s *Survey) Scanner() dataset.Scanner { return s.newSurveying() }

// surveying is one worker's state.
type surveying struct {
	s       *Survey
	class   coding.Mapping
	classes []uint32
	tallies []columnTally
}

// columnTally counts the local codes of one column while the reader's list of values stays
// the same.
type columnTally struct {
	census *part
	of     *formats.Values
	counts []uint32 // by local code and class
	stride int      // classes there is room for
}

func (s *Survey) newSurveying() *surveying {
	w := &surveying{s: s, tallies: make([]columnTally, len(s.Columns))}
	for i, c := range s.Columns {
		w.tallies[i] = columnTally{census: c.newPart(s.Room), stride: 1}
	}
	if s.Class != nil {
		w.class = coding.NewMapping(s.Class)
	}
	return w
}

func (w *surveying) Batch(b *formats.Batch) (err error) {
	classDomain := 1
	if w.s.Class == nil {
		if len(w.classes) < b.Rows {
			w.classes = make([]uint32, b.Rows)
		}
	} else {
		if w.classes, err = w.class.Translate(b.Columns[len(b.Columns)-1], w.classes); err != nil {
			return err
		}
		classDomain = w.class.Domain()
		if err := coding.CheckClasses(w.s.Class.Column, classDomain); err != nil {
			return err
		}
	}
	for i := range w.tallies {
		if err := w.tallies[i].batch(b.Columns[i], w.classes[:b.Rows], classDomain, w.s); err != nil {
			return err
		}
	}
	return nil
}

func (w *surveying) BeginSplit(formats.Split) {}

// EndSplit empties the tallies: the reader's lists of values end with the split.
func (w *surveying) EndSplit() error {
	for i := range w.tallies {
		if err := w.tallies[i].flush(w.s.Budget); err != nil {
			return err
		}
	}
	return nil
}

// batch counts the rows of a batch: in the tally while the list of values is short, else
// one by one.
func (t *columnTally) batch(column *formats.Column, classes []uint32, classDomain int, s *Survey) error {
	if t.of != column.Values || classDomain > t.stride || column.Values.Len() > s.Listed {
		if err := t.flush(s.Budget); err != nil {
			return err
		}
		t.of = column.Values
		for t.stride < classDomain {
			t.stride *= 2
		}
	}
	if column.Values.Len() > s.Listed {
		return t.census.addRows(column, classes)
	}
	if n := (column.Values.Len() + 1) * t.stride; n > len(t.counts) {
		if err := s.Budget.Draw("value counts", int64(n-len(t.counts))*4); err != nil {
			return err
		}
		t.counts = append(t.counts, make([]uint32, n-len(t.counts))...)
	}
	for i, code := range column.Codes {
		t.counts[int(code)*t.stride+int(classes[i])]++
	}
	return nil
}

// flush hands the tally over to the census and empties it.
func (t *columnTally) flush(budget *spill.Budget) error {
	if len(t.counts) == 0 {
		return nil
	}
	if err := t.census.addTally(t.of, t.counts, t.stride); err != nil {
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
