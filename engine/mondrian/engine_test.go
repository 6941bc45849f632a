package mondrian_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// patients is the table of the paper (ICDE 2006, figure 1), with its columns in the order that
// gives the cuts of its figure 3.
func patients() randomCase {
	sex := taxonomy.Node{Name: "Any", Children: []taxonomy.Node{{Name: "Male"}, {Name: "Female"}}}
	return randomCase{Case: enginetest.Case{
		Data: enginetest.Data{
			Columns: []enginetest.Column{
				{Name: "zipcode", Mask: engine.Discretize, Lower: "53710", Upper: "53712"},
				{Name: "sex", Mask: engine.Generalize, Tree: sex},
				{Name: "age", Mask: engine.Discretize},
			},
			Rows: [][]engine.Label{
				enginetest.Values("53711", "Male", "25"),
				enginetest.Values("53712", "Female", "25"),
				enginetest.Values("53711", "Male", "26"), enginetest.Values("53710", "Male", "27"),
				enginetest.Values("53712", "Female", "27"),
				enginetest.Values("53711", "Female", "28"),
			},
			Classes: []string{"Flu", "Hepatitis", "Brochitis", "Broken Arm", "AIDS", "Hang Nail"},
		},
		Sets: []engine.Set{{Columns: []int{0, 1, 2}, K: 2}},
	}}
}

// TestPatients has tight labels, as in the paper, and those of the cuts, none of which parts the
// sexes.
func TestPatients(t *testing.T) {
	c := patients()
	for tight, want := range map[bool]map[string]int{
		true: {
			"[53710,53712) ; Male ; (,27)": 2, "[53710,53712) ; Any ; [27,)": 2,
			"[53712,53712] ; Female ; (,)": 2,
		},
		false: {
			"[53710,53712) ; Any ; (,27)": 2, "[53710,53712) ; Any ; [27,)": 2,
			"[53712,53712] ; Any ; (,)": 2,
		},
	} {
		got, err := c.search(mondrian.Engine{Tight: tight})
		if err != nil {
			t.Fatal(err)
		}
		groups := map[string]int{}
		for _, labels := range released(c.Data.Codes(), got, 6) {
			groups[labels]++
		}
		if !maps.Equal(groups, want) {
			t.Errorf("tight %t: got %v, want %v", tight, groups, want)
		}
	}
}

// TestStepsOfNarrowIntervals: among many records narrow intervals end at few values.
func TestStepsOfNarrowIntervals(t *testing.T) {
	const records, k = 2000, 3
	r := rand.New(rand.NewPCG(1, 2))
	c := randomCase{Case: enginetest.Case{Sets: []engine.Set{{Columns: []int{0, 1}, K: k}}}}
	for i := range 2 {
		c.Data.Columns = append(c.Data.Columns,
			enginetest.Column{Name: strconv.Itoa(i), Mask: engine.Discretize})
	}
	for range records {
		c.Data.Rows = append(c.Data.Rows,
			enginetest.Values(strconv.Itoa(1000+r.IntN(9000)), strconv.Itoa(1000+r.IntN(9000))))
	}
	e := mondrian.Engine{Tight: true}
	got, err := c.search(e)
	if err != nil {
		t.Fatal(err)
	}
	naive := c.naive(e)
	if rows := released(naive.Codes, got, 100); !slices.Equal(rows, naive.search()) {
		t.Error("labels differ from those of the naive search")
	}
	if ends := len(naive.ends(0)); ends < 50 || ends > 63 {
		t.Errorf("%d ends of steps of a 64th of the records", ends)
	}
}

// TestSearchMeetsTheLargestK: several sets are one, their union.
func TestSearchMeetsTheLargestK(t *testing.T) {
	c := patients()
	c.Sets = []engine.Set{{Columns: []int{0, 1}, K: 2}, {Columns: []int{1, 2}, K: 3}}
	got, err := c.search(mondrian.Engine{Ordered: true})
	if err != nil || got.Len() != 2 {
		t.Errorf("%d regions, %v, want 2 of 3 records", got.Len(), err)
	}
}

func TestSearchWantsEveryAttributeInASet(t *testing.T) {
	c := patients()
	c.Sets = []engine.Set{{Columns: []int{0, 1}, K: 2}}
	if _, err := c.search(mondrian.Engine{}); err == nil {
		t.Error("an attribute without a set was searched")
	}
}

// people returns 2,000 records, the names of their classes, and a set of all attributes.
func people(k engine.KAnonymity) (enginetest.Codes, engine.Requirement) {
	codes := enginetest.People(2000, 1, 74, 8, 16, 7, 14, 5, 2, 41)
	codes.ClassNames = enginetest.Values("0", "1")
	return codes, engine.Requirement{Sets: []engine.Set{{
		Columns: []int{0, 1, 2, 3, 4, 5, 6, 7},
		K:       k,
	}}}
}

// TestSearchReportsTheBudget grants less memory than the regions need.
func TestSearchReportsTheBudget(t *testing.T) {
	codes, requirement := people(2)
	for _, e := range variants(1) {
		table := codes.Table(e.Plan(requirement))
		budget := spill.NewBudget(table.Groupings[0].Bytes() + 64<<10)
		if err := budget.Draw("table", table.Groupings[0].Bytes()); err != nil {
			t.Fatal(err)
		}
		options := engine.Options{Space: partition.Space{Budget: budget, Share: 1 << 30}}
		if _, err := e.Search(t.Context(), table, requirement, options); !errors.Is(err,
			spill.ErrBudget) || budget.Used() != 0 {
			t.Errorf("%+v: got %v, %d bytes in use", e, err, budget.Used())
		}
	}
}

// TestSeedDecidesWhoGoesLeft: only relaxed cuts depend on the seed.
func TestSeedDecidesWhoGoesLeft(t *testing.T) {
	codes, requirement := people(10)
	for _, e := range variants(0) {
		var found [2]engine.Recoding
		for seed := range found {
			e.Seed = uint64(seed)
			var err error
			if found[seed], err = e.Search(t.Context(), codes.Table(e.Plan(requirement)),
				requirement, engine.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		if same := reflect.DeepEqual(found[0], found[1]); same == e.Relaxed {
			t.Errorf("%+v: another seed gives the same: %t", e, same)
		}
	}
}

// TestUnseenCodesGoToTheLargestSide cuts parts by taxonomy and by sets of values.
func TestUnseenCodesGoToTheLargestSide(t *testing.T) {
	tree := taxonomy.Node{
		Name:     "Any",
		Children: []taxonomy.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}},
	}
	c := randomCase{Case: enginetest.Case{
		Data: enginetest.Data{Columns: []enginetest.Column{{
			Name: "x",
			Mask: engine.Generalize,
			Tree: tree,
		}}},
		Sets: []engine.Set{{Columns: []int{0}, K: 1}},
	}}
	for _, text := range []string{"a", "c", "c"} {
		c.Data.Rows = append(c.Data.Rows, enginetest.Values(text))
	}
	got, err := c.search(mondrian.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	regions := make([]int32, 3)
	got.Locator.Locate(3, [][]uint32{{0, 1, 2}}, regions)
	if regions[0] == regions[2] || regions[1] != regions[2] {
		t.Errorf("a, b and c are in regions %d", regions)
	}
}

// TestGuidedKeepsRareClassesApart: one of two values has the rare class eight times as often as the
// other, and most records of both have the frequent one.
func TestGuidedKeepsRareClassesApart(t *testing.T) {
	c := randomCase{Case: enginetest.Case{
		Data: enginetest.Data{Columns: []enginetest.Column{{Name: "x", Mask: engine.Suppress}}},
		Sets: []engine.Set{{Columns: []int{0}, K: 10}},
	}}
	for value, rare := range map[string]int{"a": 10, "b": 80} {
		for i := range 200 {
			c.Data.Rows = append(c.Data.Rows, enginetest.Values(value))
			c.Data.Classes = append(c.Data.Classes,
				map[bool]string{false: "frequent", true: "rare"}[i < rare])
		}
	}
	for _, brief := range []bool{false, true} {
		got, err := c.search(mondrian.Engine{InfoGain: true, Guided: true, Brief: brief})
		if err != nil {
			t.Fatal(err)
		}
		if got.Len() != 2 {
			t.Errorf("brief %t: %d regions, want one a value", brief, got.Len())
		}
	}
}
