package recheck

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
)

// eachCase calls check with random tables, whose values are the given cut. It returns the number of
// calls.
func eachCase(t *testing.T, cases, rows int,
	check func(*testing.T, *rand.Rand, enginetest.Case)) int {
	t.Helper()
	return enginetest.Cases(t, cases, func(r *rand.Rand) {
		c := enginetest.NewCase(r, rows)
		for a := range c.Data.Columns {
			if c.Data.Columns[a].Mask == engine.Suppress && r.IntN(2) == 0 {
				c.Data.Columns[a].Rare = r.IntN(4)
			}
		}
		if r.IntN(2) == 0 {
			c.Protect(r, r.IntN(2) == 0, r.IntN(2) == 0)
		}
		if check(t, r, c); t.Failed() {
			t.Fatal(c)
		}
	})
}

// hold runs an engine on a case.
func hold(e Engine, c enginetest.Case) (recoding engine.Recoding, steps []engine.Step, err error) {
	requirement := engine.Requirement{Sets: c.Sets}
	recoding, err = e.Search(context.Background(), c.Data.Table(e.Plan(requirement)), requirement,
		engine.Options{
			OnStep: func(s engine.Step) { steps = append(steps, s) },
		})
	return recoding, steps, err
}

// identity returns the rows as the given cut releases them.
func identity(c enginetest.Case) [][]engine.Label {
	free := enginetest.Case{Data: c.Data, Sets: []engine.Set{{K: 1}}}
	for a := range c.Data.Columns {
		free.Sets[0].Columns = append(free.Sets[0].Columns, a)
	}
	recoding, _, err := hold(Engine{}, free)
	if err != nil {
		panic(err)
	}
	return c.Data.Released(recoding)
}

// smallClasses returns the number of classes that do not hold.
func smallClasses(c enginetest.Case, released [][]engine.Label) (small int) {
	for _, set := range engineSets(c) {
		for _, rows := range enginetest.Groups(released, set) {
			if !set.Holds(c.Data.Stats(rows)) {
				small++
			}
		}
	}
	return small
}

func TestFail(t *testing.T) {
	held := 0
	eachCase(t, 300, 30, func(t *testing.T, _ *rand.Rand, c enginetest.Case) {
		small := smallClasses(c, identity(c))
		recoding, _, err := hold(Engine{}, c)
		var broken *Broken
		if small == 0 {
			if err != nil {
				t.Fatal(err)
			}
			held++
			c.Data.CheckTrue(t, c.Data.Released(recoding))
			got := recoding.Anonymity(engine.Requirement{Sets: c.Sets})
			if want := c.Data.CheckProtected(t, c.Data.Released(recoding),
				engineSets(c)); !slices.Equal(got, want) {
				t.Errorf("reached %v, want %v", got, want)
			}
			return
		}
		if !errors.As(err, &broken) || !errors.Is(err, engine.ErrBroken) {
			t.Fatalf("%d small classes, error %v", small, err)
		}
		for _, b := range broken.Breaches {
			small -= b.Classes
		}
		if small != 0 {
			t.Errorf("%v: %d more classes are too small", err, small)
		}
	})
	if held == 0 {
		t.Error("no cut held")
	}
}

// engineSets are the sets that others do not imply.
func engineSets(c enginetest.Case) []engine.Set {
	kept, _ := engine.Requirement{Sets: c.Sets}.Reduce()
	return kept.Sets
}

// naiveCut is a coarser cut of one column: the new label of every label, and the number of steps
// that it rolls back.
type naiveCut struct {
	to    map[engine.Label]engine.Label
	steps int
}

// naiveCuts lists all cuts of a column that are coarser than its values, by definition: all
// antichains of a tree, all ways to leave out boundaries, all sets of values.
func naiveCuts(data enginetest.Data, a int) []naiveCut {
	column := data.Columns[a]
	attribute := data.Codes().Attributes[a]
	null := engine.Label{Null: true}
	switch column.Mask {
	case engine.Generalize:
		cuts := treeCuts(column.Tree)
		for i := range cuts {
			cuts[i].to[null] = null
			if only := cuts[i].to[engine.Label{Text: leftmost(
				column.Tree)}]; only.Text == column.Tree.Name {
				cuts[i].to[null] = only
			}
		}
		return cuts
	case engine.Discretize:
		return boundaryCuts(&attribute)
	}
	var cuts []naiveCut
	texts := attribute.Texts
	n := len(texts)
	if attribute.HasNull {
		n++
	}
	for chosen := range 1 << n {
		cut := naiveCut{to: map[engine.Label]engine.Label{}}
		for i := range n {
			value := null
			if i < len(texts) {
				value = engine.Label{Text: texts[i]}
			}
			if cut.to[value] = value; chosen>>i&1 == 1 {
				cut.to[value] = engine.Label{Text: engine.Suppressed}
				cut.steps++
			}
		}
		cuts = append(cuts, cut)
	}
	return cuts
}

func leftmost(n taxonomy.Node) string {
	for len(n.Children) > 0 {
		n = n.Children[0]
	}
	return n.Name
}

// treeCuts lists the cuts below a node.
func treeCuts(n taxonomy.Node) []naiveCut {
	whole := naiveCut{to: map[engine.Label]engine.Label{}}
	var count func(taxonomy.Node)
	count = func(m taxonomy.Node) {
		if len(m.Children) == 0 {
			whole.to[engine.Label{Text: m.Name}] = engine.Label{Text: n.Name}
			return
		}
		whole.steps++
		for _, child := range m.Children {
			count(child)
		}
	}
	count(n)
	if len(n.Children) == 0 {
		return []naiveCut{whole}
	}
	cuts := []naiveCut{{to: map[engine.Label]engine.Label{}}}
	for _, child := range n.Children {
		var next []naiveCut
		below := treeCuts(child)
		if below == nil {
			return nil
		}
		for _, left := range cuts {
			for _, right := range below {
				both := naiveCut{
					to:    map[engine.Label]engine.Label{},
					steps: left.steps + right.steps,
				}
				for _, part := range []naiveCut{left, right} {
					for value, label := range part.to {
						both.to[value] = label
					}
				}
				next = append(next, both)
			}
		}
		if cuts = next; len(cuts) > mostCuts {
			return nil
		}
	}
	return append(cuts, whole)
}

// boundaryCuts lists the cuts into intervals. The values of the data are those of the given cut.
func boundaryCuts(a *engine.Attribute) (cuts []naiveCut) {
	n := max(0, len(a.Texts)-1)
	for chosen := range 1 << n {
		cut := naiveCut{to: map[engine.Label]engine.Label{}}
		from := 0
		for i := range a.Texts {
			if i < n && chosen>>i&1 == 1 {
				cut.steps++
				continue
			}
			for ; from <= i; from++ {
				first := from
				for first > 0 && chosen>>(first-1)&1 == 1 {
					first--
				}
				cut.to[engine.Label{Text: a.Interval(from, from+
					1).Label}] = engine.Label{Text: a.Interval(first, i+1).Label}
			}
		}
		null := engine.Label{Null: true}
		if cut.to[null] = null; cut.steps == n {
			cut.to[null] = engine.Label{Text: a.Interval(0, len(a.Texts)).Label}
		}
		cuts = append(cuts, cut)
	}
	return cuts
}

// mostCuts is the largest number of combinations of cuts that are tried.
const mostCuts = 300

// bits returns the information of the rows' labels, column by column, in bits for each row.
func bits(released [][]engine.Label) (sum float64) {
	for a := range released[0] {
		sizes := make(map[engine.Label]float64)
		for _, row := range released {
			sizes[engine.Label{Text: row[a].Text, Null: row[a].Null}]++
		}
		for _, size := range sizes {
			share := size / float64(len(released))
			sum -= share * math.Log2(share)
		}
	}
	return sum
}

// fewestSteps tries all combinations of coarser cuts, and returns the least number of steps rolled
// back and, among these cuts, the most bits left. It returns −1 when there are too many
// combinations.
func fewestSteps(c enginetest.Case) (fewest int, most float64) {
	cuts := make([][]naiveCut, len(c.Data.Columns))
	combinations := 1
	for a := range cuts {
		cuts[a] = []naiveCut{{}}
		if slices.ContainsFunc(c.Sets, func(s engine.Set) bool {
			return slices.Contains(s.Columns, a)
		}) {
			cuts[a] = naiveCuts(c.Data, a)
		}
		if combinations *= len(cuts[a]); combinations == 0 || combinations > mostCuts {
			return -1, 0
		}
	}
	fewest = -1
	given := identity(c)
	for number := range combinations {
		steps := 0
		released := make([][]engine.Label, len(given))
		for r := range given {
			released[r] = slices.Clone(given[r])
		}
		for a, left := 0, number; a < len(cuts); a++ {
			cut := cuts[a][left%len(cuts[a])]
			left /= len(cuts[a])
			steps += cut.steps
			for r := range released {
				if to, ok := cut.to[released[r][a]]; ok {
					released[r][a] = to
				}
			}
		}
		if (fewest < 0 || steps <= fewest) && smallClasses(c, released) == 0 {
			if left := bits(released); steps != fewest || left > most {
				fewest, most = steps, left
			}
		}
	}
	return fewest, most
}

// TestCoarsenUndoesFewestSteps compares the result with all coarser cuts.
func TestCoarsenUndoesFewestSteps(t *testing.T) {
	compared, rolledBack := 0, 0
	cases := eachCase(t, 200, 12, func(t *testing.T, _ *rand.Rand, c enginetest.Case) {
		recoding, steps, err := hold(Engine{OnBreak: Coarsen}, c)
		if !c.Reachable() {
			if !errors.Is(err, engine.ErrBroken) {
				t.Fatalf("not even all rows together hold: %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		released := c.Data.Released(recoding)
		c.Data.CheckTrue(t, released)
		anonymity := c.Data.CheckProtected(t, released, engineSets(c))
		if got := recoding.Anonymity(engine.Requirement{Sets: c.Sets}); !slices.Equal(got,
			anonymity) {
			t.Errorf("reached %v, want %v", got, anonymity)
		}
		if want, most := fewestSteps(c); want >= 0 {
			compared++
			rolledBack += want
			if len(steps) != want {
				t.Errorf("%d steps are rolledBack, %d are enough: %+v", len(steps), want, steps)
			}
			if left := bits(released); math.Abs(left-most) > 1e-9 {
				t.Errorf("%v bits are left, %v are possible: %+v", left, most, steps)
			}
		}
	})
	if cases >= 200 && (compared < 30 || rolledBack < 30) {
		t.Errorf("only %d steps in %d cases", rolledBack, compared)
	}
}

// TestCoarsenTies has two equal columns, one of which must roll back a step: the first does.
func TestCoarsenTies(t *testing.T) {
	var c enginetest.Case
	for _, name := range []string{"a", "b"} {
		tree := taxonomy.Node{Name: "ANY", Children: []taxonomy.Node{{Name: "0"}, {Name: "1"}}}
		c.Data.Columns = append(c.Data.Columns, enginetest.Column{Name: name, Tree: tree})
	}
	for _, row := range []string{"00", "00", "01", "10", "11", "11"} {
		c.Data.Rows = append(c.Data.Rows, enginetest.Values(row[:1], row[1:]))
	}
	c.Sets = []engine.Set{{Columns: []int{0, 1}, K: 2}}
	_, steps, err := hold(Engine{OnBreak: Coarsen}, c)
	if err != nil || len(steps) != 1 || steps[0].Attribute != 0 {
		t.Errorf("rolledBack %+v, %v, want one step of the first column", steps, err)
	}
}

// TestCoarsenInAHurry: when patience ends early, every single step of the result is still
// necessary.
func TestCoarsenInAHurry(t *testing.T) {
	eachCase(t, 300, 40, func(t *testing.T, _ *rand.Rand, c enginetest.Case) {
		requirement := engine.Requirement{Sets: c.Sets}
		table := c.Data.Table(Engine{}.Plan(requirement))
		s := &classes{table: table, sets: engineSets(c), hurries: true}
		for a := range table.Attributes {
			s.rollbacks = append(s.rollbacks,
				newRollback(&table.Attributes[a], table.Histograms[a].Sizes()))
		}
		if !c.Reachable() {
			return
		}
		u, err := s.coarsen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		holds := func(u []rolledBack) bool {
			broken, err := s.hold(t.Context(), s.cut(u))
			return err == nil && len(broken.Breaches) == 0
		}
		if !holds(u) {
			t.Fatal("a set does not hold")
		}
		for a, l := range s.rollbacks {
			for step := range u[a] {
				if !u[a][step] || l.isUnder(u[a], step) {
					continue
				}
				if u[a][step] = false; holds(u) {
					t.Errorf("step %d of column %d need not be rolled back", step, a)
				}
				u[a][step] = true
			}
		}
	})
}
