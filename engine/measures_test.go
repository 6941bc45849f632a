package engine_test

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// Values of a random column are its number; -1 stands for the null.
type valuesOf []int

func randomValues(rng *rand.Rand, rows, values int) (column valuesOf) {
	for range rows {
		column = append(column, int(float64(values+1)*math.Pow(rng.Float64(), 2))-1)
	}
	return column
}

func (c valuesOf) share(value int) float64 {
	n := 0
	for _, v := range c {
		if v == value {
			n++
		}
	}
	return float64(n) / float64(len(c))
}

// naive returns the figure of a class, as papers define it, by the share of every value. Values
// below limited have a limit; l is that of recursive (c, l)-diversity;
// places are those of the values in an order, the null is behind them.
func (c valuesOf) naive(key string, whole valuesOf, countsNull bool, limited, l int,
	places []uint32) float64 {
	switch key {
	case "c":
		return c.recursive(countsNull, l)
	case "t_ordered":
		return c.ordered(whole, places)
	case "t_hierarchical":
		return c.hierarchical(whole)
	}
	figure := 0.0
	for value := -1; value <= slices.Max(whole); value++ {
		share, all := c.share(value), whole.share(value)
		gain := (share - all) / all
		switch {
		case key == "t":
			figure += math.Abs(share-all) / 2
		case key == "delta" && all > 0:
			figure = max(figure, math.Abs(math.Log(share/all)))
		case key == "enhanced_beta" && share > all && gain > 1e-9-math.Log(all):
			return math.Inf(1)
		case strings.HasSuffix(key, "_beta") && share > all:
			figure = max(figure, gain)
		case share == 0:
		case key == "l" && (value >= 0 || countsNull):
			figure++
		case key == "entropy_l":
			figure -= share * math.Log2(share)
		case key == "max_confidence" && (limited < 0 || value >= 0 && value < limited):
			figure = max(figure, share)
		}
	}
	if key == "entropy_l" {
		return math.Exp2(figure)
	}
	return figure
}

// recursive returns the number that c must exceed.
func (c valuesOf) recursive(countsNull bool, l int) float64 {
	frequencies := map[int]float64{}
	for _, value := range c {
		if value >= 0 || countsNull {
			frequencies[value]++
		}
	}
	r, tail := slices.Sorted(maps.Values(frequencies)), 0.0
	slices.Reverse(r)
	for i := l; i <= len(r); i++ {
		tail += r[i-1]
	}
	if tail == 0 {
		return math.Inf(1)
	}
	return r[0] / tail
}

// ordered returns the distance of values in an order.
func (c valuesOf) ordered(whole valuesOf, places []uint32) float64 {
	occurring := slices.Compact(slices.Sorted(slices.Values(whole)))
	place := func(value int) uint32 { return places[(value+len(places))%len(places)] }
	slices.SortFunc(occurring, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	moved, ahead := 0.0, 0.0
	for _, value := range occurring {
		ahead += c.share(value) - whole.share(value)
		moved += math.Abs(ahead)
	}
	return moved / max(1, float64(len(occurring)-1))
}

// testTree is a tree of the values a to f of random columns: its leaves lie at different depths.
var testTree = engine.Node{Name: "all", Children: []engine.Node{
	{Name: "ab", Children: []engine.Node{{Name: "a"}, {Name: "b"}}},
	{Name: "c"},
	{Name: "def", Children: []engine.Node{
		{Name: "d"}, {Name: "ef", Children: []engine.Node{{Name: "e"}, {Name: "f"}}},
	}},
}}

// testDistances has three times the distance of two values a to f in testTree, and of the null:
// the height of their lowest common ancestor.
var testDistances = [7][7]float64{
	{0, 1, 3, 3, 3, 3, 3},
	{1, 0, 3, 3, 3, 3, 3},
	{3, 3, 0, 3, 3, 3, 3},
	{3, 3, 3, 0, 2, 2, 3},
	{3, 3, 3, 2, 0, 1, 3},
	{3, 3, 3, 2, 1, 0, 3},
	{3, 3, 3, 3, 3, 3, 0},
}

// hierarchical returns the distance of values in testTree. Records that stay cost nothing, and the
// rest may move to the nearest values first: that is optimal where nearness is by ancestors.
func (c valuesOf) hierarchical(whole valuesOf) (moved float64) {
	var extra [7]float64
	for value := -1; value < 6; value++ {
		extra[(value+7)%7] = c.share(value) - whole.share(value)
	}
	for height := 1.0; height <= 3; height++ {
		for from := range extra {
			for to := range extra {
				if testDistances[from][to] == height && extra[from] > 0 && extra[to] < 0 {
					n := min(extra[from], -extra[to])
					extra[from], extra[to] = extra[from]-n, extra[to]+n
					moved += n * height / 3
				}
			}
		}
	}
	return moved
}

// labels returns the values of a whole, the null last.
func (c valuesOf) labels() (labels []engine.Label) {
	for value := range slices.Max(c) + 1 {
		labels = append(labels, engine.Label{Text: string(rune('a' + value))})
	}
	return append(labels, engine.Label{Null: true})
}

// counts returns the numbers of rows by code.
func (c valuesOf) counts(labels []engine.Label) []uint64 {
	counts := make([]uint64, len(labels))
	for _, value := range c {
		counts[(value+len(labels))%len(labels)]++
	}
	return counts
}

// randomLimit returns a limit of a measure, and the number below which values have limits of their
// own; -1: none has.
func randomLimit(rng *rand.Rand, m *engine.Measure, labels []engine.Label) (engine.Limit, int) {
	limit, limited := engine.Limit{Measure: m, CountsNull: rng.IntN(2) == 0}, -1
	switch m {
	case engine.DistinctL:
		limit.Bound = float64(1 + rng.IntN(4))
	case engine.EntropyL:
		limit.Bound = 1 + 3*rng.Float64()
	case engine.RecursiveC:
		limit.L, limit.Bound = 2+rng.IntN(3), float64(1+rng.IntN(6))/2
	case engine.BasicBeta, engine.EnhancedBeta, engine.Delta:
		limit.Bound = 3 * rng.Float64()
	default:
		limit.Bound = rng.Float64()
	}
	if m == engine.MaxConfidence && rng.IntN(2) == 0 {
		limit.Of, limited = make(map[string]float64), 1+rng.IntN(len(labels)-1)
		for _, label := range labels[:limited] {
			limit.Of[label.Text] = limit.Bound
		}
	}
	return limit, limited
}

// Every measure has the figure that a plain count of shares has, for a search and for a recount,
// and limits are held against it. Classes that hold do so together.
func TestMeasuresAgreeWithNaive(t *testing.T) {
	met, tree := make(map[string][2]int), engine.NewHierarchy(testTree)
	enginetest.Cases(t, enginetest.Naive(300), func(rng *rand.Rand) {
		whole := randomValues(rng, 2+rng.IntN(60), 1+rng.IntN(6))
		if slices.Max(whole) < 0 {
			return
		}
		at := 1 + rng.IntN(len(whole)-1)
		classes, labels := []valuesOf{whole[:at], whole[at:]}, whole.labels()
		total := whole.counts(labels)
		column := &engine.SensitiveValues{Values: labels}
		for _, place := range append(rng.Perm(len(labels)-1), len(labels)) {
			column.Places = append(column.Places, uint32(place))
		}
		order, spread := engine.NewOrder(column.Places, total), spreadOf(tree, labels, total)
		for _, m := range engine.Measures {
			limit, limited := randomLimit(rng, m, labels)
			if m == engine.HierarchicalCloseness {
				limit.Tree = tree
			}
			limit.Bind(column, total)
			found, holds, worst := engine.Verdict{Limit: limit}, 0, math.NaN()
			for _, class := range classes {
				want := class.naive(m.Key, whole, limit.CountsNull, limited, limit.L,
					column.Places)
				meets := want <= limit.Bound+1e-9
				switch {
				case m.Least:
					meets = want >= limit.Bound-1e-9
				case m == engine.RecursiveC:
					meets = want < limit.Bound-1e-9
				}
				if math.IsNaN(worst) || (want < worst) == m.Least {
					worst = want
				}
				stats := engine.Stats{Values: [][]uint64{class.counts(labels)}}
				if got := *limit.Figure(stats).Value; math.Abs(got-want) > 1e-9 {
					t.Errorf("%s of %v among %v is %g, want %g", m.Key, class, whole, got, want)
				}
				if got := limit.Holds(stats); got != meets {
					t.Errorf("%s of %v is %g, holds %g: %t", m.Key, class, want, limit.Bound, got)
				}
				if meets {
					holds++
				}
				found.Add(sparse(limit, class.counts(labels), total, labels, order, spread))
			}
			if all := (engine.Stats{Values: [][]uint64{total}}); holds == 2 && !limit.Holds(all) {
				t.Errorf("%s %g holds in parts of %v", m.Key, limit.Bound, whole)
			}
			if math.Abs(found.Worst-worst) > 1e-9 || found.Broken != (holds < 2) {
				t.Errorf("%s %g of %v: %g, broken %t; want %g", m.Key, limit.Bound, classes,
					found.Worst, found.Broken, worst)
			}
			n := met[m.Key]
			n[min(holds, 1)]++
			met[m.Key] = n
		}
	})
	for _, m := range engine.Measures {
		if n := met[m.Key]; n[0] == 0 || n[1] == 0 {
			t.Errorf("limits of %s hold always or never: %v", m.Key, n)
		}
	}
}

// spreadOf spreads the records of a whole table in a tree.
func spreadOf(tree *engine.Hierarchy, labels []engine.Label, whole []uint64) *engine.Spread {
	var leaves []uint32
	for _, label := range labels {
		leaf, _ := tree.Leaf(label)
		leaves = append(leaves, leaf)
	}
	return engine.NewSpread(tree, leaves, whole)
}

// sparse returns a class as a recount has it: without values that it lacks, in any order.
func sparse(limit engine.Limit, counts, whole []uint64, labels []engine.Label,
	order *engine.Order, spread *engine.Spread) (h engine.Histogram) {
	h.Order, h.Spread = order, spread
	for code := len(counts) - 1; code >= 0; code-- {
		h.Total += whole[code]
		if counts[code] == 0 {
			continue
		}
		h.Records, h.Whole = append(h.Records, counts[code]), append(h.Whole, whole[code])
		leaf, _ := spread.Leaf(labels[code])
		h.Rank, h.Leaf = append(h.Rank, order.Rank[code]), append(h.Leaf, leaf)
		if labels[code].Null && !limit.CountsNull {
			h.Null = len(h.Records)
		}
		if limit.Of != nil {
			h.Most = append(h.Most, limit.MostOf(labels[code]))
		}
	}
	return h
}

// A class that meets a limit meets those that it implies.
func TestImpliedLimits(t *testing.T) {
	implied := 0
	enginetest.Cases(t, 300, func(rng *rand.Rand) {
		whole := randomValues(rng, 40, 1+rng.IntN(4))
		if slices.Max(whole) < 0 {
			return
		}
		labels := whole.labels()
		for _, m := range engine.Measures {
			a, _ := randomLimit(rng, m, labels)
			b, _ := randomLimit(rng, m, labels)
			column := &engine.SensitiveValues{Values: labels}
			for place := range labels {
				column.Places = append(column.Places, uint32(place))
			}
			a.Bind(column, whole.counts(labels))
			b.Bind(column, whole.counts(labels))
			if !a.Implies(&b) {
				continue
			}
			implied++
			for from := 0; from < len(whole); from += 4 {
				class := engine.Stats{Values: [][]uint64{whole[from : from+4].counts(labels)}}
				if a.Holds(class) && !b.Holds(class) {
					t.Errorf("%s %g holds and %g does not", m.Key, a.Bound, b.Bound)
				}
			}
		}
	})
	if implied == 0 {
		t.Error("no limit implies another one")
	}
}
