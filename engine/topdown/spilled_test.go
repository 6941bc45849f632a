package topdown_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// searchIn runs the engine in a space, which must be free before and after, on a table
// that is spilled or, if asked for, was in memory.
func (c randomCase) searchIn(t *testing.T, space partition.Space, inMemory bool) ([]engine.Step, [][]engine.Label, error) {
	t.Helper()
	var steps []engine.Step
	options := c.options
	options.Space = space
	options.OnStep = func(s engine.Step) { steps = append(steps, s) }
	recoding, err := enginetest.SearchIn(t, topdown.Engine{}, c.data.Codes(), engine.Requirement{Sets: c.sets}, options, inMemory)
	if err != nil {
		return nil, nil, err
	}
	return steps, c.data.Released(recoding), nil
}

// TestSpilledSearchAgrees gives random tables the smallest share that they can be searched
// in, and more. Steps and release are those of the naive search and of the search in memory.
func TestSpilledSearchAgrees(t *testing.T) {
	seed := rand.Uint64()
	store := enginetest.OpenStore(t)
	refused := 0
	for i := range 150 {
		c := newCase(rand.New(rand.NewPCG(seed, uint64(i))))
		want, wantReleased, err := search(c.data, c.sets, c.options)
		if err != nil {
			t.Fatal(err)
		}
		c.compareNaive(t, want, wantReleased)
		for share, enough := int64(1<<10), 0; enough < 3; share += share / 4 {
			budget := spill.NewBudget(1 << 30)
			got, released, err := c.searchIn(t, partition.Space{Budget: budget, Store: store, Share: share, Threads: 1 + i%3}, i%2 == 0)
			if errors.Is(err, spill.ErrBudget) && enough == 0 {
				refused++
				continue
			}
			if enough++; err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(released, wantReleased) {
				t.Errorf("share %d: %v\ngot  %+v\nwant %+v", share, err, got, want)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d, case %d\n%s", seed, i, c)
		}
	}
	if refused == 0 || store.Stats().Chunks == 0 {
		t.Errorf("%d searches refused, %d chunks stored", refused, store.Stats().Chunks)
	}
}

// TestSearchRefusesSpilledCountsInOtherCodes: only counts in memory can be recoded.
func TestSearchRefusesSpilledCountsInOtherCodes(t *testing.T) {
	c := randomCase{data: table1(), sets: []engine.Set{{Columns: []int{0, 1}, K: 4}}, options: engine.Options{MaxSteps: -1}}
	requirement := engine.Requirement{Sets: c.sets}
	space := partition.Space{Budget: spill.NewBudget(1 << 40), Store: enginetest.OpenStore(t), Share: 1}
	table, err := c.data.Codes().Merged(context.Background(), topdown.Engine{}, requirement, space)
	if err != nil {
		t.Fatal(err)
	}
	table.Merged = false
	if _, err := (topdown.Engine{}).Search(context.Background(), table, requirement, c.options); err == nil {
		t.Error("spilled counts in other codes were searched")
	}
}

// TestSearchAheadAgrees searches nearly unique records in so little memory that most are on
// disk. Dividing them by what is predicted changes nothing of the steps, of the records that
// they touch and leave alive, but writes them far less often than they are touched.
func TestSearchAheadAgrees(t *testing.T) {
	p := newPeople(200_000)
	want := p.searchInMemory(t)
	for _, limit := range []int64{4 << 20, 5 << 20} {
		got := p.searchIn(t, limit)
		if !reflect.DeepEqual(got.steps, want.steps) {
			t.Errorf("limit %d: steps\n%+v\nwant\n%+v", limit, got.steps, want.steps)
		}
		if written := got.ofTable(got.written); written > got.touched()/3 {
			t.Errorf("limit %d: every record written %.1f times and touched %.1f times", limit, written, got.touched())
		}
	}
}
