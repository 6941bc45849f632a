package tips

// VIT stands for the identifier tree of one quasi-identifier set (TDS,
// Definition 4 and section 5.4.2).
// Each set has leaf partitions of its own, so a partition's size is an a(qid) already and
// the tree shrinks to its minima: A(QID), and for every value x the smallest part into
// which refining x would split a partition. Neither ever grows, because partitions and
// their parts are only ever split further; so A_x(QID) is the smaller of the two,
// whichever partitions contribute.
type VIT struct {
	k         uint64
	anonymity uint64
	smallest  []uint64 // by value
	changed   []int32  // values whose smallest fell since the last Changed
	isChanged []bool   // by value: it is in changed
}

// Anonymity returns A(QID).
func (v *VIT) Anonymity() uint64 { return v.anonymity }

// After returns A_x(QID): what Anonymity would be after refining the value.
func (v *VIT) After(value int32) uint64 { return min(v.anonymity, v.smallest[value]) }

// Changed appends the values whose smallest part fell since the last call.
func (v *VIT) Changed(to []int32) []int32 {
	for _, value := range v.changed {
		v.isChanged[value] = false
	}
	to = append(to, v.changed...)
	v.changed = v.changed[:0]
	return to
}

// recordPart records that refining the value would make a part of n records. It reports whether
// that is too few.
func (v *VIT) recordPart(value int32, n uint64) (broken bool) {
	if n >= v.smallest[value] {
		return false
	}
	v.smallest[value] = n
	if !v.isChanged[value] {
		v.isChanged[value] = true
		v.changed = append(v.changed, value)
	}
	return n < v.k
}
