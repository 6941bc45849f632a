package cutfile

import (
	"maps"
	"slices"

	"github.com/kcut/kcut/engine/recheck"
)

// compareRegions compares cuts of regions: every region of the finer one lies within one of
// the other.
func compareRegions(a, b *File, comparisons map[string]*comparison) Relation {
	for _, c := range comparisons {
		if !c.isOrdered() && c.difference().Relation == Different {
			return Different
		}
	}
	relation := relationOf(regionsWithin(a, b, comparisons), regionsWithin(b, a, comparisons))
	if relation == Equal && !maps.Equal(regionSet(a, a), regionSet(b, a)) {
		return Different
	}
	return relation
}

// order returns the positions of another cut's columns in this one.
func (f *File) order(other *File) []int {
	positions := make([]int, len(other.Columns))
	for i := range other.Columns {
		positions[i] = f.Columns.position(other.Columns[i].Name)
	}
	return positions
}

// regionSet returns the labels of every region of a cut, in the order of another one's columns.
func regionSet(f, other *File) map[string]bool {
	set, order := make(map[string]bool, len(f.Regions)), f.order(other)
	for _, region := range f.Regions {
		key := ""
		for _, at := range order {
			if cut := f.Columns[at].Cut; int(region[at]) < len(cut) {
				key += cut[region[at]].key()
			}
			key += ","
		}
		set[key] = true
	}
	return set
}

// regionsWithin reports whether every region of a cut is within one of another.
func regionsWithin(fine, coarse *File, comparisons map[string]*comparison) bool {
	if fine.Kind != KindRegions || coarse.Kind != KindRegions {
		return false
	}
	order := coarse.order(fine)
	covers := make([][][]uint32, len(order)) // by column and label
	for a := range fine.Columns {
		f := &fine.Columns[a]
		for label := range f.Labels() {
			covers[a] = append(covers[a], comparisons[f.Name].covering(&coarse.Columns[order[a]], f, label))
		}
	}
	var released []uint32
	for _, region := range coarse.Regions {
		for _, at := range order {
			released = append(released, region[at])
		}
	}
	index := recheck.NewRegionIndex(len(order), released)
	labels := make([][]uint32, len(order))
	return !slices.ContainsFunc(fine.Regions, func(region Region) bool {
		for a, label := range region {
			labels[a] = covers[a][label]
		}
		return index.First(labels) < 0
	})
}

// covering returns the positions of the labels of a cut that cover a label of another.
func (c *comparison) covering(coarse, fine *Column, label int) (positions []uint32) {
	for i, l := range coarse.Cut {
		if label < len(fine.Cut) && c.covers(coarse, l, fine.Cut[label]) {
			positions = append(positions, uint32(i))
		}
	}
	if coarse.Suppressed != "" {
		positions = append(positions, uint32(len(coarse.Cut)))
	}
	return positions
}
