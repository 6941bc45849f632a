package induce_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/induce"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
	"github.com/kcut/kcut/spill"
)

// diary is a Visitor that writes down its calls.
type diary []string

func (d *diary) Leaf(ctx context.Context, t *induce.Tree, leaf int, cells *cells.Cells) error {
	var records []string
	err := cells.Each(ctx, func(key []uint64, n uint64) {
		records = append(records, fmt.Sprint(key, n))
	})
	slices.Sort(records)
	*d = append(*d, fmt.Sprint("leaf ", leaf, t.Number(leaf), t.Parent(leaf), cells.Size(),
		records))
	return err
}

func (d *diary) Close(_ context.Context, t *induce.Tree, node int) error {
	*d = append(*d, fmt.Sprint("node ", node, t.Number(node), t.Parent(node), t.Branch(node)))
	return nil
}

// TestWalkIsGrowth compares the calls of growth and of walks, in ample and in little memory.
func TestWalkIsGrowth(t *testing.T) {
	store := enginetest.OpenStore(t)
	enginetest.Cases(t, 60, func(r *rand.Rand) {
		codes := enginetest.NewCase(r, 60).Data.Codes()
		i := inducer(codes)
		i.MinObjects = 1
		fresh := func(space partition.Space) *cells.Cells {
			counted := table(codes)
			if space.Budget != nil {
				if err := space.Budget.Draw("table", counted.Bytes()); err != nil {
					t.Fatal(err)
				}
			}
			c, err := cells.New(counted, i.Classes, space)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		var told diary
		tree, err := i.Grow(context.Background(), fresh(partition.Space{}), &told)
		if err != nil {
			t.Fatal(err)
		}
		for name, visit := range map[string]func(*cells.Cells, *diary) error{
			"walk": func(c *cells.Cells, d *diary) error {
				return tree.Walk(context.Background(), c, d)
			},
			"grow": func(c *cells.Cells, d *diary) error {
				again, err := i.Grow(context.Background(), c, d)
				if err == nil && !reflect.DeepEqual(again, tree) {
					t.Error("the spilled tree is another")
				}
				return err
			},
		} {
			for _, share := range []int64{32 << 10, 1 << 20} {
				budget := spill.NewBudget(1 << 30)
				c := fresh(partition.Space{Budget: budget, Store: store, Share: share})
				var again diary
				if err := visit(c, &again); err != nil || !slices.Equal(again, told) {
					t.Errorf("%s in %d bytes: %v\ngot  %q\nwant %q", name, share, err, again, told)
				}
				if err := c.Close(); err != nil || budget.Used() != 0 {
					t.Errorf("%v, %d bytes are not returned", err, budget.Used())
				}
			}
		}
	})
}

// TestPredictGoesWhereMostGo predicts tuples, also with codes that no row has.
func TestPredictGoesWhereMostGo(t *testing.T) {
	enginetest.Cases(t, 100, func(r *rand.Rand) {
		codes := enginetest.NewCase(r, 60).Data.Codes()
		if codes.Classes == 0 {
			return
		}
		i := inducer(codes)
		i.MinObjects = 1
		n := naive{codes, 1}
		tree, root := grow(t, i, codes), n.tree()
		for range 50 {
			tuple := make([]uint32, len(codes.Columns))
			for a := range tuple {
				tuple[a] = uint32(r.IntN(codes.Attributes[a].Len()))
			}
			at := root
			// to the branch of the code, or the first of the largest if it has no rows
			for at.column >= 0 {
				child := at.children[branch(&codes.Attributes[at.column], tuple[at.column],
					at.split)]
				if len(child.rows) == 0 {
					child = slices.MaxFunc(at.children, func(a, b *decision) int {
						return len(a.rows) - len(b.rows)
					})
				}
				at = child
			}
			var want []uint64
			for _, class := range slices.Sorted(maps.Keys(n.classes(at.rows))) {
				want = append(want, uint64(n.classes(at.rows)[class]))
			}
			if _, counts := tree.Predict(tuple); !slices.Equal(counts, want) {
				t.Fatalf("%v is predicted as %d, want %d", tuple, counts, want)
			}
		}
	})
}
