package tips

import (
	"slices"

	"github.com/kcut/kcut/partition"
)

// router divides batches of records among the parts of their subpartitions, one batch at a time.
type router struct {
	*TIPS // is not written to

	table  partition.Table // the batch
	frames []frame         // the batch, before it is in the table
	taken  int             // records of the batch
	ranges []splitRange
	blocks []partBlock // what it makes of the batch
	err    error       // that it meets

	sorted partition.Table // records by part
	part   []uint32
	ends   []int // by part
	fields []active
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

// read adds a chunk to the batch, and returns how many records it has. A frame stays as it is,
// and is decoded when the batch is divided.
func (r *router) read(of *split, chunk []byte, isFrame bool) (records int, err error) {
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

// pass counts a part's records of the batch and makes blocks of them.
func (r *router) pass(of *split, part, lo, hi int) {
	b := partition.Block{Summary: partition.Summarize(&r.sorted, r.sorted.Rows(lo, hi))}
	r.fields = r.listActive(r.fields[:0], b.Sample, false)
	if r.lookahead.kinds != nil {
		r.fields = append(r.fields, active{field: len(r.columns)})
	}
	spreads, counts := r.spread(of, lo, hi, b.Sample)
	for ; lo < hi; lo += r.chunkRecords {
		rows := r.sorted.Rows(lo, min(lo+r.chunkRecords, hi))
		b.Records, b.Size = rows.Records(), rows.Size
		b.Frame = r.sorted.AppendFrame(nil, rows, b.Summary)
		r.blocks = append(r.blocks, partBlock{of, part, spreads, counts, b})
		spreads, counts = nil, nil
	}
}

// spread counts records by the cells of all fields that can be refined.
func (r *router) spread(of *split, lo, hi int, sample []uint64) (spreads []spread, counts []uint64) {
	t := &r.sorted
	spreads = make([]spread, len(r.fields))
	cells := 0
	for i, a := range r.fields {
		s := &spreads[i]
		s.grid, s.field = of.cells[a.field], int32(a.field)
		if of.lists(a.field) {
			s.list = r.list(s.grid, lo, hi, t.Layout.Fields[a.field])
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
		if n := s.hi - s.lo; n > 0 {
			countEach(rest[:n], t, lo, hi, t.Layout.Fields[s.field], s.grid.cell, s.lo)
			rest = rest[n:]
		}
	}
	return spreads, counts
}

// list counts records by cell where there are very many cells.
func (r *router) list(g *grid, lo, hi int, f partition.Field) (list []childCount) {
	if n := len(g.starts) - 1; len(r.sums) < n {
		r.sums = make([]uint64, n)
	}
	countEach(r.sums, &r.sorted, lo, hi, f, g.cell, 0)
	list = drainEach(r.sums, &r.sorted, lo, hi, f, g.cell, nil)
	for i := range list {
		list[i].child = g.starts[list[i].child]
	}
	return list
}
