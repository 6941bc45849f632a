package engine

import "github.com/kcut/kcut/partition"

// cellIndex finds reassigned cells. It is safe for concurrent use.
type cellIndex struct {
	layout  partition.Layout // of codes and then the class
	beyond  []uint32         // by column: what stands for all codes that no reassigned cell has
	index   *partition.Index
	places  []int32 // of every reassigned cell: the region of one that moved as a whole
	divided []int32 // the numbers of the others among all
}

// Where a region is told, the place of a divided cell may stand: it is below all of these,
// and below unknown.
func dividedPlace(cell int) int32 { return unknown - 1 - int32(cell) }
func dividedAt(place int32) int   { return int(unknown - 1 - place) }
func isDivided(place int32) bool  { return place < unknown }

func newCellIndex(cells []ReassignedCell) *cellIndex {
	x := &cellIndex{beyond: make([]uint32, len(cells[0].Codes)+1)}
	for i := range cells {
		for column := range x.beyond {
			x.beyond[column] = max(x.beyond[column], cells[i].code(column)+1)
		}
	}
	domains := make([]int, len(x.beyond))
	for column, code := range x.beyond {
		domains[column] = int(code) + 1
	}
	x.layout = partition.NewLayout(domains)
	x.index = partition.NewIndex(x.layout, len(cells))
	key := make([]uint64, x.layout.Words)
	for i := range cells {
		clear(key)
		for column, f := range x.layout.Fields {
			key[f.Word] |= uint64(cells[i].code(column)) << f.Shift
		}
		x.index.Add(key)
		x.places = append(x.places, x.place(&cells[i], i))
	}
	return x
}

// place returns where the rows of a cell of a number are.
func (x *cellIndex) place(c *ReassignedCell, number int) int32 {
	if len(c.Parts) == 1 {
		return c.Parts[0].Region
	}
	x.divided = append(x.divided, int32(number))
	return dividedPlace(len(x.divided) - 1)
}

// Locate writes the places of the tuples that are reassigned cells.
func (x *cellIndex) Locate(n int, codes [][]uint32, regions []int32) {
	key := make([]uint64, x.layout.Words)
	for i := range n {
		clear(key)
		for column, f := range x.layout.Fields[:len(codes)] {
			key[f.Word] |= uint64(min(codes[column][i], x.beyond[column])) << f.Shift
		}
		if cell := x.index.Find(key); cell >= 0 {
			regions[i] = x.places[cell]
		}
	}
}
