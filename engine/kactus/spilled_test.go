package kactus_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// searchIn runs an engine in a space, which must be free before and after.
func searchIn(t *testing.T, codes enginetest.Codes, names []engine.Label, e kactus.Engine, requirement engine.Requirement, space partition.Space, inMemory bool) (*engine.Regions, error) {
	t.Helper()
	codes.ClassNames = names
	recoding, err := enginetest.SearchIn(t, e, codes, requirement, engine.Options{Space: space}, inMemory)
	if err != nil {
		return nil, err
	}
	return recoding.(*engine.Regions), nil
}

// TestSpilledSearchAgrees gives random tables the smallest share that they can be searched
// in, and more. The regions are those of the search in memory, to the last field.
func TestSpilledSearchAgrees(t *testing.T) {
	store := enginetest.OpenStore(t)
	refused := 0
	enginetest.Cases(t, 40, func(r *rand.Rand) {
		c, inMemory := newCase(r), r.IntN(2) == 0
		want, names := c.search(t), c.table().ClassNames
		for share, enough := int64(1<<10), 0; enough < 2; share += share / 2 {
			space := partition.Space{Budget: spill.NewBudget(1 << 30), Store: store, Share: share}
			got, err := searchIn(t, c.Data.Codes(), names, c.engine, c.requirement(), space, inMemory)
			if errors.Is(err, spill.ErrBudget) && enough == 0 {
				refused++
				continue
			}
			if enough++; err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("share %d, %+v: %v\ngot  %+v\nwant %+v\n%s", share, c.engine, err, got, want, c)
			}
		}
	})
	if refused == 0 || store.Stats().Chunks == 0 {
		t.Errorf("%d searches refused, %d chunks stored", refused, store.Stats().Chunks)
	}
}

// TestSpilledAdult searches real data in a share that is a quarter of it.
func TestSpilledAdult(t *testing.T) {
	codes := enginetest.Adult(t, enginetest.EightAttributes...).Codes()
	requirement := all(codes, 20)
	store := enginetest.OpenStore(t)
	for _, e := range []kactus.Engine{{}, {Prune: true, MinObjects: 2, Leftover: kactus.Recruit}} {
		table := codes.Table(e.Plan(requirement))
		share := table.Groupings[0].Bytes() / 4
		recoding, err := e.Search(context.Background(), table, requirement, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := store.Stats().Chunks
		for _, inMemory := range []bool{true, false} {
			space := partition.Space{Budget: spill.NewBudget(1 << 30), Store: store, Share: share}
			got, err := searchIn(t, codes, nil, e, requirement, space, inMemory)
			if err != nil || !reflect.DeepEqual(got, recoding) {
				t.Errorf("%+v: the regions differ, or %v", e, err)
			}
		}
		if store.Stats().Chunks == before {
			t.Errorf("%+v: nothing was spilled", e)
		}
	}
}

// all is a set of all columns.
func all(c enginetest.Codes, k int) engine.Requirement {
	set := engine.Set{K: engine.KAnonymity(k)}
	for a := range c.Attributes {
		set.Columns = append(set.Columns, a)
	}
	return engine.Requirement{Sets: []engine.Set{set}}
}
