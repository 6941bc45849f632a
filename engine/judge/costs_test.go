package judge

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// randomBlock draws labels of some attributes; some records are dropped.
func randomBlock(r *rand.Rand, attributes, labels, classes int) *Block {
	b := &Block{Labels: make([][]uint32, attributes)}
	for range 1 + r.IntN(40) {
		for a := range b.Labels {
			b.Labels[a] = append(b.Labels[a], uint32(r.IntN(labels)))
		}
		if r.IntN(10) == 0 {
			b.Labels[0][len(b.Counts)] = engine.DroppedLabel
		}
		b.Classes = append(b.Classes, uint32(r.IntN(classes)))
		b.Counts = append(b.Counts, 1+uint64(r.IntN(3)))
	}
	engine.DropEverywhere(b.Labels)
	return b
}

// Every metric agrees with its definition on single rows.
func TestCosting(t *testing.T) {
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		attributes, classes, k := 1+r.IntN(40), 1+r.IntN(3), 1+r.IntN(5)
		number := 1 + r.IntN(5)
		penalties := make([][]float64, attributes)
		for a := range penalties {
			for range number {
				penalties[a] = append(penalties[a], r.Float64())
			}
		}
		w := workload.New(nil, nil) // a workload without queries
		tr := &Trial{
			Fold: &Fold{
				Records:  &Records{Table: &engine.Table{Classes: classes}},
				Workload: w,
				Truth:    &workload.Truth{},
			},
			Space: partition.Space{Budget: spill.NewBudget(1 << 30)},
		}
		c, err := tr.costing(&Release{}, penalties)
		must(t, err)
		var rows []string // the labels of every released row
		var of []uint32   // their classes
		want := Costs{}
		for range 1 + r.IntN(3) {
			b := randomBlock(r, attributes, number, classes)
			for i, n := range b.Counts {
				if b.Labels[0][i] == engine.DroppedLabel {
					want.Dropped += float64(n)
					continue
				}
				for range n {
					text := ""
					for a, labels := range b.Labels {
						text += fmt.Sprint(labels[i], " ")
						want.Penalty += penalties[a][labels[i]] / float64(attributes)
					}
					rows, of = append(rows, text), append(of, b.Classes[i])
				}
			}
			must(t, c.add(b, b.drop()))
		}
		got, err := c.costs(t.Context(), tr.Truth, uint64(k))
		must(t, err)
		all := float64(len(rows)) + want.Dropped
		want.Discernibility = all * want.Dropped
		groups := map[string]map[uint32]int{}
		for i, labels := range rows {
			for _, others := range rows {
				if labels == others {
					want.Discernibility++
				}
			}
			if groups[labels] == nil {
				groups[labels] = map[uint32]int{}
			}
			groups[labels][of[i]]++
		}
		want.Penalty = (want.Penalty + want.Dropped) / all
		if len(groups) > 0 {
			want.ClassSize = all / float64(len(groups)) / float64(k)
		}
		right := 0
		for _, counts := range groups {
			right += slices.Max(slices.Collect(maps.Values(counts)))
		}
		want.Misclassified = 1 - float64(right)/all
		for _, pair := range [][2]float64{
			{got.Discernibility, want.Discernibility}, {got.Penalty, want.Penalty},
			{got.ClassSize, want.ClassSize},
			{got.Misclassified, want.Misclassified}, {got.Dropped, want.Dropped},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
