package iac_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// TestSpilledSearchAgrees gives random tables the smallest budget that they can be searched
// in, and more. The release is that of the search in memory.
func TestSpilledSearchAgrees(t *testing.T) {
	store := enginetest.OpenStore(t)
	refused := 0
	enginetest.Cases(t, 100, func(r *rand.Rand) {
		c, e := newCase(r)
		inMemory := r.IntN(2) == 0
		requirement := engine.Requirement{Sets: c.Sets}
		want, err := run(e, c.Data, c.Data.Table(e.Plan(requirement)), c.Sets, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for share, enough := int64(1<<9), 0; enough < 3; share *= 2 {
			space := partition.Space{Budget: spill.NewBudget(4 * share), Store: store, Share: share}
			recoding, err := enginetest.SearchIn(t, e, c.Data.Codes(), requirement, engine.Options{Space: space}, inMemory)
			if errors.Is(err, spill.ErrBudget) && enough == 0 {
				refused++
				continue
			}
			if enough++; errors.Is(err, engine.ErrUnreached) && want.unreached {
				continue
			}
			if err != nil {
				t.Fatalf("share %d: %v", share, err)
			}
			if got := describe(c.Data, recoding); !reflect.DeepEqual(got, want) {
				t.Fatalf("share %d:\ngot  %v\nwant %v\n%s", share, got, want, c)
			}
		}
	})
	if refused == 0 || store.Stats().Chunks == 0 {
		t.Errorf("%d searches refused, %d chunks stored", refused, store.Stats().Chunks)
	}
}
