package count

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// TestCompressWithoutAllocatingPerRow counts a batch whose values are known: it takes no
// allocation, whatever the number of its rows.
func TestCompressWithoutAllocatingPerRow(t *testing.T) {
	budget := spill.NewBudget(1 << 30)
	r := &reading{Request: &Request{Class: -1}, groupings: []Grouping{{Columns: []int{0, 1}}, {Columns: []int{1}}}, pairs: 2, class: 2, space: partition.Space{Budget: budget}}
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

// TestBookOfDeepTaxonomy decodes books whose taxonomy is a path, short or as deep as a damaged
// one can say.
func TestBookOfDeepTaxonomy(t *testing.T) {
	r := &Request{Class: -1, Columns: []Column{{Spec: &job.Column{Name: "x"}}}}
	resources := &Resources{Budget: spill.NewBudget(1 << 30)}
	for levels, want := range map[int]error{3: nil, 1_000_000: ErrDamaged} {
		var root strings.Builder
		for level := range levels {
			fmt.Fprintf(&root, `{"Name":"%d","Children":[`, level)
		}
		root.WriteString(`{"Name":"x"}` + strings.Repeat("]}", levels))
		book, err := encode(bookForm, resources.Budget, func(w *checkpoint.Writer) {
			w.String(fmt.Sprintf(`{"Columns":[{"Attribute":{"Name":"x","Mask":%d},"Root":%s}]}`, engine.Generalize, root.String()))
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeBook(r, spill.NewBudget(1<<20), book); !errors.Is(err, want) {
			t.Errorf("%d levels: got %v, want %v", levels, err, want)
		}
	}
}
