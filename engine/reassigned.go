package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
)

// ReassignedCell is a cell whose records are in the regions of its Parts, whatever the locators
// say. It is divided when it has several: they take its records in input order, the last one
// all that are left.
type ReassignedCell struct {
	Codes []uint32 // by attribute
	Class uint32
	Parts []Part
}

// Part is a number of records of a reassigned cell and where they go.
type Part struct {
	Region int32 // or Dropped
	Count  uint64
}

// send sends records to a region, after those sent before.
func (c *ReassignedCell) send(region int32, count uint64) {
	last := len(c.Parts) - 1
	switch {
	case count == 0:
	case last >= 0 && c.Parts[last].Region == region:
		c.Parts[last].Count += count
	default:
		c.Parts = append(c.Parts, Part{Region: region, Count: count})
	}
}

// at returns where the cell's record of a number goes, and how many from it on go there, too.
func (c *ReassignedCell) at(number uint64) (region int32, left uint64) {
	last := len(c.Parts) - 1
	for _, p := range c.Parts[:last] {
		if number < p.Count {
			return p.Region, p.Count - number
		}
		number -= p.Count
	}
	return c.Parts[last].Region, math.MaxUint64
}

// code returns the code of a column, of which the class is the last.
func (c *ReassignedCell) code(column int) uint32 {
	if column == len(c.Codes) {
		return c.Class
	}
	return c.Codes[column]
}

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
	domains := make([]int, len(x.beyond))
	for column := range x.beyond {
		for i := range cells {
			x.beyond[column] = max(x.beyond[column], cells[i].code(column)+1)
		}
		domains[column] = int(x.beyond[column]) + 1
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
		place := cells[i].Parts[0].Region
		if len(cells[i].Parts) > 1 {
			place = dividedPlace(len(x.divided))
			x.divided = append(x.divided, int32(i))
		}
		x.places = append(x.places, place)
	}
	return x
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

// DividedCells are the cells whose records a search sends to several places, each with how many
// go where. A place is a number of the search, which becomes a region in the end.
type DividedCells struct {
	cells []ReassignedCell // their regions are places; codes are not known yet
	keys  *partition.Index // nil: there are none
}

// Len returns the number of cells.
func (d *DividedCells) Len() int { return len(d.cells) }

// Find returns the number of a cell, if it is there.
func (d *DividedCells) Find(key []uint64) (cell int, ok bool) {
	if d.keys == nil {
		return 0, false
	}
	cell = d.keys.Find(key)
	return cell, cell >= 0
}

// Add makes sure that a cell is there, and returns its number.
func (d *DividedCells) Add(key []uint64) (cell int, added bool) {
	if d.keys == nil {
		d.keys = partition.NewIndex(partition.Layout{Words: len(key)}, 0)
	}
	if cell = d.keys.Add(key); cell < len(d.cells) {
		return cell, false
	}
	d.cells = append(d.cells, ReassignedCell{})
	return cell, true
}

// Send sends records of a cell to a place, after those sent before.
func (d *DividedCells) Send(cell, place int, count uint64) {
	d.cells[cell].send(int32(place), count)
}

// Move sends one of the records that were sent first on to another place.
func (d *DividedCells) Move(cell, place int) {
	d.cells[cell].Parts[0].Count--
	d.Send(cell, place, 1)
}

// Parts returns the places that a cell's records were sent to.
func (d *DividedCells) Parts(cell int) []Part { return d.cells[cell].Parts }

// Reassigned returns the cells that are in several regions, or in another one than where they
// were sent first, by ascending codes and class. Regions are by place; keys have the fields of
// so many attributes, after which there may be the class.
func (d *DividedCells) Reassigned(fields []partition.Field, attributes int, regions []int32) (cells []ReassignedCell) {
	for i := range d.cells {
		key := d.keys.Key(i)
		var c ReassignedCell
		for _, p := range d.cells[i].Parts {
			c.send(regions[p.Region], p.Count)
		}
		if len(c.Parts) == 1 && c.Parts[0].Region == regions[d.cells[i].Parts[0].Region] {
			continue
		}
		for _, f := range fields[:attributes] {
			c.Codes = append(c.Codes, f.Code(key))
		}
		if len(fields) > attributes {
			c.Class = fields[attributes].Code(key)
		}
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b ReassignedCell) int {
		return cmp.Or(slices.Compare(a.Codes, b.Codes), cmp.Compare(a.Class, b.Class))
	})
	return cells
}
