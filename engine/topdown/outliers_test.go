package topdown_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/spill"
)

// TestOutliersAgreeWithNaiveSearch compares the steps of a search that may take records away with
// those of one that rescans all rows. It also checks that the records taken away are those
// necessary, and that no more steps could have been kept.
func TestOutliersAgreeWithNaiveSearch(t *testing.T) {
	for _, kind := range []struct {
		name               string
		entities, distinct bool
	}{{"records", false, false}, {"entities", true, false}, {"distinct", false, true},
		{"both", true, true}} {
		t.Run(kind.name, func(t *testing.T) {
			var seen outliersSeen
			store := enginetest.OpenStore(t)
			cases := enginetest.Cases(t, seedtest.Few(150, 500), func(r *rand.Rand) {
				c := newCase(r)
				if (kind.entities || kind.distinct) && !c.protect(r, kind.entities, kind.distinct) {
					return
				}
				c.distinctOnly()
				c.compareOutliers(t, r, store, &seen)
			})
			t.Logf("%d cases, %+v", cases, seen)
			if cases >= 100 && (seen.taken == 0 || seen.dropped == 0 || seen.undone == 0 ||
				seen.several == 0) {
				t.Error("some of that never happened")
			}
		})
	}
}

// outliersSeen counts the records that were suppressed or dropped, those with several sets, and the
// cases with undone steps.
type outliersSeen struct{ taken, dropped, several, undone int }

// count returns the number of true elements.
func count(of []bool) (n int) {
	for _, is := range of {
		if is {
			n++
		}
	}
	return n
}

// distinctOnly keeps only the protections that allow records to be taken away.
func (c *randomCase) distinctOnly() {
	for i := range c.sets {
		c.sets[i].Others = slices.DeleteFunc(slices.Clone(c.sets[i].Others),
			func(p engine.Protection) bool {
				return p.(*engine.Limit).Measure != engine.DistinctL
			})
	}
}

// compareOutliers fails the test where a search that may take records away differs from the naive
// one.
func (c randomCase) compareOutliers(t *testing.T, r *rand.Rand, store *spill.Store,
	seen *outliersSeen) {
	requirement, _ := engine.Requirement{Sets: c.sets}.Reduce()
	requirement.MaxSuppressed, requirement.Drop = uint64(r.IntN(1+len(c.data.Rows)/2)),
		r.IntN(2) == 0
	n := newNaive(c.data, c.sets, c.options)
	n.outliers = requirement.Suppressible()
	var got []engine.Step
	options := c.options
	options.OnStep = func(s engine.Step) { got = append(got, s) }
	recoding, err := topdown.Engine{}.Search(t.Context(),
		c.data.Table(topdown.Engine{}.Plan(requirement)), requirement, options)
	if err != nil {
		t.Fatal(err, c)
	}
	want := n.search(c.options)
	c.compareSpilled(t, r, store, requirement, got, c.data.Released(recoding))
	for i := range got {
		got[i].Live, got[i].Touched = 0, 0
	}
	if len(got) > len(want) || !reflect.DeepEqual(got, slices.Clip(want[:len(got)])) &&
		len(got) > 0 {
		t.Fatalf("steps:\n%+v\nwant\n%+v\nat most %d, drop %t\n%s", got, want,
			requirement.MaxSuppressed, requirement.Drop, c)
	}
	if len(got) < len(want) {
		seen.undone++
		if next := c; requirement.Drop {
			next.options.MaxSteps = len(got) + 1
			after := newNaive(next.data, next.sets, next.options)
			after.outliers = n.outliers
			after.search(next.options)
			if out := after.takeAway(requirement); count(out) < len(out) &&
				count(out) <= int(n.outliers) {
				t.Fatalf("step %d was undone, after which %d records are dropped\n%v", len(got)+1,
					count(out), c)
			}
		}
	}
	c.options.MaxSteps = len(got)
	after := newNaive(c.data, c.sets, c.options)
	after.outliers = n.outliers
	after.search(c.options)
	out := after.takeAway(requirement)
	suppressed, lost := recoding.Lost()
	released := c.data.Released(recoding)
	codes := c.data.Codes()
	where := make([]int32, codes.Rows)
	if s := recoding.(*engine.Cut).Suppression; s != nil {
		s.Locator.Locate(codes.Rows, codes.Columns, where)
	}
	var exact []int
	for row := range released {
		if out[row] {
			exact = append(exact, row)
		}
		if where[row] == engine.ByCut && !reflect.DeepEqual(released[row], after.released[row]) {
			t.Fatalf("row %d is released as %v, want %v", row, released[row], after.released[row])
		}
	}
	// Other records may have to go with them to make the class of marks large enough, or may stay
	// in it.
	isExact := requirement.Drop || len(requirement.Sets) == 1 &&
		(len(exact) == 0 || requirement.Sets[0].Holds(after.stats(exact)))
	if suppressed+lost > n.outliers || isExact && int(suppressed+lost) != len(exact) {
		t.Fatalf("%d records are suppressed, %d dropped, want %d of at most %d\n%v", suppressed,
			lost, len(exact), n.outliers, c)
	}
	for row := range out {
		if isExact && out[row] != (where[row] == engine.ByMark) {
			t.Fatalf("row %d is taken away: %t", row, !out[row])
		}
	}
	seen.taken, seen.dropped = seen.taken+int(suppressed), seen.dropped+int(lost)
	if len(requirement.Sets) > 1 && suppressed+lost > 0 {
		seen.several++
	}
	c.data.CheckProtected(t, released, requirement.Sets)
}

// takeAway reports for each row whether it must be taken away so that all others are in a class of
// k in every set.
func (n *naive) takeAway(requirement engine.Requirement) (out []bool) {
	out = make([]bool, len(n.released))
	for again := true; again; {
		again = false
		for _, s := range requirement.Sets {
			left := slices.DeleteFunc(slices.Clone(n.rows), func(r int) bool { return out[r] })
			for _, rows := range n.groupsOf(s, left) {
				if s.Holds(n.stats(rows)) {
					continue
				}
				for _, r := range rows {
					out[r], again = true, true
				}
			}
		}
	}
	return out
}

// TestOutliersOfAdult searches Adult's training rows with a share of the records that may be taken
// away: one rare value no longer ends the search.
func TestOutliersOfAdult(t *testing.T) {
	const rows = 30162
	d := enginetest.Adult(t, enginetest.EightAttributes...)
	d.Rows, d.Classes = d.Rows[:rows], d.Classes[:rows]
	codes := d.Codes()
	for _, c := range []struct {
		k     int
		steps [4]int
	}{{10, [4]int{13, 13, 15, 21}}, {50, [4]int{7, 9, 10, 15}}, {100, [4]int{6, 8, 9, 15}}} {
		for i, share := range []float64{0, 0.005, 0.01, 0.05} {
			sets := []engine.Set{{
				Columns: []int{0, 1, 2, 3, 4, 5, 6, 7},
				K:       engine.KAnonymity(c.k),
			}}
			requirement := engine.Requirement{Sets: sets, MaxSuppressed: uint64(share * rows)}
			steps := 0
			options := engine.Options{MaxSteps: -1, OnStep: func(engine.Step) { steps++ }}
			recoding, err := topdown.Engine{}.Search(t.Context(),
				codes.Table(topdown.Engine{}.Plan(requirement)), requirement, options)
			if err != nil {
				t.Fatal(err)
			}
			suppressed, _ := recoding.Lost()
			t.Logf("k = %d, %g: %d steps, %d suppressed, A %v", c.k, share, steps, suppressed,
				recoding.Anonymity(requirement))
			if steps != c.steps[i] {
				t.Errorf("k = %d, %g: %d steps, want %d", c.k, share, steps, c.steps[i])
			}
			enginetest.CheckAnonymous(t, d.Released(recoding), sets)
		}
	}
}
