package verify

import "github.com/kcut/kcut/pipeline/cutfile"

// regionCheck says which combinations of labels a release of regions may hold, going by the
// cut alone.
type regionCheck struct {
	key     labelKey
	regions labelShard // keys of the regions
	found   int        // regions that have records
	strange uint64     // records that belong to no region
}

// newRegionCheck returns the check of a cut of regions. A column's checks are at the
// positions that first gives.
func newRegionCheck(cut *cutfile.File, checks []columnCheck, first map[string][]int) *regionCheck {
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

// add takes over the records of a combination of labels.
func (c *regionCheck) add(key []uint64, records uint64) {
	if c.regions.find(key)[len(key)] > 0 {
		c.found++
	} else {
		c.strange += records
	}
}

// bytes returns what the check takes.
func (c *regionCheck) bytes() int64 { return 8 * int64(len(c.regions.slots)) }

// empty returns the number of regions that no record belongs to.
func (c *regionCheck) empty() int { return c.regions.used - c.found }
