package masking

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/domain"
)

// Spans are parts of an attribute's codes: from each start to the next, and from the first code on.
// Of each the least and the most value are known that a released record has, one value each; no
// value: none has one.
type Spans struct {
	Attribute   int
	Starts      []uint32
	Least, Most []formats.Values
}

// NewSpans returns spans of which no value is known.
func NewSpans(attribute int, starts []uint32) Spans {
	n := len(starts) + 1
	return Spans{
		Attribute: attribute, Starts: starts,
		Least: make([]formats.Values, n), Most: make([]formats.Values, n),
	}
}

// FindExtremes finds the values of spans in the rows of an input that a recoding does not take
// away: it neither drops them nor gives them these labels, one an attribute, alone. Without such
// labels only those that are dropped are left out.
func FindExtremes(
	ctx context.Context, d *dataset.Dataset, r *Recoder, widest []uint32, spans []Spans, threads int,
	memo func() *engine.Memo,
) error {
	scanners := make([]*extremes, d.Scanners(threads))
	if r.Recoding.Cells() > 0 { // where rows of a divided cell go depends on those before
		scanners = scanners[:1]
	}
	for i := range scanners {
		scanners[i] = newExtremes(r, widest, spans, memo())
	}
	if err := dataset.Scan(ctx, d, r.Tuples, scanners, func(int64) {}); err != nil {
		return err
	}
	for i := range spans {
		spans[i] = scanners[0].spans[i].Spans
		for _, s := range scanners[1:] {
			spans[i].merge(&s.spans[i].Spans)
		}
	}
	return nil
}

// extremes looks for the extreme values of spans, one split after the other.
type extremes struct {
	recoding engine.Recoding
	coded    coded
	widest   []uint32
	labels   [][]uint32
	taken    []uint64
	memo     *engine.Memo
	spans    []seenSpans
	singles  formats.Singles
}

// seenSpans are spans, and the values of a list of which they know.
type seenSpans struct {
	Spans
	of   *formats.Values
	seen []bool // by code of the list
}

func newExtremes(r *Recoder, widest []uint32, spans []Spans, memo *engine.Memo) *extremes {
	e := &extremes{
		recoding: r.Recoding, coded: r.newCoded(), widest: widest, memo: memo,
		labels: make([][]uint32, len(r.Coders)), taken: make([]uint64, r.Recoding.Cells()),
	}
	for _, s := range spans {
		e.spans = append(e.spans, seenSpans{Spans: NewSpans(s.Attribute, s.Starts)})
	}
	return e
}

func (e *extremes) BeginSplit(formats.Split) {}
func (e *extremes) EndSplit() error          { return nil }

func (e *extremes) Batch(b *formats.Batch) error {
	if len(e.taken) == 0 {
		return e.rows(b)
	}
	e.singles.Of(b) // every record may go elsewhere
	for b = e.singles.Next(); b != nil; b = e.singles.Next() {
		if err := e.rows(b); err != nil {
			return err
		}
	}
	return nil
}

// rows looks at the rows of a batch.
func (e *extremes) rows(b *formats.Batch) error {
	for i := range e.coded.maps {
		if err := e.coded.translate(i, b.Columns[i]); err != nil {
			return err
		}
	}
	for a := range e.labels {
		e.labels[a] = slices.Grow(e.labels[a][:0], b.Rows)[:b.Rows]
	}
	rows := e.coded.rows(0, b.Rows)
	rows.Taken, rows.Memo = e.taken, e.memo
	e.recoding.Recode(rows, e.labels)
	for i := range e.spans {
		s := &e.spans[i]
		s.learn(b.Columns[s.Attribute].Values)
		_, codes := e.coded.maps[s.Attribute].Learned()
		for row, local := range b.Columns[s.Attribute].Codes[:b.Rows] {
			if local > 0 && !s.seen[local] && !engine.IsTaken(e.labels, row, e.widest) {
				s.seen[local] = true
				s.Add(s.of, int(local-1), codes[local])
			}
		}
	}
	return nil
}

// learn turns to a list of values.
func (s *seenSpans) learn(values *formats.Values) {
	if s.of != values {
		s.of, s.seen = values, s.seen[:0]
	}
	for len(s.seen) <= values.Len() {
		s.seen = append(s.seen, false)
	}
}

// Add takes in a value of a code. One without an order is in no span.
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

// take takes in a value of a span.
func (s *Spans) take(at int, values *formats.Values, i int) {
	if least := &s.Least[at]; least.Len() == 0 || domain.CompareValues(values, i, least, 0) < 0 {
		*least = valueAt(values, i)
	}
	if most := &s.Most[at]; most.Len() == 0 || domain.CompareValues(values, i, most, 0) > 0 {
		*most = valueAt(values, i)
	}
}

// valueAt returns a list of what a value is to a search.
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

// Around returns the values next to the start of a number that released records have: the most
// below it, and the least from it on. Nil: none has one there.
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
