package tips

import "slices"

// update brings the minima, the links and the stats of a partition up to date in the given
// fields, each of which has stats or was counted; what was counted is subtracted from the rest.
// It reports whether a refinement of these fields may split the partition.
func (t *TIPS) update(p int32, fields []active, counts []counted, rest stats) (alive bool) {
	l := &t.partitions[p]
	if l.subs != nil {
		for _, a := range fields {
			alive = t.record(p, a, childrenOf(counts, a.field)) || alive
		}
		return alive
	}
	if l.Records() == 1 && rest == nil {
		return false
	}
	old := l.stats
	if !statsPay(l.Records(), fields) {
		l.stats = nil
	} else if old == nil {
		l.stats = make(stats, len(t.columns))
	}
	for _, a := range fields {
		t.children = list(t.children[:0], old.of(a.field))
		cells := t.children
		if old.of(a.field) == nil {
			cells = childrenOf(counts, a.field)
			if l.stats != nil {
				l.stats[a.field] = make([]uint64, a.children)
				for _, c := range cells {
					l.stats[a.field][c.child] = c.size
				}
			}
		}
		if sums := rest.of(a.field); sums != nil {
			for _, c := range cells {
				sums[c.child] -= c.size
			}
		}
		alive = t.record(p, a, cells) || alive
	}
	sums := l.stats.bytes()
	t.sums, l.sums = t.sums+sums-l.sums, sums
	return alive
}

// childrenOf returns what was counted of a field.
func childrenOf(counts []counted, field int) []childCount {
	return counts[slices.IndexFunc(counts, func(c counted) bool { return c.field == field })].children
}

// record records the parts that refining a field's value, or its suppressed values, would
// make of a partition. It reports whether one of them is still alive, and links those.
// A part that is the whole partition is no news to A_x(QID).
func (t *TIPS) record(p int32, a active, cells []childCount) (alive bool) {
	if a.value == None {
		return t.recordSuppressed(p, a, cells)
	}
	if t.view.Dead(a.value) {
		return false
	}
	if len(cells) > 1 {
		smallest := cells[0].size
		for _, c := range cells[1:] {
			smallest = min(smallest, c.size)
		}
		if t.recordPart(a.value, smallest) {
			t.view.Kill(a.value)
			return false
		}
	}
	if a.link {
		t.links.add(a.value, p)
	}
	return true
}

func (t *TIPS) recordSuppressed(p int32, a active, cells []childCount) (alive bool) {
	values, size := t.view.Columns[t.columns[a.field]].Value, t.partitions[p].Size
	for _, c := range cells {
		value := values[c.child]
		if c.size == size || t.view.Dead(value) {
			continue
		}
		if t.recordPart(value, min(c.size, size-c.size)) {
			t.view.Kill(value)
			continue
		}
		if a.link {
			t.links.add(value, p)
		}
		alive = true
	}
	return alive
}
