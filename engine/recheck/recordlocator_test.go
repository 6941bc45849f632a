package recheck

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
)

// A locator finds the records of the classes that it was given, and no others.
func TestRecordLocator(t *testing.T) {
	enginetest.Cases(t, 100, func(rng *rand.Rand) {
		cut := &engine.Cut{Columns: make([]engine.ColumnCut, 3)}
		const codes, n = 12, 300
		tuples := make([][]uint32, len(cut.Columns))
		for a := range cut.Columns {
			for range codes {
				cut.Columns[a].Code = append(cut.Columns[a].Code, uint32(rng.IntN(4)))
			}
			for range n {
				tuples[a] = append(tuples[a], uint32(rng.IntN(codes)))
			}
		}
		var labels [][]uint32
		for a := range cut.Columns {
			labels = append(labels, cut.Columns[a].Code)
		}
		l, want := &recordLocator{codes: labels}, make([]int32, n)
		for range rng.IntN(3) {
			columns := rng.Perm(len(cut.Columns))[:1+rng.IntN(len(cut.Columns))]
			layout := partition.NewLayout(slices.Repeat([]int{4}, len(columns)))
			taken := takenClasses{columns, layout.Fields, partition.NewIndex(layout, 0)}
			for range 1 + rng.IntN(6) {
				record := rng.IntN(n)
				class := make([]uint64, layout.Words)
				for j, a := range taken.columns {
					label := cut.Columns[a].Code[tuples[a][record]]
					class[layout.Fields[j].Word] |= uint64(label) << layout.Fields[j].Shift
				}
				taken.index.Add(class)
				for i := range n { // all records that are equal in these columns
					alike := func(a int) bool {
						labels := cut.Columns[a].Code
						return labels[tuples[a][i]] == labels[tuples[a][record]]
					}
					if !slices.ContainsFunc(taken.columns, func(a int) bool { return !alike(a) }) {
						want[i] = engine.ByMark
					}
				}
			}
			l.taken = append(l.taken, taken)
		}
		got := make([]int32, n)
		if l.Locate(n, tuples, got); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
