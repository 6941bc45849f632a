package engine

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
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
		Columns:    []ColumnCut{{Labels: []Label{{Text: "low"}, {Text: "high"}, {Text: "any"}}}},
		Released:   []uint32{0, 1, 2},
		Locator:    halves{},
		Reassigned: moved,
	}
	r.Index()
	return r
}

func TestRegionsRecode(t *testing.T) {
	whole := ReassignedCell{Codes: []uint32{0}, Class: 1, Parts: []Part{{Region: 2, Count: 1}}}
	cell := ReassignedCell{
		Codes: []uint32{1},
		Class: 1,
		Parts: []Part{{Region: 2, Count: 2}, {Region: Dropped, Count: 1}, {Region: 0, Count: 2}},
	}
	codes := [][]uint32{{0, 1, 1, 1, 1, 2, 1, 1}}
	classes := []uint32{1, 1, 0, 1, 1, 1, 1, 1}
	tests := map[string]struct {
		regions *Regions
		taken   []uint64
		want    []uint32
		after   []uint64
	}{
		"codes alone": {twoRegions(), nil, []uint32{0, 1, 1, 1, 1, DroppedLabel, 1, 1}, nil},
		"moved as a whole": {twoRegions(whole), nil, []uint32{2, 1, 1, 1, 1, DroppedLabel, 1, 1},
			nil},
		"from the start": {twoRegions(cell), []uint64{0},
			[]uint32{0, 2, 1, 2, DroppedLabel, DroppedLabel, 0, 0}, []uint64{5}},
		"one taken": {twoRegions(whole, cell), []uint64{1},
			[]uint32{2, 2, 1, DroppedLabel, 0, DroppedLabel, 0, 0}, []uint64{6}},
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

// Divided finds the divided cell of each row, also for codes that no reassigned cell has.
func TestRegionsDivided(t *testing.T) {
	whole := ReassignedCell{Codes: []uint32{0}, Parts: []Part{{Region: 2, Count: 1}}}
	divided := ReassignedCell{
		Codes: []uint32{1},
		Parts: []Part{{Region: 2, Count: 1}, {Region: 0, Count: 1}},
	}
	r := twoRegions(whole, divided)
	rows := Rows{N: 5, Codes: [][]uint32{{1, 0, 1, 2, 1 << 30}}}
	cells := []int32{7, 7, 7, 7, 7}
	if r.Divided(rows, cells); !reflect.DeepEqual(cells,
		[]int32{0, Undivided, 0, Undivided, Undivided}) || r.Cells() != 1 {
		t.Errorf("rows are in the divided cells %v of %d", cells, r.Cells())
	}
}

// Records that the search did not see are in the regions of the Locator.
func TestRegionsUnsearched(t *testing.T) {
	r := twoRegions(ReassignedCell{
		Codes: []uint32{1},
		Parts: []Part{{Region: 2, Count: 1}, {Region: 0, Count: 1}},
	})
	r.Sampled = mixed{new(int)}
	others, got := r.Unsearched(), [][]uint32{make([]uint32, 3)}
	others.Recode(Rows{N: 3, Codes: [][]uint32{{1, 0, 1}}}, got)
	if want := []uint32{1, 0, 1}; !reflect.DeepEqual(got[0], want) || others.ByClass() ||
		others.Cells() != 0 || r.Cells() != 1 {
		t.Errorf("labels %v, want %v", got[0], want)
	}
}

// mixed gives every tuple a region, and counts the tuples that it is asked for.
type mixed struct{ asked *int }

func (l mixed) Locate(n int, codes [][]uint32, regions []int32) {
	*l.asked += n
	for i := range n {
		h := uint32(7)
		for a := range codes {
			h = h*31 + codes[a][i]
		}
		regions[i] = int32(h%1000) - 1 // some are dropped
	}
}

// A memo answers as the locator does, whatever it remembers, and asks the locator seldom when there
// are few tuples.
func TestMemo(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, tt := range []struct {
		name    string
		domains []int
		tuples  int
		bytes   int64
		most    int // largest number of tuples asked for in 200,000 rows
	}{
		{"few", []int{90, 7, 1}, 500, 1 << 20, 10_000},
		{"several words", []int{1 << 30, 1 << 30, 1 << 30, 5}, 5000, 1 << 22, 60_000},
		{"more than it holds", []int{1 << 20, 1 << 20}, 200_000, 1, 200_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tuples := make([][]uint32, tt.tuples)
			for i := range tuples {
				for _, domain := range tt.domains {
					tuples[i] = append(tuples[i], uint32(rng.IntN(domain)))
				}
			}
			memo, asked, again := NewMemo(tt.domains, tt.bytes), 0, 0
			for range 100 {
				codes := make([][]uint32, len(tt.domains))
				n := 1 + rng.IntN(2*2000-1)
				for range n {
					for a, code := range tuples[rng.IntN(len(tuples))] {
						codes[a] = append(codes[a], code)
					}
				}
				want := make([]int32, n)
				mixed{&again}.Locate(n, codes, want)
				if got := memo.Locate(mixed{&asked}, n, codes); !slices.Equal(got, want) {
					t.Fatal("a memo answers otherwise")
				}
			}
			if asked > tt.most*again/200_000 {
				t.Errorf("asked for %d of %d rows", asked, again)
			}
			if bytes := int64(8*len(memo.keys) + 4*len(memo.regions)); len(
				memo.regions) > fewestSlots && bytes > tt.bytes {
				t.Errorf("it takes %d bytes of %d", bytes, tt.bytes)
			}
		})
	}
}
