package count

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Values counts the (value, class) pairs of one column that may have more values than fit
// the memory:
//
//	rows ──▶ tally a worker ──▶ entries a worker, sorted and merged when full ──▶ runs in the store
//
// When all rows are in, each walks the values in order, with the sums of their classes.
type Values struct {
	column    string
	typ       formats.Type
	nanIsNull bool // as of an interner
	texts     bool // values are counted by their text, which is what a taxonomy knows
	open      Opener
	budget    *spill.Budget
	fan       int          // runs that are read at one time
	largest   atomic.Int64 // bytes of the largest value of runs
	parts     []*part

	mu    sync.Mutex
	store *spill.Store // nil: nothing was spilled
	runs  []spill.Sequence
}

// Opener returns the store of a run, which is opened when something does not fit the
// memory: what that is comes in the user's words. It is safe for concurrent use.
type Opener func(what string) (*spill.Store, error)

// entry counts one value and class. Values that are not words lie in an arena; their
// word is made of their first eight bytes, so that most comparisons need no more.
type entry struct {
	word   uint64
	at     uint32 // in the arena
	length uint32
	class  uint32
	count  uint32
}

// EntryBytes is what an entry takes with a value of 16 bytes.
const EntryBytes = bareEntry + 16

// bareEntry is what an entry takes without its value.
const bareEntry = 24

// NewValues returns a counter for a mask. NaNs may be nulls to it. Its parts move entries to a store when
// they are full.
func NewValues(field formats.Field, mask string, nanIsNull bool, open Opener, budget *spill.Budget) *Values {
	fan := min(max(budget.Grant(&spill.MergedRuns)/spill.ReaderBytes, 4), 64)
	return &Values{
		column: field.Name, typ: field.Type, nanIsNull: nanIsNull, texts: mask == job.MaskGeneralize,
		open: open, budget: budget, fan: int(fan),
	}
}

// value returns an entry's bytes in an arena; nil for words.
func (e *entry) value(arena []byte) []byte { return arena[e.at : e.at+e.length] }

// compareEntries orders entries by value, then class.
func compareEntries(a *entry, arenaA []byte, b *entry, arenaB []byte) int {
	if a.word != b.word { // nearly always
		return cmp.Compare(a.word, b.word)
	}
	if order := bytes.Compare(a.value(arenaA), b.value(arenaB)); order != 0 {
		return order
	}
	return cmp.Compare(a.class, b.class)
}

// nulls returns the classes of records without a value, in order.
func (c *Values) nulls() (nulls []engine.Frequency) {
	for _, p := range c.parts {
		nulls = engine.AddFrequencies(nulls, p.nulls)
	}
	return nulls
}

// each calls f with every value in order. The values are consumed.
func (c *Values) each(ctx context.Context, f func(*domain.Counted) error) error {
	if err := c.sortParts(); err != nil {
		return err
	}
	for len(c.runs) > c.mergeable() {
		if err := c.reduce(ctx); err != nil {
			return err
		}
	}
	if err := c.merge(ctx, c.runs, f); err != nil {
		return err
	}
	for _, p := range c.parts {
		p.release()
	}
	return nil
}

// sortParts sorts what is in memory, every part on a goroutine of its own, and moves it to runs
// when there are any.
func (c *Values) sortParts() error {
	spilled := len(c.runs) > 0
	return workers.Each(len(c.parts), len(c.parts), func(_ workers.Worker, i int) error {
		c.parts[i].sort()
		if !spilled {
			return nil
		}
		return c.parts[i].flush()
	})
}

// mergeable returns how many runs are merged at a time: fewer than usual where values are so large that there is no room for one of each.
func (c *Values) mergeable() int {
	largest := c.largest.Load()
	if largest <= maxRunChunk {
		return c.fan
	}
	return int(max(2, min(int64(c.fan), (c.budget.Left()-mergedCopies*largest)/4*3/(spill.ReaderBytes+largest))))
}

// reduce makes one run of those at the front of the queue.
func (c *Values) reduce(ctx context.Context) error {
	fan := c.mergeable()
	w, err := c.newRun()
	if err != nil {
		return err
	}
	err = c.merge(ctx, c.runs[:fan], func(v *domain.Counted) error {
		for _, k := range v.Classes {
			for n := k.Count; n > 0; n -= min(n, math.MaxUint32) {
				if err := w.add(v.Word, v.Value, k.Class, uint32(min(n, math.MaxUint32))); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.runs = c.runs[fan:]
	return w.send()
}

// merge calls f with every value of some runs, or of the memory when there are none, and
// frees the runs.
func (c *Values) merge(ctx context.Context, runs []spill.Sequence, f func(*domain.Counted) error) error {
	what, taken := "reading the values of column "+c.column, int64(len(runs))*spill.ReaderBytes
	if largest := c.largest.Load(); largest > maxRunChunk { // one of each run, that which they are merged into, and what becomes of it
		taken += int64(len(runs)+mergedCopies) * largest
	}
	if err := c.budget.Draw(what, taken); err != nil {
		return c.budget.Short(err, taken, "drop columns of large texts, or generalize them before")
	}
	defer c.budget.Return(taken)
	var cursors []*runCursor
	if len(runs) == 0 {
		for _, p := range c.parts {
			cursors = append(cursors, &runCursor{entries: p.entries, chunk: p.arena})
		}
	}
	for _, run := range runs {
		reader, err := c.store.Read(ctx, run)
		if err != nil {
			return fmt.Errorf("read the values of column %s: %w", c.column, err)
		}
		defer reader.Close()
		cursors = append(cursors, &runCursor{reader: reader})
	}
	var merge runMerge
	var err error
	for i := 0; i < len(cursors) && err == nil; i++ { // a store that has failed fails all readers alike
		var ok bool
		if ok, err = cursors[i].advance(); ok {
			merge = append(merge, cursors[i])
		}
	}
	slices.SortFunc(merge, compareCursors)
	var value domain.Counted
	for n := 0; len(merge) > 0 && err == nil; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err = merge.next(&value); err == nil {
			if err := f(&value); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return fmt.Errorf("merge the values of column %s: %w", c.column, err)
	}
	if len(runs) == 0 {
		return nil
	}
	if err := c.store.Free(runs...); err != nil {
		return fmt.Errorf("free the values of column %s: %w", c.column, err)
	}
	return nil
}

// words reports whether entries have their values as words.
func (c *Values) words() bool { return c.typ.InWords() && !c.texts }

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

// mergedCopies is how often a value is there that was read from runs.
const mergedCopies = 3

// newRun begins a run of the column's, in a store that is opened for the first one.
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
	w := &runWriter{of: c, run: store.NewSequence(), chunk: make([]byte, 0, runChunk+64)}
	c.runs = append(c.runs, w.run)
	return w, nil
}

// add writes an entry: word, length, value, class, count.
func (w *runWriter) add(word uint64, value []byte, class, count uint32) error {
	w.chunk = binary.BigEndian.AppendUint64(w.chunk, word)
	w.chunk = binary.AppendUvarint(w.chunk, uint64(len(value)))
	w.chunk = append(w.chunk, value...)
	for size := int64(len(value)); ; {
		if known := w.of.largest.Load(); size <= known || w.of.largest.CompareAndSwap(known, size) {
			break
		}
	}
	w.chunk = binary.AppendUvarint(w.chunk, uint64(class))
	w.chunk = binary.AppendUvarint(w.chunk, uint64(count))
	if len(w.chunk) < runChunk {
		return nil
	}
	return w.send()
}

// send hands the chunk to the store. It is called when a run has all its entries, too.
func (w *runWriter) send() error {
	for piece := range slices.Chunk(w.chunk, maxRunChunk) {
		if err := w.of.store.Append(w.run, piece); err != nil {
			return fmt.Errorf("spill the values of column %s: %w", w.of.column, err)
		}
	}
	w.chunk = w.chunk[:0]
	return nil
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
		begun := r.chunk[r.next:]
		if need := int(r.entry.at) - r.next + int(r.entry.length) + maxRunChunk; cap(r.joined) < need && r.entry.length > maxRunChunk {
			r.joined = make([]byte, 0, need) // once, where it would grow piece by piece
		}
		r.joined = append(r.joined[:0], begun...)
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
