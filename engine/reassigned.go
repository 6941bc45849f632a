package engine

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

// region returns the region of the cell's record of a number.
func (c *ReassignedCell) region(number uint64) int32 {
	last := len(c.Parts) - 1
	for _, p := range c.Parts[:last] {
		if number < p.Count {
			return p.Region
		}
		number -= p.Count
	}
	return c.Parts[last].Region
}

// cellIndex finds reassigned cells. It is safe for concurrent use.
type cellIndex struct {
	attributes int
	places     map[string]int32 // by codes, then class: the region of a cell that moved as a whole
	divided    []int32          // the numbers of the others among all
}

// Where a region is told, the place of a divided cell may stand: it is below all of these,
// and below unknown.
func dividedPlace(cell int) int32 { return unknown - 1 - int32(cell) }
func dividedAt(place int32) int   { return int(unknown - 1 - place) }
func isDivided(place int32) bool  { return place < unknown }

func newCellIndex(cells []ReassignedCell) *cellIndex {
	x := &cellIndex{attributes: len(cells[0].Codes), places: make(map[string]int32, len(cells))}
	var key []byte
	for i, c := range cells {
		key = key[:0]
		for _, code := range c.Codes {
			key = appendCode(key, code)
		}
		place := c.Parts[0].Region
		if len(c.Parts) > 1 {
			place = dividedPlace(len(x.divided))
			x.divided = append(x.divided, int32(i))
		}
		x.places[string(appendCode(key, c.Class))] = place
	}
	return x
}

// Locate writes the places of the tuples that are reassigned cells. Without classes, all have
// the first.
func (x *cellIndex) Locate(n int, codes [][]uint32, regions []int32) {
	var key []byte
	for i := range n {
		key = key[:0]
		for _, column := range codes {
			key = appendCode(key, column[i])
		}
		if len(codes) == x.attributes {
			key = appendCode(key, 0)
		}
		if place, ok := x.places[string(key)]; ok {
			regions[i] = place
		}
	}
}
