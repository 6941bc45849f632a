package partition

import (
	"context"
	"slices"
)

// TIPS holds the leaf partitions of one quasi-identifier set (TDS, Definition 3): the
// records that share the values they are masked to, on every column of the set, and the
// links from each value to its partitions. The records are those of one table, moved in
// place so that every partition's are adjacent; no memory is allocated for them.
type TIPS struct {
	VIT

	view    *View
	columns []int // of the view, by field
	table   *Table
	leaves  []leaf
	links   links
	live    uint64

	division division
	tally    tally
	fields   []active // what active returns
}

// leaf is one leaf partition. A discarded one has no records.
type leaf struct {
	lo, hi int    // its records in the table
	size   uint64 // the sum of their counts
	stats  stats  // nil for small partitions
}

func (l leaf) records() int { return l.hi - l.lo }

// active is a field of a partition whose value can still be refined.
type active struct {
	field    int
	value    int32 // None in a suppressed column, where every code is a value
	children int   // or codes of a suppressed column
	link     bool  // the partition is not linked yet
}

// NewTIPS returns the one leaf partition of a table, consumed, whose field i is column
// columns[i] of the view. A value whose refinement would leave fewer than k records
// together is killed.
func NewTIPS(table *Table, columns []int, k uint64, view *View) *TIPS {
	size := uint64(0)
	for _, n := range table.Counts {
		size += uint64(n)
	}
	t := &TIPS{VIT: VIT{k: k, anonymity: size}, view: view, columns: columns, table: table}
	t.tally.sums = make([][]uint64, len(columns))
	t.reserve()
	if table.Len() > 0 {
		t.leaves = append(t.leaves, leaf{hi: table.Len(), size: size})
		t.keep(0, t.settle(0, t.active(0, true), nil))
	}
	return t
}

func (t *TIPS) reserve() {
	t.VIT.reserve(len(t.view.values))
	t.links.reserve(len(t.view.values))
}

// Live returns the number of records in partitions that are not discarded. A partition is
// discarded when no refinement can split it at the time it is made or visited.
func (t *TIPS) Live() uint64 { return t.live }

// Refine performs a refinement on every leaf partition linked to its value. The view must
// show the values after it. After an error, which is the context's, the partitions are
// not to be used.
func (t *TIPS) Refine(ctx context.Context, r *Refinement) error {
	const patience = 1 << 20 // records between two looks at the context
	t.reserve()
	field := slices.Index(t.columns, r.Column)
	touched := 0
	for p, ok := t.links.take(r.Value); ok; p, ok = t.links.take(r.Value) {
		if t.leaves[p].records() == 0 {
			continue
		}
		touched += t.leaves[p].records()
		t.refine(p, field, r)
		if touched > patience {
			touched = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// refine divides one partition. The largest part keeps the partition's number.
func (t *TIPS) refine(p int32, field int, r *Refinement) {
	parent := t.leaves[p]
	parts := t.division.divide(t.table, parent, t.table.Layout.Fields[field], r)
	if len(parts) == 1 {
		t.follow(p, field)
		return
	}
	t.live -= parent.size
	own := parent.stats.take(field)
	largest := 0
	for i, part := range parts {
		t.anonymity = min(t.anonymity, part.size)
		if part.records() > parts[largest].records() {
			largest = i
		}
	}
	for i, part := range parts {
		if i != largest {
			t.leaves = append(t.leaves, part)
			q := int32(len(t.leaves) - 1)
			t.keep(q, t.settle(q, t.active(q, true), parent.stats))
		}
	}
	t.leaves[p] = parts[largest]
	t.leaves[p].stats = parent.stats
	t.inherit(p, field, own, r)
}

// inherit settles the largest part of a partition. It has the partition's links and what
// the other parts left of its stats. In the refined column it has a new value, unless that
// is suppressed still, and then only the disclosed code is gone from its own sums.
func (t *TIPS) inherit(p int32, field int, own []uint64, r *Refinement) {
	fields := t.active(p, false)
	if i := position(fields, field); i >= 0 && fields[i].value != None {
		fields[i].link = true
	} else if i >= 0 && own != nil {
		own[r.First] = 0
		t.leaves[p].stats[field] = own
	}
	t.keep(p, t.settle(p, fields, nil))
}

// follow gives a partition whose records all belong to one child that child's value.
func (t *TIPS) follow(p int32, field int) {
	fields := t.active(p, false)
	alive := len(fields) > 0
	if i := position(fields, field); i >= 0 {
		if fields[i].value == None { // it does not hold the disclosed code
			return
		}
		alive = len(fields) > 1
		t.leaves[p].stats.take(field)
		fields[i].link = true
		alive = t.settle(p, fields[i:i+1], nil) || alive
	}
	t.live -= t.leaves[p].size
	t.keep(p, alive)
}

// keep counts a partition as live, or discards it.
func (t *TIPS) keep(p int32, alive bool) {
	if alive {
		t.live += t.leaves[p].size
	} else {
		t.leaves[p] = leaf{}
	}
}

// active lists the fields of a partition whose value can still be refined. The list is
// valid until the next call.
func (t *TIPS) active(p int32, link bool) []active {
	t.fields = t.fields[:0]
	w := t.table.Layout.Words
	first := t.table.Keys[t.leaves[p].lo*w:][:w]
	for i, c := range t.columns {
		column := &t.view.Columns[c]
		value := column.Value[t.table.Layout.Fields[i].Code(first)]
		switch {
		case value == None:
		case column.Suppressed && column.alive > 0:
			t.fields = append(t.fields, active{field: i, value: None, children: len(column.Value), link: link})
		case !column.Suppressed && !t.view.Dead(value):
			t.fields = append(t.fields, active{field: i, value: value, children: t.view.values[value].children, link: link})
		}
	}
	return t.fields
}

// position returns the index of a field in the list, or -1.
func position(fields []active, field int) int {
	return slices.IndexFunc(fields, func(a active) bool { return a.field == field })
}
