package tips

import (
	"math"
	"slices"
	"unsafe"

	"github.com/kcut/kcut/partition"
)

// rest is the index of a partition in the table from which values of suppressed columns are parted
// one after the other: the places of the records of every value. With it, the cost of a disclosure
// depends on the records that it parts from the rest, not on all records. The rest stays at the
// front of the partition, and keeps its sums by child in all refined fields.
type rest struct {
	values  []valueIndex // of the suppressed fields that can be refined
	present []int        // by refined field: number of children that have records
	held    []uint64     // with a protection: number of records by value
	records uint64       // with a protection: number of records
}

const (
	// restPays is the number of values that must have been parted from a partition, with no other
	// refinement in between, before it is indexed, which costs as much as parting some.
	restPays = 4
	// restRecords is the least number of records of such a partition.
	restRecords = 256
)

// indexable reports whether a partition should be indexed: its records are in the table, values
// have been parted from it, and there is memory.
func (t *TIPS) indexable(l *leafPartition) bool {
	if l.lists != nil || l.disclosed < t.pool.sizes.restPays ||
		l.Records() < t.pool.sizes.restRecords ||
		t.outliers != nil && l.Size < 4*t.k {
		return false
	}
	sums, bytes := 0, int64(0)
	for _, a := range t.listActive(nil, t.sample(*l), false) {
		if a.value == None {
			bytes += int64(l.Records()) * (8 + indexBytes)
		} else {
			sums += a.children
		}
	}
	if t.Protection != nil {
		bytes += 8 * int64(t.inspection.Values)
	}
	return sums <= 4*l.Records() && t.pool.hasRoom(bytes+int64(sums)*8)
}

// prepare indexes a partition from which a value will be parted, if that pays, and drops the index
// of one that is divided in another way.
func (t *TIPS) prepare(p int32, field int, r *partition.Refinement) {
	l := &t.partitions[p]
	isDisclosed := t.view.Columns[r.Column].Suppressed
	if isDisclosed && l.rest == nil && t.indexable(l) {
		t.index(l)
	}
	if l.rest != nil && (!isDisclosed || !t.isParted(p, field, r.First)) {
		t.forgetRest(l)
	}
	if l.disclosed++; !isDisclosed {
		l.disclosed = 0
	}
}

// isParted reports whether a code is parted from a partition by its index. The rest must be the
// larger part, have more than one code, and be so large that it is no outlier, and that not all but
// one of its codes would be outliers; no inspection may have found that it does not hold.
func (t *TIPS) isParted(p int32, field int, code uint32) bool {
	l := &t.partitions[p]
	x := l.rest.of(field)
	if x == nil {
		return false
	}
	run, found := x.run(code)
	if !found || x.sizes[run] == 0 {
		return true // no record has the code
	}
	if _, fails := slices.BinarySearchFunc(t.failing, failing{partition: p},
		failing.compare); fails {
		return false
	}
	left := l.Size - x.sizes[run]
	return x.sizes[run] <= left && x.live > 1 && (t.outliers == nil || left >= 2*t.k)
}

// index makes the index of a partition.
func (t *TIPS) index(l *leafPartition) {
	l.rest = &rest{present: make([]int, len(t.columns))}
	if l.stats == nil {
		l.stats = make(stats, len(t.columns))
	}
	for _, a := range t.listActive(nil, t.sample(*l), false) {
		if a.value == None {
			l.stats.drop(a.field)
			l.rest.values = append(l.rest.values, valueIndex{field: a.field})
			continue
		}
		if l.stats[a.field] == nil {
			l.stats[a.field] = make([]uint64, a.children)
			countEach(l.stats[a.field], t.table, l.Lo, l.Hi, t.table.Layout.Fields[a.field],
				t.column(a.field).Child)
		}
		for _, n := range l.stats[a.field] {
			if n > 0 {
				l.rest.present[a.field]++
			}
		}
	}
	t.pool.parallel.Each(len(l.rest.values), l.Records(), func(_, i int) {
		l.rest.values[i] = newValueIndex(t.table, l.Rows, l.rest.values[i].field)
	})
	if t.Protection != nil {
		l.rest.held = make([]uint64, t.inspection.Values)
		for i := l.Lo; i < l.Hi; i++ {
			t.hold(l.rest, i, 1)
		}
	}
	t.sums, l.sums = t.sums+l.stats.bytes()-l.sums, l.stats.bytes()
	t.indexed += l.rest.bytes()
}

// hold adds a record of the table to the counts of an index by value, or subtracts it if sign is
// negative in two's complement.
func (t *TIPS) hold(r *rest, row int, sign uint64) {
	x, kinds := &t.inspection, t.table.Layout.Fields[len(t.table.Layout.Fields)-1]
	kind := int(kinds.Code(t.table.Keys[row*t.table.Layout.Words:]))
	records := x.recordsOf(kind, t.table.Counts[row])
	for _, at := range x.Place[kind*x.Width : (kind+1)*x.Width] {
		r.held[at] += sign * records
	}
	r.records += sign * records
}

// forgetRest drops the index of a partition.
func (t *TIPS) forgetRest(l *leafPartition) {
	if l.rest != nil {
		t.indexed -= l.rest.bytes()
		l.rest, l.disclosed = nil, 0
	}
}

// of returns the index of a field's values, or nil.
func (r *rest) of(field int) *valueIndex {
	for i := range r.values {
		if r.values[i].field == field {
			return &r.values[i]
		}
	}
	return nil
}

// bytes returns the memory of an index.
func (r *rest) bytes() (n int64) {
	for i := range r.values {
		n += r.values[i].bytes()
	}
	return n + int64(cap(r.present)+cap(r.held))*8 + int64(unsafe.Sizeof(rest{}))
}

// varies reports whether an index shows that records of the partition differ in one of the fields.
func (r *rest) varies(fields []active) bool {
	return slices.ContainsFunc(fields, func(a active) bool {
		x := r.of(a.field)
		return x != nil && x.live > 1
	})
}

// part parts the records of a code from a partition that has an index: the rest is its front. Only
// the other part is counted.
func (v *visitor) part(t *TIPS, p int32, field int, code uint32) visit {
	l, from := t.partitions[p], len(v.parts)
	v.offsets = v.offsets[:0]
	if x := l.rest.of(field); x != nil {
		v.offsets = append(v.offsets, x.records(code)...)
	}
	if len(v.offsets) == 0 {
		v.parts = append(v.parts, part{leafPartition: leafPartition{Rows: l.Rows}})
		return newVisit(p, v.parts[from:len(v.parts):len(v.parts)])
	}
	slices.Sort(v.offsets)
	l.rest.remove(t.table, l.Lo, v.offsets, v.division.Parallel)
	if t.Protection != nil {
		for _, at := range v.offsets {
			t.hold(l.rest, l.Lo+int(at), math.MaxUint64)
		}
	}
	front := int32(l.Records() - len(v.offsets))
	behind, to := v.offsets[len(v.offsets):], front // records of the part that are already in place
	if i, _ := slices.BinarySearch(v.offsets, front); i < len(v.offsets) {
		behind = v.offsets[i:]
	}
	for _, at := range v.offsets[:len(v.offsets)-len(behind)] {
		for len(behind) > 0 && behind[0] == to {
			behind, to = behind[1:], to+1
		}
		t.table.Swap(l.Lo+int(at), l.Lo+int(to))
		l.rest.rename(to, at)
		to++
	}
	parted := t.table.Rows(l.Lo+int(front), l.Hi)
	v.parts = append(v.parts,
		part{leafPartition: leafPartition{Rows: partition.Rows{
			Lo:   l.Lo,
			Hi:   parted.Lo,
			Size: l.Size - parted.Size,
		}}},
		part{leafPartition: leafPartition{Rows: parted}})
	made := visit{partition: p, parts: v.parts[from:len(v.parts):len(v.parts)], isRest: true}
	v.fields = t.listCounted(v.fields[:0], t.sample(made.parts[1].leafPartition))
	made.parts[1].counts = v.countFields(t, t.table, made.parts[1].Rows, v.fields, nil)
	return made
}

// replaceRest is replace for a part that was parted from a partition with an index. To find the
// effects of refinements on the rest, it examines the children that have fewer records, and in a
// suppressed column the value with most records: only its disclosure may leave fewer records than
// it parts.
func (t *TIPS) replaceRest(v visit, field int) {
	p, size, parted := v.partition, t.partitions[v.partition].Size, v.parts[1]
	t.live -= size
	t.classes++
	t.partitions[p].Rows = v.parts[0].Rows
	t.anonymity = min(t.anonymity, v.parts[0].Size, parted.Size)
	if t.outliers != nil {
		t.outliers.records += t.findOutliers(&v, field)
		if parted = v.parts[1]; parted.isOutlier {
			t.countOutliers(parted.leafPartition)
			t.anonymity = 0 // A(QID) is k
		}
	}
	t.partitions = append(t.partitions, parted.leafPartition)
	q := int32(len(t.partitions) - 1)
	t.keep(q, t.update(q, t.active(q, true), parted.counts, nil, parted.isOutlier))
	alive := false
	for _, a := range t.active(p, false) {
		var fewer []childCount
		if i := slices.IndexFunc(parted.counts, func(c counted) bool {
			return c.field == a.field
		}); i >= 0 {
			fewer = parted.counts[i].children
		}
		if a.value == None {
			alive = t.recordRest(&t.partitions[p], a, fewer, size) || alive
		} else {
			alive = t.recordFewer(&t.partitions[p], a, fewer) || alive
		}
	}
	t.keep(p, alive)
}

// recordRest is recordSuppressed for the rest of a partition that had size records, some codes of
// which have fewer.
func (t *TIPS) recordRest(l *leafPartition, a active, fewer []childCount,
	size uint64) (alive bool) {
	x, values := l.rest.of(a.field), t.view.Columns[t.columns[a.field]].Value
	isAlive := func(run int) bool {
		value := values[x.codes[run]]
		return value != None && !t.view.Dead(value)
	}
	most := x.most()
	for _, c := range fewer {
		run, _ := x.run(c.child)
		if isAlive(run) {
			t.recordRun(values[c.child], x.sizes[run]+c.size, size, x.sizes[run], l.Size)
		}
		if run == most {
			most = -1
		}
	}
	if most >= 0 && isAlive(most) {
		t.recordRun(values[x.codes[most]], x.sizes[most], size, x.sizes[most], l.Size)
	}
	for x.open < len(x.codes) && (x.sizes[x.open] == 0 || !isAlive(x.open)) {
		x.open++
	}
	return x.live > 1 && x.open < len(x.codes)
}

// recordRun records the part that disclosing a value would part from a partition: the value now has
// n of `of` records, and had before of ofBefore records.
func (t *TIPS) recordRun(value int32, before, ofBefore, n, of uint64) {
	if t.outliers != nil {
		t.addOutliers(value, t.outliersParting(n, of)-t.outliersParting(before, ofBefore))
	}
	if n > 0 && n < of && t.recordPart(value, min(n, of-n)) {
		t.view.Kill(value)
	}
}

// outliersParting returns the number of records that would be outliers if n of them were parted
// from the others.
func (v *VIT) outliersParting(n, of uint64) uint64 {
	if n == 0 || n == of {
		return 0
	}
	return v.outliersOf([]childCount{{size: n}, {size: of - n}})
}

// recordFewer is record for the rest of a partition, in a refined field in which some children have
// fewer records.
func (t *TIPS) recordFewer(l *leafPartition, a active, fewer []childCount) (alive bool) {
	sums, present := l.stats[a.field], &l.rest.present[a.field]
	was, smallest := *present, ^uint64(0)
	before, after := uint64(0), uint64(0)
	for _, c := range fewer {
		n := sums[c.child] - c.size
		if sums[c.child] < t.k {
			before += sums[c.child]
		}
		switch sums[c.child] = n; {
		case n == 0:
			*present--
			continue
		case n < t.k:
			after += n
		}
		smallest = min(smallest, n)
	}
	switch {
	case t.outliers == nil || was < 2:
	case *present < 2:
		t.addOutliers(a.value, -before)
	default:
		t.addOutliers(a.value, after-before)
	}
	if *present > 1 && smallest < ^uint64(0) && t.recordPart(a.value, smallest) {
		t.view.Kill(a.value)
	}
	return !t.view.Dead(a.value)
}
