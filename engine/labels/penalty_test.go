package labels_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/topdown"
)

var engines = []engine.Engine{
	topdown.Engine{}, topdown.Engine{}, topdown.Engine{}, bottomup.Engine{}, mondrian.Engine{},
	mondrian.Engine{Relaxed: true}, mondrian.Engine{InfoGain: true},
	mondrian.Engine{Ordered: true, Tight: true},
	kactus.Engine{MinObjects: 1}, kactus.Engine{MinObjects: 2, Recruit: true},
	iac.Engine{Bins: 3}, iac.Engine{TopUp: true},
}

// naive returns the penalty of one column of a release from the labels of its rows, nil for those
// that are not released.
func naive(d enginetest.Data, codes enginetest.Codes, released [][]engine.Label,
	column int) (sum float64) {
	for _, row := range released {
		if row == nil {
			sum++
		} else {
			sum += penaltyOf(d, column, &codes.Attributes[column], row[column])
		}
	}
	return sum / float64(len(released))
}

// penaltyOf returns the share of the values of a column, or of its range, for which a label is
// true.
func penaltyOf(d enginetest.Data, column int, a *engine.Attribute, label engine.Label) float64 {
	share := func(covered, all int) float64 {
		if covered == 1 {
			return 0
		}
		return float64(covered) / float64(all)
	}
	switch {
	case label.Null:
		return 0
	case a.Mask == engine.Discretize:
		if a.Lower == a.Upper {
			return 0
		}
		named := engine.Members(label)
		ends := strings.Split(strings.Trim(named[0].Text, "[]()"), ",")
		lower, upper := a.Lower, a.Upper
		if ends[0] != "" {
			lower = enginetest.Number(ends[0])
		}
		if ends[1] != "" {
			upper = enginetest.Number(ends[1])
		}
		if a.Spacing == 1 && ends[1] != "" && strings.HasSuffix(named[0].Text, ")") {
			upper = max(lower, math.Ceil(upper)-1) // the greatest integer in the interval
		}
		numbers, nulls := float64(len(a.Texts)), float64(len(named)-1)
		return ((upper-lower)/(a.Upper-a.Lower)*numbers + nulls) / (numbers + nulls)
	case a.Mask == engine.Suppress && label.Text == engine.Suppressed:
		return 1
	case a.Mask == engine.Suppress:
		return share(len(engine.Members(label)), a.Len())
	}
	covered, domain := 0, d.Domain(column)
	for _, v := range domain {
		if d.Columns[column].Covers(label, v) {
			covered++
		}
	}
	return share(covered, len(domain))
}

// isSingle reports whether a label with a penalty is one value, or one node without some values.
func isSingle(penalty float64, a *engine.Attribute, label engine.Label) bool {
	return penalty == 0 || a.Mask == engine.Generalize && penalty < 1 &&
		len(engine.Members(label)) == 1
}

// The penalty of all records agrees with the labels, row by row, for cuts and regions with
// suppressed and dropped records.
func TestPenalty(t *testing.T) {
	met := map[string]int{}
	enginetest.Cases(t, 500, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 40)
		all := engine.Set{K: engine.KAnonymity(1 + r.IntN(min(len(c.Data.Rows), 6)))}
		for a := range c.Data.Columns {
			all.Columns = append(all.Columns, a)
		}
		requirement := engine.Requirement{Sets: append(c.Sets, all)}
		e, codes := engines[r.IntN(len(engines))], c.Data.Codes()
		for a := range codes.Attributes {
			codes.Attributes[a].Spacing = float64(r.IntN(2)) // the numbers are integers
		}
		if _, isTopdown := e.(topdown.Engine); isTopdown {
			requirement.MaxSuppressed, requirement.Drop = uint64(
				r.IntN(2)*r.IntN(len(c.Data.Rows))), r.IntN(2) == 0
		}
		table := codes.Table(engine.Plan{
			Groupings:  e.Plan(requirement).Groupings,
			Histograms: true,
		})
		recoding, err := e.Search(t.Context(), table, requirement, engine.Options{MaxSteps: -1})
		if errors.Is(err, engine.ErrInfeasible) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		released := c.Data.Released(recoding)
		got, want := labels.Penalty(table, recoding), 0.0
		for a := range table.Attributes {
			one := naive(c.Data, codes, released, a)
			want += one / float64(len(table.Attributes))
			if of := labels.PenaltyOf(table, recoding, a); math.Abs(of-one) > 1e-9 {
				t.Errorf("%T: penalty %g of attribute %d, want %g\n%s", e, of, a, one, c)
			}
			single, nulls, of := uint64(0), uint64(0), &codes.Attributes[a]
			for _, row := range released {
				switch {
				case row == nil:
				case row[a].Null:
					nulls++
				case isSingle(penaltyOf(c.Data, a, of, row[a]), of, row[a]):
					single++
				}
			}
			suppressed, _ := recoding.Lost()
			if one, n := labels.Kept(table, recoding, a); n != nulls ||
				one != single && suppressed == 0 {
				t.Errorf("%T: %d nulls and %d single values of attribute %d, want %d and %d\n%s",
					e, n, one, a, nulls, single, c)
			}
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%T: penalty %g, want %g\n%s", e, got, want, c)
		}
		suppressed, dropped := recoding.Lost()
		_, regions := recoding.(*engine.Regions)
		for name, is := range map[string]bool{"regions": regions, "a cut": !regions,
			"suppressed": suppressed > 0, "dropped": dropped > 0, "some": got > 0 && got < 1} {
			if is {
				met[name]++
			}
		}
	})
	t.Logf("%v", met)
	if len(met) < 5 {
		t.Errorf("the tables were not of every kind: %v", met)
	}
}

// The mark of suppressed records has no information, wherever the declared bounds are.
func TestMark(t *testing.T) {
	a := engine.Attribute{
		Mask:      engine.Discretize,
		Texts:     []string{"1", "2", "5"},
		Positions: []float64{1, 2, 5},
		Lower:     1,
		Upper:     9,
		LowerText: "1",
		UpperText: "9",
	}
	column := engine.CutIntervals(&a, []int{0, 2})
	mark := column.AddMark(a.Widest())
	of := labels.Of(&a, &engine.Cut{Columns: []engine.ColumnCut{column}}, 0)
	feature := of.Feature(false)
	if got := of.Penalties(); got[mark] != 1 || feature.Code(mark) != uint32(feature.Domain-1) {
		t.Errorf("the mark has penalty %g and code %d of %d", got[mark], feature.Code(mark),
			feature.Domain)
	}
}

// farEnds are numbers whose range has no finite width, or one that is too wide for sums of squares.
var farEnds = map[string]func(i int) string{
	"one infinity":       func(i int) string { return atEnd(i, "0", "Inf") },
	"both infinities":    func(i int) string { return atEnd(i, "-Inf", "Inf") },
	"a width too long":   func(i int) string { return atEnd(i, "-1.7e308", "1.7e308") },
	"squares too large":  func(i int) string { return atEnd(i, "-1e200", "1e200") },
	"integers too close": func(i int) string { return strconv.Itoa(1<<60 + i) },
}

const farSteps = 20

func atEnd(i int, first, last string) string {
	switch i {
	case 0:
		return first
	case farSteps:
		return last
	}
	return strconv.Itoa(i)
}

// TestFarEnds compares the results of engines for such numbers with those for equal steps.
func TestFarEnds(t *testing.T) {
	const rows = 600
	table := func(text func(i int) string) enginetest.Codes {
		c := enginetest.Codes{
			Rows:       rows,
			Classes:    2,
			ClassNames: enginetest.Values("n", "y"),
			Columns:    make([][]uint32, 2),
		}
		far := engine.Attribute{Name: "far", Mask: engine.Discretize}
		near := engine.Attribute{Name: "near", Mask: engine.Discretize, Upper: 2}
		for i := range farSteps + 1 {
			far.Texts, far.Positions = append(far.Texts, text(i)),
				append(far.Positions, enginetest.Number(text(i)))
		}
		far.Lower, far.Upper = far.Positions[0], far.Positions[farSteps]
		for i := range 3 {
			near.Texts, near.Positions = append(near.Texts, strconv.Itoa(i)),
				append(near.Positions, float64(i))
		}
		c.Attributes = []engine.Attribute{far, near}
		for row := range uint32(rows) {
			c.Columns[0] = append(c.Columns[0], row*row%(farSteps+1))
			c.Columns[1] = append(c.Columns[1], row%3)
			c.Class = append(c.Class, row*7%5%2)
		}
		return c
	}
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{0, 1}, K: 5}}}
	for _, e := range engines {
		if m, ok := e.(mondrian.Engine); ok && m.Relaxed {
			continue // the texts decide which records go left
		}
		search := func(codes enginetest.Codes) (penalty float64, groups []uint64) {
			of := codes.Table(engine.Plan{
				Groupings:  e.Plan(requirement).Groupings,
				Histograms: true,
			})
			recoding, err := e.Search(t.Context(), of, requirement, engine.Options{MaxSteps: -1})
			if err != nil {
				t.Fatal(err)
			}
			if r, ok := recoding.(*engine.Regions); ok {
				groups = r.Sizes
			} else {
				groups = []uint64{uint64(len(recoding.Labels(0))), uint64(len(recoding.Labels(1)))}
			}
			return labels.Penalty(of, recoding), groups
		}
		penalty, groups := search(table(strconv.Itoa))
		for name, text := range farEnds {
			if got, of := search(table(text)); math.Abs(got-penalty) > 1e-9 ||
				!slices.Equal(of, groups) {
				t.Errorf("%+v, %s: penalty %g of groups %v, want %g of %v", e, name, got, of,
					penalty, groups)
			}
		}
	}
	for name, text := range farEnds {
		a := table(text).Attributes[0]
		for _, x := range labels.Raw(&a).Values {
			if math.IsInf(x*x, 0) {
				t.Errorf("%s: classifiers see the number %g", name, x)
			}
		}
	}
}
