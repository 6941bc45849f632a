package partition

import "slices"

// router divides blocks of a partition that is routed, one at a time.
type router struct {
	*TIPS    // is not written to
	parent   leaf
	largest  int
	field    Field
	by       *Refinement
	room     int64    // bytes left for sums
	parts    []routed // by child
	division division
	joined   joined

	table     Table // the block
	fragments []routedFragment
	busy      bool
	work      chan struct{} // the table is to be divided
	done      chan struct{} // the fragments are there
}

// routed is what a router knows of a part.
type routed struct {
	begun   bool
	fields  []active // that are tallied, in stats
	stats   stats    // nil: there is no room for them
	joining joining
}

// routedFragment are the records of a block that belong to a child.
type routedFragment struct {
	child int
	fragment
}

// start prepares for a partition's blocks, which are divided until stop is called.
func (r *router) start(x *routing, f Field, by *Refinement, room int64) {
	r.TIPS, r.parent, r.largest = x.TIPS, x.parent, x.largest
	r.field, r.by, r.room = f, by, room
	r.parts = make([]routed, by.Children)
	r.work, r.done = make(chan struct{}, 1), make(chan struct{}, 1)
	go func(work <-chan struct{}, done chan<- struct{}) {
		for range work {
			r.divide()
			done <- struct{}{}
		}
	}(r.work, r.done)
}

// wait waits until the block, if there is one, is divided.
func (r *router) wait() {
	if r.busy {
		<-r.done
		r.busy = false
	}
}

func (r *router) stop() {
	r.wait()
	close(r.work)
	r.fragments = r.fragments[:0]
}

// divide makes fragments of the block.
func (r *router) divide() {
	block := leaf{hi: r.table.Len(), size: r.table.size()}
	for i, part := range r.division.divide(&r.table, block, r.field, r.by) {
		r.pass(int(r.division.present[i]), part)
	}
	r.table.truncate()
}

// pass tallies a child's records of the block and makes a fragment of them.
func (r *router) pass(child int, part leaf) {
	to := &r.parts[child]
	if !to.begun {
		w := r.table.Layout.Words
		r.begin(child, to, r.table.Keys[part.lo*w:][:w])
	}
	r.count(&r.table, part, to.fields, to.stats)
	table, lo, hi := to.joining.join(&r.table, part.lo, part.hi, &r.joined)
	r.fragments = append(r.fragments, routedFragment{child, r.codec.fragment(table, lo, hi, part.size)})
}

// begin prepares a part, of which a key is known. The sums that the parent's stats leave
// for the largest part are not tallied.
func (r *router) begin(child int, to *routed, key []uint64) {
	to.begun = true
	fields := r.listActive(nil, key, true)
	to.joining.begin(r.table.Layout, fields, key)
	if !dense(r.parent.records(), r.parent.pile.varying, to.joining.live) {
		to.joining.off = true
	}
	if child == r.largest {
		fields = slices.DeleteFunc(fields, func(a active) bool { return r.parent.stats.of(a.field) != nil })
	}
	for _, a := range fields {
		r.room -= int64(a.children) * 8
	}
	if r.room < 0 {
		return
	}
	to.fields, to.stats = fields, make(stats, len(r.columns))
	for _, a := range fields {
		to.stats[a.field] = make([]uint64, a.children)
	}
}
