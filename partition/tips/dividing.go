package tips

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/kcut/kcut/partition"
)

const (
	// batchesEach is how many batches a router divides, at least, so that those who are slowed
	// down divide fewer.
	batchesEach = 6
	// leastBatch are records that are worth a batch of their own.
	leastBatch = 1 << 12
	// rangeRecords is how many records a range of codes is to have, on average, and maxRanges how
	// many ranges there are of one column.
	rangeRecords = 1 << 12
	maxRanges    = 256
)

// dividing divides partitions whose records are chunks. Records are read a batch at a time; a batch
// may have records of several partitions, and a partition records in several batches. Routers, each
// on a goroutine of its own, take the batches in turn. The order in which they are done is that of
// the records of a list, and of nothing else.
type dividing struct {
	*TIPS
	field   int
	by      *partition.Refinement
	visits  []*listVisit
	records int
	batch   int // records that make a batch

	access sync.Mutex // to the pool, and to what follows
	next   func() (struct{}, bool)
	taker  *router // reads the next batch
}

// listVisit is what a refinement makes of a partition whose records are chunks.
type listVisit struct {
	partition int32
	lists     lists                 // that are read
	kept      lists                 // that go to child 0 as they are
	by        *partition.Refinement // what lists are made by: more than the children of a disclosure
	known     stats                 // sums of the partition: those of the largest child follow from them
	largest   uint32                // child
	parts     []part                // by ascending child
}

// add adds a partition to those that are divided.
func (x *dividing) add(p int32) {
	l := &x.partitions[p]
	v := &listVisit{partition: p, lists: l.lists, by: x.by, largest: noChild}
	isDisclosure := x.column(x.field).Suppressed
	if x.isKnown(p) {
		v.known, v.largest = l.stats, largestOf(l.stats.of(x.field), l.Size, isDisclosure, x.by)
	} else { // all is counted
		x.sums, l.stats, l.sums = x.sums-l.sums, nil, 0
	}
	if isDisclosure {
		v.by = x.ranges(l.Records())
	}
	if isDisclosure && v.largest == 0 {
		v.lists = nil
		for _, list := range l.lists {
			if mayHave(list, x.table.Layout.Fields[x.field], x.by.First) {
				v.lists = append(v.lists, list)
			} else {
				v.kept = append(v.kept, list)
			}
		}
	}
	x.outdate(l.stats, x.field, x.by)
	for _, list := range v.lists {
		x.records += list.Records
	}
	x.visits = append(x.visits, v)
}

// isKnown reports whether a partition has the sums of all fields that can be refined.
func (x *dividing) isKnown(p int32) bool {
	of := x.partitions[p].stats
	return of.of(x.field) != nil && !slices.ContainsFunc(x.active(p, false), func(a active) bool { return of.of(a.field) == nil })
}

// ranges returns how a disclosure divides records: into those of the code, and into ranges of
// codes of which all but the last bits are the same, where there are enough records for that.
func (x *dividing) ranges(records int) *partition.Refinement {
	codes := len(x.column(x.field).Value)
	most := min(records/x.pool.sizes.rangeRecords, maxRanges)
	if most < 2 {
		return x.by
	}
	shift := 0
	for (codes-1)>>shift >= most {
		shift++
	}
	by := &partition.Refinement{Column: x.by.Column, Children: 2 + (codes-1)>>shift, Child: make([]uint32, codes)}
	for code := range by.Child {
		by.Child[code] = 1 + uint32(code>>shift)
	}
	by.Child[x.by.First] = 0
	return by
}

// run divides the partitions.
func (x *dividing) run() {
	if len(x.visits) == 0 {
		return
	}
	defer x.pool.Release(x.draw())
	if x.err != nil {
		return
	}
	for _, v := range x.visits {
		x.partitions[v.partition].lists = nil
	}
	threads := x.pool.parallel.Threads
	routers := make([]*router, min(threads, max(1, x.records/leastBatch)))
	for len(x.pool.routers) < len(routers) {
		x.pool.routers = append(x.pool.routers, &router{})
	}
	copy(routers, x.pool.routers)
	x.batch = max(x.records/(batchesEach*threads), min(leastBatch, x.chunkRecords))
	x.batch = min(x.batch, x.pool.batchRecords(x.table.Layout))
	next, stop := iter.Pull(x.batches)
	x.next = next
	x.pool.parallel.Each(len(routers), x.records, func(_, i int) {
		r := routers[i]
		r.table.Layout = x.table.Layout
		for x.exchange(r) {
			r.err = r.divide(x)
		}
	})
	stop()
}

// exchange takes what a router has made of its last batch and gives it the next one, unless there
// is none.
func (x *dividing) exchange(r *router) (ok bool) {
	x.access.Lock()
	defer x.access.Unlock()
	x.collect(r)
	if x.err != nil {
		return false
	}
	x.taker = r
	_, ok = x.next()
	return ok
}

// batches reads the records of the partitions, and yields whenever the taker has a batch. After the
// last error no more batches are wanted.
func (x *dividing) batches(yield func(struct{}) bool) {
	var lists []*partition.ChunkList
	var of []*listVisit
	for _, v := range x.visits {
		lists = append(lists, v.lists...)
		of = append(of, slices.Repeat([]*listVisit{v}, len(v.lists))...)
	}
	err := x.pool.ConsumeAll(x.ctx, lists, func(i int, chunk []byte, isFrame bool) (records int, err error) {
		if records, err = x.taker.read(of[i], chunk, isFrame); err != nil || x.taker.taken < x.batch {
			return records, err
		}
		if !yield(struct{}{}) {
			return 0, x.err
		}
		return records, x.ctx.Err()
	})
	if x.fail(err); err == nil && x.taker.taken > 0 {
		yield(struct{}{})
	}
}

// collect adds the blocks that a router has made of a batch to the lists of their parts, unless it
// met an error, and empties the router.
func (x *dividing) collect(r *router) {
	x.fail(r.err)
	for _, b := range r.blocks {
		if x.err != nil {
			break
		}
		to := b.of.part(b.child)
		to.learn(b.counts)
		x.fail(x.pool.Add(x.listOf(to, b), b.Block))
	}
	r.empty()
}

// keepLists gives what was made before an error a place, so that it is freed in the end.
func (x *dividing) keepLists() {
	for _, v := range x.visits {
		for _, p := range v.parts {
			x.partitions = append(x.partitions, leafPartition{lists: p.lists})
		}
		x.partitions = append(x.partitions, leafPartition{lists: v.kept})
	}
}

// part returns the part of a child.
func (v *listVisit) part(child uint32) *part {
	at, found := slices.BinarySearchFunc(v.parts, child, func(p part, child uint32) int { return cmp.Compare(p.child, child) })
	if !found {
		v.parts = slices.Insert(v.parts, at, part{child: child})
	}
	return &v.parts[at]
}

// listOf returns the list of a part that a block belongs to.
func (x *dividing) listOf(p *part, b partBlock) *partition.ChunkList {
	f := x.table.Layout.Fields[x.field]
	child := b.of.by.ChildOf(f.Code(b.Sample))
	for _, list := range p.lists {
		if b.of.by.ChildOf(f.Code(list.Sample)) == child {
			return list
		}
	}
	list := &partition.ChunkList{Order: x.readOrder(b.of.partition)}
	p.lists = append(p.lists, list)
	return list
}

// complete completes the parts when all is divided, and returns how many lists more there are now.
func (v *listVisit) complete() (more int) {
	if v.kept != nil {
		p := v.part(0)
		p.lists = append(p.lists, v.kept...)
	}
	more = -len(v.lists) - len(v.kept)
	for i := range v.parts {
		p := &v.parts[i]
		for _, list := range p.lists {
			p.Hi, p.Size = p.Hi+list.Records, p.Size+list.Size
		}
		for k := range p.counts {
			p.counts[k].merge()
		}
		more += len(p.lists)
	}
	return more
}

// learn adds what was counted of other records of a part, in the same fields.
func (p *part) learn(counts []counted) {
	if p.counts == nil {
		p.counts = counts
		return
	}
	const few = 32
	for i, more := range counts {
		c := &p.counts[i]
		if c.children = append(c.children, more.children...); len(c.children) >= 2*c.merged+few {
			c.merge()
		}
	}
}

// merge makes children that are counted more than once one.
func (c *counted) merge() {
	slices.SortFunc(c.children, func(a, b childCount) int { return cmp.Compare(a.child, b.child) })
	last := 0
	for i, of := range c.children {
		switch {
		case i == 0:
		case of.child == c.children[last].child:
			c.children[last].size += of.size
		default:
			last++
			c.children[last] = of
		}
	}
	c.children = c.children[:min(last+1, len(c.children))]
	c.merged = len(c.children)
}

// router divides batches of records, one at a time.
type router struct {
	visitor
	table  partition.Table // the batch
	frames []frame         // the batch, before it is in the table
	taken  int             // records of the batch
	ranges []listRange
	blocks []partBlock // that it makes of the batch
	err    error       // that it meets
}

// frame is a frame with records of a partition.
type frame struct {
	of    *listVisit
	bytes []byte
}

// listRange is where records of a partition are in a batch.
type listRange struct {
	of     *listVisit
	lo, hi int
}

// partBlock are records of a batch that belong to a child, and what was counted of these and those
// of the blocks that follow.
type partBlock struct {
	of     *listVisit
	child  uint32
	counts []counted
	partition.Block
}

// read adds a chunk to the batch, and returns how many records it has. A frame stays as it is,
// and is decoded when the batch is divided.
func (r *router) read(of *listVisit, chunk []byte, isFrame bool) (records int, err error) {
	if isFrame {
		r.frames = append(r.frames, frame{of, chunk})
		records = partition.FrameRecords(chunk)
	} else {
		records, err = r.decode(of, chunk)
	}
	r.taken += records
	return records, err
}

// decode decodes a chunk.
func (r *router) decode(of *listVisit, chunk []byte) (records int, err error) {
	lo := r.table.Len()
	if err := r.table.Decode(chunk); err != nil {
		return 0, err
	}
	hi := r.table.Len()
	if last := len(r.ranges) - 1; last >= 0 && r.ranges[last].of == of {
		r.ranges[last].hi = hi
	} else {
		r.ranges = append(r.ranges, listRange{of, lo, hi})
	}
	return hi - lo, nil
}

// divide makes blocks of the batch.
func (r *router) divide(x *dividing) error {
	for _, f := range r.frames {
		if _, err := r.decode(f.of, f.bytes); err != nil {
			return err
		}
	}
	f := x.table.Layout.Fields[x.field]
	for _, s := range r.ranges {
		for _, rows := range r.division.Divide(&r.table, r.table.Rows(s.lo, s.hi), f, s.of.by) {
			r.pass(x, s.of, rows)
		}
	}
	return nil
}

// pass counts the records of a child and makes blocks of them.
func (r *router) pass(x *dividing, of *listVisit, rows partition.Rows) {
	b := partition.Block{Summary: partition.Summarize(&r.table, rows)}
	child, known := x.by.ChildOf(x.table.Layout.Fields[x.field].Code(b.Sample)), stats(nil)
	if child == of.largest {
		known = of.known
	}
	r.fields = x.listActive(r.fields[:0], b.Sample, false)
	counts := r.countFields(x.TIPS, &r.table, rows, r.fields, known)
	for lo := rows.Lo; lo < rows.Hi; lo += x.chunkRecords {
		some := r.table.Rows(lo, min(lo+x.chunkRecords, rows.Hi))
		b.Records, b.Size = some.Records(), some.Size
		b.Frame = r.table.AppendFrame(nil, some, b.Summary)
		r.blocks = append(r.blocks, partBlock{of, child, counts, b})
		counts = nil
	}
}

// empty forgets the batch. Parts have what was counted.
func (r *router) empty() {
	clear(r.blocks)
	clear(r.frames)
	clear(r.ranges)
	r.blocks, r.frames, r.ranges, r.taken = r.blocks[:0], r.frames[:0], r.ranges[:0], 0
	r.counts, r.childCounts = make([]counted, 0, len(r.counts)), make([]childCount, 0, len(r.childCounts))
	r.table.Truncate()
}
