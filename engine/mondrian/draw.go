package mondrian

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/partition"
)

// draw chooses the copies with the smallest keys among those of a part's cells that have
// one code: a threshold is found in two scans, with memory for few keys.
type draw struct {
	keys  *rowKeys
	field partition.Field
	code  uint32

	last ticket // the last one chosen
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

// choose finds the n smallest tickets of all.
func (d *draw) choose(ctx context.Context, cells *partition.Cells, n, all uint64) error {
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
	var kept []ticket
	err := d.each(ctx, cells, func(t ticket) {
		if lead := t.key >> (64 - drawBits); first <= lead && lead < end {
			t.cell = slices.Clone(t.cell)
			kept = append(kept, t)
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(kept, d.compare)
	d.last = kept[n-1]
	return nil
}

// each visits the tickets of all copies.
func (d *draw) each(ctx context.Context, cells *partition.Cells, visit func(ticket)) error {
	return cells.Visit(ctx, func(t *partition.Table) error {
		w := t.Layout.Words
		for i, count := range t.Counts {
			key := t.Keys[i*w : (i+1)*w]
			if d.field.Code(key) != d.code {
				continue
			}
			hash := d.keys.cell(key)
			for j := range count {
				visit(ticket{key: copyKey(hash, j), cell: key, number: j})
			}
		}
		return nil
	})
}

// left returns how many copies of a cell are chosen.
func (d *draw) left(cell []uint64, count uint32) (n uint32) {
	hash := d.keys.cell(cell)
	for j := range count {
		if d.compare(ticket{key: copyKey(hash, j), cell: cell, number: j}, d.last) <= 0 {
			n++
		}
	}
	return n
}

// compare orders tickets.
func (d *draw) compare(a, b ticket) int {
	if order := cmp.Compare(a.key, b.key); order != 0 {
		return order
	}
	for _, f := range d.keys.fields { // codes by column, the class last
		if order := cmp.Compare(f.Code(a.cell), f.Code(b.cell)); order != 0 {
			return order
		}
	}
	return cmp.Compare(a.number, b.number)
}
