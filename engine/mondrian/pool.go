package mondrian

import "github.com/kcut/kcut/partition/cells"

// pool joins the parts of a division of a frequency set that do not hold into one, the rest. While
// the rest does not hold, it adds the smallest other part, the first of several. It reports whether
// several parts are left.
func (s *search) pool(kinds *cells.FrequencySet, d *division) bool {
	rest := make([]bool, len(d.sizes))
	pooled := false
	s.eachPart(kinds, d, func(part int, holds bool) bool {
		rest[part] = !holds
		pooled = pooled || !holds
		return true
	})
	if !pooled {
		return true
	}
	for !s.restHolds(kinds, d, rest) {
		smallest := -1
		for part, size := range d.sizes {
			if !rest[part] && (smallest < 0 || size < d.sizes[smallest]) {
				smallest = part
			}
		}
		if smallest < 0 {
			return false
		}
		rest[smallest] = true
	}
	return d.join(kinds.Codes, rest)
}

// restHolds reports whether some parts of a division, joined, hold.
func (s *search) restHolds(kinds *cells.FrequencySet, d *division, rest []bool) bool {
	size := uint64(0)
	for part, n := range d.sizes {
		if rest[part] {
			size += n
		}
	}
	clear(s.left)
	for i, code := range kinds.Codes {
		if rest[d.part[code]] {
			s.shift(kinds, i, i+1)
		}
	}
	return s.holds(size, s.left)
}
