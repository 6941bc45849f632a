package verify

import (
	"slices"

	"github.com/kcut/kcut/formats/release"
)

// A set with fewer combinations of labels than mostCells, sound or not, is counted in a
// table with a cell for each.
const mostCells = 1 << 19

// inCells reports whether a set is counted in cells, by each of so many counters.
func (r *rules) inCells(key int, memory int64, counters int) bool {
	k := &r.keys[key]
	return k.size == 1 && k.cells <= min(mostCells, uint64(memory)/uint64(16*counters*len(r.keys)))
}

// counter counts blocks of rows by their labels. One goroutine uses it.
type counter struct {
	rules  *rules
	tables []*table // of every key
	marked uint64   // rows with marks alone
	keys   []uint64 // scratch: of a block, one after the other
}

// newCounter counts in cells where a span is nil.
func newCounter(r *rules, spans []*span) *counter {
	c, most := &counter{rules: r}, 0
	for i := range r.keys {
		k := &r.keys[i]
		if spans[i] != nil {
			c.tables = append(c.tables, newTable(k.size, spans[i]))
		} else {
			c.tables = append(c.tables, &table{size: 1, cells: make([]uint64, k.cells)})
		}
		most = max(most, k.size)
	}
	c.keys = make([]uint64, most*release.BlockRows)
	return c
}

// count counts a block of rows by a key.
func (c *counter) count(key, rows int, numbers []release.Numbers) error {
	k, t := &c.rules.keys[key], c.tables[key]
	keys, same := c.keys[:rows*k.size], true
	for word := range k.size {
		same = k.pack(word, keys, numbers) && same
	}
	if same {
		return t.add(keys[:k.size], uint64(rows))
	}
	if t.cells != nil {
		for _, key := range keys {
			t.cells[key]++
		}
		return nil
	}
	for len(keys) > 0 { // rows that are alike often follow each other
		row, alike := keys[:k.size:k.size], uint64(1)
		for keys = keys[k.size:]; len(keys) > 0 && slices.Equal(row, keys[:k.size]); keys = keys[k.size:] {
			alike++
		}
		if err := t.add(row, alike); err != nil {
			return err
		}
	}
	return nil
}

// countMarked counts the rows of a block that have the mark in every masked column.
func (c *counter) countMarked(rows int, numbers []release.Numbers) {
	marks := c.rules.marks
	var varying []int
	for i := range numbers {
		switch {
		case !numbers[i].Same:
			varying = append(varying, i)
		case numbers[i].One != marks[i]:
			return
		}
	}
row:
	for row := range rows {
		for _, i := range varying {
			if numbers[i].Every[row] != marks[i] {
				continue row
			}
		}
		c.marked++
	}
}
