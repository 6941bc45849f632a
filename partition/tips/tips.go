// Package tips holds the leaf partitions of a top-down search (TIPS, papers/tds-fung-2005.txt
// section 5.3), the links from every value to its partitions, and the anonymity of every
// quasi-identifier set (VITS, section 5.4.2). A search refines a value in the View and then in the
// TIPS of every set with its column; both have the effects of the next refinements.
//
// Tables that fit in memory stay there, and a refinement moves the records of a partition so that
// those of every part are adjacent. Otherwise every partition is a list of chunks in the store
// (section 5.5). A refinement reads it, divides and counts it like records in memory, a batch at a
// time, and writes it as lists of the parts.
//
// Contract: partitions, minima and dead values are those of a recount after every refinement,
// whatever the threads and the memory. Limits: partitions and their records have no defined order.
package tips

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// TIPS holds the leaf partitions of one quasi-identifier set (TDS, Definition 3 and section 5.3):
// the records that share their masked values in every column of the set, and the links from each
// value to its partitions.
//
// The records are those of one table, moved in place so that every partition's are adjacent, or
// every partition has a list of chunks and the table is empty.
type TIPS struct {
	VIT

	view       *View
	columns    []int // by field: the column of the view
	partitions []leafPartition
	links      links
	classes    uint64 // number of partitions that were made
	live       uint64 // number of records in partitions that are not discarded
	// number of records in the partitions that refinements have visited
	touched uint64
	by      *partition.Refinement // the refinement that is performed
	storage
	visiting
	inspection
	ctx context.Context // of the present call
	err error           // the first error of the store
}

// storage is the places of the records of a set's partitions, and their memory.
type storage struct {
	pool         *Pool
	table        *partition.Table
	chunked      bool   // the partitions have lists, and the table no records
	fewer        int    // largest number of records of lists to put into a table again
	looked       uint64 // live records at the last check whether that is possible
	chunkRecords int    // of the layout
	held         int64  // bytes drawn from the pool for everything except records
	sums         int64  // bytes of all stats
	indexed      int64  // bytes of all indexes
}

// visiting is scratch that refinements reuse.
type visiting struct {
	visits   []int32      // result of linked
	fields   []active     // result of active
	mask     []uint64     // scratch of varies, by word
	children []childCount // scratch of update
}

// leafPartition is one leaf partition. A discarded one has no records.
type leafPartition struct {
	partition.Rows       // its records in the table; for a list, 0 and their number
	lists          lists // nil: its records are in the table
	stats          stats // nil for small partitions
	sums           int64 // bytes of stats at the last check
	rest           *rest // nil: parting a value from it reads all its records
	// number of values that were parted from it since another refinement divided it
	disclosed int
}

// active is a field of a partition whose value can still be refined.
type active struct {
	field    int
	value    int32 // None in a suppressed column, where every code is a value
	children int   // or codes of a suppressed column
	link     bool  // the partition is not linked yet
}

// New returns a single leaf partition with the whole table, whose field i is column columns[i] of
// the view. It kills a value whose refinement would leave fewer than k records together, unless
// there may be outliers: then these are counted, and the caller kills values that would make too
// many. With a protection, which may be nil, inspections check more than the size of parts.
//
// The table is consumed: from now on the pool owns the bytes of one in memory, which must be drawn
// from the pool's budget, and the chunks of a spilled one, which must be in the pool's store.
func New(
	ctx context.Context, table *partition.Table, columns []int, k uint64, outliers bool,
	protection *Protection, view *View, pool *Pool,
) (*TIPS, error) {
	size := table.Size()
	t := &TIPS{
		VIT:        VIT{k: k, anonymity: size},
		view:       view,
		columns:    columns,
		ctx:        ctx,
		inspection: inspection{Protection: protection, value: None},
	}
	t.known.blank.smallest = math.MaxUint64
	if outliers {
		t.outliers = newOutlierCounts(view, columns)
	}
	t.mask = make([]uint64, table.Layout.Words)
	pool.sets = append(pool.sets, t)
	pool.Adopt(table.Bytes())
	if table.Len() > 0 {
		t.classes = 1
		t.partitions = append(t.partitions,
			leafPartition{Rows: partition.Rows{Hi: table.Len(), Size: size}})
	}
	records, chunks := table.Take()
	t.storage = storage{
		pool: pool, table: records, chunkRecords: pool.ChunkRecords(table.Layout),
	}
	if t.chunked = chunks != nil; t.chunked && len(t.partitions) > 0 {
		t.partitions[0].lists = lists{pool.AdoptList(chunks)}
		t.fewer, t.looked = chunks.Records, math.MaxUint64
		t.fail(t.moveIn())
	}
	if t.outliers != nil {
		for field, c := range columns {
			t.enter(field, 0, uint32(len(view.Columns[c].Value)))
		}
	}
	t.account()
	if len(t.partitions) > 0 && t.err == nil {
		t.start()
		t.account()
	}
	if t.err != nil {
		return nil, fmt.Errorf("read the first partition: %w", t.err)
	}
	return t, nil
}

// start updates the first partition: the view gets the numbers of records of its values' children.
func (t *TIPS) start() {
	fields := t.active(0, true)
	counts := make([]counted, len(fields))
	for i, a := range fields {
		column, sums := t.column(a.field), make([]uint64, a.children)
		for code, n := range column.Records {
			sums[column.Child[code]] += n
		}
		counts[i] = counted{field: a.field, children: list(nil, sums)}
	}
	t.keep(0, t.update(0, fields, counts, nil, false))
}

// Live returns the number of records in partitions that are not discarded. A partition is discarded
// when no refinement can split it at the time it is made or visited (TDS, section 5.5).
func (t *TIPS) Live() uint64 { return t.live }

// column returns the view of a field's column.
func (t *TIPS) column(field int) *Column { return &t.view.Columns[t.columns[field]] }

// Touched returns the number of records in the partitions that refinements have visited, counted at
// every visit: a measure of the work of the search, however it is done.
func (t *TIPS) Touched() uint64 { return t.touched }

// Refine performs a refinement on every leaf partition linked to its value. The view must already
// have the values after it. After an error, which is the context's, the store's or the budget's,
// the partitions must not be used.
func (t *TIPS) Refine(ctx context.Context, r *partition.Refinement) error {
	const patience = 1 << 20 // number of records between two checks of the context
	t.ctx = ctx
	if t.Protection != nil && t.outliers != nil && t.value != r.Value {
		if _, err := t.Inspect(ctx, r); err != nil {
			return err
		}
	}
	t.value, t.steps = None, t.steps+1
	defer t.outdateInspected(t.Outliers())
	field := slices.Index(t.columns, r.Column)
	if t.outliers != nil && !t.view.Columns[r.Column].Suppressed {
		t.enter(field, r.First, r.First+uint32(len(r.Child)))
	}
	t.by = r
	touched := 0
	for visits, all := t.linked(r.Value); len(visits) > 0; {
		n, records := t.refinedTogether(visits, all)
		touched += records
		if t.chunked {
			t.refineLists(visits[:n], field, r)
		} else {
			t.refineAll(visits[:n], field, r)
		}
		if t.account(); t.err != nil {
			return fmt.Errorf("refine leaf partitions: %w", t.err)
		}
		if touched > patience {
			touched = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		visits = visits[n:]
	}
	if err := t.moveIn(); err != nil {
		return fmt.Errorf("read leaf partitions: %w", err)
	}
	return nil
}

// linked consumes the links of a value and returns its partitions, and the number of their records,
// in the order of their numbers, which is approximately that of their records in the store.
func (t *TIPS) linked(value int32) (visits []int32, records int) {
	t.visits = t.visits[:0]
	for p, ok := t.links.pop(value); ok; p, ok = t.links.pop(value) {
		if n := t.partitions[p].Records(); n > 0 {
			t.visits = append(t.visits, p)
			t.touched += t.partitions[p].Size
			records += n
		}
	}
	slices.Sort(t.visits)
	return t.visits, records
}

// refinedTogether returns the number of the next partitions to refine at once, and of their
// records; all partitions to visit have all records. It is one shared partition, or several others;
// with lists, enough for some batches.
func (t *TIPS) refinedTogether(visits []int32, all int) (n, records int) {
	most := visitRecords
	if t.chunked {
		most = batchesTogether * t.pool.batchRecords(t.table.Layout)
	}
	most = min(most, int(t.pool.Share/shareOfVisits)/(len(t.columns)*childCountBytes))
	for _, p := range visits {
		l := t.partitions[p]
		isShared := t.isShared(l, all)
		if n > 0 && (isShared || records+l.Records() > most) {
			break
		}
		n, records = n+1, records+l.Records()
		if isShared {
			break
		}
	}
	return n, records
}

// outdate drops the sums of a field that its refinement invalidates: in a suppressed column, only
// that of the disclosed code.
func (t *TIPS) outdate(s stats, field int, r *partition.Refinement) {
	if sums := s.of(field); sums != nil && t.view.Columns[r.Column].Suppressed {
		sums[r.First] = 0
	} else {
		s.drop(field)
	}
}

// replace replaces a partition by its parts. The largest keeps the partition's number, its links,
// and its stats minus those of the other parts.
func (t *TIPS) replace(v visit, field int) {
	p := v.partition
	parent := t.partitions[p]
	t.live -= parent.Size
	t.classes += uint64(len(v.parts) - 1)
	if t.outliers != nil {
		t.divideOutliers(&v, field)
	}
	for i, part := range v.parts {
		t.anonymity = min(t.anonymity, part.Size)
		if i != v.largest {
			t.partitions = append(t.partitions, part.leafPartition)
			q := int32(len(t.partitions) - 1)
			t.keep(q, t.update(q, t.active(q, true), part.counts, parent.stats, part.isOutlier))
		}
	}
	t.partitions[p] = v.parts[v.largest].leafPartition
	t.partitions[p].disclosed = parent.disclosed
	t.partitions[p].sums = parent.sums
	t.partitions[p].stats = parent.stats
	fields := t.active(p, false)
	if i := position(fields, field); i >= 0 && fields[i].value != None {
		fields[i].link = true // to its new value
	}
	t.keep(p, t.update(p, fields, v.parts[v.largest].counts, nil, v.parts[v.largest].isOutlier))
}

// follow gives a partition whose records all belong to one child that child's value.
func (t *TIPS) follow(p int32, field int, counts []counted) {
	fields := t.active(p, false)
	alive := len(fields) > 0
	if i := position(fields, field); i >= 0 {
		if fields[i].value == None { // it does not contain the disclosed code
			return
		}
		alive = len(fields) > 1
		t.partitions[p].stats.drop(field)
		fields[i].link = true
		alive = t.update(p, fields[i:i+1], counts, nil, false) || alive
	}
	t.live -= t.partitions[p].Size
	t.keep(p, alive)
}

// keep counts a partition as live, or discards it: if it is not alive or its records agree in all
// fields that active has listed for it.
func (t *TIPS) keep(p int32, alive bool) {
	l := &t.partitions[p]
	if alive && t.varies(*l, t.fields) && t.isNeeded(*l) {
		t.live += l.Size
		return
	}
	t.sums -= l.sums
	for _, list := range l.lists {
		t.fail(t.pool.Free(list))
	}
	t.forgetRest(l)
	*l = leafPartition{}
}

// varies reports whether the records of a partition differ in one of the fields.
func (t *TIPS) varies(l leafPartition, fields []active) bool {
	if l.lists != nil {
		return slices.ContainsFunc(fields, func(a active) bool {
			return l.lists.vary(t.table.Layout.Fields[a.field])
		})
	}
	clear(t.mask)
	for _, a := range fields {
		f := t.table.Layout.Fields[a.field]
		t.mask[f.Word] |= f.Mask << f.Shift
	}
	if l.rest != nil && l.rest.varies(fields) {
		return true
	}
	first := t.sample(l)
	for i := l.Lo + 1; i < l.Hi; i++ {
		for k, word := range t.table.Keys[i*len(first) : (i+1)*len(first)] {
			if (word^first[k])&t.mask[k] != 0 {
				return true
			}
		}
	}
	return false
}

// follows reports whether the partitions only follow refinements that others choose.
func (t *TIPS) follows() bool { return t.Protection != nil && t.Follows }

// isNeeded reports whether a partition may have records of kinds that must be inspected.
func (t *TIPS) isNeeded(l leafPartition) bool {
	if t.Protection == nil || t.Needed == nil {
		return true
	}
	kinds := t.table.Layout.Fields[len(t.table.Layout.Fields)-1]
	if l.lists != nil {
		return l.lists.vary(kinds) || t.Needed[kinds.Code(t.sample(l))]
	}
	for i, w := l.Lo, t.table.Layout.Words; i < l.Hi; i++ {
		if t.Needed[kinds.Code(t.table.Keys[i*w:])] {
			return true
		}
	}
	return false
}

// fail keeps the first error.
func (t *TIPS) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// account draws the memory of partitions without their records, or returns released memory. It may
// move any table of the pool to the store, so no table may be in use.
func (t *TIPS) account() {
	for {
		held, visits := t.holds(), t.pool.holds()
		more := held - t.held + visits - t.pool.visits
		if more <= 0 {
			t.pool.Release(-more)
			t.held, t.pool.visits = held, visits
			return
		}
		switch err := t.pool.Draw("data on leaf partitions", more); {
		case err == nil:
			t.held, t.pool.visits = held, visits
		case !errors.Is(err, spill.ErrBudget):
			t.fail(err)
			return
		case t.holds() < held: // the table of this set was moved
		case t.spare():
		default:
			t.fail(err)
			return
		}
	}
}

// holds returns the memory of partitions without their records.
func (t *TIPS) holds() int64 {
	held := int64(cap(t.partitions))*int64(unsafe.Sizeof(leafPartition{})) +
		int64(cap(t.visits))*4 + t.sums + t.indexed
	held += t.links.heads.bytes() + int64(cap(t.links.items))*8
	held += t.known.bytes() + int64(cap(t.changed))*4
	held += int64(cap(t.failing))*int64(unsafe.Sizeof(failing{})) +
		int64(cap(t.latest)+cap(t.pending))*4 + t.found.bytes()
	if t.outliers != nil {
		held += t.outliers.bytes()
	}
	return held
}

// active lists the fields of a partition whose value can still be refined. The list is
// valid until the next call.
func (t *TIPS) active(p int32, link bool) []active {
	t.fields = t.listActive(t.fields[:0], t.sample(t.partitions[p]), link)
	return t.fields
}

// sample returns a key of a partition.
func (t *TIPS) sample(l leafPartition) []uint64 {
	if l.lists != nil {
		return l.lists[0].Sample
	}
	w := t.table.Layout.Words
	return t.table.Keys[l.Lo*w:][:w]
}

// listActive appends the fields in which the partition of a key can still be refined.
func (t *TIPS) listActive(to []active, key []uint64, link bool) []active {
	for i, c := range t.columns {
		column := &t.view.Columns[c]
		value := column.Value[t.table.Layout.Fields[i].Code(key)]
		switch {
		case value == None:
		case column.Suppressed && column.alive > 0:
			to = append(to, active{field: i, value: None, children: len(column.Value), link: link})
		case !column.Suppressed && !t.view.Dead(value):
			to = append(to, active{
				field:    i,
				value:    value,
				children: t.view.values[value].children,
				link:     link,
			})
		}
	}
	return to
}

// listCounted appends the fields in which the records of a key are counted by child: the active
// ones or, if the partitions only follow refinements, those of suppressed columns, where the codes
// that occur are links.
func (t *TIPS) listCounted(to []active, key []uint64) []active {
	to = t.listActive(to, key, false)
	if t.follows() {
		to = slices.DeleteFunc(to, func(a active) bool { return a.value != None })
	}
	return to
}

// position returns the index of a field in the list, or -1.
func position(fields []active, field int) int {
	return slices.IndexFunc(fields, func(a active) bool { return a.field == field })
}
