package tips

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
