package topdown_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// TestSearchRefusesSpilledCountsInOtherCodes: only counts in memory can be recoded.
func TestSearchRefusesSpilledCountsInOtherCodes(t *testing.T) {
	c := randomCase{
		data:    table1(),
		sets:    []engine.Set{{Columns: []int{0, 1}, K: 4}},
		options: engine.Options{MaxSteps: -1},
	}
	requirement := engine.Requirement{Sets: c.sets}
	space := partition.Space{
		Budget: spill.NewBudget(1 << 40),
		Store:  enginetest.OpenStore(t),
		Share:  1,
	}
	table, err := c.data.Codes().Merged(context.Background(), topdown.Engine{}, requirement, space)
	if err != nil {
		t.Fatal(err)
	}
	table.Merged = false
	if _, err := (topdown.Engine{}).Search(context.Background(), table, requirement,
		c.options); err == nil {
		t.Error("spilled counts in other codes were searched")
	}
}

// TestSpilledSearchAgrees searches nearly unique records in so little memory that most are on disk.
// That changes neither the steps nor the records that they touch and leave alive.
func TestSpilledSearchAgrees(t *testing.T) {
	codes := people(200_000)
	want := measure(t, codes.Table(topdown.Engine{}.Plan(all)), all, partition.Space{})
	for _, limit := range []int64{4 << 20, 5 << 20} {
		got := measureSpilled(t, codes, all, limit)
		if !reflect.DeepEqual(got.steps, want.steps) {
			t.Errorf("limit %d: steps\n%+v\nwant\n%+v", limit, got.steps, want.steps)
		}
		if written, touched := float64(got.written)/float64(got.table),
			got.touched()/got.rows; written == 0 || written > touched {
			t.Errorf("limit %d: every record written %.1f times and touched %.1f times", limit,
				written, touched)
		}
	}
}

// TestSpilledProtectedSearchAgrees searches nearly unique records with entities and sensitive
// values, in so little memory that most are on disk.
func TestSpilledProtectedSearchAgrees(t *testing.T) {
	for _, most := range []uint64{0, 500} {
		for _, entities := range []bool{false, true} {
			codes := withKinds(people(200_000), entities, true)
			requirement := engine.Requirement{Sets: slices.Clone(all.Sets), MaxSuppressed: most}
			requirement.Sets[0].Entities = entities
			requirement.Sets[0].Others = []engine.Protection{
				&engine.Limit{Measure: engine.DistinctL, Bound: 14},
			}
			want := measure(t, codes.Table(topdown.Engine{}.Plan(requirement)), requirement,
				partition.Space{})
			got := measureSpilled(t, codes, requirement, 5<<20)
			if len(want.steps) < 2 || !reflect.DeepEqual(got.steps, want.steps) ||
				got.written == 0 {
				t.Errorf("most %d, entities %t: %d bytes written, steps\n%+v\nwant\n%+v", most,
					entities, got.written, got.steps, want.steps)
			}
		}
	}
}
