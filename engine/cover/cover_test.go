package cover_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/topdown"
)

var engines = []engine.Engine{topdown.Engine{}, topdown.Engine{}, mondrian.Engine{},
	mondrian.Engine{Relaxed: true}, mondrian.Engine{Ordered: true, Tight: true},
	kactus.Engine{MinObjects: 1}}

// A label covers the values for which it is true, each once and in order, except those that are
// always disclosed.
func TestOf(t *testing.T) {
	several, one := 0, 0
	enginetest.Cases(t, 300, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 40)
		all := engine.Set{K: engine.KAnonymity(1 + r.IntN(min(len(c.Data.Rows), 6)))}
		for a := range c.Data.Columns {
			all.Columns = append(all.Columns, a)
		}
		requirement := engine.Requirement{Sets: append(c.Sets, all)}
		e, codes := engines[r.IntN(len(engines))], c.Data.Codes()
		if _, isTopdown := e.(topdown.Engine); isTopdown {
			requirement.MaxSuppressed = uint64(r.IntN(2) * r.IntN(len(c.Data.Rows)))
		}
		recoding, err := e.Search(t.Context(), codes.Table(e.Plan(requirement)), requirement,
			engine.Options{MaxSteps: -1})
		if errors.Is(err, engine.ErrInfeasible) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for a, column := range c.Data.Columns {
			labels := recoding.Labels(a)
			for i, covers := range cover.Of(&codes.Attributes[a], recoding, a) {
				disclosed := func(v engine.Label) bool {
					return column.Mask == engine.Suppress && labels[i].Text == engine.Suppressed &&
						!labels[i].Null && recoding.Codes(a) != nil && slices.Contains(labels, v)
				}
				var got, want []uint32
				for number := range covers.Values {
					got = append(got, covers.Value(number))
				}
				for code, v := range c.Data.Domain(a) {
					if column.Covers(labels[i], v) && !disclosed(v) {
						want = append(want, uint32(code))
					}
				}
				if len(want) == 0 { // all are disclosed
					continue
				}
				if !slices.Equal(got, want) {
					t.Errorf("%T: label %v of column %d covers %v, want %v\n%s", e, labels[i], a,
						got, want, c)
				}
				if len(got) > 1 {
					several++
				} else {
					one++
				}
			}
		}
	})
	if several == 0 || one == 0 {
		t.Errorf("%d labels cover several values, %d one", several, one)
	}
}

// A leaf of a pruned taxonomy counts as all values below it.
func TestPrunedLeaf(t *testing.T) {
	tree, err := engine.NewTree(engine.Node{
		Name:     "all",
		Children: []engine.Node{{Name: "a", Values: 3}, {Name: "b"}, {Name: "c", Values: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := engine.Attribute{Mask: engine.Generalize, Tree: tree, Texts: tree.Leaves(), HasNull: true}
	root := cover.Of(&a, &engine.Cut{Columns: []engine.ColumnCut{engine.CutTree(&a, []int{0})}},
		0)[0]
	var got []uint32
	for number := range root.Values {
		got = append(got, root.Value(number))
	}
	if want := []uint32{0, 0, 0, 1, 2, 2, 3}; !slices.Equal(got, want) || root.Common(0, 2) != 4 {
		t.Errorf("the root covers %v, want %v; %d of a and b", got, want, root.Common(0, 2))
	}
}
