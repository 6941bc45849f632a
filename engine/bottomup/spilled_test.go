package bottomup_test

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

// TestSpilledSearchAgrees searches random tables with the smallest sufficient budget, and with
// more. Steps and release are those of the search in memory.
func TestSpilledSearchAgrees(t *testing.T) {
	store := enginetest.OpenStore(t)
	refused := 0
	enginetest.Cases(t, 60, func(r *rand.Rand) {
		c, e := newCase(r)
		inMemory := r.IntN(2) == 0
		want, wantReleased, err := search(e, c.Data, c.Sets)
		if err != nil {
			t.Fatal(err)
		}
		// the same for all budgets: it decides when vids are counted again
		limited := e.WithWitnesses(r.IntN(4))
		for share, enough := int64(1<<4), 0; enough < 3; share *= 2 {
			var got []engine.Step
			space := partition.Space{Budget: spill.NewBudget(4 * share), Store: store, Share: share}
			options := engine.Options{Space: space, OnStep: func(s engine.Step) {
				got = append(got, s)
			}}
			recoding, err := enginetest.SearchIn(t, limited, c.Data.Codes(),
				engine.Requirement{Sets: c.Sets}, options, inMemory)
			if errors.Is(err, spill.ErrBudget) && enough == 0 {
				refused++
				continue
			}
			if enough++; err != nil {
				t.Fatalf("share %d: %v", share, err)
			}
			if released := c.Data.Released(recoding); !reflect.DeepEqual(got, want) ||
				!reflect.DeepEqual(released, wantReleased) {
				t.Fatalf("share %d:\ngot  %+v\nwant %+v\n%s", share, got, want, c)
			}
		}
	})
	if refused == 0 || store.Stats().Chunks == 0 {
		t.Errorf("%d searches refused, %d chunks stored", refused, store.Stats().Chunks)
	}
}
