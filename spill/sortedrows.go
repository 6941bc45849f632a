package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// SortedRows are rows in order, read once. It belongs to one goroutine at a time.
type SortedRows struct {
	budget *Budget
	drawn  int64
	heap   []*rowSource // the first row of the first one is next
	row    []byte
}

// rowSource is what is left of a sorted run.
type rowSource struct {
	prefix uint64
	row    []byte // the first one
	count  uint32 // of equal ones
	run    *RowRun
	next   int     // row of the run
	reader *Reader // of a run in the store; nil: it is in memory
	chunk  []byte
	room   []byte // for what is in several chunks
}

// rowsOf returns the rows of a sorted run, which is not empty.
func rowsOf(r *RowRun) *SortedRows {
	rows := &SortedRows{heap: []*rowSource{{run: r}}}
	_ = rows.heap[0].advance() // in memory
	return rows
}

// merged returns the rows of runs.
func (s *Sorter) merged(ctx context.Context, inMemory []*RowRun, stored []Sequence) (*SortedRows, error) {
	rows := &SortedRows{budget: s.budget, drawn: ReaderBytes * int64(len(stored))}
	if err := s.budget.Draw("reading sorted rows", rows.drawn); err != nil {
		return nil, err
	}
	for _, r := range inMemory {
		rows.heap = append(rows.heap, &rowSource{run: r})
	}
	for _, sequence := range stored {
		reader, err := s.store.Read(ctx, sequence)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		rows.heap = append(rows.heap, &rowSource{reader: reader})
	}
	for _, source := range rows.heap { // no run is empty
		if err := source.advance(); err != nil {
			return nil, errors.Join(fmt.Errorf("read sorted rows: %w", err), rows.Close())
		}
	}
	for i := len(rows.heap)/2 - 1; i >= 0; i-- {
		rows.down(i)
	}
	return rows, nil
}

// Next returns the next row, valid until the next call, and how many there are of it, or io.EOF.
func (r *SortedRows) Next() (row []byte, n int64, err error) {
	if len(r.heap) == 0 {
		return nil, 0, io.EOF
	}
	r.row = append(r.row[:0], r.heap[0].row...)
	for len(r.heap) > 0 && bytes.Equal(r.heap[0].row, r.row) {
		first := r.heap[0]
		n += int64(first.count)
		switch err := first.advance(); {
		case err == io.EOF:
			if first.reader != nil {
				_ = first.reader.Close() // of which nothing is left
			}
			last := len(r.heap) - 1
			r.heap[0], r.heap = r.heap[last], r.heap[:last]
		case err != nil:
			return nil, 0, fmt.Errorf("read sorted rows: %w", err)
		}
		r.down(0)
	}
	return r.row, n, nil
}

// down puts a source that may be behind others in its place.
func (r *SortedRows) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.heap); child++ {
			if r.heap[child].before(r.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		r.heap[i], r.heap[least] = r.heap[least], r.heap[i]
		i = least
	}
}

func (s *rowSource) before(t *rowSource) bool {
	if s.prefix != t.prefix {
		return s.prefix < t.prefix
	}
	return bytes.Compare(s.row, t.row) < 0
}

// advance goes on to the next row, or returns io.EOF.
func (s *rowSource) advance() error {
	if s.reader == nil {
		if s.next == len(s.run.refs) {
			return io.EOF
		}
		ref := &s.run.refs[s.next]
		s.row, s.prefix, s.count = s.run.row(s.next), ref.prefix, ref.count
		s.next++
		return nil
	}
	head, err := s.take(8)
	if err != nil {
		return err
	}
	length := binary.LittleEndian.Uint32(head)
	s.count = binary.LittleEndian.Uint32(head[4:])
	if s.row, err = s.take(int(length)); err == io.EOF {
		err = ErrCorrupt
	}
	s.prefix = prefixOf(s.row)
	return err
}

// take returns the next bytes of a run in the store, or io.EOF when there are none. They are valid until the next call.
func (s *rowSource) take(n int) ([]byte, error) {
	if len(s.chunk) >= n {
		bytes := s.chunk[:n]
		s.chunk = s.chunk[n:]
		return bytes, nil
	}
	s.room = append(s.room[:0], s.chunk...)
	for len(s.room) < n {
		chunk, err := s.reader.Next()
		if err != nil {
			s.chunk = nil
			if err == io.EOF && len(s.room) > 0 {
				err = ErrCorrupt
			}
			return nil, err
		}
		some := min(len(chunk), n-len(s.room))
		s.room, s.chunk = append(s.room, chunk[:some]...), chunk[some:]
	}
	return s.room, nil
}

// Close ends the reading.
func (r *SortedRows) Close() (err error) {
	for _, source := range r.heap {
		if source.reader != nil {
			err = errors.Join(err, source.reader.Close())
		}
	}
	r.heap = nil
	if r.budget != nil {
		r.budget.Return(r.drawn)
	}
	return err
}
