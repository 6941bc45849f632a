package mondrian_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/mondrian"
)

// unnamed reports whether several parts of a column may have labels that cover each other's values:
// the labels of many values, and of nodes that cuts by rank do not follow.
func (c randomCase) unnamed(e mondrian.Engine) bool {
	attributes := c.Data.Codes().Attributes
	for a := range attributes {
		switch attributes[a].Mask {
		case engine.Suppress:
			if attributes[a].Len() > kOf(c.Sets, a) {
				return true
			}
		case engine.Generalize:
			if e.Ordered {
				return true
			}
		}
	}
	return false
}

// Whoever has only the labels, and takes the first region that covers a record, finds the region
// that the search gave it, or one of the same labels.
func TestOrderOfRegions(t *testing.T) {
	engines := []mondrian.Engine{
		{}, {Median: mondrian.Exact}, {Ordered: true}, {InfoGain: true},
		{InfoGain: true, Guided: true}, {InfoGain: true, Guided: true, Brief: true},
	}
	several := 0
	for seed := range uint64(150) {
		c, e := newCase(rand.New(rand.NewPCG(seed, 41))), engines[seed%uint64(len(engines))]
		if c.unnamed(e) {
			continue
		}
		regions, err := c.search(e)
		if err != nil {
			continue
		}
		codes := c.Data.Codes()
		var covers [][]cover.Cover
		for a := range codes.Attributes {
			covers = append(covers, cover.Of(&codes.Attributes[a], regions, a))
		}
		found := make([]int32, codes.Rows)
		regions.Locator.Locate(codes.Rows, codes.Columns, found)
		for row, want := range found {
			var all []int32
			for region := range int32(regions.Len()) {
				if coversRow(covers, regions.Region(region), codes.Columns, row) {
					all = append(all, region)
				}
			}
			if len(all) > 1 {
				several++
			}
			if len(all) == 0 || !slices.Equal(regions.Region(all[0]), regions.Region(want)) {
				t.Fatalf("seed %d, %+v, row %d: regions %v cover it, it is in %d of\n%v\n%v", seed,
					e, row, all, want, regions.Released, c)
			}
		}
	}
	if several < 25 {
		t.Errorf("only %d records are covered by several regions", several)
	}
}

// coversRow reports whether the labels of a region cover a row.
func coversRow(covers [][]cover.Cover, labels []uint32, columns [][]uint32, row int) bool {
	for a, label := range labels {
		if !covers[a][label].Has(columns[a][row]) {
			return false
		}
	}
	return true
}
