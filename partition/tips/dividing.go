package tips

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/partition"
)

const (
	// batchesEach is the least number of batches for each goroutine, so that a slow one divides
	// fewer.
	batchesEach = 6
	// leastBatch is the least number of records for a batch.
	leastBatch = 1 << 12
	// rangeRecords is the average number of records of a range of codes, and maxRanges the largest
	// number of ranges of one column.
	rangeRecords = 1 << 12
	maxRanges    = 256
)

// dividing divides partitions whose records are in the store. It reads chunks in turn and divides
// batches of them in parallel: each batch is a table whose records are moved and counted as those
// of partitions in memory, and become chunks of the parts.
type dividing struct {
	*TIPS
	field   int
	by      *partition.Refinement
	visits  []*listVisit
	batch   int     // number of records of a batch
	chunks  []byte  // read, but not divided yet
	batches []batch // batches of these
	read    int     // number of their records
}

// listVisit is the refinement of a partition whose records are chunks.
type listVisit struct {
	partition int32
	lists     lists                 // lists to read
	kept      lists                 // lists that go to child 0 unchanged
	by        *partition.Refinement // determines the lists: more than the children of a disclosure
	// sums of the partition, from which those of the largest child follow
	known   stats
	largest uint32 // the largest child
	parts   []part // by ascending child
}

// batch is records of a partition that one goroutine divides.
type batch struct {
	of      *listVisit
	lo, hi  int // range of its bytes in the chunks
	records int
	blocks  []partBlock // the blocks made from it
	err     error
}

// partBlock is records of a batch that belong to a child, with the counts of these and of the
// blocks that follow.
type partBlock struct {
	partition.Block
	child  uint32
	counts []counted
}

// add adds a partition to divide.
func (x *dividing) add(p int32) {
	l := &x.partitions[p]
	v := &listVisit{partition: p, lists: l.lists, by: x.by, largest: noChild}
	isDisclosure := x.column(x.field).Suppressed
	if x.isKnown(p) {
		v.known, v.largest = l.stats, largestOf(l.stats.of(x.field), l.Size, isDisclosure, x.by)
	} else { // all fields are counted
		x.sums, l.stats, l.sums = x.sums-l.sums, nil, 0
	}
	if isDisclosure {
		v.by = x.ranges(l.Records())
	}
	if isDisclosure && v.largest == 0 {
		v.lists, v.kept = l.lists.having(x.table.Layout.Fields[x.field], x.by.First)
	}
	x.outdate(l.stats, x.field, x.by)
	x.visits = append(x.visits, v)
}

// isKnown reports whether a partition has the sums of all fields that can be refined.
func (x *dividing) isKnown(p int32) bool {
	of := x.partitions[p].stats
	return of.of(x.field) != nil && !slices.ContainsFunc(x.active(p, false), func(a active) bool {
		return of.of(a.field) == nil
	})
}

// ranges returns how a disclosure divides records: into those of the code, and into ranges of codes
// that differ only in their last bits, if there are enough records for that.
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
	by := &partition.Refinement{
		Column:   x.by.Column,
		Children: 2 + (codes-1)>>shift,
		Child:    make([]uint32, codes),
	}
	for code := range by.Child {
		by.Child[code] = 1 + uint32(code>>shift)
	}
	by.Child[x.by.First] = 0
	return by
}

// run divides the partitions.
func (x *dividing) run() error {
	var read lists
	var of []*listVisit
	records := 0
	for _, v := range x.visits {
		read = append(read, v.lists...)
		of = append(of, slices.Repeat([]*listVisit{v}, len(v.lists))...)
		for _, list := range v.lists {
			records += list.Records
		}
	}
	drawn, err := x.draw()
	if err != nil {
		return err
	}
	defer x.pool.Release(drawn)
	x.batch = max(records/(batchesEach*x.pool.Threads()), min(leastBatch, x.chunkRecords))
	x.batch = min(x.batch, x.pool.batchRecords(x.table.Layout))
	err = x.pool.Consume(x.ctx, func(i int, chunk []byte) error {
		return x.take(of[i], chunk)
	}, read...)
	if err != nil {
		return err
	}
	return x.divide()
}

// take adds a chunk to those that are divided next, and divides them when there are enough.
func (x *dividing) take(of *listVisit, chunk []byte) error {
	records := partition.FrameRecords(chunk)
	if last := len(x.batches) - 1; last < 0 || x.batches[last].of != of ||
		x.batches[last].records >= x.batch {
		x.batches = append(x.batches, batch{of: of, lo: len(x.chunks)})
	}
	last := &x.batches[len(x.batches)-1]
	x.chunks = append(x.chunks, chunk...)
	last.hi, last.records = len(x.chunks), last.records+records
	if x.read += records; x.read < x.batch*x.pool.Threads() {
		return nil
	}
	return x.divide()
}

// divide divides the batches that were read, and adds the resulting blocks to the lists of their
// parts.
func (x *dividing) divide() error {
	m := x.pool
	m.parallel.Each(len(x.batches), x.read, func(worker, i int) {
		m.visitors[worker].divideBatch(x, &x.batches[i])
	})
	for i := range x.batches {
		of := &x.batches[i]
		if of.err != nil {
			return of.err
		}
		for _, b := range of.blocks {
			to := of.of.part(b.child)
			to.learn(b.counts)
			if err := m.Add(x.listOf(to, of.of, b), b.Block); err != nil {
				return err
			}
		}
	}
	for _, v := range m.visitors {
		v.forgetBatches()
	}
	x.batches, x.chunks, x.read = x.batches[:0], x.chunks[:0], 0
	return x.ctx.Err()
}

// part returns the part of a child.
func (v *listVisit) part(child uint32) *part {
	at, found := slices.BinarySearchFunc(v.parts, child, func(p part, child uint32) int {
		return cmp.Compare(p.child, child)
	})
	if !found {
		v.parts = slices.Insert(v.parts, at, part{child: child})
	}
	return &v.parts[at]
}

// listOf returns the list of a part for a block.
func (x *dividing) listOf(p *part, of *listVisit, b partBlock) *partition.ChunkList {
	f := x.table.Layout.Fields[x.field]
	child := of.by.ChildOf(f.Code(b.Sample))
	for _, list := range p.lists {
		if of.by.ChildOf(f.Code(list.Sample)) == child {
			return list
		}
	}
	list := x.pool.NewList()
	p.lists = append(p.lists, list)
	return list
}

// complete completes the parts after everything is divided.
func (v *listVisit) complete() {
	if v.kept != nil {
		p := v.part(0)
		p.lists = append(p.lists, v.kept...)
	}
	for i := range v.parts {
		p := &v.parts[i]
		for _, list := range p.lists {
			p.Hi, p.Size = p.Hi+list.Records, p.Size+list.Size
		}
		for k := range p.counts {
			p.counts[k].merge()
		}
	}
}

// learn adds counts of other records of a part, in the same fields.
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

// merge combines children that are counted more than once.
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

// divideBatch makes blocks of a batch.
func (v *visitor) divideBatch(x *dividing, b *batch) {
	table := &v.batch
	table.Layout = x.table.Layout
	table.Truncate()
	if b.err = table.Decode(x.chunks[b.lo:b.hi]); b.err != nil {
		return
	}
	f, from := x.table.Layout.Fields[x.field], len(v.blocks)
	for _, rows := range v.division.Divide(table, table.Rows(0, table.Len()), f, b.of.by) {
		of := partition.Summarize(table, rows)
		child, known := x.by.ChildOf(f.Code(of.Sample)), stats(nil)
		if child == b.of.largest {
			known = b.of.known
		}
		v.fields = x.listCounted(v.fields[:0], of.Sample)
		counts := v.countFields(x.TIPS, table, rows, v.fields, known)
		for lo := rows.Lo; lo < rows.Hi; lo += x.chunkRecords {
			some, at := table.Rows(lo, min(lo+x.chunkRecords, rows.Hi)), len(v.frames)
			of.Records, of.Size = some.Records(), some.Size
			v.frames = table.AppendFrame(v.frames, some, of)
			v.blocks = append(v.blocks, partBlock{partition.Block{
				Summary: of,
				Frame:   v.frames[at:],
			}, child, counts})
			counts = nil
		}
	}
	b.blocks = v.blocks[from:len(v.blocks):len(v.blocks)]
}

// forgetBatches releases the batches that were divided. Their counts are in the parts.
func (v *visitor) forgetBatches() {
	clear(v.blocks)
	v.blocks, v.frames = v.blocks[:0], v.frames[:0]
	v.counts, v.childCounts = make([]counted, 0, len(v.counts)),
		make([]childCount, 0, len(v.childCounts))
}
