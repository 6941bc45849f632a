package partition

// work is a piece that is divided: by the refinement that is performed and by as many of
// those that the view foresees as make pieces of some size. What these would part later
// need not be read again then.
type work struct {
	leaf   int32
	piece  *piece
	reach  []codeRange // by field: the codes that the records may have
	cells  []*grid     // by field: what the parts are counted by
	cuts   []cut
	pieces []*piece // by part; nil for a part without records
	known  int64    // bytes that will be known of the pieces, at most
}

// cut divides the records by one field.
type cut struct {
	Field
	field  int
	parts  *grid
	first  uint32 // the part of the field that is the piece's first
	stride uint32 // between neighbours, among the parts of the piece
}

// part returns the part of a field in which a key is.
func (c *cut) part(key []uint64) uint32 { return c.parts.cell[c.Code(key)] }

// depths are the numbers of foreseen refinements that are tried.
var depths = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, maxDepth}

// newWork plans how a piece of a partition is divided: into so many parts and, if more is
// known of them than has to be, with so many bytes of that.
func (o *outlook) newWork(p int32, of *piece, layout Layout, limit int, room int64) *work {
	w := &work{leaf: p, piece: of, reach: make([]codeRange, len(o.columns)), cells: make([]*grid, len(o.columns))}
	for f := range o.columns {
		w.reach[f] = o.reach(f, layout.Fields[f].Code(of.sample))
		if s, _ := of.spread(f); s != nil && s.hi > s.lo {
			w.reach[f] = w.reach[f].and(codeRange{s.grid.starts[s.lo], s.grid.starts[s.hi]})
		}
	}
	depth := o.deepest(w, limit, room)
	w.pieces = make([]*piece, o.cut(w, layout, depth))
	for f := range o.columns {
		w.cells[f] = o.counted(f, depth)
	}
	w.known = o.learn(w, depth, len(w.pieces))
	return w
}

// deepest returns by how many of the foreseen refinements the piece may be divided.
func (o *outlook) deepest(w *work, limit int, room int64) (depth int) {
	if limit < 2 {
		return 0
	}
	for _, next := range depths[1:] {
		if next > len(o.view.Next) || o.made > o.room {
			break
		}
		o.see(next)
		parts := o.parts(w, next, limit)
		if parts > limit || o.learn(w, next, parts) > room {
			break
		}
		depth = next
	}
	return depth
}

// parts returns the number of parts that a depth makes, unless they are more than the limit.
func (o *outlook) parts(w *work, depth, limit int) int {
	parts := 1
	for f, g := range o.depths[depth] {
		if g != nil && parts <= limit {
			parts *= g.size(w.reach[f])
		}
	}
	return parts
}

// counted returns the cells that the parts of a depth are counted by.
func (o *outlook) counted(field, depth int) *grid {
	if depth == 0 {
		return o.show(field).grid
	}
	return o.close(field)
}

// learn returns how many bytes will be known of a depth's parts, at most.
func (o *outlook) learn(w *work, depth, parts int) (bytes int64) {
	for f, g := range o.depths[depth] {
		cells := parts * o.counted(f, depth).size(w.reach[f])
		listed := listedCells*cells > w.piece.records
		if g != nil {
			cells /= g.size(w.reach[f])
		}
		if listed {
			bytes += int64(min(cells, w.piece.records)) * 2 * listedBytes
		} else {
			bytes += int64(cells) * countBytes
		}
	}
	return bytes
}

// cut finds the cuts of a depth, and returns the number of parts that they make.
func (o *outlook) cut(w *work, layout Layout, depth int) (parts int) {
	o.see(depth)
	parts = 1
	for f, g := range o.depths[depth] {
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

// lists reports whether a field has so many cells that those with records are listed.
func (w *work) lists(field int) bool {
	return listedCells*w.cells[field].size(w.reach[field])*len(w.pieces) > w.piece.records
}

// listedCells is how many records there must be to a cell, in all parts, for all cells to be
// counted.
const listedCells = 4

// within returns the codes that records of the part of a key may have in a field.
func (w *work) within(field int, key []uint64) codeRange {
	for i := range w.cuts {
		if c := &w.cuts[i]; c.field == field {
			part := c.part(key)
			return w.reach[field].and(codeRange{c.parts.starts[part], c.parts.starts[part+1]})
		}
	}
	return w.reach[field]
}
