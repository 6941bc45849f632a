package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// SortedRows are different rows in order, read once. They belong to one goroutine at a time.
type SortedRows struct {
	short  int // bytes of every row, if they are short
	budget *Budget
	drawn  int64
	heap   []*runSource // the first row of the first one is next
	row    []byte
}

// runSource is what is left of a run.
type runSource struct {
	prefix uint64
	row    []byte // the first one; nil: it is short
	n      uint32
	run    *RowRun
	next   int     // row of the run
	reader *Reader // of more chunks; nil: the run is in memory
	rest   []byte  // what a chunk has of a row that goes on in the next one
	joined []byte  // that, and the next one
}

// begin reads the first row of every run: none is empty.
func (r *SortedRows) begin() error {
	for _, source := range r.heap {
		if err := source.advance(); err != nil {
			return fmt.Errorf("read sorted rows: %w", err)
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
	return nil
}

// Next returns the next row, valid until the next call, and how many there are of it, or io.EOF.
func (r *SortedRows) Next() (row []byte, n int64, err error) {
	if len(r.heap) == 0 {
		return nil, 0, io.EOF
	}
	prefix, row := r.heap[0].prefix, r.heap[0].row
	if r.short > 0 {
		r.row = binary.BigEndian.AppendUint64(r.row[:0], prefix)
		row = nil
	} else if r.heap[0].reader != nil { // what it reads next takes the place of the row
		r.row = append(r.row[:0], row...)
		row = r.row
	}
	for equal := true; equal; equal = len(r.heap) > 0 && r.heap[0].prefix == prefix && bytes.Equal(r.heap[0].row, row) {
		first := r.heap[0]
		n += int64(first.n)
		switch err := first.advance(); {
		case err == io.EOF:
			if first.reader != nil {
				_ = first.reader.Close() // nothing is left to read
			}
			last := len(r.heap) - 1
			r.heap[0], r.heap = r.heap[last], r.heap[:last]
		case err != nil:
			return nil, 0, fmt.Errorf("read sorted rows: %w", err)
		}
		r.down(0)
	}
	if r.short > 0 {
		row = r.row[:r.short]
	}
	return row, n, nil
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

// before reports whether a source's first row comes before another's.
func (s *runSource) before(other *runSource) bool {
	return s.prefix < other.prefix || s.prefix == other.prefix && bytes.Compare(s.row, other.row) < 0
}

// advance goes on to the next row, or returns io.EOF.
func (s *runSource) advance() error {
	for s.next == s.run.Len() {
		if s.reader == nil {
			return io.EOF
		}
		if err := s.read(); err != nil {
			return err
		}
	}
	ref := &s.run.refs[s.next]
	if s.prefix, s.n = ref.prefix, ref.count; s.run.short == 0 {
		s.row = s.run.row(ref)
	}
	s.next++
	return nil
}

// read makes the run that of the rows of the next chunk.
func (s *runSource) read() error {
	s.joined = append(s.joined[:0], s.rest...)
	chunk, err := s.reader.Next()
	if err == io.EOF && len(s.joined) > 0 {
		return fmt.Errorf("a run does not end with a row: %w", ErrCorrupt)
	}
	if err != nil {
		return err
	}
	if len(s.joined) > 0 {
		if len(s.joined) >= rowHead { // once, where it would grow piece by piece
			s.joined = slices.Grow(s.joined, max(0, rowEnd(s.joined)-len(s.joined))+len(chunk))
		}
		s.joined = append(s.joined, chunk...)
		chunk = s.joined
	}
	s.rest, s.next = s.run.decode(chunk), 0
	return nil
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
