package engine

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/kcut/kcut/partition"
)

// DividedCells are the cells whose records a search sends to several places, each with how many
// go where. A place is a number of the search, which becomes a region in the end.
type DividedCells struct {
	cells  []ReassignedCell // their regions are places; codes are not known yet
	keys   [][]uint64
	number map[string]int // by packed key
	packed []byte
}

// Len returns the number of cells.
func (d *DividedCells) Len() int { return len(d.keys) }

// Find returns the number of a cell, if it is there.
func (d *DividedCells) Find(key []uint64) (cell int, ok bool) {
	d.packed = d.packed[:0]
	for _, word := range key {
		d.packed = binary.LittleEndian.AppendUint64(d.packed, word)
	}
	cell, ok = d.number[string(d.packed)]
	return cell, ok
}

// Add makes sure that a cell is there, and returns its number.
func (d *DividedCells) Add(key []uint64) (cell int, added bool) {
	if cell, ok := d.Find(key); ok {
		return cell, false
	}
	if d.number == nil {
		d.number = make(map[string]int)
	}
	cell = len(d.keys)
	d.number[string(d.packed)] = cell
	d.keys, d.cells = append(d.keys, slices.Clone(key)), append(d.cells, ReassignedCell{})
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
	for i, key := range d.keys {
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
