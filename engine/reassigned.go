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

// code returns the code of a column, of which the class is the last.
func (c *ReassignedCell) code(column int) uint32 {
	if column == len(c.Codes) {
		return c.Class
	}
	return c.Codes[column]
}
