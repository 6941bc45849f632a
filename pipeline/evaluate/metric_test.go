package evaluate

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/spill"
)

// randomBlock draws labels of some attributes, and how many rows of every record are released.
func randomBlock(r *rand.Rand, attributes, labels, classes int) (b *block, released []uint64) {
	b = &block{columns: make([][]uint32, attributes+1), attributes: attributes}
	for range 1 + r.IntN(40) {
		for a := range b.masked() {
			b.columns[a] = append(b.columns[a], uint32(r.IntN(labels)))
		}
		b.columns[attributes] = append(b.columns[attributes], uint32(r.IntN(classes)))
		b.counts = append(b.counts, 1+uint64(r.IntN(3)))
		n := b.counts[len(b.counts)-1]
		if r.IntN(10) == 0 {
			n = 0
		}
		released = append(released, n)
	}
	return b, released
}

// Every metric agrees with what its definition says of single rows.
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
		e := &evaluation{Records: &pipeline.Records{ClassNames: make([]engine.Label, classes)}}
		tr := &trial{evaluation: e, budget: spill.NewBudget(1 << 30)}
		c := tr.costing(penalties)
		var rows []string // the labels of every released row
		var of []uint32   // their classes
		want := costs{}
		for range 1 + r.IntN(3) {
			b, released := randomBlock(r, attributes, number, classes)
			must(t, c.add(b, released))
			for i, n := range released {
				want.dropped += float64(b.counts[i] - n)
				for range n {
					text := ""
					for a, labels := range b.masked() {
						text += fmt.Sprint(labels[i], " ")
						want.penalty += penalties[a][labels[i]] / float64(attributes)
					}
					rows, of = append(rows, text), append(of, b.class()[i])
				}
			}
		}
		got, err := c.release(t.Context(), k)
		must(t, err)
		all := float64(len(rows)) + want.dropped
		want.discernibility = all * want.dropped
		groups := map[string]map[uint32]int{}
		for i, labels := range rows {
			for _, others := range rows {
				if labels == others {
					want.discernibility++
				}
			}
			if groups[labels] == nil {
				groups[labels] = map[uint32]int{}
			}
			groups[labels][of[i]]++
		}
		want.penalty = (want.penalty + want.dropped) / all
		if len(groups) > 0 {
			want.classSize = all / float64(len(groups)) / float64(k)
		}
		right := 0
		for _, counts := range groups {
			right += slices.Max(slices.Collect(maps.Values(counts)))
		}
		want.misclassified = 1 - float64(right)/all
		for _, pair := range [][2]float64{
			{got.discernibility, want.discernibility}, {got.penalty, want.penalty}, {got.classSize, want.classSize},
			{got.misclassified, want.misclassified}, {got.dropped, want.dropped},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}
