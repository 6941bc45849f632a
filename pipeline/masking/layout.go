package masking

import (
	"io"
	"iter"

	"github.com/kcut/kcut/spill"
)

// RowPlace is a place among the rows of ranges: in a chunk, behind some of the rows that are equal
// to one of it.
type RowPlace struct {
	Range, Chunk, Row int
	Taken             int64
}

// LayOut returns where the row groups of a release begin whose rows are in order in ranges. Each
// has a number of rows; 0: as Order.Rows. The input has records.
func LayOut(ranges iter.Seq2[*Range, error], rows, records int64) ([]RowPlace, error) {
	return layOut(ranges, newGroupLimit(rows, records))
}

func layOut(ranges iter.Seq2[*Range, error], limit groupLimit) ([]RowPlace, error) {
	l, at := layingOut{groupLimit: limit}, 0
	for r, err := range ranges {
		if err != nil {
			return nil, err
		}
		for i := range r.chunks {
			if err := l.chunk(r, RowPlace{Range: at, Chunk: i}); err != nil {
				return nil, err
			}
		}
		at++
	}
	return l.begins, nil
}

// layingOut is row groups as pulling.next makes them, and what is in the open one.
type layingOut struct {
	groupLimit
	begins      []RowPlace
	count, size int64
}

// chunk adds the rows of a chunk, which are read if a row group ends there.
func (l *layingOut) chunk(r *Range, at RowPlace) error {
	if c := &r.chunks[at.Chunk]; !l.ends(l.count+c.rows, l.size+c.size) {
		l.add(at, c.size, c.rows)
		return nil
	}
	rows, err := r.chunk(at.Chunk)
	if err != nil {
		return err
	}
	return spill.EachRow(rows, func(row []byte, n int64) error {
		for at.Taken = 0; at.Taken < n; {
			some := min(n-at.Taken, l.rows-l.count)
			l.add(at, int64(len(row)), some)
			at.Taken += some
		}
		at.Row++
		return nil
	})
}

// add adds rows from a place on.
func (l *layingOut) add(at RowPlace, size, rows int64) {
	if l.count == 0 {
		l.begins = append(l.begins, at)
	}
	if l.count, l.size = l.count+rows, l.size+size; l.ends(l.count, l.size) {
		l.count, l.size = 0, 0
	}
}

// EncodeFrom encodes the row group that begins at a place, as AddTask takes it, and as LayOut has
// laid it out: so are rows and records. The first range is that of the place.
func (m *Masker) EncodeFrom(ranges iter.Seq2[*Range, error], place RowPlace, rows, records int64) ([]byte, error) {
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
	if err := takeFrom(ranges, place, newGroupLimit(rows, records), g); err != nil {
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

// takeFrom takes the rows of the row group that begins at a place.
func takeFrom(ranges iter.Seq2[*Range, error], place RowPlace, limit groupLimit, g *orderedGroup) error {
	next, stop := iter.Pull2(ranges)
	defer stop()
	pull := newPulling(&rangeRows{ranges: next, at: place}, limit)
	return pull.next(0, g)
}

// rangeRows are the rows of ranges from a place on.
type rangeRows struct {
	ranges func() (*Range, error, bool)
	at     RowPlace // what is left out of the next range, chunk and row
	r      *Range
	chunk  int    // of the range: the next one
	rest   []byte // rows of the last one
}

// Next returns the next row and how many there are of it, or io.EOF.
func (r *rangeRows) Next() (row []byte, n int64, err error) {
	for {
		for len(r.rest) == 0 {
			if err := r.read(); err != nil {
				return nil, 0, err
			}
		}
		if row, n, r.rest, err = spill.FirstRow(r.rest); err != nil {
			return nil, 0, err
		}
		if r.at.Row == 0 {
			n, r.at.Taken = n-r.at.Taken, 0
			return row, n, nil
		}
		r.at.Row--
	}
}

// read reads the next chunk.
func (r *rangeRows) read() (err error) {
	for r.r == nil || r.chunk == len(r.r.chunks) {
		next, err, more := r.ranges()
		if err != nil {
			return err
		}
		if !more {
			return io.EOF
		}
		r.r, r.chunk, r.at.Chunk = next, r.at.Chunk, 0
	}
	r.rest, err = r.r.chunk(r.chunk)
	r.chunk++
	return err
}
