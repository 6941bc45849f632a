package mondrian

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// relaxed is the additional state of relaxed cuts: the draws, and the divided cells.
type relaxed struct {
	keys    engine.RowKeys
	sampled *sampled
	// cells that some cut has divided; places are regions in the order in which they are found
	divided engine.DividedCells
}

// share replaces a part by the two sides of a cut that share the median's records.
func (s *search) share(ctx context.Context, p part, column int, c cut) error {
	if c.shared == c.of {
		return s.halve(ctx, p, column, c.at+1, false)
	}
	if err := s.closing(ctx, &p, column, 2, above(c.at), c.shared); err != nil {
		return err
	}
	x := s.relaxed
	d := draw{keys: &x.keys, field: s.fields[column], lot: lot{code: c.at}}
	d.part = x.keys.Enter(s.engine.Seed, "mondrian:"+p.path[min(1, len(p.path)):])
	if err := d.choose(ctx, p.cells, c.shared, c.of); err != nil {
		return err
	}
	left, right := 0, 0 // cells that are not divided
	halves, err := p.cells.Halve(ctx, column, c.at, func(key []uint64, count uint64) uint64 {
		n := d.left(key, count)
		switch n {
		case 0:
			right++
		case count:
			left++
		default:
			x.divided.Add(key)
		}
		return n
	})
	if err != nil {
		return err
	}
	at := c.at
	if left > right {
		at++
	}
	x.sampled.lots = append(x.sampled.lots, d.lot)
	n := node{column: int32(column), at: at, lot: int32(len(x.sampled.lots))}
	s.replace(p, n, halves[:], s.halves(p, column, c.at+1, c.at, false))
	return nil
}

// record notes the records of divided cells in a region. Regions come from left to right.
func (x *relaxed) record(ctx context.Context, p part, region int32) error {
	if x.divided.Len() == 0 {
		return nil
	}
	return p.cells.Each(ctx, func(key []uint64, count uint64) {
		if cell, ok := x.divided.Find(key); ok {
			x.divided.Send(cell, int(region), count)
		}
	})
}

// dividedBytes is the memory of a divided cell without its codes.
const dividedBytes = 240

// bytes returns the memory of the result so far.
func (x *relaxed) bytes() int64 {
	return x.sampled.Bytes() + int64(x.divided.Len())*(dividedBytes+12*int64(len(x.keys.Fields)))
}

// draw chooses the copies with the smallest keys among those of a part's cells that have one code.
// It finds the last copy chosen in two scans, with memory for few keys.
type draw struct {
	keys  *engine.RowKeys
	field partition.Field // field of the code
	lot                   // the result
}

// drawBits is the number of leading bits of the keys by which the first scan counts.
const drawBits = 14

// fewKeys is the number of keys that are sorted at once.
const fewKeys = 1 << drawBits

// choose finds the n-th smallest of all copies.
func (d *draw) choose(ctx context.Context, cells *cells.Cells, n, all uint64) error {
	// range of the leading bits of the keys that are kept
	first, end := uint64(0), uint64(1)<<drawBits
	if all > fewKeys {
		counts := make([]uint64, 1<<drawBits)
		err := d.each(ctx, cells, func(key uint64, _ []uint64, _ uint64) {
			counts[key>>(64-drawBits)]++
		})
		if err != nil {
			return err
		}
		for ; n > counts[first]; first++ {
			n -= counts[first]
		}
		end = first + 1
	}
	var keys []uint64
	err := d.each(ctx, cells, func(key uint64, _ []uint64, _ uint64) {
		if lead := key >> (64 - drawBits); first <= lead && lead < end {
			keys = append(keys, key)
		}
	})
	if err != nil {
		return err
	}
	slices.Sort(keys)
	d.key = keys[n-1]
	if n == uint64(len(keys)) || keys[n] != d.key {
		return nil
	}
	before, _ := slices.BinarySearch(keys, d.key)
	return d.breakTie(ctx, cells, int(n)-before)
}

// breakTie finds the n-th of the copies that have the last one's key: by cell, then number.
func (d *draw) breakTie(ctx context.Context, cells *cells.Cells, n int) error {
	type copied struct {
		cell   []uint64
		number uint64
	}
	var equal []copied
	err := d.each(ctx, cells, func(key uint64, cell []uint64, number uint64) {
		if key == d.key {
			equal = append(equal, copied{slices.Clone(cell), number})
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(equal, func(a, b copied) int {
		return cmp.Or(d.keys.Compare(a.cell, b.cell), cmp.Compare(a.number, b.number))
	})
	last := equal[n-1]
	for _, f := range d.keys.Fields {
		d.cell = append(d.cell, f.Code(last.cell))
	}
	d.number = last.number
	return nil
}

// each visits all copies: their keys, cells and numbers.
func (d *draw) each(ctx context.Context, cells *cells.Cells,
	visit func(key uint64, cell []uint64, number uint64)) error {
	return cells.Each(ctx, func(cell []uint64, count uint64) {
		if d.field.Code(cell) != d.code {
			return
		}
		hash := d.keys.Cell(cell)
		for number := range count {
			visit(engine.CopyKey(hash, number), cell, number)
		}
	})
}

// left returns the number of copies of a cell that are chosen.
func (d *draw) left(cell []uint64, count uint64) (n uint64) {
	hash := d.keys.Cell(cell)
	for number := range count {
		if d.takes(engine.CopyKey(hash, number), number, func(column int) uint32 {
			return d.keys.Fields[column].Code(cell)
		}) {
			n++
		}
	}
	return n
}

// sampled is the Locator of relaxed regions by cell: it repeats the draws. A cell that no cut has
// divided is in the region of its first copy, so that none has to be listed; for a divided one the
// result is one of its regions.
type sampled struct {
	tree *tree
	keys engine.RowKeys
	lots []lot // of the nodes that share their median's records
}

// lot is the result of a draw: the copies of the median's cells that go left.
type lot struct {
	code   uint32   // the median
	part   uint64   // number of the part, for the keys
	key    uint64   // key of the last copy that goes left
	cell   []uint32 // codes of that copy's cell; nil: all copies with the key go left
	number uint64   // number of that copy
}

// lotBytes is the memory of a lot.
const lotBytes = 56

// takes reports whether a copy goes left, given its key, its number and its cell's codes.
func (l *lot) takes(key uint64, number uint64, code func(column int) uint32) bool {
	if key != l.key || l.cell == nil {
		return key <= l.key
	}
	for column, last := range l.cell {
		if c := code(column); c != last {
			return c < last
		}
	}
	return number <= l.number
}

// Bytes returns the approximate memory of the lots.
func (d *sampled) Bytes() int64 { return lotBytes * int64(cap(d.lots)) }

// Locate finds the regions of cells: codes followed by the class, if there is one.
func (d *sampled) Locate(n int, codes [][]uint32, regions []int32) {
	t := d.tree
	for i := range n {
		at := t.root
		for at >= 0 {
			node := &t.nodes[at]
			code := codes[node.column][i]
			child := t.child(node, code)
			if node.lot > 0 && d.lots[node.lot-1].code == code {
				child = d.draw(&d.lots[node.lot-1], codes, i)
			}
			at = t.links[node.links+child]
		}
		regions[i] = -1 - at
	}
}

// draw returns the child for the first copy of a cell with the median.
func (d *sampled) draw(l *lot, codes [][]uint32, row int) (child int32) {
	key := engine.CopyKey(d.keys.Row(l.part, codes, row), 0)
	if l.takes(key, 0, func(column int) uint32 { return codes[column][row] }) {
		return 0
	}
	return 1
}
