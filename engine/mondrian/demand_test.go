package mondrian_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// newSets draws a case with a set of all columns and others with larger k, and often with entities
// or sensitive columns.
func newSets(r *rand.Rand) randomCase {
	c := newCase(r)
	all := c.Sets[len(c.Sets)-1]
	all.K = engine.KAnonymity(1 + r.IntN(3))
	c.Sets = []engine.Set{all}
	for range 1 + r.IntN(3) {
		set := engine.Set{K: all.K + engine.KAnonymity(1+r.IntN(6))}
		set.Columns = r.Perm(len(c.Data.Columns))[:1+r.IntN(len(c.Data.Columns))]
		c.Sets = append(c.Sets, set)
	}
	if protect := r.IntN(6); protect < 4 {
		c.Protect(r, protect&1 > 0, protect&2 > 0)
	}
	return c
}

// TestSetsApart compares the labels of every row with a naive search. Every set holds, and mostly
// there are more regions than of the sets as one.
func TestSetsApart(t *testing.T) {
	finer := 0
	cases := enginetest.Cases(t, 100, func(r *rand.Rand) {
		c := newSets(r)
		for _, e := range variants(r.Uint64()) {
			if !e.Apart || e.Relaxed && c.Sets[0].NeedsKinds() || e.Relaxed && c.Sets[0].Entities ||
				!c.Reachable() {
				continue
			}
			got, err := c.search(e)
			if err != nil {
				t.Fatalf("%+v: %v\n%s", e, err, c)
			}
			naive := c.naive(e)
			rows := released(naive.Codes, got, 1+r.IntN(40))
			if want := naive.search(); !slices.Equal(rows, want) {
				t.Fatalf("%+v\ngot  %q\nwant %q\n%s", e, rows, want, c)
			}
			c.Data.CheckProtected(t, c.Data.Released(got), c.Sets)
			checkRegions(t, got, naive)
			e.Apart = false
			united, err := c.search(e)
			if err != nil {
				t.Fatalf("%+v: %v\n%s", e, err, c)
			}
			if got.Len() > united.Len() {
				finer++
			}
		}
	})
	t.Logf("%d cases, %d searches with more regions", cases, finer)
	if cases >= 100 && finer < cases/2 {
		t.Errorf("only %d searches have more regions", finer)
	}
}
