package evaluate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// When rules are made from all rows, training and test rows together are what is released of
// all: k-anonymous, and every row is released as one of them, or dropped.
func TestRulesFromAll(t *testing.T) {
	job, rows := people(t, rand.New(rand.NewPCG(6, 1)), 700)
	for _, split := range []string{"", "set"} {
		o := Options{
			Variants: load(t, job, "limits.threads", "1", "tdr"), Folds: 2, Repeats: 1, SplitColumn: split, SplitValue: "training",
			RulesFromAll: true,
		}
		divided, dropped := 0, uint64(0)
		dealing(t, o, func(e *evaluation, p *parts) {
			for i, algorithm := range slices.Repeat(algorithms, 6) {
				k := 2 + i
				tr := &trial{evaluation: e, parts: p, budget: spill.NewBudget(1 << 30)}
				variant := &jobfile.Job{Algorithm: algorithm, Sets: []jobfile.Set{{Columns: []string{"age", "job", "city"}, K: k}}}
				if algorithm.Name == jobfile.AlgorithmIACc {
					variant.Sets[0].K = 0
				}
				recoding, err := tr.search(t.Context(), variant, e.Requirement(variant))
				if err != nil {
					t.Fatal(err)
				}
				m, err := tr.mask(recoding)
				if err != nil {
					t.Fatal(err)
				}
				released := groups(m.released)
				for labels, n := range released {
					if n < uint64(variant.Sets[0].K) {
						t.Errorf("%+v: %d rows have labels %s", algorithm, n, labels)
					}
				}
				together := groups(m.training)
				for labels, n := range groups(m.test) {
					together[labels] += n
				}
				if !maps.Equal(together, released) {
					t.Errorf("%+v: training and test rows are not what is released", algorithm)
				}
				if n := m.training.rows + m.test.rows + m.dropped; n != uint64(len(rows)) {
					t.Errorf("%+v: %d rows", algorithm, n)
				}
				divided, dropped = divided+recoding.Cells(), dropped+m.dropped
			}
		})
		if divided == 0 || dropped == 0 {
			t.Errorf("%d divided cells, %d rows dropped", divided, dropped)
		}
	}
}

// groups counts the rows of equal labels.
func groups(p *part) map[string]uint64 {
	sizes := map[string]uint64{}
	for i, n := range p.counts {
		key := ""
		for _, labels := range p.masked {
			key += fmt.Sprint(labels[i], " ")
		}
		sizes[key] += uint64(n)
	}
	return sizes
}
