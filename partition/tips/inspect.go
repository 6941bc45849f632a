package tips

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/kcut/kcut/partition"
)

// Protection is a property, in addition to k, that the parts of a partition must have. It depends
// on the kinds of their records, which are the last field of every record. If kinds have weights,
// counts are sums of weights.
type Protection struct {
	Kinds  int
	Values int      // number of values of all columns together
	Width  int      // number of columns
	Place  []uint32 // by kind and column: number of the value among all
	Weight []uint64 // by kind; not 0 for kinds that occur; nil: counts are records
	Unit   uint64   // largest weight of a kind, 1 without weights
	// Follows says that the partitions only follow refinements that others choose: minima are not
	// known, and no value dies because of a part.
	Follows bool
	// by kind: a partition without records of such kinds always holds, and is discarded; nil: none
	// is
	Needed []bool
	// Holds reports whether records may be a part, given their size and the number of records of
	// every value. Every worker passes its own number.
	Holds func(worker int, size uint64, values []uint64) bool
}

// inspection is the findings of a set about the parts that refinements would make.
type inspection struct {
	*Protection
	value   int32     // the value that was inspected last and not refined since; None: none
	failing []failing // the parts of its linked partitions that do not hold
	steps   int32     // number of refinements performed
	found   byValue[finding]
	latest  []int32 // values that were inspected since the last refinement
	pending []int32 // values whose after exceeds Outliers, which may still reach it
}

// finding is the result and the time of a value's inspection: parts that do not hold never will,
// however they are divided.
type finding struct {
	// records of the value in parts that do not hold, without those that have become outliers since
	own uint64
	// the value of Outliers then, after refining it, if other records do not hold; 0: they do
	after uint64
	at    int32 // number of refinements before it, plus one; 0: it was not inspected
}

// failing is a part that does not hold, with its number of records.
type failing struct {
	partition int32
	child     uint32
	records   uint64
}

func (f failing) compare(o failing) int {
	return cmp.Or(cmp.Compare(f.partition, o.partition), cmp.Compare(f.child, o.child))
}

// inspector counts the records of partitions by child and value. It works alone.
type inspector struct {
	// by child: its place in the counts, plus one; 0 before it occurs, looked after it was checked
	slot    []uint32
	present []uint32 // children with a place
	done    []uint32 // children that were checked
	sizes   []uint64 // by place
	records []uint64
	values  []uint64        // by place and value
	rest    []uint64        // by value: counts of a partition from which a value is parted
	chunk   partition.Table // scratch: a chunk of a list
	failing []failing
}

const (
	// looked is the slot of a child that was checked.
	looked = ^uint32(0)
	// valuesAtOnce is the largest number of counts of an inspector, unless one child has more: they
	// fit in a cache. The records of a partition are read again for the other children.
	valuesAtOnce = 1 << 16
)

// Inspect checks the parts that a refinement would make. It reports whether all hold or, where
// there may be outliers, finds the number of their records that would become outliers, which
// MoreOutliers includes from now on. After an error the partitions must not be used.
func (t *TIPS) Inspect(ctx context.Context, r *partition.Refinement) (holds bool, err error) {
	t.ctx = ctx
	x, m := &t.inspection, t.pool
	x.value, x.failing = r.Value, x.failing[:0]
	field := slices.Index(t.columns, r.Column)
	visits, all := t.linkedTo(r.Value)
	for _, p := range visits {
		t.prepare(p, field, r)
	}
	var broken atomic.Bool
	if t.outliers == nil && !t.chunked { // a small partition is more likely to end the inspection
		slices.SortFunc(visits, func(a, b int32) int {
			return cmp.Compare(t.partitions[a].Size, t.partitions[b].Size)
		})
	}
	t.eachInspected(visits, all, func(n *inspector, worker int, p int32) {
		isOver := t.outliers == nil && broken.Load()
		if !isOver && !n.inspect(t, worker, p, field, r) {
			broken.Store(true)
		}
	})
	for _, n := range m.inspectors {
		x.failing, n.failing = append(x.failing, n.failing...), n.failing[:0]
	}
	if t.outliers != nil {
		t.noteOutliers(r)
	}
	if t.account(); t.err != nil {
		return false, fmt.Errorf("inspect leaf partitions: %w", t.err)
	}
	return !broken.Load(), nil
}

// eachInspected calls f with partitions, and with the worker's inspector and its number. Chunked
// partitions are read one after the other.
func (t *TIPS) eachInspected(
	visits []int32, records int, f func(n *inspector, worker int, p int32),
) {
	m := t.pool
	for len(m.inspectors) < m.parallel.Threads {
		m.inspectors = append(m.inspectors, &inspector{})
	}
	if !t.chunked {
		m.parallel.Each(len(visits), records,
			func(worker, i int) { f(m.inspectors[worker], worker, visits[i]) })
		t.fail(t.ctx.Err())
		return
	}
	for _, p := range visits {
		if t.err == nil {
			f(m.inspectors[0], 0, p)
			t.fail(t.ctx.Err())
		}
	}
}

// noteOutliers stores the findings about the parts that a refinement would make. If some are
// outliers, the smallest part counts as the least that is allowed.
func (t *TIPS) noteOutliers(r *partition.Refinement) {
	x, isSuppressed := &t.inspection, t.view.Columns[r.Column].Suppressed
	slices.SortFunc(x.failing, failing.compare)
	own, others := uint64(0), uint64(0)
	for _, f := range x.failing {
		if isSuppressed && f.child == 0 {
			others += f.records
		} else {
			own += f.records
		}
	}
	after, found := uint64(0), x.found.at(r.Value)
	if others > 0 {
		after = t.outliers.records + own + others
	}
	if after > 0 && found.after <= t.outliers.records {
		x.pending = append(x.pending, r.Value)
	}
	*found = finding{own: own, after: after, at: x.steps + 1}
	x.latest = append(x.latest, r.Value)
	if len(x.failing) > 0 {
		t.known.at(r.Value).smallest = 0
	}
}

// noteOutlier notes that more records of a value have become outliers.
func (t *TIPS) noteOutlier(value int32, records uint64) {
	if t.found.get(value).own > 0 {
		own := &t.found.at(value).own
		*own -= min(*own, records)
		t.change(value)
	}
}

// outdateInspected notes the values for which MoreOutliers is less certain after a refinement,
// before which there were before outliers: those that were inspected after the previous refinement,
// and, if the number of outliers has grown, all whose after it has reached.
func (t *TIPS) outdateInspected(before uint64) {
	x := &t.inspection
	for _, value := range x.latest {
		t.change(value)
	}
	x.latest = x.latest[:0]
	if t.outliers == nil || t.outliers.records == before {
		return
	}
	x.pending = slices.DeleteFunc(x.pending, func(value int32) bool {
		t.change(value)
		return t.view.Dead(value) || x.found.get(value).after <= t.outliers.records
	})
}

// findOutliers marks the parts of a partition, divided by a field, that are outliers, and returns
// the number of their records.
func (t *TIPS) findOutliers(v *visit, field int) (records uint64) {
	x := &t.inspection
	for i := range v.parts {
		part := &v.parts[i]
		if x.Protection == nil {
			if part.isOutlier = part.Size < t.k; part.isOutlier {
				records += part.Size
			}
			continue
		}
		child := t.by.ChildOf(t.table.Layout.Fields[field].Code(t.sample(part.leafPartition)))
		at, found := slices.BinarySearchFunc(x.failing,
			failing{partition: v.partition, child: child}, failing.compare)
		if part.isOutlier = found; found {
			records += x.failing[at].records
		}
	}
	return records
}

// Inspected reports whether MoreOutliers is exact for a value, not only a lower bound.
func (t *TIPS) Inspected(value int32) bool {
	return t.Protection == nil || t.found.get(value).at == t.steps+1
}

// linkedTo returns the partitions that are linked to a value, in the order of their numbers, and
// the number of their records. It keeps the links.
func (t *TIPS) linkedTo(value int32) (visits []int32, records int) {
	t.visits = t.visits[:0]
	for at := t.links.heads.get(value); at != 0; at = t.links.items[at-1].next {
		p := t.links.items[at-1].partition
		if n := t.partitions[p].Records(); n > 0 {
			t.visits = append(t.visits, p)
			records += n
		}
	}
	slices.Sort(t.visits)
	return t.visits, records
}

// inspect checks the parts that a refinement would make of a partition, and reports whether all
// hold. A partition that is not divided holds.
func (n *inspector) inspect(t *TIPS, worker int, p int32, field int,
	r *partition.Refinement) (holds bool) {
	l, f := t.partitions[p], t.table.Layout.Fields[field]
	if l.rest != nil {
		return n.inspectParted(t, worker, p, field, r)
	}
	if !t.isDivided(l, f, r) {
		return true
	}
	n.begin(r.Children)
	holds = true
	for again := true; again && (holds || t.outliers != nil); {
		if l.lists == nil {
			again = n.count(&t.inspection, t.table, l.Rows, f, r)
		} else {
			again = false
			t.read(l.lists, &n.chunk, func() {
				again = n.count(&t.inspection, &n.chunk, partition.Rows{Hi: n.chunk.Len()}, f, r) ||
					again
			})
		}
		if !again && len(n.present) == 1 && len(n.done) == 0 {
			break // it is not divided
		}
		holds = n.look(t, worker, p) && holds
	}
	n.clear()
	return holds
}

// inspectParted is inspect for a partition with an index, from which a value is parted: the index
// has the counts of the rest.
func (n *inspector) inspectParted(t *TIPS, worker int, p int32, field int,
	r *partition.Refinement) (holds bool) {
	x, l := &t.inspection, t.partitions[p]
	var parted []int32
	if of := l.rest.of(field); of != nil {
		parted = of.records(r.First)
	}
	if len(parted) == 0 {
		return true
	}
	n.begin(r.Children)
	for _, at := range parted {
		row := l.Lo + int(at)
		n.count(x, t.table, partition.Rows{Lo: row, Hi: row + 1}, t.table.Layout.Fields[field], r)
	}
	n.rest = append(n.rest[:0], l.rest.held...)
	for at, records := range n.values {
		n.rest[at] -= records
	}
	if holds = x.Holds(worker, l.Size-n.sizes[0], n.rest); !holds && t.outliers != nil {
		n.failing = append(n.failing, failing{p, 0, l.rest.records - n.records[0]})
	}
	holds = n.look(t, worker, p) && holds
	n.clear()
	return holds
}

// isDivided reports whether a refinement may divide a partition.
func (t *TIPS) isDivided(l leafPartition, f partition.Field, r *partition.Refinement) bool {
	if l.lists != nil {
		return l.lists.vary(f)
	}
	w := t.table.Layout.Words
	first := r.ChildOf(f.Code(t.table.Keys[l.Lo*w:]))
	for at := l.Lo*w + w + f.Word; at < l.Hi*w; at += w {
		if r.ChildOf(uint32(t.table.Keys[at]>>f.Shift&f.Mask)) != first {
			return true
		}
	}
	return false
}

// begin makes room for children.
func (n *inspector) begin(children int) {
	if more := children - len(n.slot); more > 0 {
		n.slot = append(n.slot, make([]uint32, more)...)
	}
}

// place gives a child a place in the counts, or 0 when there is none left.
func (n *inspector) place(child uint32, values int) (slot uint32) {
	places := len(n.present) + 1
	if places > 1 && places*values > valuesAtOnce {
		return 0
	}
	n.present = append(n.present, child)
	n.sizes, n.records = append(n.sizes, 0), append(n.records, 0)
	n.values = slices.Grow(n.values, values)[:places*values]
	clear(n.values[(places-1)*values:])
	n.slot[child] = uint32(places)
	return uint32(places)
}

// count counts records of a table by child. It reports whether some belong to children without a
// place.
func (n *inspector) count(x *inspection, t *partition.Table, rows partition.Rows, f partition.Field,
	r *partition.Refinement) (again bool) {
	w, kinds := t.Layout.Words, t.Layout.Fields[len(t.Layout.Fields)-1]
	for i := rows.Lo; i < rows.Hi; i++ {
		key := t.Keys[i*w : (i+1)*w]
		child := r.ChildOf(f.Code(key))
		slot := n.slot[child]
		if slot == 0 {
			slot = n.place(child, x.Values)
		}
		if slot == 0 || slot == looked {
			again = again || slot == 0
			continue
		}
		n.addKind(x, slot, int(kinds.Code(key)), t.Counts[i])
	}
	return again
}

// recordsOf returns the number of records of a kind, given their size.
func (x *inspection) recordsOf(kind int, size uint64) uint64 {
	if x.Weight != nil {
		return size / x.Weight[kind]
	}
	return size
}

// addKind adds records of a kind, given their size, to the counts of a place.
func (n *inspector) addKind(x *inspection, slot uint32, kind int, size uint64) {
	records := x.recordsOf(kind, size)
	n.sizes[slot-1] += size
	n.records[slot-1] += records
	values := n.values[int(slot-1)*x.Values:]
	for _, at := range x.Place[kind*x.Width : (kind+1)*x.Width] {
		values[at] += records
	}
}

// look checks the children that have a place, and takes their places away.
func (n *inspector) look(t *TIPS, worker int, p int32) (holds bool) {
	x := &t.inspection
	holds = true
	for at, child := range n.present {
		n.slot[child] = looked
		if !x.Holds(worker, n.sizes[at], n.values[at*x.Values:(at+1)*x.Values]) {
			holds = false
			if t.outliers == nil {
				break
			}
			n.failing = append(n.failing, failing{p, child, n.records[at]})
		}
	}
	n.done = append(n.done, n.present...)
	n.present, n.sizes, n.records, n.values = n.present[:0], n.sizes[:0], n.records[:0],
		n.values[:0]
	return holds
}

// clear removes the remaining data of a partition.
func (n *inspector) clear() {
	for _, child := range append(n.done, n.present...) {
		n.slot[child] = 0
	}
	n.done = n.done[:0]
	n.present, n.sizes, n.records, n.values = n.present[:0], n.sizes[:0], n.records[:0],
		n.values[:0]
}

// bytes returns the memory of an inspector.
func (n *inspector) bytes() int64 {
	return int64(cap(n.slot)+cap(n.present)+cap(n.done))*4 +
		int64(cap(n.sizes)+cap(n.records)+cap(n.values)+cap(n.rest))*8 +
		n.chunk.Bytes() + int64(cap(n.failing))*int64(unsafe.Sizeof(failing{}))
}
