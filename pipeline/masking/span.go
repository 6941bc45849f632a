package masking

import (
	"cmp"
	"iter"

	"github.com/kcut/kcut/spill"
)

// RowPlace is a place among the rows of ranges: in a chunk, behind so many of the rows that are equal to one of it.
type RowPlace struct {
	Range, Chunk, Row int
	Taken             int64
}

// RowSpan is the rows of a row group: from a place to another.
type RowSpan struct{ From, To RowPlace }

// LayOut returns the row groups of a release whose rows are in order in ranges. Each has a number
// of rows; 0: as Order.Rows. The input has records.
func LayOut(ranges iter.Seq2[*Range, error], rows, records int64) ([]RowSpan, error) {
	return layOut(ranges, newGroupLimit(rows, records))
}

func layOut(ranges iter.Seq2[*Range, error], limit groupLimit) ([]RowSpan, error) {
	l, at := layingOut{groupLimit: limit}, 0
	for r, err := range ranges {
		if err != nil {
			return nil, err
		}
		for i := range r.chunks {
			c := &r.chunks[i]
			if !l.ends(l.count+c.rows, l.size+c.size) {
				l.count, l.size = l.count+c.rows, l.size+c.size
				continue
			}
			different, err := r.chunk(i)
			if err != nil {
				return nil, err
			}
			place := RowPlace{at, i, 0, 0}
			err = spill.EachRow(different, func(row []byte, n int64) error {
				l.add(place, int64(len(row)), n)
				place.Row++
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		at++
	}
	if l.count > 0 {
		l.end(RowPlace{Range: at})
	}
	return l.spans, nil
}

// layingOut is row groups as pulling.next makes them, and the rows of the open one.
type layingOut struct {
	groupLimit
	spans       []RowSpan
	from        RowPlace
	count, size int64
}

// add adds rows that are equal and have a length.
func (l *layingOut) add(at RowPlace, length, rows int64) {
	for left := rows; left > 0; {
		n := min(left, l.rows-l.count)
		l.size += length
		l.count, left = l.count+n, left-n
		if !l.ends(l.count, l.size) {
			continue
		}
		if at.Taken = rows - left; left == 0 {
			at.Row, at.Taken = at.Row+1, 0
		}
		l.end(at)
	}
}

func (l *layingOut) end(at RowPlace) {
	l.spans = append(l.spans, RowSpan{l.from, at})
	l.from, l.count, l.size = at, 0, 0
}

// EncodeSpan encodes a row group of rows of the ranges, as AddTask takes it. The first range is that in which the span begins.
func (m *Masker) EncodeSpan(ranges iter.Seq2[*Range, error], span RowSpan) ([]byte, error) {
	o, err := m.ordering(Order{})
	if err != nil {
		return nil, err
	}
	w, err := m.newWorker()
	if err != nil {
		return nil, err
	}
	g := newOrderedGroup(o, w)
	defer g.close()
	err = eachRow(ranges, span, func(row []byte, n int64) error {
		g.take(row, n)
		return g.drawRows()
	})
	if err != nil {
		return nil, err
	}
	return m.encodeGroups(func(add func(group) error) error {
		encoded, err := g.encode()
		if err != nil {
			return err
		}
		return add(group{EncodedRowGroup: encoded})
	})
}

// eachRow calls use with the rows of a span in order, equal ones together. The first range is that in which it begins.
func eachRow(ranges iter.Seq2[*Range, error], span RowSpan, use func(row []byte, n int64) error) error {
	at := span.From
	for r, err := range ranges {
		if err != nil {
			return err
		}
		for at.Chunk < len(r.chunks) && !at.reaches(span.To) {
			rows, err := r.chunk(at.Chunk)
			if err != nil {
				return err
			}
			from := at
			at.Row, at.Taken = 0, 0
			err = spill.EachRow(rows, func(row []byte, n int64) error {
				if at.Row == from.Row {
					at.Taken = from.Taken
				}
				if at.Row >= from.Row && !at.reaches(span.To) {
					if err := use(row, at.equal(span.To, n)-at.Taken); err != nil {
						return err
					}
				}
				at.Row, at.Taken = at.Row+1, 0
				return nil
			})
			if err != nil {
				return err
			}
			at = RowPlace{at.Range, at.Chunk + 1, 0, 0}
		}
		if at = (RowPlace{Range: at.Range + 1}); at.reaches(span.To) {
			return nil
		}
	}
	return nil
}

// reaches reports whether a place is not before another.
func (p RowPlace) reaches(to RowPlace) bool {
	return cmp.Or(cmp.Compare(p.Range, to.Range), cmp.Compare(p.Chunk, to.Chunk), cmp.Compare(p.Row, to.Row), cmp.Compare(p.Taken, to.Taken)) >= 0
}

// equal returns how many of n rows that are equal, at the place, come before another one.
func (p RowPlace) equal(to RowPlace, n int64) int64 {
	if p.Range == to.Range && p.Chunk == to.Chunk && p.Row == to.Row {
		return to.Taken
	}
	return n
}
