package recheck

import "slices"

// Interval is the range of ranks of a label, with both ends.
type Interval struct {
	Low, High int32
	Label     uint32
}

// Intervals finds the intervals that contain others. The list is in the order of their low ends and
// forms a tree: the middle element of each part of the list is above both halves.
type Intervals struct {
	list    []Interval
	highest []int32 // by node: the highest end in its part of the list
}

// NewIntervals returns an index of intervals and keeps the list.
func NewIntervals(list []Interval) *Intervals {
	slices.SortFunc(list, func(a, b Interval) int { return int(a.Low) - int(b.Low) })
	x := &Intervals{list, make([]int32, len(list))}
	x.measure(0, len(list))
	return x
}

// measure finds the highest end in a part of the list.
func (x *Intervals) measure(from, to int) int32 {
	if from >= to {
		return -1
	}
	middle := (from + to) / 2
	x.highest[middle] = max(x.list[middle].High, x.measure(from, middle), x.measure(middle+1, to))
	return x.highest[middle]
}

// Holding returns the labels of the intervals that contain all ranks from low to high, ascending.
func (x *Intervals) Holding(low, high int32) []uint32 {
	labels := x.collect(0, len(x.list), low, high, nil)
	slices.Sort(labels)
	return labels
}

// collect appends the labels of a part of the list.
func (x *Intervals) collect(from, to int, low, high int32, labels []uint32) []uint32 {
	if from >= to || x.highest[(from+to)/2] < high {
		return labels
	}
	middle := (from + to) / 2
	labels = x.collect(from, middle, low, high, labels)
	if x.list[middle].Low > low {
		return labels
	}
	if x.list[middle].High >= high {
		labels = append(labels, x.list[middle].Label)
	}
	return x.collect(middle+1, to, low, high, labels)
}
