package mondrian_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// searchIn runs an engine in a space, which must be free before and after, also when the
// search fails.
func searchIn(t *testing.T, codes enginetest.Codes, e mondrian.Engine, requirement engine.Requirement, space partition.Space, inMemory bool) (*engine.Regions, error) {
	t.Helper()
	codes.ClassNames = classNames(codes)
	recoding, err := enginetest.SearchIn(t, e, codes, requirement, engine.Options{Space: space}, inMemory)
	if err == nil {
		return recoding.(*engine.Regions), nil
	}
	if used := space.Budget.Used(); used != 0 {
		t.Errorf("%d bytes are not returned", used)
	}
	return nil, err
}

// TestSpilledSearchAgrees gives random tables the smallest share that they can be searched
// in, and more. The regions are those of the search in memory, to the last field.
func TestSpilledSearchAgrees(t *testing.T) {
	store := enginetest.OpenStore(t)
	refused := 0
	enginetest.Cases(t, 25, func(r *rand.Rand) {
		c, inMemory := newCase(r), r.IntN(2) == 0
		codes := c.Data.Codes()
		requirement := engine.Requirement{Sets: c.Sets}
		for _, e := range variants(r.Uint64()) {
			table := codes.Table(e.Plan(requirement))
			table.ClassNames = classNames(codes)
			want, err := e.Search(context.Background(), table, requirement, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for share, enough := int64(1<<10), 0; enough < 2; share += share / 2 {
				space := partition.Space{Budget: spill.NewBudget(1 << 30), Store: store, Share: share}
				got, err := searchIn(t, codes, e, requirement, space, inMemory)
				if errors.Is(err, spill.ErrBudget) && enough == 0 {
					refused++
					continue
				}
				if enough++; err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("share %d, %+v: %v\ngot  %+v\nwant %+v\n%s", share, e, err, got, want, c)
				}
			}
		}
	})
	if refused == 0 || store.Stats().Chunks == 0 {
		t.Errorf("%d searches refused, %d chunks stored", refused, store.Stats().Chunks)
	}
}

// TestSpilledPeople searches a larger table in a share that is a fraction of it.
func TestSpilledPeople(t *testing.T) {
	codes := people(40_000)
	store := enginetest.OpenStore(t)
	for name, e := range benchmarked {
		requirement := allColumns(codes, 20)
		table := codes.Table(e.Plan(requirement))
		table.ClassNames = classNames(codes)
		share := table.Groupings[0].Bytes() / 3
		want, err := e.Search(context.Background(), table, requirement, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := store.Stats().Chunks
		for _, inMemory := range []bool{true, false} {
			space := partition.Space{Budget: spill.NewBudget(1 << 30), Store: store, Share: share}
			got, err := searchIn(t, codes, e, requirement, space, inMemory)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the regions differ, or %v", name, err)
			}
		}
		if store.Stats().Chunks == before {
			t.Errorf("%s: nothing was spilled", name)
		}
	}
}
