package tips

import "slices"

// update updates the minima, the links and the stats of a partition in the given fields, each of
// which has stats or counts; counts are subtracted from rest. It reports whether a refinement of
// these fields may split the partition; one of outliers needs no update.
func (t *TIPS) update(p int32, fields []active, counts []counted, rest stats,
	isOutlier bool) (alive bool) {
	l := &t.partitions[p]
	if l.Records() == 1 && rest == nil {
		return false
	}
	old := l.stats
	if isOutlier = isOutlier || l.Size < t.k; isOutlier || !statsPay(l.Records(), fields) ||
		!t.hasSumsRoom(l) {
		l.stats = nil
	} else if old == nil {
		l.stats = make(stats, len(t.columns))
	}
	for _, a := range fields {
		if a.value != None && t.follows() {
			alive = t.record(p, a, nil) || alive
			continue
		}
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
		alive = !isOutlier && t.record(p, a, cells) || alive
	}
	sums := l.stats.bytes()
	t.sums, l.sums = t.sums+sums-l.sums, sums
	return alive
}

// childrenOf returns the counts of a field.
func childrenOf(counts []counted, field int) []childCount {
	return counts[slices.IndexFunc(counts, func(c counted) bool {
		return c.field == field
	})].children
}

// record records the parts that refining a field's value, or its suppressed values, would make of a
// partition. It reports whether one of them is still alive, and links those. A part that is the
// whole partition does not change A_x(QID).
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
		if t.outliers != nil {
			t.addOutliers(a.value, t.outliersOf(cells))
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
		if t.outliers != nil {
			t.addOutliers(value, t.outliersOf([]childCount{c, {size: size - c.size}}))
		}
		if a.link {
			t.links.add(value, p)
		}
		alive = true
	}
	return alive
}

// VIT represents the identifier tree of one quasi-identifier set (TDS, Definition 4 and section
// 5.4.2). Each set has its own leaf partitions, so a partition's size is already an a(qid), and the
// tree is reduced to its minima: A(QID), and for every value x the smallest part into which
// refining x would split a partition. Neither ever grows, because partitions and their parts are
// only split further; so A_x(QID) is the smaller of the two, whichever partitions contribute.
type VIT struct {
	k         uint64
	anonymity uint64
	known     byValue[known]
	changed   []int32 // values whose smallest part shrank since the last Changed

	outliers *outlierCounts // nil: no part may have fewer records than k
}

// known is the data of a value.
type known struct {
	smallest uint64 // the smallest part that refining it would make
	isNew    bool   // it is in changed
}

// Anonymity returns a lower bound of A(QID) for the records that are no outliers.
func (v *VIT) Anonymity() uint64 {
	if v.outliers != nil {
		return max(v.k, v.anonymity)
	}
	return v.anonymity
}

// After returns A_x(QID): the Anonymity after refining the value.
func (v *VIT) After(value int32) uint64 {
	if after := min(v.anonymity, v.known.get(value).smallest); v.outliers == nil {
		return after
	} else {
		return max(v.k, after)
	}
}

// Least returns the number on which After depends: if it is equal for two values, it stays equal
// until Changed returns one of them.
func (v *VIT) Least(value int32) uint64 { return min(v.anonymity, v.known.get(value).smallest) }

// Changed appends the values whose smallest part shrank since the last call, or whose outliers
// changed.
func (v *VIT) Changed(to []int32) []int32 {
	for _, value := range v.changed {
		v.known.at(value).isNew = false
	}
	to = append(to, v.changed...)
	v.changed = v.changed[:0]
	return to
}

// recordPart records that refining the value would make a part of n records. It reports whether
// that is too few.
func (v *VIT) recordPart(value int32, n uint64) (broken bool) {
	if n >= v.known.get(value).smallest {
		return false
	}
	v.known.at(value).smallest = n
	v.change(value)
	return n < v.k && v.outliers == nil
}

// change notes that the data of a value have changed.
func (v *VIT) change(value int32) {
	if of := v.known.at(value); !of.isNew {
		of.isNew = true
		v.changed = append(v.changed, value)
	}
}

// links holds, for every value, the partitions that its refinement has to visit (Link_x in the
// papers; TDS, section 5.3): singly linked lists in one array. Walking a list consumes it.
type links struct {
	heads byValue[int32] // position of a value's first entry, plus one
	items []link
	free  int32 // first unused item, plus one
}

type link struct {
	partition int32
	next      int32 // position of the next entry, plus one
}

// add links a partition to a value.
func (l *links) add(value, partition int32) {
	entry := link{partition: partition, next: l.heads.get(value)}
	if at := l.free; at != 0 {
		l.free = l.items[at-1].next
		l.items[at-1] = entry
		*l.heads.at(value) = at
		return
	}
	l.items = append(l.items, entry)
	*l.heads.at(value) = int32(len(l.items))
}

// pop removes and returns one of a value's partitions.
func (l *links) pop(value int32) (partition int32, ok bool) {
	at := l.heads.get(value)
	if at == 0 {
		return 0, false
	}
	entry := l.items[at-1]
	*l.heads.at(value) = entry.next
	l.items[at-1].next, l.free = l.free, at
	return entry.partition, true
}

// stats are the sums of a partition by child of its value, by field; nil for a field without sums.
// With them the largest part of a partition is counted by subtraction.
type stats [][]uint64

// bytes returns the memory of the sums.
func (s stats) bytes() (n int64) {
	for _, sums := range s {
		n += int64(cap(sums)) * 8
	}
	return n + int64(cap(s))*24
}

// of returns a field's sums, or nil.
func (s stats) of(field int) []uint64 {
	if s == nil {
		return nil
	}
	return s[field]
}

// drop removes a field's sums.
func (s stats) drop(field int) {
	if s != nil {
		s[field] = nil
	}
}

// statsPay reports whether counting the records costs more than keeping sums.
func statsPay(records int, fields []active) bool {
	sums := 0
	for _, a := range fields {
		sums += a.children
	}
	return records >= 256 && records >= 4*sums
}
