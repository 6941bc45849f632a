package count

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// boundValue is a value with its code and its label.
type boundValue struct {
	value string // "" for the null
	code  uint32
	label engine.Label
}

// A column has the same domain if its values are numbered by an interner or counted in order. If
// nothing is pruned, the domain has every value.
func TestDomainsAgree(t *testing.T) {
	enginetest.Cases(t, 60, func(rng *rand.Rand) { mustBindAlike(t, rng) })
}

func mustBindAlike(t *testing.T, rng *rand.Rand) {
	t.Helper()
	column := &Column{Pruning: engine.Pruning{
		Level: rng.IntN(3), K: uint64(rng.IntN(6)), Classes: rng.IntN(2) == 0,
	}}
	column.Spec, column.Taxonomy = randomMask(rng)
	if rng.IntN(3) == 0 {
		column.Pruning = engine.Pruning{}
	}
	values, codes, classes := randomCodes(rng)
	rows, field := int64(len(codes)), formats.Field{Name: "c", Type: values.Type}
	in := domain.NewInterner(field, false, spill.NewBudget(1<<20))
	_, _, err := in.Encode(values, 0, nil)
	var pairs partition.Pairs
	for i, code := range codes {
		pairs = append(pairs, partition.Pair{Code: code, Class: classes[i], Count: 1})
	}
	mask := column.Spec.Mask
	numbered := NewValues(field, mask, mask == job.MaskDiscretize, nil, spill.NewBudget(1<<20))
	inMemory, failed := numbered.bindNumbered(t.Context(), in, column, pairs.Merge(), rows)
	counted := tinyPart(t, values.Type, mask, 10)
	err = errors.Join(err, failed, counted.addRows(values, codes, classes, nil))
	outOfCore, failed := counted.bind(t.Context(), column, rows)
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	bound := boundValues(t, inMemory, column, values, codes)
	want := boundValues(t, outOfCore, column, values, codes)
	if !slices.Equal(bound, want) || !slices.Equal(inMemory.Pairs, outOfCore.Pairs) {
		t.Errorf("in memory %v %v\nout of core %v %v", bound, inMemory.Pairs, want, outOfCore.Pairs)
	}
	a, b := inMemory.Attribute, outOfCore.Attribute
	if a.HasRest != b.HasRest || !slices.Equal(a.Texts, b.Texts) {
		t.Errorf("in memory %q %t, out of core %q %t", a.Texts, a.HasRest, b.Texts, b.HasRest)
	}
	p := column.Pruning
	for _, v := range bound {
		if p.K == 0 && p.Level == 0 && !p.Classes && v.label.Text != v.value {
			t.Errorf("a value of %d bytes shares the code %d", len(v.value), v.code)
		}
	}
	if t.Failed() {
		t.Logf("%s, %+v", column.Spec.Mask, column.Pruning)
	}
}

// smallTree is a taxonomy of a few values.
var smallTree = taxonomy.Node{Name: "ANY", Children: []taxonomy.Node{
	{Name: "low", Children: []taxonomy.Node{{Name: "1"}, {Name: "2"}}}, {Name: "9"},
}}

// randomMask returns a mask of texts, with or without a taxonomy.
func randomMask(rng *rand.Rand) (*job.Column, job.Taxonomy) {
	spec := &job.Column{Name: "c", Mask: job.MaskGeneralize, Unknown: job.UnknownRoot}
	switch rng.IntN(4) {
	case 0:
		spec.Mask = job.MaskSuppress
		return spec, job.Taxonomy{}
	case 1:
		return spec, job.Taxonomy{Ranges: []string{"2", "5", "31"}}
	case 2:
		return spec, job.Taxonomy{Tree: &smallTree}
	}
	return spec, job.Taxonomy{Prefix: []int{1}}
}

// randomCodes returns distinct values and rows that have some of them, or none.
func randomCodes(rng *rand.Rand) (values *formats.Values, codes, classes []uint32) {
	values = &formats.Values{Type: formats.Type{Kind: formats.String}}
	for i := range 1 + rng.IntN(40) {
		values.AppendBytes([]byte(fmt.Sprint(i)))
	}
	for range rng.IntN(200) {
		code := uint32(rng.IntN(values.Len() + 1))
		codes = append(codes, code)
		classes = append(classes, 1+code*uint32(rng.IntN(2))%3)
	}
	return values, codes, classes
}

// boundValues returns for every value of a row its code and its label in the domain. The code comes
// from the Codes of the domain or from its coder.
func boundValues(
	t *testing.T, b *Bound, column *Column, values *formats.Values, codes []uint32,
) (bound []boundValue) {
	t.Helper()
	a, all := &b.Attribute, b.Codes
	if all == nil {
		c, err := domain.NewCoder(a, values.Type, column.Taxonomy, spill.NewBudget(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		if all, _, err = c.Encode(values, 0, []uint32{c.Null()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, code := range slices.Compact(slices.Sorted(slices.Values(codes))) {
		v := boundValue{code: all[code], label: a.Label(int(all[code]))}
		if code > 0 {
			v.value = values.Text(int(code) - 1)
		}
		bound = append(bound, v)
	}
	return bound
}

// The bins of a column with many values agree with the definition: bin i starts at the first value
// with at least i/limit of the records below it.
func TestBinsAreQuantiles(t *testing.T) {
	enginetest.Cases(t, 300, func(rng *rand.Rand) {
		counts, total := make([]uint64, 1+rng.IntN(60)), uint64(0)
		for i := range counts {
			counts[i] = 1 + rng.Uint64N(1<<rng.IntN(8))
			total += counts[i]
		}
		limit := 1 + rng.IntN(40)
		want := make(map[uint64]bool)
		for i := range limit {
			below := uint64(0)
			for at, n := range counts {
				if below*uint64(limit) >= uint64(i)*total {
					want[uint64(at)] = true
					break
				}
				below += n
			}
		}
		b := unrounded(formats.Uint, total)
		b.limit = limit
		var records partition.Pairs // the records of every bin
		for at, n := range counts {
			b.add(&domain.Counted{Word: uint64(at), Classes: []engine.Frequency{{Count: n}}})
			if want[uint64(at)] {
				records = append(records, partition.Pair{Code: uint32(len(records))})
			}
			records[len(records)-1].Count += n
		}
		got := b.bins.first.Words
		if !slices.Equal(got, slices.Sorted(maps.Keys(want))) ||
			!slices.Equal(b.bins.pairs.Pairs.Merge(), records) {
			t.Fatalf("%v, limit %d: bins start at %v, want %v, and have %v, want %v",
				counts, limit, got, want, b.bins.pairs.Pairs, records)
		}
	})
}

// unrounded returns a binner of whole numbers, without rounding.
func unrounded(kind formats.Kind, total uint64) *binner {
	t := formats.Type{Kind: kind, Bits: 64}
	rounding, _ := formats.NewRounding(t, "")
	return newBinner(t, rounding, total)
}
