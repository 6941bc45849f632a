package pipeline

// regionCheck says which combinations of labels a release of regions may hold, going by the
// cut alone.
type regionCheck struct {
	key     labelKey
	regions labelShard // keys of the regions
}

// newRegionCheck returns the check of a cut of regions. A column's checks are at the
// positions that first gives.
func newRegionCheck(cut *CutFile, checks []columnCheck, first map[string][]int) *regionCheck {
	var columns []int
	var below []uint64
	for i := range checks {
		columns, below = append(columns, i), append(below, checks[i].below())
	}
	c := &regionCheck{key: newLabelKey(columns, below)}
	slots := fewestSlots
	for slots < 2*len(cut.Regions) {
		slots *= 2
	}
	c.regions.slots = make([]uint64, slots*(c.key.size+1))
	numbers := make([]uint32, len(checks))
	for _, region := range cut.Regions {
		for a, label := range region {
			for _, check := range first[cut.Columns[a].Name] {
				numbers[check] = checks[check].numberOf(label)
			}
		}
		c.regions.add(c.key.of(numbers))
	}
	return c
}

// strange returns how many of the records that were counted belong to no region.
func (c *regionCheck) strange(counts *labelCounts) (records uint64) {
	counts.each(func(key []uint64, n uint64) {
		if !c.has(key) {
			records += n
		}
	})
	return records
}

// strangeCells is strange of tallies that count in cells.
func (c *regionCheck) strangeCells(tallies []*labelTally) (records uint64) {
	for cell := range tallies[0].cells {
		n := uint64(0)
		for _, t := range tallies {
			n += t.cells[cell]
		}
		if n > 0 && !c.has([]uint64{uint64(cell)}) {
			records += n
		}
	}
	return records
}

func (c *regionCheck) has(key []uint64) bool { return c.regions.find(key)[len(key)] > 0 }
