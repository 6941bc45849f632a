package partition

import (
	"errors"
	"slices"

	"github.com/kcut/kcut/spill"
)

// routingShare is the part of a pool's share that the sums of all parts of one partition
// may take while it is routed. Parts beyond are read once more.
const routingShare = 16

// routing divides a partition that is larger than a block, in one pass: every record goes
// to the pile of its part and is tallied on the way.
type routing struct {
	*TIPS
	parent  leaf
	largest int   // the largest child, as the parent's stats say; -1: they do not
	room    int64 // bytes left for sums
	parts   []routed
	joined  joined
}

// routed is a part that is being made, one a child.
type routed struct {
	leaf
	fields  []active // that are tallied, in the leaf's stats
	joining joining
}

// route divides a partition that is larger than a block.
func (t *TIPS) route(p int32, field int, r *Refinement) {
	parent := t.leaves[p]
	sizes := t.predict(parent, field, r)
	if slices.Contains(sizes, parent.size) {
		t.follow(p, field)
		return
	}
	t.outdate(parent.stats, field, r)
	x := routing{TIPS: t, parent: parent, largest: -1, parts: make([]routed, r.Children)}
	if sizes != nil {
		x.largest = slices.Index(sizes, slices.Max(sizes))
	}
	if err := x.run(t.table.Layout.Fields[field], r); err != nil {
		t.fail(err)
		return
	}
	parts, largest := x.finish()
	if len(parts) == 1 {
		t.leaves[p].pile, t.leaves[p].hi = parts[0].pile, parts[0].hi
		t.follow(p, field)
		return
	}
	t.replace(p, parts, largest, field)
}

// predict returns the sizes of a partition's parts, by child, as far as its stats know.
func (t *TIPS) predict(parent leaf, field int, r *Refinement) []uint64 {
	own := parent.stats.of(field)
	if own == nil || !t.view.Columns[r.Column].Suppressed {
		return own
	}
	return []uint64{parent.size - own[r.First], own[r.First]}
}

func (x *routing) run(f Field, r *Refinement) error {
	room := x.pool.share / routingShare
	if err := x.pool.draw("counts of a partition's parts", room); err == nil {
		x.room = room
		defer x.pool.release(room)
	} else if !errors.Is(err, spill.ErrBudget) {
		return err
	}
	return x.blocks(x.parent.pile, true, func() error {
		block := leaf{hi: x.table.Len(), size: x.table.size()}
		for i, part := range x.division.divide(x.table, block, f, r) {
			if err := x.pass(int(x.division.present[i]), part); err != nil {
				return err
			}
		}
		return nil
	})
}

// pass tallies a child's records of a block and adds them to its pile.
func (x *routing) pass(child int, part leaf) error {
	to := &x.parts[child]
	if to.pile == nil {
		x.begin(child, to, x.sample(part))
	}
	x.tally.count(x.TIPS, part, to.fields, to.stats)
	table, lo, hi := to.joining.join(x.table, part.lo, part.hi, &x.joined)
	return x.pool.add(to.pile, x.codec, table, lo, hi, part.size)
}

// begin prepares a part, of which a key is known. The sums that the parent's stats leave
// for the largest part are not tallied.
func (x *routing) begin(child int, to *routed, key []uint64) {
	to.pile = &pile{}
	fields := x.listActive(nil, key, true)
	to.joining = newJoining(x.table.Layout, fields, key)
	if child == x.largest {
		fields = slices.DeleteFunc(fields, func(a active) bool { return x.parent.stats.of(a.field) != nil })
	}
	sums := make(stats, len(x.columns))
	for _, a := range fields {
		x.room -= int64(a.children) * 8
	}
	if x.room < 0 {
		return
	}
	for _, a := range fields {
		sums[a.field] = make([]uint64, a.children)
	}
	to.fields, to.stats = fields, sums
}

// finish returns the parts that have records and which of them is the largest.
func (x *routing) finish() (parts []leaf, largest int) {
	for child := range x.parts {
		part := &x.parts[child]
		if part.pile == nil {
			continue
		}
		part.hi, part.size = part.pile.records, part.pile.size
		complete(part.fields, part.stats, part.size)
		parts = append(parts, part.leaf)
		if part.size > parts[largest].size {
			largest = len(parts) - 1
		}
	}
	return parts, largest
}
