package tips

import (
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

const (
	// quartersOfTable is the number of quarters of a pool's share that records may take in a table
	// that were chunks.
	quartersOfTable = 3
	// batchesTogether is the number of batches of records that are refined at once.
	batchesTogether = 4
	// shareOfSums is the divisor of a pool's share for the sums of partitions whose records are
	// chunks.
	shareOfSums = 4
)

// moveIn puts the records of partitions that are lists into a table again, if that takes no more
// than a part of the share, and they are half as many as when they were moved out.
func (t *TIPS) moveIn() error {
	if !t.chunked || t.live > t.looked-t.looked/8 { // the check takes time for every partition
		return nil
	}
	t.looked = t.live
	records, layout := 0, t.table.Layout
	for p := range t.partitions {
		records += t.partitions[p].Records()
	}
	share := t.pool.Share / 4 * quartersOfTable // the rest is for what is known of them
	if records > t.fewer || t.pool.Take("a table of leaf partitions", layout.TableBytes(records),
		share) != nil {
		return nil
	}
	t.table = &partition.Table{
		Layout: layout,
		Keys:   make([]uint64, 0, records*layout.Words),
		Counts: make([]uint64, 0, records),
	}
	for p := range t.partitions {
		l := &t.partitions[p]
		if l.lists == nil {
			continue
		}
		lo := t.table.Len()
		err := t.pool.Consume(t.ctx, func(_ int, chunk []byte) error {
			return t.table.Decode(chunk)
		}, l.lists...)
		if err != nil {
			return err
		}
		l.lists, l.Rows = nil, partition.Rows{Lo: lo, Hi: t.table.Len(), Size: l.Size}
	}
	t.chunked = false
	return nil
}

// moveOut makes a list of chunks from the records of every partition in the table, and frees the
// table.
func (t *TIPS) moveOut() error {
	table := t.table
	defer func() { t.pool.Release(table.Bytes()) }()
	t.table, t.chunked, t.fewer, t.looked = &partition.Table{Layout: table.Layout}, true,
		table.Len()/2, math.MaxUint64
	for p := range t.partitions {
		l := &t.partitions[p]
		if l.Records() == 0 {
			continue
		}
		t.forgetRest(l)
		l.lists = lists{t.pool.NewList()}
		if err := t.pool.Write(l.lists[0], table, l.Rows); err != nil {
			return err
		}
		l.Rows = partition.Rows{Hi: l.Records(), Size: l.Size}
	}
	return nil
}

// refineLists refines partitions whose records are chunks: it reads, divides and writes those that
// a refinement may part; the others go to their child unchanged.
func (t *TIPS) refineLists(partitions []int32, field int, r *partition.Refinement) {
	x := &t.pool.dividing
	*x = dividing{
		TIPS:    t,
		field:   field,
		by:      r,
		visits:  x.visits[:0],
		batches: x.batches[:0],
		chunks:  x.chunks[:0],
	}
	for _, p := range partitions {
		if l := &t.partitions[p]; l.lists.vary(t.table.Layout.Fields[field]) {
			x.add(p)
		} else {
			counts := t.countCode(l, field)
			t.outdate(l.stats, field, r)
			t.follow(p, field, counts)
		}
	}
	if len(x.visits) > 0 {
		t.pool.reserveVisitors(0)
		t.fail(x.run())
	}
	if t.err != nil {
		return
	}
	for _, v := range x.visits {
		v.complete()
		t.settle(newVisit(v.partition, v.parts), field)
	}
}

// lists are the chunks of a partition: one list or, if values of a suppressed column are parted one
// after the other, one for each range of its codes. A disclosure reads those that may have the
// code.
type lists []*partition.ChunkList

// vary reports whether records differ in a field.
func (l lists) vary(f partition.Field) bool {
	return slices.ContainsFunc(l, func(list *partition.ChunkList) bool {
		varying := list.Varying[f.Word] | (list.Sample[f.Word] ^ l[0].Sample[f.Word])
		return varying&(f.Mask<<f.Shift) != 0
	})
}

// having divides the lists into those that may have records with a code in a field, since it has
// the bits in which all their codes agree, and the others.
func (l lists) having(f partition.Field, code uint32) (may, others lists) {
	for _, list := range l {
		if (uint64(code)^uint64(f.Code(list.Sample)))&f.Mask&^(list.Varying[f.Word]>>f.Shift) == 0 {
			may = append(may, list)
		} else {
			others = append(others, list)
		}
	}
	return may, others
}

// read visits the records of lists, some at a time, in a scratch table.
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

// countCode counts the records of a partition by the one code that they have in a field.
func (t *TIPS) countCode(l *leafPartition, field int) []counted {
	code := t.table.Layout.Fields[field].Code(l.lists[0].Sample)
	return []counted{{
		field:    field,
		children: []childCount{{child: t.column(field).Child[code], size: l.Size}},
	}}
}

// hasSumsRoom reports whether there is room for the sums of a partition.
func (t *TIPS) hasSumsRoom(l *leafPartition) bool {
	return l.lists == nil || t.sums < t.pool.Share/shareOfSums
}

// spare returns memory that the search does not need, if there is any: as a last resort the sums of
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

// draw draws the memory of all counts that the parts of the visits may have. If the budget is too
// small, the counts that occur have to fit. It returns the number of bytes to release.
func (x *dividing) draw() (drawn int64, err error) {
	for _, v := range x.visits {
		for _, a := range x.active(v.partition, false) {
			drawn += 2 * childCountBytes * int64(min(a.children*x.by.Children,
				x.partitions[v.partition].Records()))
		}
	}
	if err = x.pool.Draw("the counts of leaf partitions", drawn); errors.Is(err, spill.ErrBudget) {
		return 0, nil
	}
	return drawn, err
}

// largestOf returns the child that gets most records of a partition with sums.
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

// noChild is the largest child of a partition without sums.
const noChild = math.MaxUint32
