package pipeline

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// census counts the (value, class) pairs of one column that may have more values than fit
// the memory:
//
//	rows ──▶ tally a worker ──▶ entries, sorted and merged when full ──▶ runs in the store
//
// When all rows are in, each walks the values in order, with the sums of their classes.
type census struct {
	column    string
	typ       formats.Type
	nanIsNull bool
	store     *spill.Store
	budget    *spill.Budget
	room      int // entries held in memory

	mu      sync.Mutex
	nulls   []uint64 // records without a value, by class
	entries []censusEntry
	arena   []byte // the bytes of values that are not words
	runs    []spill.Sequence
}

// censusEntry counts one value and class. Values that are not words lie in an arena; their
// word is made of their first eight bytes, so that most comparisons need no more.
type censusEntry struct {
	word   uint64
	at     uint32 // in the arena
	length uint32
	class  uint32
	count  uint32
}

// entryBytes is what an entry takes, with 16 bytes of value.
const entryBytes = 24 + 16

// newCensus returns a census that holds up to room entries in memory and moves them to the
// store when there are more.
func newCensus(field formats.Field, nanIsNull bool, store *spill.Store, budget *spill.Budget, room int) *census {
	return &census{column: field.Name, typ: field.Type, nanIsNull: nanIsNull, store: store, budget: budget, room: room}
}

// value returns an entry's bytes in an arena; nil for words.
func (e *censusEntry) value(arena []byte) []byte { return arena[e.at : e.at+e.length] }

// compareEntries orders entries by value, then class.
func compareEntries(a *censusEntry, arenaA []byte, b *censusEntry, arenaB []byte) int {
	return cmp.Or(
		cmp.Compare(a.word, b.word),
		bytes.Compare(a.value(arenaA), b.value(arenaB)),
		cmp.Compare(a.class, b.class),
	)
}

// add counts n records of entry i of values and a class. The caller holds the lock.
func (c *census) add(values *formats.Values, i int, class, n uint32) error {
	e := censusEntry{class: class, count: n}
	if values.Type.InWords() {
		e.word = values.Words[i]
		if values.Type.Kind == formats.Float {
			if e.word = canonicalFloat(e.word); e.word == canonicalNaN && c.nanIsNull {
				c.addNull(class, n)
				return nil
			}
		}
	} else {
		value := values.Bytes(i)
		if values.Type.Kind == formats.String && !utf8.Valid(value) {
			return fmt.Errorf("read column %s: a text is not UTF-8: %w", c.column, formats.ErrDamaged)
		}
		var first [8]byte
		copy(first[:], value)
		e.word, e.at, e.length = binary.BigEndian.Uint64(first[:]), uint32(len(c.arena)), uint32(len(value))
		c.arena = append(c.arena, value...)
	}
	if len(c.entries) == cap(c.entries) {
		if err := c.grow(); err != nil {
			return err
		}
	}
	c.entries = append(c.entries, e)
	if len(c.entries) >= c.room || len(c.arena) >= c.room*16 {
		return c.compact()
	}
	return nil
}

// grow doubles the room for entries, within what the census may hold.
func (c *census) grow() error {
	had := cap(c.entries)
	size := min(max(2*had, 1024), c.room)
	if err := c.budget.Draw("the values of column "+c.column, int64(size-had)*entryBytes); err != nil {
		return err
	}
	c.entries = append(make([]censusEntry, 0, size), c.entries...)
	return nil
}

func (c *census) addNull(class, n uint32) {
	for len(c.nulls) <= int(class) {
		c.nulls = append(c.nulls, 0)
	}
	c.nulls[class] += uint64(n)
}

// compact merges equal entries, and moves them to a run when that does not make enough room.
func (c *census) compact() error {
	c.sort()
	if len(c.entries) < c.room/2 && len(c.arena) < c.room*8 {
		return nil
	}
	return c.flush()
}

// sort orders the entries and merges equal ones; the arena is rewritten in their order.
func (c *census) sort() {
	slices.SortFunc(c.entries, func(a, b censusEntry) int { return compareEntries(&a, c.arena, &b, c.arena) })
	end := 0
	arena := make([]byte, 0, len(c.arena)/2)
	for i := range c.entries {
		e := c.entries[i]
		if end > 0 {
			last := &c.entries[end-1]
			same := last.word == e.word && bytes.Equal(last.value(arena), e.value(c.arena))
			if same && last.class == e.class {
				last.count += e.count
				continue
			}
			if same {
				e.at = last.at
				c.entries[end] = e
				end++
				continue
			}
		}
		value := e.value(c.arena)
		e.at = uint32(len(arena))
		arena = append(arena, value...)
		c.entries[end] = e
		end++
	}
	c.entries, c.arena = c.entries[:end], arena
}

// runChunk is the size of the chunks in which entries go to the store.
const runChunk = 128 << 10

// flush writes the sorted entries to a run of their own.
func (c *census) flush() error {
	w := c.newRun()
	for i := range c.entries {
		if err := w.add(&c.entries[i], c.entries[i].value(c.arena)); err != nil {
			return err
		}
	}
	c.runs = append(c.runs, w.run)
	c.entries, c.arena = c.entries[:0], c.arena[:0]
	return w.end()
}

// runWriter writes sorted entries to a run.
type runWriter struct {
	census *census
	run    spill.Sequence
	chunk  []byte
}

func (c *census) newRun() *runWriter {
	return &runWriter{census: c, run: c.store.NewSequence(), chunk: make([]byte, 0, runChunk+64)}
}

func (w *runWriter) add(e *censusEntry, value []byte) error {
	w.chunk = appendEntry(w.chunk, e, value)
	if len(w.chunk) < runChunk {
		return nil
	}
	return w.end()
}

// end writes what was added since the last chunk.
func (w *runWriter) end() error {
	if len(w.chunk) == 0 {
		return nil
	}
	if err := w.census.store.Append(w.run, w.chunk); err != nil {
		return fmt.Errorf("spill the values of column %s: %w", w.census.column, err)
	}
	w.chunk = w.chunk[:0]
	return nil
}

// appendEntry appends the form that entries have in a run: word, length, value, class, count.
func appendEntry(chunk []byte, e *censusEntry, value []byte) []byte {
	chunk = binary.BigEndian.AppendUint64(chunk, e.word)
	chunk = binary.AppendUvarint(chunk, uint64(e.length))
	chunk = append(chunk, value...)
	chunk = binary.AppendUvarint(chunk, uint64(e.class))
	return binary.AppendUvarint(chunk, uint64(e.count))
}

var errRun = errors.New("a run of values is damaged")

// parseEntry reads an entry whose value is left in the chunk: at and length refer to it.
func parseEntry(chunk []byte, at int) (e censusEntry, next int, err error) {
	if len(chunk)-at < 8 {
		return e, 0, errRun
	}
	e.word = binary.BigEndian.Uint64(chunk[at:])
	at += 8
	var fields [3]uint64
	for i := range fields {
		value, n := binary.Uvarint(chunk[at:])
		if n <= 0 {
			return e, 0, errRun
		}
		at += n
		fields[i] = value
		if i == 0 {
			if value > uint64(len(chunk)-at) {
				return e, 0, errRun
			}
			e.at, e.length = uint32(at), uint32(value)
			at += int(value)
		}
	}
	e.class, e.count = uint32(fields[1]), uint32(fields[2])
	return e, at, nil
}

// counted is a value and the records of its classes, which ascend.
type counted struct {
	word    uint64
	value   []byte // valid until the next
	classes []classCount
}

type classCount struct {
	class uint32
	count uint64
}

// records returns the number of records with the value.
func (c *counted) records() (n uint64) {
	for _, k := range c.classes {
		n += k.count
	}
	return n
}

// each calls f with every value in order. The census is consumed.
func (c *census) each(ctx context.Context, f func(*counted) error) error {
	c.sort()
	if len(c.runs) > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	for len(c.runs) > mergedRuns {
		if err := c.shorten(ctx); err != nil {
			return err
		}
	}
	if err := c.merge(ctx, c.runs, f); err != nil {
		return err
	}
	c.budget.Return(int64(cap(c.entries)) * entryBytes)
	c.entries, c.arena = nil, nil
	return nil
}

// mergedRuns is how many runs are read at a time: a reader holds some chunks of its run.
const mergedRuns = 16

// merge calls f with every value of some runs, or of the entries that never left memory
// when there are none, in order. The runs are freed.
func (c *census) merge(ctx context.Context, runs []spill.Sequence, f func(*counted) error) error {
	merge := &runMerge{ctx: ctx}
	defer merge.close()
	if len(runs) == 0 {
		merge.cursors = append(merge.cursors, &runCursor{entries: c.entries, chunk: c.arena})
	}
	for _, run := range runs {
		reader, err := c.store.Read(ctx, run)
		if err != nil {
			return fmt.Errorf("read the values of column %s: %w", c.column, err)
		}
		merge.cursors = append(merge.cursors, &runCursor{reader: reader})
	}
	if err := merge.each(f); err != nil {
		return fmt.Errorf("merge the values of column %s: %w", c.column, err)
	}
	return c.store.Free(runs...)
}

// shorten makes one run of the oldest ones.
func (c *census) shorten(ctx context.Context) error {
	w := c.newRun()
	err := c.merge(ctx, c.runs[:mergedRuns], func(v *counted) error {
		for _, k := range v.classes {
			e := censusEntry{word: v.word, length: uint32(len(v.value)), class: k.class}
			for left := k.count; left > 0; left -= uint64(e.count) {
				e.count = uint32(min(left, math.MaxUint32))
				if err := w.add(&e, v.value); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		err = w.end()
	}
	c.runs = append(c.runs[mergedRuns:], w.run)
	return err
}

// runCursor stands at an entry of a run, or of the entries that never left memory.
type runCursor struct {
	reader  *spill.Reader
	entries []censusEntry // in memory: those still to come
	chunk   []byte
	next    int
	entry   censusEntry
}

// advance moves to the next entry and reports whether there is one.
func (r *runCursor) advance() (bool, error) {
	if r.reader == nil {
		if len(r.entries) == 0 {
			return false, nil
		}
		r.entry, r.entries = r.entries[0], r.entries[1:]
		return true, nil
	}
	for r.next == len(r.chunk) {
		chunk, err := r.reader.Next()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		r.chunk, r.next = chunk, 0
	}
	var err error
	r.entry, r.next, err = parseEntry(r.chunk, r.next)
	return err == nil, err
}

// runMerge is a heap of cursors, the least entry first.
type runMerge struct {
	ctx     context.Context
	cursors []*runCursor
}

func (m *runMerge) Len() int { return len(m.cursors) }
func (m *runMerge) Less(i, j int) bool {
	a, b := m.cursors[i], m.cursors[j]
	return compareEntries(&a.entry, a.chunk, &b.entry, b.chunk) < 0
}
func (m *runMerge) Swap(i, j int) { m.cursors[i], m.cursors[j] = m.cursors[j], m.cursors[i] }
func (m *runMerge) Push(x any)    { m.cursors = append(m.cursors, x.(*runCursor)) }
func (m *runMerge) Pop() any {
	last := m.cursors[len(m.cursors)-1]
	m.cursors = m.cursors[:len(m.cursors)-1]
	return last
}

// start moves every cursor to its first entry.
func (m *runMerge) start() error {
	all := m.cursors
	m.cursors = nil
	for i, cursor := range all {
		ok, err := cursor.advance()
		if err != nil {
			m.cursors = append(m.cursors, all[i:]...) // to be closed
			return err
		}
		if ok {
			m.cursors = append(m.cursors, cursor)
		} else if cursor.reader != nil {
			if err := cursor.reader.Close(); err != nil {
				return err
			}
		}
	}
	heap.Init(m)
	return nil
}

// each calls f with every value, its classes summed over all runs.
func (m *runMerge) each(f func(*counted) error) error {
	if err := m.start(); err != nil {
		return err
	}
	var value counted
	for n := 0; len(m.cursors) > 0; n++ {
		if n&0xffff == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		first := m.cursors[0]
		value.word = first.entry.word
		value.value = append(value.value[:0], first.entry.value(first.chunk)...)
		value.classes = value.classes[:0]
		if err := m.gather(&value); err != nil {
			return err
		}
		if err := f(&value); err != nil {
			return err
		}
	}
	return nil
}

// gather takes all entries of the value from the cursors.
func (m *runMerge) gather(value *counted) error {
	for len(m.cursors) > 0 {
		first := m.cursors[0]
		if first.entry.word != value.word || !bytes.Equal(first.entry.value(first.chunk), value.value) {
			return nil
		}
		last := len(value.classes) - 1
		if last >= 0 && value.classes[last].class == first.entry.class {
			value.classes[last].count += uint64(first.entry.count)
		} else {
			value.classes = append(value.classes, classCount{first.entry.class, uint64(first.entry.count)})
		}
		ok, err := first.advance()
		switch {
		case err != nil:
			return err
		case ok:
			heap.Fix(m, 0)
		default:
			heap.Pop(m)
			if first.reader != nil {
				if err := first.reader.Close(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m *runMerge) close() {
	for _, cursor := range m.cursors {
		if cursor.reader != nil {
			cursor.reader.Close()
		}
	}
}
