package tips

import "github.com/kcut/kcut/partition"

// depths are the numbers of foreseen refinements that are tried.
var depths = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, maxDepth}

// workTogether is how many works are planned at once.
const workTogether = 64

// plan plans how the pieces are divided.
func (x *dividing) plan() {
	first, room := x.works[0], x.spreadsRoom()
	for _, w := range x.works {
		if x.records += w.piece.Records; w.piece.Records > first.piece.Records {
			first = w
		}
	}
	limit := x.limit()
	x.outlook.open(limit.of(first) > 1)
	shares := partition.Rows{Hi: len(x.works)}.Cut((len(x.works) + workTogether - 1) / workTogether)
	partition.Each(len(shares), x.pool.sharing.Threads, func(_, i int) {
		x.planShare(x.works[shares[i].Lo:shares[i].Hi], limit, room)
	})
	for _, w := range x.works {
		if w.known > room-x.known {
			x.outlook.plan(w, x.table.Layout, limit.of(w), room-x.known)
		}
		x.known += w.known
	}
}

// planShare plans some works, each as if all there is room for could be known of its pieces.
func (x *dividing) planShare(works []*work, limit partLimit, room int64) {
	fields := len(x.columns)
	reach, cells := make([]codeRange, fields*len(works)), make([]*grid, fields*len(works))
	for i, w := range works {
		w.reach, w.cells = reach[i*fields:(i+1)*fields], cells[i*fields:(i+1)*fields]
		x.outlook.plan(w, x.table.Layout, limit.of(w), room)
	}
}

// partLimit says how many pieces a work may make.
type partLimit struct{ most, records int }

// limit returns the limit of works, for which it may draw blocks.
func (x *dividing) limit() partLimit {
	return partLimit{most: min(x.pool.blockRecords(x.table.Layout)/x.pool.sizes.partRecords, maxParts), records: x.pieceRecords()}
}

func (l partLimit) of(w *work) int { return min(w.piece.Records/l.records, l.most) }

// plan plans how a piece is divided: into so many parts and, if more is known of them than has
// to be, with so many bytes of that. The outlook is open.
func (o *outlook) plan(w *work, layout partition.Layout, limit int, room int64) {
	for f := range o.columns {
		w.reach[f] = o.reach(f, layout.Fields[f].Code(w.piece.Sample))
	}
	for _, s := range w.piece.spreads {
		if s.hi > s.lo {
			w.reach[s.field] = w.reach[s.field].and(codeRange{s.grid.starts[s.lo], s.grid.starts[s.hi]})
		}
	}
	depth := o.deepest(w, limit, room)
	w.pieces = make([]*piece, o.cut(w, layout, depth))
	for f := range o.columns {
		w.cells[f] = o.counted(f, depth)
	}
	w.known = o.learn(w, depth, len(w.pieces))
}

// deepest returns by how many of the foreseen refinements the piece may be divided.
func (o *outlook) deepest(w *work, limit int, room int64) (depth int) {
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
func (o *outlook) parts(w *work, depth, limit int) int {
	parts := 1
	for f, g := range o.depth(depth) {
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
	for f, g := range o.depth(depth) {
		cells := parts * o.counted(f, depth).size(w.reach[f])
		listed := listedCells*cells > w.piece.Records
		if g != nil {
			cells /= g.size(w.reach[f])
		}
		if listed {
			bytes += int64(min(cells, w.piece.Records)) * 2 * listedBytes
		} else {
			bytes += int64(cells) * countBytes
		}
	}
	return bytes
}

// cut finds the cuts of a depth, and returns the number of parts that they make.
func (o *outlook) cut(w *work, layout partition.Layout, depth int) (parts int) {
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
