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

// TestSpilledSearchAgrees gives random tables the smallest budget that they can be searched
// in, and more. Steps and release are those of the search in memory.
func TestSpilledSearchAgrees(t *testing.T) {
	seed := rand.Uint64()
	store := enginetest.OpenStore(t)
	refused := 0
	for i := range 60 {
		c, e := newCase(rand.New(rand.NewPCG(seed, uint64(i))))
		want, wantReleased, err := search(e, c.Data, c.Sets)
		if err != nil {
			t.Fatal(err)
		}
		for share, enough := int64(1<<4), 0; enough < 3; share *= 2 {
			var got []engine.Step
			space := partition.Space{Budget: spill.NewBudget(4 * share), Store: store, Share: share}
			recoding, err := enginetest.SearchIn(t, e, c.Data, engine.Requirement{Sets: c.Sets}, space, i%2 == 0, func(s engine.Step) { got = append(got, s) })
			if errors.Is(err, spill.ErrBudget) && enough == 0 {
				refused++
				continue
			}
			if enough++; err != nil {
				t.Fatalf("seed %d, case %d, share %d: %v", seed, i, share, err)
			}
			if released := c.Data.Released(recoding); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(released, wantReleased) {
				t.Fatalf("seed %d, case %d, share %d:\ngot  %+v\nwant %+v\n%s", seed, i, share, got, want, c)
			}
		}
	}
	if refused == 0 || store.Stats().Chunks == 0 {
		t.Errorf("%d searches refused, %d chunks stored", refused, store.Stats().Chunks)
	}
}
