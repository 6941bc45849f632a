package mondrian

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// draw chooses the copies with the smallest keys among those of a part's cells that have
// one code: the last one chosen is found in two scans, with memory for few keys.
type draw struct {
	keys  *engine.RowKeys
	field partition.Field
	code  uint32

	last ticket // the last one chosen; without a cell all that have its key are
}

// ticket is one copy of a cell. They are ordered by key, cell and number.
type ticket struct {
	key    uint64
	cell   []uint64
	number uint32
}

// drawBits is how many leading bits of the keys are counted by before keys are kept.
const drawBits = 14

// fewTickets is how many are sorted at once.
const fewTickets = 1 << drawBits

// choose finds the n-th smallest of all tickets.
func (d *draw) choose(ctx context.Context, cells *cells.Cells, n, all uint64) error {
	first, end := uint64(0), uint64(1)<<drawBits // leading bits of the keys that are kept
	if all > fewTickets {
		counts := make([]uint64, 1<<drawBits)
		err := d.each(ctx, cells, func(t ticket) { counts[t.key>>(64-drawBits)]++ })
		if err != nil {
			return err
		}
		for ; n > counts[first]; first++ {
			n -= counts[first]
		}
		end = first + 1
	}
	var keys []uint64
	err := d.each(ctx, cells, func(t ticket) {
		if lead := t.key >> (64 - drawBits); first <= lead && lead < end {
			keys = append(keys, t.key)
		}
	})
	if err != nil {
		return err
	}
	slices.Sort(keys)
	d.last = ticket{key: keys[n-1]}
	if n == uint64(len(keys)) || keys[n] != keys[n-1] {
		return nil
	}
	before, _ := slices.BinarySearch(keys, keys[n-1])
	return d.breakTie(ctx, cells, int(n)-before)
}

// breakTie finds the n-th of the tickets that have the last one's key.
func (d *draw) breakTie(ctx context.Context, cells *cells.Cells, n int) error {
	var equal []ticket
	err := d.each(ctx, cells, func(t ticket) {
		if t.key == d.last.key {
			t.cell = slices.Clone(t.cell)
			equal = append(equal, t)
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(equal, d.compare)
	d.last = equal[n-1]
	return nil
}

// each visits the tickets of all copies.
func (d *draw) each(ctx context.Context, cells *cells.Cells, visit func(ticket)) error {
	return cells.Visit(ctx, func(t *partition.Table) error {
		w := t.Layout.Words
		for i, count := range t.Counts {
			key := t.Keys[i*w : (i+1)*w]
			if d.field.Code(key) != d.code {
				continue
			}
			hash := d.keys.Cell(key)
			for j := range count {
				visit(ticket{key: engine.CopyKey(hash, j), cell: key, number: j})
			}
		}
		return nil
	})
}

// left returns how many copies of a cell are chosen.
func (d *draw) left(cell []uint64, count uint32) (n uint32) {
	hash := d.keys.Cell(cell)
	for j := range count {
		switch key := engine.CopyKey(hash, j); {
		case key > d.last.key:
		case key < d.last.key, d.last.cell == nil, d.compare(ticket{key, cell, j}, d.last) <= 0:
			n++
		}
	}
	return n
}

// compare orders tickets of one key.
func (d *draw) compare(a, b ticket) int {
	return cmp.Or(d.keys.Compare(a.cell, b.cell), cmp.Compare(a.number, b.number))
}
