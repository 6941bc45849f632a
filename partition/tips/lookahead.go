package tips

import (
	"slices"

	"github.com/kcut/kcut/partition"
)

const (
	// fineCodes is how many codes a column may have for every one to be a cell of its own
	// where subpartitions are counted finely.
	fineCodes = 16
	// maxDepth is how many of the refinements that the view predicts subpartitions are divided by.
	maxDepth = 64
	// shareOfGrids is the part of the share that the grids of depths may take, by and large.
	shareOfGrids = 32
)

// lookahead is how a set's columns are divided while one refinement is performed: by what the
// view shows after it, and by what the view predicts. Grids are made when they are asked
// for; those that the next refinement does not change are kept. A lookahead belongs to one
// goroutine; others may look at what was asked for.
type lookahead struct {
	view    *View
	columns []int // of the view, by field

	by     *partition.Refinement // that is performed
	field  int                   // that is refined
	shown  []*grid               // by field: the codes of a cell have one value and one child of it
	fine   []*grid               // by field
	kinds  *grid                 // of the kinds of records; nil: there are none
	depths [len(depths)][]*grid  // by number of the depth
	made   int64                 // bytes of these
	room   int64                 // no more of them are made once they take that
	begins []bool                // scratch, by code
}

func newLookahead(view *View, columns []int, room int64) *lookahead {
	n := len(columns)
	return &lookahead{view: view, columns: columns, room: room, shown: make([]*grid, n), fine: make([]*grid, n)}
}

// begin makes the lookahead that of another refinement.
func (o *lookahead) begin(field int, by *partition.Refinement) {
	o.field, o.by = field, by
	clear(o.depths[:])
	o.made = 0
	for f := range o.columns {
		if o.fine[f] != nil && (f == field || o.domain(f) > fineCodes) {
			o.fine[f].retire()
			o.fine[f] = nil
		}
	}
	if o.shown[field] != nil {
		o.shown[field].retire()
		o.shown[field] = nil
	}
}

func (o *lookahead) column(field int) *Column { return &o.view.Columns[o.columns[field]] }

func (o *lookahead) domain(field int) int { return len(o.column(field).Value) }

// clean returns the scratch for a field, in which no cell begins.
func (o *lookahead) clean(field int) []bool {
	n := o.domain(field)
	if cap(o.begins) < n {
		o.begins = make([]bool, n)
	}
	o.begins = o.begins[:n]
	clear(o.begins)
	return o.begins
}

// show returns the cells whose codes the view does not tell apart.
func (o *lookahead) show(field int) *grid {
	if o.shown[field] == nil {
		column := o.column(field)
		begins := o.clean(field)
		for code := 1; code < len(begins); code++ {
			begins[code] = column.Value[code] != column.Value[code-1] || column.Child[code] != column.Child[code-1]
		}
		o.shown[field] = newGrid(begins)
	}
	return o.shown[field]
}

// reach returns the codes that records may have in a field, before the refinement, in a
// partition in which one code is known: those of its value, or all of a suppressed column.
func (o *lookahead) reach(field int, code uint32) codeRange {
	values := o.column(field).Value
	switch {
	case o.column(field).Suppressed:
		return codeRange{0, uint32(len(values))}
	case field == o.field:
		return codeRange{o.by.First, o.by.First + uint32(len(o.by.Child))}
	}
	shown := o.show(field)
	lo, hi := shown.cell[code], shown.cell[code]+1
	for lo > 0 && values[shown.starts[lo-1]] == values[code] {
		lo--
	}
	for int(hi) < len(shown.starts)-1 && values[shown.starts[hi]] == values[code] {
		hi++
	}
	return codeRange{shown.starts[lo], shown.starts[hi]}
}

// close returns cells that are fine enough for the refinements that are predicted.
func (o *lookahead) close(field int) *grid {
	if o.fine[field] != nil {
		return o.fine[field]
	}
	shown := o.show(field)
	begins := o.clean(field)
	if len(begins) <= fineCodes {
		for code := range begins {
			begins[code] = true
		}
	} else {
		for _, start := range shown.starts[:len(shown.starts)-1] {
			begins[start] = true
		}
		o.mark(begins, field, len(o.view.Next))
		o.markAll(begins, field, o.view.Beyond)
	}
	o.fine[field] = newGrid(begins)
	return o.fine[field]
}

// mark begins cells where the refinement, and the first ones of those that are predicted,
// divide a field.
func (o *lookahead) mark(begins []bool, field, depth int) {
	if field == o.field {
		before := uint32(0)
		for code := range begins {
			child := o.by.ChildOf(uint32(code))
			begins[code] = begins[code] || child != before
			before = child
		}
	}
	o.markAll(begins, field, o.view.Next[:depth])
}

// markAll begins cells where codes of a field are parted.
func (o *lookahead) markAll(begins []bool, field int, by []SplitPoints) {
	for _, p := range by {
		if p.Column != o.columns[field] {
			continue
		}
		for _, start := range p.Starts {
			if int(start) < len(begins) {
				begins[start] = true
			}
		}
	}
}

// depth returns the grids of the depth of a number: the parts that fields are divided into by the
// refinement and so many of those that are predicted. A field that is not divided has none, and one that
// is not divided further has that of the depth before.
func (o *lookahead) depth(number int) []*grid {
	if o.depths[number] != nil {
		return o.depths[number]
	}
	grids, more := make([]*grid, len(o.columns)), o.view.Next[:depths[number]]
	if number > 0 {
		copy(grids, o.depth(number-1))
		more = more[depths[number-1]:]
	}
	for f, column := range o.columns {
		divides := func(p SplitPoints) bool { return p.Column == column }
		if number == 0 && f == o.field || slices.ContainsFunc(more, divides) {
			begins := o.clean(f)
			o.mark(begins, f, depths[number])
			grids[f] = newGrid(begins)
			o.made += 4 * int64(len(begins))
		}
	}
	o.depths[number] = grids
	return grids
}

// agree reports whether all records of a subpartition are known to be sent to one child, and whether
// the cells that they are counted by are fine enough for what may become of that. Of cells that are
// listed only those of a suppressed column are known to have one code.
func (o *lookahead) agree(s *spread, counts []uint64) bool {
	shown, first := o.show(o.field), -1
	sameChild := func(code uint32) bool {
		if first < 0 {
			first = int(code)
		}
		return o.by.ChildOf(code) == o.by.ChildOf(uint32(first))
	}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		codes := s.grid.codes(s.lo + uint32(i))
		if !sameChild(codes.lo) || shown.cell[codes.lo] != shown.cell[codes.hi-1] {
			return false
		}
	}
	for _, l := range s.list {
		if !o.column(o.field).Suppressed || !sameChild(l.child) {
			return false
		}
	}
	return true
}

// grid divides the codes of a column into cells of adjacent ones.
type grid struct {
	starts []uint32 // of the cells, and the end of the last one
	cell   []uint32 // by code
}

// newGrid returns the grid in which a cell begins at code 0 and wherever begins says so.
func newGrid(begins []bool) *grid {
	g := &grid{cell: make([]uint32, len(begins))}
	for code, begin := range begins {
		if begin || code == 0 {
			g.starts = append(g.starts, uint32(code))
		}
		g.cell[code] = uint32(len(g.starts) - 1)
	}
	g.starts = append(g.starts, uint32(len(begins)))
	return g
}

// retire forgets the cells of codes: what was counted by the grid asks for the codes of cells
// alone, and there are many grids of a large column in the course of a search.
func (g *grid) retire() { g.cell = nil }

// cells returns the cells, lo ≤ cell < hi, of the codes that a range has.
func (g *grid) cells(of codeRange) (lo, hi int) {
	return int(g.cell[of.lo]), int(g.cell[of.hi-1]) + 1
}

// size returns the number of cells of the codes that a range has.
func (g *grid) size(of codeRange) int {
	lo, hi := g.cells(of)
	return hi - lo
}

// codes returns the codes of a cell.
func (g *grid) codes(cell uint32) codeRange {
	return codeRange{g.starts[cell], g.starts[cell+1]}
}

// codeRange are the codes lo ≤ code < hi.
type codeRange struct{ lo, hi uint32 }

// and returns the codes that are in both ranges, which overlap.
func (r codeRange) and(o codeRange) codeRange {
	return codeRange{max(r.lo, o.lo), min(r.hi, o.hi)}
}
