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
// to the pile of its part and is tallied on the way. Blocks go round a ring of routers,
// each on a goroutine of its own; what they make of a block is collected in the order of
// the blocks, so that the outcome does not depend on who is faster.
type routing struct {
	*TIPS
	parent  leaf
	largest int // the largest child, as the parent's stats say; -1: they do not
	ring    []*router
	turn    int // the router whose block is next
	piles   []*pile
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
	x := routing{TIPS: t, parent: parent, largest: -1, piles: make([]*pile, r.Children)}
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
		t.schedule(p)
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

// run sends the blocks round and collects what becomes of them.
func (x *routing) run(f Field, r *Refinement) error {
	room := x.pool.share / routingShare
	if err := x.pool.draw("counts of a partition's parts", room); errors.Is(err, spill.ErrBudget) {
		room = 0
	} else if err != nil {
		return err
	}
	defer x.pool.release(room)
	x.start(f, r, room)
	err := x.blocks(x.parent.pile, true, func() error {
		to := x.ring[x.turn]
		if err := x.collect(to); err != nil {
			return err
		}
		x.table.exchange(&to.table)
		to.busy = true
		to.work <- struct{}{}
		x.turn = (x.turn + 1) % len(x.ring)
		return nil
	})
	return errors.Join(err, x.stop(err == nil))
}

// start makes the ring, of as many routers as the partition has blocks for.
func (x *routing) start(f Field, r *Refinement, room int64) {
	n := min(x.pool.threads, (x.parent.records()-1)/x.block+1)
	for len(x.routers) < n {
		x.routers = append(x.routers, &router{table: Table{Layout: x.table.Layout}})
	}
	x.ring = x.routers[:n]
	for _, to := range x.ring {
		to.start(x, f, r, room/int64(n))
	}
}

// stop ends the routers, after the fragments of the last blocks were collected if wanted.
func (x *routing) stop(collect bool) (err error) {
	for range x.ring {
		from := x.ring[x.turn]
		if collect && err == nil {
			err = x.collect(from)
		}
		from.stop()
		x.turn = (x.turn + 1) % len(x.ring)
	}
	return err
}

// collect waits for a router and puts the fragments of its block on the piles.
func (x *routing) collect(from *router) error {
	from.wait()
	for _, g := range from.fragments {
		if x.piles[g.child] == nil {
			x.piles[g.child] = &pile{}
		}
		if err := x.pool.add(x.piles[g.child], g.fragment); err != nil {
			return err
		}
	}
	clear(from.fragments)
	from.fragments = from.fragments[:0]
	return nil
}

// finish returns the parts that have records and which of them is the largest.
func (x *routing) finish() (parts []leaf, largest int) {
	for child, p := range x.piles {
		if p == nil {
			continue
		}
		part := leaf{hi: p.records, size: p.size, pile: p}
		part.stats = x.sum(child, part.size)
		parts = append(parts, part)
		if part.size > parts[largest].size {
			largest = len(parts) - 1
		}
	}
	return parts, largest
}

// sum adds up the sums that the routers have made of a child's records, if all have.
func (x *routing) sum(child int, size uint64) stats {
	var first *routed
	for _, r := range x.ring {
		part := &r.parts[child]
		switch {
		case !part.begun:
		case part.stats == nil:
			return nil
		case first == nil:
			first = part
		default:
			for _, a := range part.fields {
				for c, n := range part.stats[a.field] {
					first.stats[a.field][c] += n
				}
			}
		}
	}
	complete(first.fields, first.stats, size)
	return first.stats
}
