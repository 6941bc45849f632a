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
		{}, {Ordered: true}, {InfoGain: true},
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

// Where several parts of a cut have labels that cover each other's values, no region is all in an
// earlier one, and labels find the region of more records than if narrower regions came first.
func TestOrderOfOverlappingRegions(t *testing.T) {
	engines := []mondrian.Engine{{}, {Ordered: true}, {InfoGain: true},
		{InfoGain: true, Guided: true}}
	byCuts, byWidth, rows := 0, 0, 0
	for seed := range uint64(400) {
		c, e := newCase(rand.New(rand.NewPCG(seed, 42))), engines[seed%uint64(len(engines))]
		if !c.unnamed(e) {
			continue
		}
		regions, err := c.search(e)
		if err != nil {
			continue
		}
		codes := c.Data.Codes()
		covers, widths := [][]cover.Cover{}, make([]int, regions.Len())
		for a := range codes.Attributes {
			of := cover.Of(&codes.Attributes[a], regions, a)
			covers = append(covers, of)
			for region := range widths {
				widths[region] += coveredCodes(of[regions.Region(int32(region))[a]],
					codes.Attributes[a].Len())
			}
		}
		order := make([]int32, regions.Len())
		for region := range order {
			order[region] = int32(region)
			for earlier := range order[:region] {
				if within(covers, regions.Region(int32(region)), regions.Region(int32(earlier)),
					codes.Attributes) {
					t.Fatalf("seed %d, %+v: region %d is all in region %d of\n%v\n%v", seed, e,
						region, earlier, regions.Released, c)
				}
			}
		}
		found := make([]int32, codes.Rows)
		regions.Locator.Locate(codes.Rows, codes.Columns, found)
		right := func() (n int) {
			for row, want := range found {
				at := slices.IndexFunc(order, func(region int32) bool {
					return coversRow(covers, regions.Region(region), codes.Columns, row)
				})
				if order[at] == want {
					n++
				}
			}
			return n
		}
		rows, byCuts = rows+codes.Rows, byCuts+right()
		slices.SortStableFunc(order, func(a, b int32) int { return widths[a] - widths[b] })
		byWidth += right()
	}
	t.Logf("of %d rows, labels place %d in the order of the regions, %d by width", rows, byCuts,
		byWidth)
	if byCuts <= byWidth {
		t.Error("the order of the regions is no better")
	}
}

// coveredCodes returns the number of codes that a label covers.
func coveredCodes(of cover.Cover, codes int) (n int) {
	for code := range uint32(codes) {
		if of.Has(code) {
			n++
		}
	}
	return n
}

// within reports whether the labels of a region cover nothing that other labels do not cover.
func within(covers [][]cover.Cover, labels, others []uint32, attributes []engine.Attribute) bool {
	for a := range attributes {
		for code := range uint32(attributes[a].Len()) {
			if covers[a][labels[a]].Has(code) && !covers[a][others[a]].Has(code) {
				return false
			}
		}
	}
	return true
}
