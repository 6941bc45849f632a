package masking

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Spans are parts of an attribute's codes: the first part goes from the first code to the first
// start, the next one to the next start, and so on. Each part has the smallest and the largest
// value of the released records, as a list of one value. The list is empty if no record has a value
// there.
type Spans struct {
	Attribute   int
	Starts      []uint32
	Least, Most []formats.Values
}

// NewSpans returns spans without values.
func NewSpans(attribute int, starts []uint32) Spans {
	n := len(starts) + 1
	return Spans{
		Attribute: attribute, Starts: starts,
		Least: make([]formats.Values, n), Most: make([]formats.Values, n),
	}
}

// FindExtremes finds the values of spans in the rows of an input that a recoding releases. It
// leaves out rows that the recoding drops or that have only the given widest labels, one per
// attribute. If there are no such labels, it leaves out only dropped rows.
func FindExtremes(
	ctx context.Context, d *dataset.Dataset, r *Recoder, widest []uint32, spans []Spans,
	threads int,
	budget *spill.Budget,
) error {
	var found [][]spanScanner
	err := r.scan(ctx, d, nil, threads, budget, func(t *rowLabeler) func(*formats.Batch) error {
		var seen []spanScanner
		for _, s := range spans {
			seen = append(seen, spanScanner{Spans: NewSpans(s.Attribute, s.Starts)})
		}
		found = append(found, seen)
		return func(b *formats.Batch) error {
			for i := range seen {
				seen[i].add(b, t, widest)
			}
			return nil
		}
	})
	for i := range spans {
		spans[i] = found[0][i].Spans
		for _, seen := range found[1:] {
			spans[i].merge(&seen[i].Spans)
		}
	}
	return err
}

// spanScanner finds the values of spans for one goroutine. It adds each value of a list once.
type spanScanner struct {
	Spans
	of   *formats.Values
	seen []bool // by code of the list: its value was added
}

// add adds the released values of a batch.
func (s *spanScanner) add(b *formats.Batch, t *rowLabeler, widest []uint32) {
	column := b.Columns[s.Attribute]
	s.learn(column.Values)
	_, codes := t.maps[s.Attribute].Learned()
	for row, local := range column.Codes[:b.Rows] {
		if local > 0 && !s.seen[local] && !engine.IsTaken(t.labels, row, widest) {
			s.seen[local] = true
			s.Add(s.of, int(local-1), codes[local])
		}
	}
}

// learn switches to a list of values.
func (s *spanScanner) learn(values *formats.Values) {
	if s.of != values {
		s.of, s.seen = values, s.seen[:0]
	}
	for len(s.seen) <= values.Len() {
		s.seen = append(s.seen, false)
	}
}

// Add adds the value of a code. Values without an order belong to no span.
func (s *Spans) Add(values *formats.Values, i int, code uint32) {
	if domain.IsNaN(values, i) {
		return
	}
	at, is := slices.BinarySearch(s.Starts, code)
	if is {
		at++
	}
	s.take(at, values, i)
}

// take adds a value to one span.
func (s *Spans) take(at int, values *formats.Values, i int) {
	if least := &s.Least[at]; least.Len() == 0 || domain.CompareValues(values, i, least, 0) < 0 {
		*least = valueAt(values, i)
	}
	if most := &s.Most[at]; most.Len() == 0 || domain.CompareValues(values, i, most, 0) > 0 {
		*most = valueAt(values, i)
	}
}

// valueAt returns a list of one value, in the form in which a search compares it.
func valueAt(values *formats.Values, i int) formats.Values {
	value := formats.Values{Type: values.Type}
	if values.Type.InWords() {
		value.Words = []uint64{domain.CanonicalWord(values, i)}
	} else {
		value.AppendBytes(values.Bytes(i))
	}
	return value
}

func (s *Spans) merge(o *Spans) {
	for at := range o.Least {
		if o.Least[at].Len() > 0 {
			s.take(at, &o.Least[at], 0)
			s.take(at, &o.Most[at], 0)
		}
	}
}

// Around returns the values of released records next to the start with the given number: the
// largest one below it, and the smallest one from it on. They are nil if no record has such a
// value.
func (s *Spans) Around(start int) (below, from *formats.Values) {
	for at := start; at >= 0 && below == nil; at-- {
		if s.Most[at].Len() > 0 {
			below = &s.Most[at]
		}
	}
	for at := start + 1; at < len(s.Least) && from == nil; at++ {
		if s.Least[at].Len() > 0 {
			from = &s.Least[at]
		}
	}
	return below, from
}
