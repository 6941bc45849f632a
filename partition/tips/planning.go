package tips

import "github.com/kcut/kcut/partition"

// depths are the numbers of predicted refinements that are tried. A depth is known by its number here.
var depths = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, maxDepth}

// plan plans how the subpartitions are divided, one after the other: what will be known of the first ones
// leaves less room for the others. It takes 5 ms of a search of 3 s (10 million different records).
// Subpartitions are so large, on average, that what is known of all of them takes a small part of the
// share, and a batch has some records of every part.
func (x *dividing) plan() {
	room, records := x.spreadsRoom(), x.pool.sizes.subpartitionRecords
	if x.pool.Budget != nil {
		records = max(records, int(float64(x.TIPS.records)*subpartitionBytes/(float64(x.pool.Share)/shareOfSubpartitions)))
	}
	most := min(x.pool.batchRecords(x.table.Layout)/x.pool.sizes.partRecords, maxParts)
	for _, w := range x.splits {
		x.lookahead.plan(w, x.table.Layout, min(w.whole.Records/records, most), room-x.known)
		x.records += w.whole.Records
		x.known += w.known
	}
}

// plan plans how a subpartition is divided: into so many parts and, if more is known of them than has
// to be, with so many bytes of that.
func (o *lookahead) plan(w *split, layout partition.Layout, limit int, room int64) {
	fields := len(layout.Fields)
	w.reach, w.cells = make([]codeRange, fields), make([]*grid, fields)
	if o.kinds != nil {
		w.reach[fields-1], w.cells[fields-1] = codeRange{0, uint32(len(o.kinds.cell))}, o.kinds
	}
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
	for ; depth+1 < len(depths) && depths[depth+1] <= len(o.view.Next) && o.made <= o.room; depth++ {
		if parts := o.parts(w, depth+1, limit); parts > limit || o.learn(w, depth+1, parts) > room {
			break
		}
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
		return o.show(field)
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
		bytes += w.learned(cells, listed)
	}
	if o.kinds != nil {
		cells := parts * len(o.kinds.cell)
		bytes += w.learned(cells, listedCells*cells > w.whole.Records)
	}
	return bytes
}

// learned returns how many bytes will be known of so many cells.
func (w *split) learned(cells int, listed bool) int64 {
	if listed {
		return int64(min(cells, w.whole.Records)) * 2 * listedBytes
	}
	return int64(cells) * countBytes
}

// cut finds the cuts of a depth, and returns the number of parts that they make.
func (o *lookahead) cut(w *split, layout partition.Layout, depth int) (parts int) {
	parts = 1
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

// split is a subpartition that is divided: by the refinement that is performed and by as many of
// those that the view predicts as make subpartitions of some size. What these would part later
// need not be read again then.
type split struct {
	of    int32 // leaf partition
	whole *subpartition
	reach []codeRange // by field: the codes that the records may have
	cells []*grid     // by field: what the parts are counted by
	cuts  []cut
	subs  []*subpartition // by part; nil for a part without records
	known int64           // bytes that will be known of the subpartitions, at most
}

// cut divides the records by one field.
type cut struct {
	partition.Field
	field  int
	parts  *grid
	first  uint32 // the part of the field that is the subpartition's first
	stride uint32 // between neighbours, among the parts of the subpartition
}

// lists reports whether a field has so many cells that those with records are listed.
func (w *split) lists(field int) bool {
	return listedCells*w.cells[field].size(w.reach[field])*len(w.subs) > w.whole.Records
}

// listedCells is how many records there must be to a cell, in all parts, for all cells to be
// counted.
const listedCells = 4

// within returns the codes that records of the part of a key may have in a field.
func (w *split) within(field int, key []uint64) codeRange {
	for i := range w.cuts {
		if c := &w.cuts[i]; c.field == field {
			part := c.parts.cell[c.Code(key)]
			return w.reach[field].and(codeRange{c.parts.starts[part], c.parts.starts[part+1]})
		}
	}
	return w.reach[field]
}
