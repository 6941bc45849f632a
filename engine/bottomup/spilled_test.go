package bottomup_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// TestSpilledSearchAgrees gives random tables the smallest budget that they can be searched
// in, and more. Steps and release are those of the search in memory, wherever an index takes
// over.
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
		limited := withLimits(r, e) // for all: it decides what is counted anew
		for share, enough := int64(1<<4), 0; enough < 3; share *= 2 {
			var got []engine.Step
			space := partition.Space{Budget: spill.NewBudget(4 * share), Store: store, Share: share}
			options := engine.Options{Space: space, OnStep: func(s engine.Step) { got = append(got, s) }}
			recoding, err := enginetest.SearchIn(t, limited, c.Data.Codes(), engine.Requirement{Sets: c.Sets}, options, inMemory)
			if errors.Is(err, spill.ErrBudget) && enough == 0 {
				refused++
				continue
			}
			if enough++; err != nil {
				t.Fatalf("share %d: %v", share, err)
			}
			if released := c.Data.Released(recoding); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(released, wantReleased) {
				t.Fatalf("share %d:\ngot  %+v\nwant %+v\n%s", share, got, want, c)
			}
		}
	})
	if refused == 0 || store.Stats().Chunks == 0 {
		t.Errorf("%d searches refused, %d chunks stored", refused, store.Stats().Chunks)
	}
}

// TestLong searches nearly unique records in 32 MiB and compares with the search in memory.
// KCUT_LONG is the number of records, in millions.
func TestLong(t *testing.T) {
	millions, err := strconv.Atoi(os.Getenv("KCUT_LONG"))
	if err != nil {
		t.Skip("KCUT_LONG is not set")
	}
	adult := enginetest.Adult(t).Codes()
	codes := adult.BlowUp(millions*1_000_000, 4)
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1, 3, 4, 5, 6, 7, 8, 9, 12, 13}, K: 100}, {Columns: []int{1, 10, 11}, K: 200}}}
	search := func(space partition.Space, inMemory bool) (steps []engine.Step) {
		start := time.Now()
		options := engine.Options{Space: space, OnStep: func(s engine.Step) { steps = append(steps, s) }}
		if _, err := enginetest.SearchIn(t, bottomup.Engine{}, codes, requirement, options, inMemory); err != nil {
			t.Fatal(err)
		}
		t.Logf("in memory %t: %d steps, %.1f s with counting, peak draw %d MiB", inMemory, len(steps), time.Since(start).Seconds(), space.Budget.Peak()>>20)
		return steps
	}
	want := search(partition.Space{Budget: spill.NewBudget(1 << 40), Share: 1 << 40}, true)
	const limit = 32 << 20
	store := enginetest.OpenStore(t)
	got := search(partition.Space{Budget: spill.NewBudget(limit), Store: store, Share: limit}, false)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("spilled %+v\nin memory %+v", got, want)
	}
	t.Logf("store: %+v", store.Stats())
}
