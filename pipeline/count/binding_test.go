package count

import (
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

// boundValue is where a domain has put a value.
type boundValue struct {
	value string // "" of the null
	code  uint32
	label engine.Label
}

// A column has the same domain whether its values were interned or counted by counted values, and
// lists every value when nothing is pruned.
func TestDomainsAgree(t *testing.T) {
	enginetest.Cases(t, 60, func(rng *rand.Rand) { mustBindAlike(t, rng) })
}

func mustBindAlike(t *testing.T, rng *rand.Rand) {
	t.Helper()
	spec, tree := randomMask(rng)
	pruning := engine.Pruning{K: uint64(rng.IntN(6)), Classes: rng.IntN(2) == 0}
	if rng.IntN(3) == 0 {
		pruning = engine.Pruning{}
	}
	values, codes, classes := randomCodes(rng)
	inMemory, attribute, pairs := bindInterned(t, spec, tree, pruning, values, codes, classes)
	outOfCore, countedAttribute, countedPairs := bindCounted(t, spec, tree, pruning, values, codes, classes)
	if !slices.Equal(inMemory, outOfCore) || !slices.Equal(pairs, countedPairs) {
		t.Errorf("in memory %v %v\nout of core %v %v", inMemory, pairs, outOfCore, countedPairs)
	}
	if attribute.HasRest != countedAttribute.HasRest || !slices.Equal(attribute.Texts, countedAttribute.Texts) {
		t.Errorf("in memory %q %t, out of core %q %t", attribute.Texts, attribute.HasRest, countedAttribute.Texts, countedAttribute.HasRest)
	}
	for _, v := range inMemory {
		if pruning.K == 0 && !pruning.Classes && v.label.Text != v.value {
			t.Errorf("a value of %d bytes shares the code %d", len(v.value), v.code)
		}
	}
	if t.Failed() {
		t.Logf("%s, %+v", spec.Mask, pruning)
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

func bindInterned(t *testing.T, spec *job.Column, tree job.Taxonomy, pruning engine.Pruning, values *formats.Values, codes, classes []uint32) ([]boundValue, *engine.Attribute, partition.Pairs) {
	t.Helper()
	in := domain.NewInterner(formats.Field{Name: "c", Type: values.Type}, false, spill.NewBudget(1<<20))
	if _, _, err := in.Encode(values, 0, nil); err != nil {
		t.Fatal(err)
	}
	var pairs partition.Pairs
	for i, code := range codes {
		pairs = append(pairs, partition.Pair{Code: code, Class: classes[i], Count: 1})
	}
	column := &Column{Spec: spec, Taxonomy: tree, Pruning: pruning}
	counted := NewValues(formats.Field{Name: "c", Type: values.Type}, spec.Mask, nil, spill.NewBudget(1<<20))
	bound, err := counted.bindNumbered(t.Context(), in, column, pairs.Merge(), int64(len(codes)))
	if err != nil {
		t.Fatal(err)
	}
	return boundValues(t, bound, tree, values, codes), &bound.Attribute, bound.Pairs
}

func bindCounted(t *testing.T, spec *job.Column, tree job.Taxonomy, pruning engine.Pruning, values *formats.Values, codes, classes []uint32) ([]boundValue, *engine.Attribute, partition.Pairs) {
	t.Helper()
	c := tinyPart(t, values.Type, spec.Mask, 10)
	if err := c.addRows(values, codes, classes); err != nil {
		t.Fatal(err)
	}
	bound, err := c.bind(t.Context(), &Column{Spec: spec, Taxonomy: tree, Pruning: pruning}, int64(len(codes)))
	if err != nil {
		t.Fatal(err)
	}
	return boundValues(t, bound, tree, values, codes), &bound.Attribute, bound.Pairs
}

// boundValues tells of every value that some row has where its code puts it: the one that it was
// translated to, or that its coder gives it.
func boundValues(t *testing.T, b *Bound, tree job.Taxonomy, values *formats.Values, codes []uint32) (bound []boundValue) {
	t.Helper()
	a, all := &b.Attribute, b.Codes
	if all == nil {
		c, err := domain.NewCoder(a, values.Type, tree, spill.NewBudget(1<<20))
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

// The bins of a column with many values are as the definition says, word for word: bin i starts at the
// first value below which at least i/limit of the records lie.
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
		b := &binner{limit: limit, total: total}
		b.exact.Type, b.bins.Type = formats.Type{Kind: formats.Uint, Bits: 64}, formats.Type{Kind: formats.Uint, Bits: 64}
		for at, n := range counts {
			b.add(&domain.Counted{Word: uint64(at), Classes: []engine.Frequency{{Count: n}}})
		}
		if got := b.bins.Words; !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%v, limit %d: bins start at %v, want %v", counts, limit, got, want)
		}
	})
}
