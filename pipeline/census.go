package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/jobfile"
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
	nanIsNull bool // as of an interner
	texts     bool // values are counted by their text, which is what a taxonomy knows
	store     *spill.Store
	budget    *spill.Budget
	room      int // entries held in memory
	fan       int // runs that are read at one time

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

// Of the budget, so much holds what is read of the runs of one census.
const mergePart = 16

// newCensus returns a census for a mask that holds up to room entries in memory and moves them to the
// store when there are more.
func newCensus(field formats.Field, mask string, store *spill.Store, budget *spill.Budget, room int) *census {
	fan := min(max(budget.Limit()/mergePart/spill.ReaderBytes, 4), 64)
	return &census{
		column: field.Name, typ: field.Type, nanIsNull: mask == jobfile.MaskDiscretize, texts: mask == jobfile.MaskGeneralize,
		store: store, budget: budget, room: room, fan: int(fan),
	}
}

// value returns an entry's bytes in an arena; nil for words.
func (e *censusEntry) value(arena []byte) []byte { return arena[e.at : e.at+e.length] }

// compareEntries orders entries by value, then class.
func compareEntries(a *censusEntry, arenaA []byte, b *censusEntry, arenaB []byte) int {
	if a.word != b.word { // nearly always
		return cmp.Compare(a.word, b.word)
	}
	if order := bytes.Compare(a.value(arenaA), b.value(arenaB)); order != 0 {
		return order
	}
	return cmp.Compare(a.class, b.class)
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
		if c.texts {
			word := formats.Values{Type: values.Type, Words: []uint64{e.word}}
			c.keep(&e, []byte(word.Text(0)))
		}
	} else {
		value := values.Bytes(i)
		switch {
		case values.Type.Kind == formats.String && !utf8.Valid(value):
			return fmt.Errorf("read column %s: a text is not UTF-8: %w", c.column, formats.ErrDamaged)
		case values.Type.Kind != formats.String && c.texts:
			value = []byte(values.Text(i))
		}
		c.keep(&e, value)
	}
	if len(c.entries) == cap(c.entries) {
		if err := c.grow(); err != nil {
			return err
		}
	}
	c.entries = append(c.entries, e)
	if len(c.entries) >= c.room || len(c.arena) >= min(c.room*16, maxArena) {
		return c.compact()
	}
	return nil
}

// keep puts an entry's value into the arena.
func (c *census) keep(e *censusEntry, value []byte) {
	var first [8]byte
	copy(first[:], value)
	e.word, e.at, e.length = binary.BigEndian.Uint64(first[:]), uint32(len(c.arena)), uint32(len(value))
	c.arena = append(c.arena, value...)
}

// maxArena leaves positions in the arena 32 bits, whatever the next value is.
const maxArena = 1 << 30

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
	if len(c.entries) < c.room/2 && len(c.arena) < min(c.room*16, maxArena)/2 {
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
			if same && last.class == e.class && last.count <= math.MaxUint32-e.count {
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

// flush writes the sorted entries to a run of their own.
func (c *census) flush() error {
	w := c.newRun()
	for i := range c.entries {
		e := &c.entries[i]
		if err := w.add(e.word, e.value(c.arena), e.class, e.count); err != nil {
			return err
		}
	}
	c.entries, c.arena = c.entries[:0], c.arena[:0]
	return w.end()
}

// counted is a value and the records of its classes, which ascend.
type counted struct {
	word    uint64
	value   []byte // valid until the next
	classes []engine.Frequency
}

// records returns the number of records with the value.
func (c *counted) records() (n uint64) {
	for _, k := range c.classes {
		n += k.Count
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
	for len(c.runs) > c.fan {
		if err := c.reduce(ctx); err != nil {
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

// reduce makes one run of those at the front of the queue.
func (c *census) reduce(ctx context.Context) error {
	w := c.newRun()
	err := c.merge(ctx, c.runs[:c.fan], func(v *counted) error {
		for _, k := range v.classes {
			for n := k.Count; n > 0; n -= min(n, math.MaxUint32) {
				if err := w.add(v.word, v.value, k.Class, uint32(min(n, math.MaxUint32))); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.runs = c.runs[c.fan:]
	return w.end()
}

// merge calls f with every value of some runs, or of the memory when there are none, and
// frees the runs.
func (c *census) merge(ctx context.Context, runs []spill.Sequence, f func(*counted) error) error {
	what, taken := "reading the values of column "+c.column, int64(len(runs))*spill.ReaderBytes
	if err := c.budget.Draw(what, taken); err != nil {
		return err
	}
	defer c.budget.Return(taken)
	merge := &runMerge{ctx: ctx, column: c.column}
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
		return err
	}
	if err := c.store.Free(runs...); err != nil {
		return fmt.Errorf("free the values of column %s: %w", c.column, err)
	}
	return nil
}
