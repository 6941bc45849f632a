package count

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// runWriter writes sorted entries to a run of a column's values.
type runWriter struct {
	of    *Values
	run   spill.Sequence
	chunk []byte
}

// runChunk is the size from which entries go to the store as a chunk, or as several when one value
// made it larger than maxRunChunk.
const (
	runChunk    = 128 << 10
	maxRunChunk = 2 * runChunk
)

// newRun begins a run, in a store that is opened for the first one.
func (c *Values) newRun() (*runWriter, error) {
	store, err := c.open("the values of column " + c.column)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store == nil { // who has a run reads it without a lock
		c.store = store
	}
	return &runWriter{of: c, run: store.NewSequence(), chunk: make([]byte, 0, runChunk+64)}, nil
}

// add writes an entry: word, length, value, class, count.
func (w *runWriter) add(word uint64, value []byte, class, count uint32) error {
	w.chunk = binary.BigEndian.AppendUint64(w.chunk, word)
	w.chunk = binary.AppendUvarint(w.chunk, uint64(len(value)))
	w.chunk = append(w.chunk, value...)
	w.chunk = binary.AppendUvarint(w.chunk, uint64(class))
	w.chunk = binary.AppendUvarint(w.chunk, uint64(count))
	if len(w.chunk) < runChunk {
		return nil
	}
	return w.send()
}

// send hands the chunk to the store.
func (w *runWriter) send() error {
	for piece := range slices.Chunk(w.chunk, maxRunChunk) {
		if err := w.of.store.Append(w.run, piece); err != nil {
			return fmt.Errorf("spill the values of column %s: %w", w.of.column, err)
		}
	}
	w.chunk = w.chunk[:0]
	return nil
}

// end makes the run one of the column's.
func (w *runWriter) end() error {
	w.of.mu.Lock()
	w.of.runs = append(w.of.runs, w.run)
	w.of.mu.Unlock()
	return w.send()
}

var errRun = fmt.Errorf("a run of values does not end with one: %w", spill.ErrCorrupt)

// parseEntry reads an entry whose value is left in the chunk: at and length refer to it. Where the chunk
// ends before it does, next is 0.
func parseEntry(chunk []byte, at int) (e entry, next int, err error) {
	if len(chunk)-at < 8 {
		return e, 0, nil
	}
	e.word = binary.BigEndian.Uint64(chunk[at:])
	at += 8
	for i, field := range []*uint32{&e.length, &e.class, &e.count} {
		value, n := binary.Uvarint(chunk[at:])
		if n < 0 || value > math.MaxUint32 {
			return e, 0, errRun
		}
		*field = uint32(value)
		at += n
		if i == 0 {
			e.at = uint32(at)
			at += int(value)
		}
		if n == 0 || at > len(chunk) {
			return e, 0, nil
		}
	}
	return e, at, nil
}

// runCursor stands at an entry of a run, or of the entries that never left memory.
type runCursor struct {
	reader  *spill.Reader
	entries []entry // in memory: those still to come
	chunk   []byte
	joined  []byte // what an entry begins with that goes on in the next chunk, and that
	next    int
	entry   entry
}

// advance moves to the next entry and reports whether there is one.
func (r *runCursor) advance() (ok bool, err error) {
	if r.reader == nil {
		if len(r.entries) == 0 {
			return false, nil
		}
		r.entry, r.entries = r.entries[0], r.entries[1:]
		return true, nil
	}
	for {
		next := 0
		if r.entry, next, err = parseEntry(r.chunk, r.next); err != nil || next > 0 {
			r.next = next
			return err == nil, err
		}
		r.joined = append(r.joined[:0], r.chunk[r.next:]...)
		switch r.chunk, err = r.reader.Next(); {
		case err == io.EOF && len(r.joined) == 0:
			return false, nil
		case err == io.EOF:
			return false, errRun
		case err != nil:
			return false, err
		case len(r.joined) > 0:
			r.joined = append(r.joined, r.chunk...)
			r.chunk = r.joined
		}
		r.next = 0
	}
}

// runMerge reads runs together: cursors in the order of their entries.
type runMerge []*runCursor

func compareCursors(a, b *runCursor) int {
	return compareEntries(&a.entry, a.chunk, &b.entry, b.chunk)
}

// advance moves the first cursor to its next entry, and puts it in its place among the others.
func (m *runMerge) advance() error {
	first, others := (*m)[0], (*m)[1:]
	ok, err := first.advance()
	if !ok {
		*m = others
		return err
	}
	at, _ := slices.BinarySearchFunc(others, first, compareCursors)
	copy(*m, others[:at])
	(*m)[at] = first
	return nil
}

// next takes all entries of the least value, its classes summed.
func (m *runMerge) next(value *domain.Counted) error {
	first := (*m)[0]
	value.Word, value.Classes = first.entry.word, value.Classes[:0]
	value.Value = append(value.Value[:0], first.entry.value(first.chunk)...)
	for len(*m) > 0 {
		first = (*m)[0]
		e := &first.entry
		if e.word != value.Word || !bytes.Equal(e.value(first.chunk), value.Value) {
			return nil
		}
		if last := len(value.Classes) - 1; last >= 0 && value.Classes[last].Class == e.class {
			value.Classes[last].Count += uint64(e.count)
		} else {
			value.Classes = append(value.Classes, engine.Frequency{Class: e.class, Count: uint64(e.count)})
		}
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}
