package engine

import (
	"encoding/binary"
	"math"
)

// Regions is the Recoding of multidimensional recoding: the records of a region share all
// their labels, and which region a record belongs to may depend on all its codes.
//
// A tuple's records may even be divided among several regions, and some be dropped: then
// its cells, which are its records of one class each, say how many go where, in the order
// in which the input has them.
type Regions struct {
	Columns []RegionColumn // by attribute

	// Released holds the label numbers of all regions, region after region, one an attribute.
	// A record that no region was made for may be released by the first region whose labels
	// cover it: narrower regions come first.
	Released []uint32

	Sizes []uint64 // released records of every region

	// Locator tells the region of every tuple: of what its divided cells leave.
	Locator Locator

	// Divided are the cells that are divided, by ascending codes, then class.
	Divided []DividedCell

	Suppressed     uint64 // records that are released with nothing but the widest labels, because they were too few
	DroppedRecords uint64 // records that are not released

	index map[string]int // of the divided cells, by their codes and class
}

// RegionColumn is the released side of one attribute.
type RegionColumn struct {
	// Labels are all released values, in domain order, a wider one before those within it,
	// the null last. Every one is some region's.
	Labels    []Label
	Intervals []Interval // Discretize: as Labels, without the null
}

// Locator tells regions from codes. It is safe for concurrent use.
type Locator interface {
	// Locate writes the regions of n tuples, or Dropped: codes[a][i] for attribute a and tuple i.
	Locate(n int, codes [][]uint32, regions []int32)
}

// Dropped is the region of records that are not released, and, as a label number, the
// label of their first attribute.
const (
	Dropped      int32  = -1
	DroppedLabel uint32 = 1<<32 - 1
)

// DividedCell is a cell whose records are not all in one region: Parts take them in input
// order, and what they leave is where the Locator says.
type DividedCell struct {
	Codes []uint32 // by attribute
	Class uint32
	Parts []Part
}

// Part is a number of records of a divided cell and where they go.
type Part struct {
	Region int32 // or Dropped
	Count  uint64
}

// Index prepares the recoding of divided cells. It is called once, when all fields are set.
func (r *Regions) Index() {
	r.index = make(map[string]int, len(r.Divided))
	var key []byte
	for i := range r.Divided {
		key = appendCode(key[:0], r.Divided[i].Class)
		for _, c := range r.Divided[i].Codes {
			key = appendCode(key, c)
		}
		r.index[string(key)] = i
	}
}

func appendCode(key []byte, code uint32) []byte { return binary.LittleEndian.AppendUint32(key, code) }

// What a region and a label take beside their numbers and texts, with the place of a region
// in a locator; and what a divided cell takes, with its place in the index.
const (
	regionBytes = 72
	labelBytes  = 96
	cellBytes   = 160
)

// Bytes returns about how much memory the regions take.
func (r *Regions) Bytes() int64 {
	bytes := 4*int64(len(r.Released)) + regionBytes*int64(r.Len())
	for _, c := range r.Columns {
		for _, l := range c.Labels {
			bytes += labelBytes + 2*int64(len(l.Text))
		}
	}
	if l, ok := r.Locator.(interface{ Bytes() int64 }); ok {
		bytes += l.Bytes()
	}
	for _, cell := range r.Divided {
		bytes += cellBytes + 8*int64(len(cell.Codes)) + 16*int64(len(cell.Parts))
	}
	return bytes
}

// Len returns the number of regions.
func (r *Regions) Len() int { return len(r.Released) / len(r.Columns) }

// Region returns the label numbers of a region, by attribute.
func (r *Regions) Region(region int32) []uint32 {
	return r.Released[int(region)*len(r.Columns):][:len(r.Columns)]
}

// Labels returns the released values of an attribute.
func (r *Regions) Labels(attribute int) []Label { return r.Columns[attribute].Labels }

// Intervals returns the intervals of a discretized attribute.
func (r *Regions) Intervals(attribute int) []Interval { return r.Columns[attribute].Intervals }

// Codes returns nil: labels depend on all codes.
func (r *Regions) Codes(int) []uint32 { return nil }

// Anonymity adds up the regions that look alike in a set's attributes.
func (r *Regions) Anonymity(requirement Requirement) (anonymity []uint64) {
	kept, _ := requirement.Reduce()
	var key []byte
	for _, set := range kept.Sets {
		sizes := make(map[string]uint64)
		for region, size := range r.Sizes {
			if size == 0 { // an earlier release's, without a record now
				continue
			}
			key = key[:0]
			for _, a := range set.Columns {
				key = appendCode(key, r.Region(int32(region))[a])
			}
			sizes[string(key)] += size
		}
		least := uint64(math.MaxUint64)
		for _, size := range sizes {
			least = min(least, size)
		}
		anonymity = append(anonymity, least)
	}
	return anonymity
}

// Lost returns the numbers of suppressed and of dropped records.
func (r *Regions) Lost() (suppressed, dropped uint64) { return r.Suppressed, r.DroppedRecords }

// Cells returns the number of divided cells.
func (r *Regions) Cells() int { return len(r.Divided) }

// Count adds the rows of every divided cell to rows.Taken.
func (r *Regions) Count(rows Rows) {
	if len(r.Divided) == 0 {
		return
	}
	key := make([]byte, 0, 4+4*len(rows.Codes))
	for i := range rows.N {
		if cell, ok := r.cell(rows, i, key); ok {
			rows.Taken[cell]++
		}
	}
}

// cell returns the divided cell of row i.
func (r *Regions) cell(rows Rows, i int, key []byte) (cell int, ok bool) {
	class := uint32(0)
	if rows.Classes != nil {
		class = rows.Classes[i]
	}
	key = appendCode(key, class)
	for _, codes := range rows.Codes {
		key = appendCode(key, codes[i])
	}
	cell, ok = r.index[string(key)]
	return cell, ok
}

// Recode writes the label numbers of rows.
func (r *Regions) Recode(rows Rows, labels [][]uint32) {
	regions := rows.Memo.Locate(r.Locator, rows.N, rows.Codes)
	r.divide(rows, regions)
	for i, region := range regions {
		if region == Dropped {
			labels[0][i] = DroppedLabel
			continue
		}
		for a, label := range r.Region(region) {
			labels[a][i] = label
		}
	}
}

// divide moves the rows of divided cells to the regions of their parts.
func (r *Regions) divide(rows Rows, regions []int32) {
	if len(r.Divided) == 0 {
		return
	}
	key := make([]byte, 0, 4+4*len(rows.Codes))
	for i := range regions {
		cell, ok := r.cell(rows, i, key)
		if !ok {
			continue
		}
		if region, ok := r.Divided[cell].part(rows.Taken[cell]); ok {
			regions[i] = region
		}
		rows.Taken[cell]++
	}
}

// part returns the region of the part that holds the cell's record of a number, if there is one.
func (c *DividedCell) part(number uint64) (region int32, ok bool) {
	for _, p := range c.Parts {
		if number < p.Count {
			return p.Region, true
		}
		number -= p.Count
	}
	return 0, false
}
