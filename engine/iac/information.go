package iac

import "github.com/kcut/kcut/engine"

// frequencies are the records of an attribute's values, by value and class.
type frequencies struct {
	classes int
	counts  []uint64
	sizes   []uint64 // by value
	all     []uint64 // by class
	total   uint64
}

func newFrequencies(values, classes int) frequencies {
	return frequencies{
		classes: classes, counts: make([]uint64, values*classes),
		sizes: make([]uint64, values), all: make([]uint64, classes),
	}
}

func (f *frequencies) add(value, class int, n uint64) {
	f.counts[value*f.classes+class] += n
	f.sizes[value] += n
	f.all[class] += n
	f.total += n
}

// information is what an attribute tells: of itself, H(A), and of the class, I(A;C).
type information struct {
	own, class, mutual float64
}

// inform measures the attribute's records (section 3.1). Of none it is 0.
func inform(f frequencies) information {
	if f.total == 0 {
		return information{}
	}
	i := information{own: engine.Entropy(f.sizes, f.total), class: engine.Entropy(f.all, f.total)}
	left := 0.0
	for v, size := range f.sizes {
		if size > 0 {
			share := float64(size) / float64(f.total)
			left += float64(share * engine.Entropy(f.counts[v*f.classes:(v+1)*f.classes], size))
		}
	}
	i.mutual = i.class - left
	return i
}

// normalized returns I_N, 0 for an attribute with one value.
func (i information) normalized() float64 {
	if i.own <= 0 {
		return 0
	}
	return i.mutual / i.own
}
