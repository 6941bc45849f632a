package count

import (
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// TestCompressWithoutAllocatingPerRow counts a batch with known values, which takes no allocation
// for any number of rows.
func TestCompressWithoutAllocatingPerRow(t *testing.T) {
	budget := spill.NewBudget(1 << 30)
	r := &reading{
		Request:   &Request{Class: -1},
		groupings: []Grouping{{Columns: []int{0, 1}}, {Columns: []int{1}}},
		pairs:     2, class: 2, space: partition.Space{Budget: budget},
	}
	field := formats.Field{Name: "x", Type: formats.Type{Kind: formats.Int, Bits: 64}}
	batch := &formats.Batch{Rows: 3*countRows + 17}
	for i := range 3 {
		values := &formats.Values{Type: field.Type}
		coded := &formats.Column{Values: values}
		for v := range uint64(50) {
			values.Words = append(values.Words, v)
		}
		for row := range batch.Rows {
			coded.Codes = append(coded.Codes, uint32((row+i)%(2+10*i)))
		}
		batch.Columns = append(batch.Columns, coded)
		r.columns = append(r.columns, column{coder: domain.NewInterner(field, false, budget)})
	}
	w := r.newCounting(0, 1)
	count := func() {
		if err := w.Batch(batch); err != nil {
			t.Fatal(err)
		}
	}
	count()
	if got := testing.AllocsPerRun(10, count); got != 0 {
		t.Errorf("%v allocations for %d rows", got, batch.Rows)
	}
}
