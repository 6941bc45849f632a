package engine

import (
	"reflect"
	"testing"
)

// halves puts code 0 of the only attribute in region 0, code 1 in region 1, and drops others.
type halves struct{}

func (halves) Locate(n int, codes [][]uint32, regions []int32) {
	for i, code := range codes[0][:n] {
		regions[i] = int32(code)
		if code > 1 {
			regions[i] = Dropped
		}
	}
}

func twoRegions(divided ...DividedCell) *Regions {
	r := &Regions{
		Columns:  []RegionColumn{{Labels: []Label{{Text: "low"}, {Text: "high"}, {Text: "any"}}}},
		Released: []uint32{0, 1, 2},
		Locator:  halves{},
		Divided:  divided,
	}
	r.Index()
	return r
}

func TestRegionsRecode(t *testing.T) {
	cell := DividedCell{Codes: []uint32{1}, Class: 1, Parts: []Part{{Region: 2, Count: 2}, {Region: Dropped, Count: 1}}}
	codes := [][]uint32{{0, 1, 1, 1, 1, 2, 1, 1}}
	classes := []uint32{1, 1, 0, 1, 1, 1, 1, 1}
	tests := map[string]struct {
		regions *Regions
		taken   []uint64
		want    []uint32
		after   []uint64
	}{
		"codes alone":    {twoRegions(), nil, []uint32{0, 1, 1, 1, 1, DroppedLabel, 1, 1}, nil},
		"from the start": {twoRegions(cell), []uint64{0}, []uint32{0, 2, 1, 2, DroppedLabel, DroppedLabel, 1, 1}, []uint64{5}},
		"one taken":      {twoRegions(cell), []uint64{1}, []uint32{0, 2, 1, DroppedLabel, 1, DroppedLabel, 1, 1}, []uint64{6}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := [][]uint32{make([]uint32, len(codes[0]))}
			rows := Rows{N: len(codes[0]), Codes: codes, Classes: classes, Taken: test.taken}
			test.regions.Recode(rows, got)
			if !reflect.DeepEqual(got[0], test.want) {
				t.Errorf("labels %v, want %v", got[0], test.want)
			}
			if !reflect.DeepEqual(test.taken, test.after) {
				t.Errorf("taken %v, want %v", test.taken, test.after)
			}
		})
	}
}

// Counting ahead of recoding leaves the same numbers.
func TestRegionsCount(t *testing.T) {
	r := twoRegions(DividedCell{Codes: []uint32{1}, Parts: []Part{{Region: 2, Count: 1}}})
	rows := Rows{N: 4, Codes: [][]uint32{{1, 0, 1, 2}}, Taken: []uint64{0}}
	r.Count(rows)
	if rows.Taken[0] != 2 {
		t.Errorf("counted %d rows of the divided cell, want 2", rows.Taken[0])
	}
}
