package tips

import (
	"math/bits"
	"slices"

	"github.com/kcut/kcut/partition"
)

// router divides batches of records among the parts of their subpartitions, one batch at a time.
type router struct {
	*TIPS // is not written to

	table  partition.Table // the batch
	frames []frame         // the batch, before it is in the table
	taken  int             // records of the batch, and what its ranges take
	last   *split          // of the batch
	ranges []splitRange
	blocks []partBlock // what it makes of the batch

	sorted partition.Table // records by part
	part   []uint32
	ends   []int // by part
	fields []active
	merger merger
	sums   []uint64
}

// frame is a frame with records of a split.
type frame struct {
	*split
	bytes []byte
}

// partBlock are the records of a batch that belong to a part of a subpartition.
type partBlock struct {
	*split
	part    int
	spreads []spread
	counts  []uint64
	partition.Block
}

// forget drops what is left of a batch.
func (r *router) forget() {
	r.empty()
	clear(r.blocks)
	r.blocks, r.TIPS = r.blocks[:0], nil
}

// empty makes room for a batch.
func (r *router) empty() {
	clear(r.frames)
	clear(r.ranges)
	r.frames, r.ranges, r.taken, r.last = r.frames[:0], r.ranges[:0], 0, nil
	r.table.Truncate()
}

// read adds a chunk to the batch, and returns how many records it has. A frame stays as it is,
// and is decoded when the batch is divided.
func (r *router) read(of *split, chunk []byte, isFrame bool) (records int, err error) {
	if isFrame {
		r.frames = append(r.frames, frame{of, chunk})
		records = partition.FrameRecords(chunk)
	} else {
		records, err = r.decode(of, chunk)
	}
	if r.taken += records; r.last != of {
		r.last, r.taken = of, r.taken+splitOverhead
	}
	return records, err
}

// decode decodes a chunk.
func (r *router) decode(of *split, chunk []byte) (records int, err error) {
	lo := r.table.Len()
	if err := r.table.Decode(chunk); err != nil {
		return 0, err
	}
	hi := r.table.Len()
	if last := len(r.ranges) - 1; last >= 0 && r.ranges[last].split == of {
		r.ranges[last].hi = hi
	} else {
		r.ranges = append(r.ranges, splitRange{of, lo, hi})
	}
	return hi - lo, nil
}

// divide makes blocks of the batch.
func (r *router) divide() error {
	defer r.empty()
	for _, f := range r.frames {
		if _, err := r.decode(f.split, f.bytes); err != nil {
			return err
		}
	}
	for _, s := range r.ranges {
		r.sort(s)
		lo := 0
		for part, hi := range r.ends {
			if hi > lo {
				r.pass(s.split, part, lo, hi)
			}
			lo = hi
		}
	}
	return nil
}

// sort brings the records of a splitRange into the order of their parts.
func (r *router) sort(s splitRange) {
	n, w := s.hi-s.lo, r.table.Layout.Words
	keys, counts := r.table.Keys[s.lo*w:s.hi*w], r.table.Counts[s.lo:s.hi]
	r.number(s.split, keys, n)
	r.ends = append(r.ends[:0], make([]int, len(s.split.subs))...)
	for _, part := range r.part {
		r.ends[part]++
	}
	next := 0
	for part, records := range r.ends {
		r.ends[part] = next
		next += records
	}
	r.sorted.Keys = slices.Grow(r.sorted.Keys[:0], n*w)[:n*w]
	r.sorted.Counts = slices.Grow(r.sorted.Counts[:0], n)[:n]
	for i, part := range r.part {
		to := r.ends[part]
		r.ends[part] = to + 1
		r.sorted.Counts[to] = counts[i]
		for k := range w {
			r.sorted.Keys[to*w+k] = keys[i*w+k]
		}
	}
}

// number finds the parts of keys.
func (r *router) number(of *split, keys []uint64, n int) {
	r.part = slices.Grow(r.part[:0], n)[:n]
	clear(r.part)
	w := r.table.Layout.Words
	for i := range of.cuts {
		c := &of.cuts[i]
		at, cell := c.Word, c.parts.cell
		for k := range r.part {
			r.part[k] += (cell[keys[at]>>c.Shift&c.Mask] - c.first) * c.stride
			at += w
		}
	}
}

// pass counts a part's records of the batch and makes a block of them: what they differ
// in only below dead values is forgotten, and equal ones are merged where the bits that are
// left promise that there are some.
func (r *router) pass(of *split, part, lo, hi int) {
	w := r.sorted.Layout.Words
	table, sample := &r.sorted, r.sorted.Keys[lo*w:][:w]
	r.fields = r.listActive(r.fields[:0], sample, false)
	r.merger.begin(table.Layout, r.fields, sample)
	r.merger.level(table, lo, hi)
	b := partition.Block{Summary: partition.Summarize(table, table.Rows(lo, hi))}
	if r.merger.pays(b.Records, b.Varying) {
		table = r.merger.merge(table, lo, hi)
		lo, hi = 0, table.Len()
		b.Records = hi
	}
	spreads, counts := r.spread(of, table, lo, hi, b.Sample)
	for ; lo < hi; lo += r.chunkRecords {
		rows := table.Rows(lo, min(lo+r.chunkRecords, hi))
		b.Records, b.Size = rows.Records(), rows.Size
		b.Frame = table.AppendFrame(nil, rows, b.Summary)
		r.blocks = append(r.blocks, partBlock{of, part, spreads, counts, b})
		spreads, counts = nil, nil
	}
}

// spread counts records by the cells of all fields that can be refined.
func (r *router) spread(of *split, t *partition.Table, lo, hi int, sample []uint64) (spreads []spread, counts []uint64) {
	spreads = make([]spread, len(r.fields))
	cells := 0
	for i, a := range r.fields {
		s := &spreads[i]
		s.grid, s.field = of.cells[a.field], int32(a.field)
		if of.lists(a.field) {
			s.list = r.list(s.grid, t, lo, hi, t.Layout.Fields[a.field])
			continue
		}
		from, to := s.grid.cells(of.within(a.field, sample))
		s.lo, s.hi = uint32(from), uint32(to)
		cells += to - from
	}
	counts = make([]uint64, cells)
	rest := counts
	for i := range spreads {
		s := &spreads[i]
		n := s.hi - s.lo
		tallyCells(rest[:n], t, lo, hi, t.Layout.Fields[s.field], s.grid.cell, s.lo)
		rest = rest[n:]
	}
	return spreads, counts
}

// tallyCells adds records to the counts of a field's cells, of which the first is given.
func tallyCells(to []uint64, t *partition.Table, lo, hi int, f partition.Field, cell []uint32, first uint32) {
	w := t.Layout.Words
	keys, at := t.Keys[lo*w:hi*w], f.Word
	switch len(to) {
	case 0:
	case 1:
		to[0] += partition.Sum(t.Counts[lo:hi])
	default:
		for _, n := range t.Counts[lo:hi] {
			to[cell[keys[at]>>f.Shift&f.Mask]-first] += uint64(n)
			at += w
		}
	}
}

// list counts records by cell where there are very many cells.
func (r *router) list(g *grid, t *partition.Table, lo, hi int, f partition.Field) (list []listed) {
	w := t.Layout.Words
	if n := len(g.starts) - 1; len(r.sums) < n {
		r.sums = make([]uint64, n)
	}
	for i := lo; i < hi; i++ {
		r.sums[g.cell[f.Code(t.Keys[i*w:(i+1)*w])]] += uint64(t.Counts[i])
	}
	for i := lo; i < hi; i++ {
		cell := g.cell[f.Code(t.Keys[i*w:(i+1)*w])]
		if n := r.sums[cell]; n > 0 {
			list = append(list, listed{g.starts[cell], n})
			r.sums[cell] = 0
		}
	}
	return list
}

// merger merges those records of a part that differ only in fields in which nothing can
// be refined any more, as long as it pays. It sees one batch at a time.
type merger struct {
	live, fixed []uint64 // by word: bits of fields that count, and what the others are set to
	all         bool     // every field counts
	table       partition.Table
	slots       []uint32
}

// begin prepares for the partition of a key, which can be refined in fields.
func (j *merger) begin(layout partition.Layout, fields []active, key []uint64) {
	j.live, j.fixed, j.all = append(j.live[:0], make([]uint64, layout.Words)...), append(j.fixed[:0], key...), true
	for i, f := range layout.Fields {
		if position(fields, i) >= 0 {
			j.live[f.Word] |= f.Mask << f.Shift
		} else if f.Mask != 0 {
			j.all = false
		}
	}
	for w := range key {
		j.fixed[w] &^= j.live[w]
	}
}

// level gives records the same codes in all fields that do not count.
func (j *merger) level(t *partition.Table, lo, hi int) {
	if j.all {
		return
	}
	w := t.Layout.Words
	for k, live := range j.live {
		fixed := j.fixed[k]
		for i := lo*w + k; i < hi*w; i += w {
			t.Keys[i] = t.Keys[i]&live | fixed
		}
	}
}

// merge returns the distinct tuples among some records, valid until the next call.
func (j *merger) merge(t *partition.Table, lo, hi int) *partition.Table {
	j.table.Layout = t.Layout
	j.table.Truncate()
	j.slots = j.table.Absorb(t, lo, hi, j.slots)
	return &j.table
}

// pays reports whether so few bits vary in that many records, of those that count, that some of
// the records are probably equal.
func (j *merger) pays(records int, varying []uint64) bool {
	const denseBits = 8 // more than their number has: codes are far from being equally frequent
	n := 0
	for w, word := range varying {
		n += bits.OnesCount64(word & j.live[w])
	}
	return !j.all && n <= bits.Len(uint(records))+denseBits
}
