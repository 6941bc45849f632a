package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/kcut/kcut/partition"
)

// ReassignedCell is a cell whose Parts, not the locators, give the regions of its records. It is
// divided when it has several parts: they take its records in input order, and the last part takes
// all that are left.
type ReassignedCell struct {
	Codes []uint32 // by attribute
	Class uint32
	Parts []Part
}

// Part is a number of records of a reassigned cell and their region.
type Part struct {
	Region int32 // or Dropped
	Count  uint64
}

// send sends further records to a region.
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

// at returns the region of the cell's record with a number, and how many records from it on have
// that region.
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

// code returns the code in a column. The class is the last column.
func (c *ReassignedCell) code(column int) uint32 {
	if column == len(c.Codes) {
		return c.Class
	}
	return c.Codes[column]
}

// cellIndex finds reassigned cells. It is safe for concurrent use.
type cellIndex struct {
	layout  partition.Layout // layout of the codes, followed by the class
	beyond  []uint32         // by column: one code for all codes that no reassigned cell has
	index   *partition.Index
	places  []int32 // by reassigned cell: its region, or its place if it is divided
	divided []int32 // numbers of the divided cells
}

// dividedPlace returns a number that represents a divided cell in a list of regions: it is below
// all regions, and below unknown.
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

// Locate overwrites the regions of tuples that are reassigned cells with their places.
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

// DividedCells are the cells whose records a search sends to several places, with the number of
// records for each place. A place is a number of the search. In the end it becomes a region.
type DividedCells struct {
	cells []ReassignedCell // their regions are places; their codes are not known yet
	keys  *partition.Index // nil: there are none
}

// Len returns the number of cells.
func (d *DividedCells) Len() int { return len(d.cells) }

// Find returns the number of a cell, if the cell exists.
func (d *DividedCells) Find(key []uint64) (cell int, ok bool) {
	if d.keys == nil {
		return 0, false
	}
	cell = d.keys.Find(key)
	return cell, cell >= 0
}

// Add adds a cell unless it exists, and returns its number.
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

// Send sends further records of a cell to a place.
func (d *DividedCells) Send(cell, place int, count uint64) {
	d.cells[cell].send(int32(place), count)
}

// Move moves one of the records that were sent first to another place.
func (d *DividedCells) Move(cell, place int) {
	d.cells[cell].Parts[0].Count--
	d.Send(cell, place, 1)
}

// Parts returns the places of a cell's records.
func (d *DividedCells) Parts(cell int) []Part { return d.cells[cell].Parts }

// Reassigned returns the cells that are in several regions or not in the region to which they were
// sent first, by ascending codes and class. Regions are by place; the first fields of keys are the
// attributes' codes, and the class may follow.
func (d *DividedCells) Reassigned(fields []partition.Field, attributes int,
	regions []int32) (cells []ReassignedCell) {
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
