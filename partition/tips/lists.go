package tips

import (
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

const (
	// shareOfTable is the part of a pool's share that records may take in a table that were chunks.
	shareOfTable = 2
	// batchesTogether is how many batches of records make partitions that are refined at once.
	batchesTogether = 4
	// shareOfSums is the part of a pool's share that the sums of partitions may take whose records
	// are chunks.
	shareOfSums = 4
)

// moveIn puts the records of partitions that are lists into a table again, when that takes a small part
// of the share, and they are half as many as when they were moved out.
func (t *TIPS) moveIn() error {
	if !t.chunked || t.live > t.looked-t.looked/8 { // to look takes as long as there are partitions
		return nil
	}
	t.looked = t.live
	records, layout := 0, t.table.Layout
	for p := range t.partitions {
		records += t.partitions[p].Records()
	}
	if records > t.fewer || !t.pool.hasTableRoom(layout.TableBytes(records)) {
		return nil
	}
	t.table = &partition.Table{
		Layout: layout, Keys: make([]uint64, 0, records*layout.Words), Counts: make([]uint64, 0, records),
	}
	for p := range t.partitions {
		l := &t.partitions[p]
		if l.lists == nil {
			continue
		}
		lo, from := t.table.Len(), l.lists
		l.lists = nil
		for _, list := range from {
			if err := t.pool.Consume(t.ctx, list, t.table.Decode); err != nil {
				return err
			}
		}
		l.Rows = partition.Rows{Lo: lo, Hi: t.table.Len(), Size: l.Size}
	}
	t.chunked, t.lists = false, 0
	return nil
}

// hasTableRoom takes memory for a table, if it is a small part of the share.
func (m *Pool) hasTableRoom(bytes int64) bool {
	return m.Budget == nil || m.Take("a table of leaf partitions", bytes, m.Share/shareOfTable) == nil
}

// moveOut makes the records of every partition in the table a list of chunks, and frees the table.
func (t *TIPS) moveOut(add func(p *partition.ChunkList, b partition.Block) error) error {
	table := t.table
	defer func() { t.pool.Release(table.Bytes()) }()
	t.table, t.chunked, t.fewer, t.looked = &partition.Table{Layout: table.Layout}, true, table.Len()/2, math.MaxUint64
	made := make([]partition.Block, t.pool.parallel.Threads)
	for p := range t.partitions {
		l := &t.partitions[p]
		if l.Records() == 0 {
			continue
		}
		rows := l.Rows
		t.forgetRest(l)
		l.lists, l.Rows = lists{{}}, partition.Rows{Hi: rows.Records(), Size: rows.Size}
		t.schedule(int32(p))
		t.lists++
		for lo := rows.Lo; lo < rows.Hi; lo += len(made) * t.chunkRecords {
			n := min(len(made), (rows.Hi-lo+t.chunkRecords-1)/t.chunkRecords)
			t.pool.parallel.Each(n, n*t.chunkRecords, func(_, i int) {
				lo := lo + i*t.chunkRecords
				made[i] = table.Block(table.Rows(lo, min(lo+t.chunkRecords, rows.Hi)))
			})
			for _, b := range made[:n] {
				if err := add(l.lists[0], b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// refineLists refines partitions whose records are chunks: those that a refinement may part are
// read, divided and written, the others go to their child as they are.
func (t *TIPS) refineLists(partitions []int32, field int, r *partition.Refinement) {
	x := dividing{TIPS: t, field: field, by: r}
	for _, p := range partitions {
		if l := &t.partitions[p]; l.lists.vary(t.table.Layout.Fields[field]) {
			x.add(p)
		} else {
			counts := t.countCode(l, field)
			t.outdate(l.stats, field, r)
			t.follow(p, field, counts)
		}
	}
	if x.run(); t.err != nil {
		x.keepLists()
		return
	}
	for _, v := range x.visits {
		t.lists += v.complete()
		t.settle(newVisit(v.partition, v.parts), field)
	}
}

// lists are the chunks of a partition: one list or, where values of a suppressed column are parted
// one after the other, one for each range of its codes, of which a disclosure reads those that may
// have the code.
type lists []*partition.ChunkList

// vary reports whether records differ in a field.
func (l lists) vary(f partition.Field) bool {
	return slices.ContainsFunc(l, func(list *partition.ChunkList) bool {
		return (list.Varying[f.Word]|(list.Sample[f.Word]^l[0].Sample[f.Word]))&(f.Mask<<f.Shift) != 0
	})
}

// mayHave reports whether records of a list may have a code in a field: it has the bits in which they
// all agree.
func mayHave(list *partition.ChunkList, f partition.Field, code uint32) bool {
	return (uint64(code)^uint64(f.Code(list.Sample)))&f.Mask&^(list.Varying[f.Word]>>f.Shift) == 0
}

// read visits the records of lists, some at a time, in a table that is scratch.
func (t *TIPS) read(l lists, chunk *partition.Table, visit func()) {
	chunk.Layout = t.table.Layout
	for _, list := range l {
		t.fail(t.pool.Read(t.ctx, list, func(frame []byte) error {
			chunk.Truncate()
			err := chunk.Decode(frame)
			if err == nil {
				visit()
			}
			return err
		}))
	}
}

// countCode counts the records of a partition that have one code in a field.
func (t *TIPS) countCode(l *leafPartition, field int) []counted {
	code := t.table.Layout.Fields[field].Code(l.lists[0].Sample)
	return []counted{{field: field, children: []childCount{{child: t.column(field).Child[code], size: l.Size}}}}
}

// hasSumsRoom reports whether there is room for the sums of a partition.
func (t *TIPS) hasSumsRoom(l *leafPartition) bool {
	return l.lists == nil || t.pool.Budget == nil || t.sums < t.pool.Share/shareOfSums
}

// spare gives back memory that the search can do without, if there is any: lastly the sums of
// partitions.
func (t *TIPS) spare() bool {
	switch {
	case t.pool.spareVisitors():
	case cap(t.partitions) > len(t.partitions):
		t.partitions = append(make([]leafPartition, 0, len(t.partitions)), t.partitions...)
	case t.indexed > 0:
		for p := range t.partitions {
			t.forgetRest(&t.partitions[p])
		}
	case !t.chunked:
		return false
	case t.pool.spareBatches():
	case t.sums > 0:
		for p := range t.partitions {
			t.partitions[p].stats, t.partitions[p].sums = nil, 0
		}
		t.sums = 0
	default:
		return false
	}
	return true
}

// schedule notes when the records of a partition will be read, if they are chunks.
func (t *TIPS) schedule(p int32) {
	for _, list := range t.partitions[p].lists {
		list.Order = t.readOrder(p)
	}
}

// readOrder returns a number by which the lists of partitions are read in order.
func (t *TIPS) readOrder(p int32) uint64 {
	return uint64(t.number)<<32 | uint64(uint32(p))
}

// draw draws the memory of all counts that the parts of the visits may have. When the budget has
// less, the counts that occur have to fit. It returns the bytes to release.
func (x *dividing) draw() (drawn int64) {
	for _, v := range x.visits {
		for _, a := range x.active(v.partition, false) {
			drawn += 2 * childCountBytes * int64(min(a.children*x.by.Children, x.partitions[v.partition].Records()))
		}
	}
	switch err := x.pool.Draw("what is counted of leaf partitions", drawn); {
	case err == nil:
		return drawn
	case !errors.Is(err, spill.ErrBudget):
		x.fail(err)
	}
	return 0
}

// largestOf returns the child that most records of a partition with sums go to.
func largestOf(sums []uint64, size uint64, isSuppressed bool, r *partition.Refinement) uint32 {
	if isSuppressed {
		if 2*sums[r.First] > size {
			return 1
		}
		return 0
	}
	largest := uint32(0)
	for child, n := range sums {
		if n > sums[largest] {
			largest = uint32(child)
		}
	}
	return largest
}

// noChild is the largest child of a partition of which no sums are known.
const noChild = math.MaxUint32
