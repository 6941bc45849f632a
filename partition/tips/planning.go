package tips

import "github.com/kcut/kcut/partition"

// depths are the numbers of predicted refinements that are tried.
var depths = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, maxDepth}

// splitsTogether is how many splits are planned at once.
const splitsTogether = 64

// plan plans how the subpartitions are divided, each as if all there is room for could be known of
// what is made of it, and again when that is too much for all.
func (x *dividing) plan() {
	first, room, fields := x.splits[0], x.spreadsRoom(), len(x.columns)
	for _, w := range x.splits {
		if x.records += w.whole.Records; w.whole.Records > first.whole.Records {
			first = w
		}
	}
	limit := x.limit()
	x.lookahead.open(limit.of(first) > 1)
	reach, cells := make([]codeRange, fields*len(x.splits)), make([]*grid, fields*len(x.splits))
	ranges := partition.Rows{Hi: len(x.splits)}.Cut((len(x.splits) + splitsTogether - 1) / splitsTogether)
	partition.Each(len(ranges), x.pool.parallel.Threads, func(_, i int) {
		for at := ranges[i].Lo; at < ranges[i].Hi; at++ {
			w := x.splits[at]
			w.reach, w.cells = reach[at*fields:(at+1)*fields], cells[at*fields:(at+1)*fields]
			x.lookahead.plan(w, x.table.Layout, limit.of(w), room)
		}
	})
	for _, w := range x.splits {
		if w.known > room-x.known {
			x.lookahead.plan(w, x.table.Layout, limit.of(w), room-x.known)
		}
		x.known += w.known
	}
}

// partLimit says how many subpartitions a split may make.
type partLimit struct{ most, records int }

// limit returns the limit of splits, for which it may draw batches. Subpartitions are so large, on
// average, that what is known of all of them takes a small part of the share.
func (x *dividing) limit() partLimit {
	most, records := x.pool.batchRecords(x.table.Layout)/x.pool.sizes.partRecords, x.pool.sizes.subpartitionRecords
	if x.pool.Budget != nil {
		records = max(records, int(float64(x.TIPS.records)*subpartitionBytes/(float64(x.pool.Share)/shareOfSubpartitions)))
	}
	return partLimit{most: min(most, maxParts), records: records}
}

func (l partLimit) of(w *split) int { return min(w.whole.Records/l.records, l.most) }

// plan plans how a subpartition is divided: into so many parts and, if more is known of them than has
// to be, with so many bytes of that. The lookahead is open.
func (o *lookahead) plan(w *split, layout partition.Layout, limit int, room int64) {
	for f := range o.columns {
		w.reach[f] = o.reach(f, layout.Fields[f].Code(w.whole.Sample))
	}
	for _, s := range w.whole.spreads {
		if s.hi > s.lo {
			w.reach[s.field] = w.reach[s.field].and(codeRange{s.grid.starts[s.lo], s.grid.starts[s.hi]})
		}
	}
	depth := o.deepest(w, limit, room)
	w.subs = make([]*subpartition, o.cut(w, layout, depth))
	for f := range o.columns {
		w.cells[f] = o.counted(f, depth)
	}
	w.known = o.learn(w, depth, len(w.subs))
}

// deepest returns by how many of the predicted refinements the subpartition may be divided.
func (o *lookahead) deepest(w *split, limit int, room int64) (depth int) {
	if limit < 2 {
		return 0
	}
	for _, next := range depths[1:] {
		if next > len(o.view.Next) || o.made.Load() > o.room {
			break
		}
		parts := o.parts(w, next, limit)
		if parts > limit || o.learn(w, next, parts) > room {
			break
		}
		depth = next
	}
	return depth
}

// parts returns the number of parts that a depth makes, unless they are more than the limit.
func (o *lookahead) parts(w *split, depth, limit int) int {
	parts := 1
	for f, g := range o.depth(depth) {
		if g != nil && parts <= limit {
			parts *= g.size(w.reach[f])
		}
	}
	return parts
}

// counted returns the cells that the parts of a depth are counted by.
func (o *lookahead) counted(field, depth int) *grid {
	if depth == 0 {
		return o.show(field).grid
	}
	return o.close(field)
}

// learn returns how many bytes will be known of a depth's parts, at most.
func (o *lookahead) learn(w *split, depth, parts int) (bytes int64) {
	for f, g := range o.depth(depth) {
		cells := parts * o.counted(f, depth).size(w.reach[f])
		listed := listedCells*cells > w.whole.Records
		if g != nil {
			cells /= g.size(w.reach[f])
		}
		if listed {
			bytes += int64(min(cells, w.whole.Records)) * 2 * listedBytes
		} else {
			bytes += int64(cells) * countBytes
		}
	}
	return bytes
}

// cut finds the cuts of a depth, and returns the number of parts that they make.
func (o *lookahead) cut(w *split, layout partition.Layout, depth int) (parts int) {
	w.cuts, parts = nil, 1
	for f, g := range o.depth(depth) {
		if g == nil {
			continue
		}
		c := cut{Field: layout.Fields[f], field: f, parts: g, first: g.cell[w.reach[f].lo], stride: uint32(parts)}
		if n := g.size(w.reach[f]); n > 1 {
			w.cuts = append(w.cuts, c)
			parts *= n
		}
	}
	return parts
}
