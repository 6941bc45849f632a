package engine

import (
	"reflect"
	"slices"
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

func twoRegions(moved ...ReassignedCell) *Regions {
	r := &Regions{
		Columns:    []RegionColumn{{Labels: []Label{{Text: "low"}, {Text: "high"}, {Text: "any"}}}},
		Released:   []uint32{0, 1, 2},
		Locator:    halves{},
		Reassigned: moved,
	}
	r.Index()
	return r
}

func TestRegionsRecode(t *testing.T) {
	whole := ReassignedCell{Codes: []uint32{0}, Class: 1, Parts: []Part{{Region: 2, Count: 1}}}
	cell := ReassignedCell{Codes: []uint32{1}, Class: 1, Parts: []Part{{Region: 2, Count: 2}, {Region: Dropped, Count: 1}, {Region: 0, Count: 2}}}
	codes := [][]uint32{{0, 1, 1, 1, 1, 2, 1, 1}}
	classes := []uint32{1, 1, 0, 1, 1, 1, 1, 1}
	tests := map[string]struct {
		regions *Regions
		taken   []uint64
		want    []uint32
		after   []uint64
	}{
		"codes alone":      {twoRegions(), nil, []uint32{0, 1, 1, 1, 1, DroppedLabel, 1, 1}, nil},
		"moved as a whole": {twoRegions(whole), nil, []uint32{2, 1, 1, 1, 1, DroppedLabel, 1, 1}, nil},
		"from the start":   {twoRegions(cell), []uint64{0}, []uint32{0, 2, 1, 2, DroppedLabel, DroppedLabel, 0, 0}, []uint64{5}},
		"one taken":        {twoRegions(whole, cell), []uint64{1}, []uint32{2, 2, 1, DroppedLabel, 0, DroppedLabel, 0, 0}, []uint64{6}},
	}
	for name, test := range tests {
		for _, memo := range []*Memo{nil, NewMemo([]int{3, 2}, 1<<20)} {
			t.Run(name, func(t *testing.T) {
				got, taken := [][]uint32{make([]uint32, len(codes[0]))}, slices.Clone(test.taken)
				rows := Rows{N: len(codes[0]), Codes: codes, Taken: taken, Memo: memo}
				if test.regions.ByClass() {
					rows.Classes = classes
				} else if memo != nil {
					rows.Memo = NewMemo([]int{3}, 1<<20)
				}
				test.regions.Recode(rows, got)
				if !reflect.DeepEqual(got[0], test.want) {
					t.Errorf("labels %v, want %v", got[0], test.want)
				}
				if !reflect.DeepEqual(taken, test.after) {
					t.Errorf("taken %v, want %v", taken, test.after)
				}
			})
		}
	}
}

// Counting ahead of recoding leaves the same numbers, with codes that no reassigned cell has, too.
func TestRegionsCount(t *testing.T) {
	whole := ReassignedCell{Codes: []uint32{0}, Parts: []Part{{Region: 2, Count: 1}}}
	divided := ReassignedCell{Codes: []uint32{1}, Parts: []Part{{Region: 2, Count: 1}, {Region: 0, Count: 1}}}
	r := twoRegions(whole, divided)
	rows := Rows{N: 5, Codes: [][]uint32{{1, 0, 1, 2, 1 << 30}}, Taken: []uint64{3}}
	if r.Count(rows); rows.Taken[0] != 5 || r.Cells() != 1 {
		t.Errorf("counted %d rows of %d divided cells, want 5 of 1", rows.Taken[0], r.Cells())
	}
}

// Records that were not searched are where the Locator says.
func TestRegionsUnsearched(t *testing.T) {
	r := twoRegions(ReassignedCell{Codes: []uint32{1}, Parts: []Part{{Region: 2, Count: 1}, {Region: 0, Count: 1}}})
	r.Sampled = mixed{new(int)}
	others, got := r.Unsearched(), [][]uint32{make([]uint32, 3)}
	others.Recode(Rows{N: 3, Codes: [][]uint32{{1, 0, 1}}}, got)
	if want := []uint32{1, 0, 1}; !reflect.DeepEqual(got[0], want) || others.ByClass() || others.Cells() != 0 || r.Cells() != 1 {
		t.Errorf("labels %v, want %v", got[0], want)
	}
}
