package spill

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// SortedRows returns different rows in order, once. It belongs to one goroutine at a time.
type SortedRows struct {
	short  int // length of every row, if they are short
	budget *Budget
	drawn  int64
	heap   []runHead // the first row of its first element comes next
	row    []byte
}

// runHead is a run with the first bytes of its first row, which usually decide a comparison.
type runHead struct {
	prefix uint64
	*runSource
}

// runSource is the unread rest of a run.
type runSource struct {
	row    []byte // the first row; nil: it is short
	n      int64
	short  bool
	run    *RowRun // a run in memory
	next   int     // its next row
	reader *reader // the chunks of a run in the store
	chunk  []byte  // the rest of one chunk
}

// add adds a run.
func (r *SortedRows) add(run *RowRun, reader *reader) {
	source := &runSource{run: run, reader: reader, short: r.short > 0}
	r.heap = append(r.heap, runHead{runSource: source})
}

// begin reads the first row of every run. No run is empty.
func (r *SortedRows) begin() error {
	for i := range r.heap {
		if err := r.heap[i].advance(); err != nil {
			return fmt.Errorf("read sorted rows: %w", err)
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
	return nil
}

// Next returns the next row, valid until the next call, and the number of equal rows, or io.EOF.
func (r *SortedRows) Next() (row []byte, n int64, err error) {
	if len(r.heap) == 0 {
		return nil, 0, io.EOF
	}
	prefix, row := r.heap[0].prefix, r.heap[0].row
	if r.short > 0 {
		r.row = binary.BigEndian.AppendUint64(r.row[:0], prefix)
		row = nil
	} else if r.heap[0].reader != nil { // the reader's next chunk overwrites the row
		r.row = append(r.row[:0], row...)
		row = r.row
	}
	for equal := true; equal; equal = len(r.heap) > 0 && r.heap[0].prefix == prefix &&
		bytes.Equal(r.heap[0].row, row) {
		first := &r.heap[0]
		n += first.n
		switch err := first.advance(); {
		case err == io.EOF:
			if first.reader != nil {
				first.reader.close()
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

// Each calls use with the rows that are left, as Next returns them, up to the first error.
func (r *SortedRows) Each(use func(row []byte, n int64) error) error {
	for {
		row, n, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = use(row, n)
		}
		if err != nil {
			return err
		}
	}
}

// down restores the order of the heap from a source on that may come after its children.
func (r *SortedRows) down(i int) {
	if i >= len(r.heap) {
		return
	}
	moved := r.heap[i]
	for child := 2*i + 1; child < len(r.heap); child = 2*i + 1 {
		if other := child + 1; other < len(r.heap) && r.heap[other].before(&r.heap[child]) {
			child = other
		}
		if !r.heap[child].before(&moved) {
			break
		}
		r.heap[i], i = r.heap[child], child
	}
	r.heap[i] = moved
}

// before reports whether a run's first row comes before another's.
func (s *runHead) before(other *runHead) bool {
	return s.prefix < other.prefix || s.prefix == other.prefix &&
		bytes.Compare(s.row, other.row) < 0
}

// advance moves to the next row, or returns io.EOF.
func (s *runHead) advance() error {
	if s.reader == nil {
		if s.next == len(s.run.refs) {
			return io.EOF
		}
		ref := &s.run.refs[s.next]
		if s.prefix, s.n = ref.prefix, int64(ref.count); !s.short {
			s.row = s.run.row(ref)
		}
		s.next++
		return nil
	}
	for len(s.chunk) == 0 {
		chunk, err := s.reader.next()
		if err != nil {
			return err
		}
		s.chunk = chunk
	}
	row, n, rest, err := FirstRow(s.chunk)
	if err != nil {
		return err
	}
	if s.prefix, s.n, s.chunk = prefixOf(row), n, rest; !s.short {
		s.row = row
	}
	return nil
}

// Close ends the reading and frees its memory.
func (r *SortedRows) Close() {
	for _, source := range r.heap {
		if source.reader != nil {
			source.reader.close()
		}
	}
	r.heap = nil
	r.budget.Return(r.drawn)
	r.drawn = 0
}
