package partition

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/kcut/kcut/spill"
)

// rowKey encodes keys as rows of a sorter. A row has the words of the key, one after another, with
// the highest byte first, so that the order of the rows is the order of the keys. The bits of the
// last word that are set in behind move to the end of the row.
type rowKey struct{ behind uint64 }

// add adds a key with n records to a sorter's run.
func (k rowKey) add(to *spill.RowRun, key []uint64, n uint64) error {
	last := len(key) - 1
	if last == 0 && k.behind == 0 { // the sorter has short rows
		return to.AppendShort(key[0], int64(n))
	}
	for _, word := range key[:last] {
		to.Bytes = binary.BigEndian.AppendUint64(to.Bytes, word)
	}
	to.Bytes = binary.BigEndian.AppendUint64(to.Bytes, key[last]&^k.behind)
	if k.behind != 0 {
		to.Bytes = binary.BigEndian.AppendUint64(to.Bytes, key[last]&k.behind)
	}
	return to.End(int64(n))
}

// appendTo appends the key of a row, which has the given number of words.
func (k rowKey) appendTo(keys []uint64, row []byte, words int) []uint64 {
	for at := range words {
		keys = append(keys, binary.BigEndian.Uint64(row[8*at:]))
	}
	if k.behind != 0 {
		keys[len(keys)-1] |= binary.BigEndian.Uint64(row[8*words:])
	}
	return keys
}

// sorted sorts the records of a table in memory in the order of rows.
type sorted struct {
	*Table
	rowKey
}

func (t sorted) Less(i, j int) bool {
	w := t.Layout.Words
	a, b := t.Keys[i*w:(i+1)*w], t.Keys[j*w:(j+1)*w]
	for k := range w - 1 {
		if a[k] != b[k] {
			return a[k] < b[k]
		}
	}
	return a[w-1]&^t.behind < b[w-1]&^t.behind
}

// leastDivided is the smallest number of records that are divided by a byte of their keys before
// they are sorted.
const leastDivided = 128

// sort puts the records in order. They have equal keys before the byte
// at the given place.
func (t sorted) sort(place, threads int) {
	for ; t.Len() >= leastDivided && place < 8*t.Layout.Words; place++ {
		if parts := t.divide(place); len(parts) > 1 {
			Each(len(parts), threads, func(_, i int) {
				sorted{t.Slice(parts[i]), t.rowKey}.sort(place+1, 1)
			})
			return
		}
	}
	sort.Sort(t)
}

// divide moves the records with the same value in the byte at a place of their keys next to each
// other, in the order of these values. It returns the records of every value.
func (t sorted) divide(place int) (parts []Rows) {
	w, word, shift := t.Layout.Words, place/8, 56-place%8*8
	mask := uint64(0xff) << shift
	if word == w-1 {
		mask &^= t.behind
	}
	var ends [256]int // first the numbers of records
	for at := word; at < len(t.Keys); at += w {
		ends[t.Keys[at]&mask>>shift]++
	}
	var next [256]int
	for value, n := range ends {
		if value > 0 {
			next[value] = ends[value-1]
		}
		ends[value] = next[value] + n
		if n > 0 {
			parts = append(parts, Rows{Lo: next[value], Hi: ends[value]})
		}
	}
	if len(parts) == 1 {
		return parts
	}
	for value := range next {
		for next[value] < ends[value] {
			i := next[value]
			to := t.Keys[i*w+word] & mask >> shift
			if int(to) != value {
				t.Swap(i, next[to])
			}
			next[to]++
		}
	}
	return parts
}

// Sort puts the records of a table in memory in the order of the words of their keys.
func (t *Table) Sort() { sorted{t, rowKey{}}.sort(0, 1) }

// Order puts the records in the order of the words of their keys. From then on Scan visits them in
// this order. Order sorts the records of a spilled table in its store, with at most the space's
// share of memory, unless they come from a sorter and are in order already.
func (t *Table) Order(ctx context.Context, space Space) error {
	return t.arrange(ctx, space, rowKey{})
}

// Gather puts records that agree in all fields except the last one next to each other. From then on
// Scan visits them in this order. In all else Gather is like Order.
func (t *Table) Gather(ctx context.Context, space Space) error {
	last := t.Layout.Fields[len(t.Layout.Fields)-1]
	return t.arrange(ctx, space, rowKey{behind: last.Mask << last.Shift})
}

// arrange puts the records in the order of rows.
func (t *Table) arrange(ctx context.Context, space Space, by rowKey) (err error) {
	switch {
	case t.chunks == nil:
		sorted{t, by}.sort(0, max(1, space.Threads))
		return nil
	case t.ordered && by == rowKey{}:
		return nil
	}
	sorter := by.sorter(t.Layout, space)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	run := sorter.NewRun()
	err = t.Scan(ctx, space, func(block *Table) error {
		for key, n := range block.All() {
			if err := by.add(run, key, n); err != nil {
				return err
			}
		}
		return nil
	})
	var arranged *Table
	if err == nil {
		err = space.Store.Free(t.chunks.sequence)
	}
	if err == nil {
		space.Share = 0 // the records stay in the store
		arranged, err = by.table(ctx, sorter, t.Layout, space)
	}
	if err != nil {
		return fmt.Errorf("put tuples in order: %w", err)
	}
	*t = *arranged
	return nil
}

const (
	// leastRun is the smallest size of a run, and leastRead is the smallest memory for reading the
	// runs in the store, in bytes, even if the share is smaller.
	leastRun  = 4 << 10
	leastRead = 1 << 20
)

// sorter returns a sorter that uses the space's share of memory.
func (k rowKey) sorter(layout Layout, space Space) *spill.Sorter {
	sorting := spill.Sorting{
		Budget: space.Budget, What: "distinct tuples",
		Share: space.Share, Readers: max(space.Share, leastRead),
		Run:  min(max(space.Share/4, leastRun), spill.UsualRun(space.Share, 1)),
		Open: func() (*spill.Store, error) { return space.Store, nil },
	}
	if bytes := 8 * layout.Words; bytes <= spill.MostShort && k.behind == 0 {
		sorting.Short = bytes
	}
	return spill.NewSorter(sorting)
}

// table returns the table of a sorter's rows.
func (k rowKey) table(
	ctx context.Context, sorter *spill.Sorter, layout Layout, space Space,
) (_ *Table, err error) {
	rows, err := sorter.Merge(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	w := newTableWriter(layout, int(sorter.Size())/(8*layout.Words), space)
	defer func() {
		if err != nil {
			space.Budget.Return(w.drawn)
		}
	}()
	for i := 0; ; i++ {
		row, n, err := rows.Next()
		if err == io.EOF {
			return w.end(k == rowKey{})
		}
		if err == nil && i%scanBlock == 0 {
			err = ctx.Err()
		}
		if err == nil && w.table.Len() == cap(w.table.Counts) {
			err = w.makeRoom()
		}
		if err != nil {
			return nil, err
		}
		w.table.Keys = k.appendTo(w.table.Keys, row, layout.Words)
		w.table.Counts = append(w.table.Counts, uint64(n))
	}
}
