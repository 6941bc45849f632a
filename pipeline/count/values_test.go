package count

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// tinyPart returns a part of a column's values that holds only a few entries in memory. It has a
// store of its own.
func tinyPart(tb testing.TB, t formats.Type, mask string, room int) *part {
	tb.Helper()
	budget := spill.NewBudget(128 << 20)
	store, err := spill.Open(tb.TempDir(), spill.Options{Budget: budget})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	open := func(string) (*spill.Store, error) { return store, nil }
	field := formats.Field{Name: "c", Type: t}
	values := NewValues(field, mask, mask == job.MaskDiscretize, open, budget)
	return values.part(0, int64(room*EntryBytes))
}

// plainCounts counts (text, class) pairs with a map.
type plainCounts map[string]map[uint32]uint64

func (p plainCounts) add(text string, class uint32, n uint64) {
	if p[text] == nil {
		p[text] = map[uint32]uint64{}
	}
	p[text][class] += n
}

// mustCount compares the values of a column with plain counts. want has no nulls; nulls has them.
func mustCount(t *testing.T, c *part, want plainCounts, nulls map[uint32]uint64) {
	t.Helper()
	got, last := plainCounts{}, taken{}
	err := c.each(t.Context(), func(v *domain.Counted) error {
		now := taken{v.Word, string(v.Value)}
		if len(got) > 0 &&
			cmp.Or(cmp.Compare(last.word, now.word), cmp.Compare(last.value, now.value)) >= 0 {
			t.Error("the values are not in order")
		}
		text := now.value
		if last = now; c.inWords() {
			text = (&formats.Values{Type: c.typ, Words: []uint64{v.Word}}).Text(0)
		}
		for i, k := range v.Classes {
			if got.add(text, k.Class, k.Count); i > 0 && v.Classes[i-1].Class >= k.Class {
				t.Error("the classes are not in order")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d values are not the %d that were counted, or not as often", len(got), len(want))
	}
	counted := map[uint32]uint64{}
	without, _ := c.Values.nulls()
	for _, pair := range without {
		counted[pair.Class] = pair.Count
	}
	if !maps.Equal(counted, nulls) {
		t.Errorf("nulls %v, want %v", counted, nulls)
	}
}

// taken is one value that each visits.
type taken struct {
	word  uint64
	value string
}

// randomText returns a text that is similar to other random texts in its start, its zero bytes or
// its length.
func randomText(rng *rand.Rand) string {
	switch rng.IntN(6) {
	case 0:
		return strings.Repeat("\x00", rng.IntN(12))
	case 1:
		return strings.Repeat("a", rng.IntN(20)) + strings.Repeat("\x00", rng.IntN(3))
	case 2:
		return "commonprefix" + fmt.Sprint(rng.IntN(50))
	case 3:
		return strings.Repeat("xyz", rng.IntN(5)*2000)
	}
	return fmt.Sprint(rng.IntN(200))
}

// randomValue appends a value that is similar or equal to other random values. All NaNs are equal,
// and the two zeros are equal.
func randomValue(rng *rand.Rand, values *formats.Values) {
	switch values.Type.Kind {
	case formats.String:
		values.AppendBytes([]byte(randomText(rng)))
	case formats.Float:
		float := [...]float64{
			0, math.Copysign(0, -1), math.NaN(), -math.NaN(),
			math.Inf(1), math.Inf(-1), -1, rng.Float64(),
		}[rng.IntN(8)]
		values.Words = append(values.Words, formats.FloatWord(math.Float64bits(float)))
	default:
		values.Words = append(values.Words, formats.IntWord(rng.Int64N(2<<rng.IntN(60))-40))
	}
}

// Values are counted like with a map, for any number of values in memory. In the end all drawn
// memory is returned.
func TestValues(t *testing.T) {
	types := []formats.Type{
		{Kind: formats.String}, {Kind: formats.Int, Bits: 64}, {Kind: formats.Float, Bits: 64},
	}
	enginetest.Cases(t, 120, func(rng *rand.Rand) {
		room := 1 + rng.IntN(1<<rng.IntN(10))
		mask := []string{job.MaskSuppress, job.MaskGeneralize, job.MaskDiscretize}[rng.IntN(3)]
		c := tinyPart(t, types[rng.IntN(len(types))], mask, room)
		fan := 2 + rng.IntN(5)
		c.sorter.Readers = int64(fan) * spill.ReaderBytes
		for more := range rng.IntN(3) {
			c.part(1+more, int64(room*EntryBytes))
		}
		before, want, nulls := c.budget.Used(), plainCounts{}, map[uint32]uint64{}
		for range rng.IntN(40) {
			addRandomBatch(t, rng, c.parts[rng.IntN(len(c.parts))], want, nulls)
		}
		mustCount(t, c, want, nulls)
		if now := c.budget.Used(); now != before {
			t.Errorf("%d bytes are drawn, %d before", now, before)
		}
		if t.Failed() {
			t.Fatalf("%s of %s, room %d, fan %d", mask, c.typ, room, fan)
		}
	})
}

// addRandomBatch adds random rows to a part, in one of the possible ways, and to plain counts. Some
// values have more records than 32 bits can count.
func addRandomBatch(
	t *testing.T, rng *rand.Rand, c *part, want plainCounts, nulls map[uint32]uint64,
) {
	t.Helper()
	values := &formats.Values{Type: c.typ}
	for range rng.IntN(30) {
		randomValue(rng, values)
	}
	plain := func(code, class uint32, n uint64) {
		if code == 0 || c.nanIsNull && domain.IsNaN(values, int(code)-1) {
			nulls[class] += n
		} else {
			want.add(domain.TextOf(values, int(code)-1), class, n)
		}
	}
	var codes []uint32
	var counts []uint64
	classes, counted := make([]uint32, rng.IntN(60)), rng.IntN(2) == 0
	for i := range classes {
		classes[i] = uint32(rng.IntN(4))
		codes = append(codes, uint32(rng.IntN(values.Len()+1)))
		n := uint64(1)
		if counted {
			n += rng.Uint64N(1 << 36)
			counts = append(counts, n)
		}
		plain(codes[i], classes[i], n)
	}
	lists := spill.NewBudget(rng.Int64N(3) * 512) // sometimes there is room for all values
	counter, half := &columnCounter{part: c, lists: lists}, rng.IntN(len(codes)+1)
	ofFirst, ofRest := counts, counts
	if counted {
		ofFirst, ofRest = counts[:half], counts[half:]
	}
	// The second half may have more classes.
	classDomain := 1 + int(slices.Max(append(classes[:half:half], 0)))
	many := engine.Frequency{Class: 5, Count: rng.Uint64N(1 << 36)}
	err := errors.Join(
		counter.count(values, codes[:half], classes[:half], ofFirst, classDomain),
		counter.count(values, codes[half:], classes[half:], ofRest, 4), counter.empty(),
	)
	if lists.Used() != 0 {
		t.Errorf("%d bytes of column counters are still drawn", lists.Used())
	}
	if len(codes) > 0 && many.Count > 0 {
		plain(codes[0], many.Class, many.Count)
		err = errors.Join(err, c.add(values, codes[0], many))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Runs can have values of any length, including the length of a chunk and larger ones.
func TestValuesOfLongValues(t *testing.T) {
	c := tinyPart(t, formats.Type{Kind: formats.Binary}, job.MaskSuppress, 4)
	want := plainCounts{}
	lengths := []int{0, 1, 256 << 10, 9 << 20}
	for around := -16; around <= 0; around++ { // one of the values fills its chunk exactly
		lengths = append(lengths, 64<<10+around)
	}
	for round := range uint32(2) {
		for _, length := range lengths {
			values := &formats.Values{Type: c.typ}
			values.AppendBytes(bytes.Repeat([]byte{byte(length), 7}, length/2+1)[:length])
			if err := c.add(values, 1, engine.Frequency{Class: round, Count: 3}); err != nil {
				t.Fatal(err)
			}
			want.add(string(values.Bytes(0)), round, 3)
		}
	}
	mustCount(t, c, want, map[uint32]uint64{})
}

// each returns the error of its callback unchanged, for values in runs and in memory.
func TestValuesRefused(t *testing.T) {
	refused := errors.New("no such value")
	for _, values := range []uint64{5, 500} {
		c := tinyPart(t, formats.Type{Kind: formats.Int, Bits: 64}, job.MaskSuppress, 20)
		for n := range values {
			value := &formats.Values{Type: c.typ, Words: []uint64{n}}
			if err := c.add(value, 1, engine.Frequency{Count: 1}); err != nil {
				t.Fatal(err)
			}
		}
		err := c.each(t.Context(), func(*domain.Counted) error { return refused })
		if err != refused {
			t.Errorf("%d values: %v", values, err)
		}
	}
}

// A source's dictionary may have values that no record has. A coder gives them codes of the domain.
func TestCodersTakeUnusedValues(t *testing.T) {
	prefixes := job.Taxonomy{Prefix: []int{1}}
	for _, tt := range []struct {
		mask   string
		t      formats.Type
		used   string
		unused string
	}{
		{job.MaskGeneralize, formats.Type{Kind: formats.String}, "ab", "c"},
		{job.MaskGeneralize, formats.Type{Kind: formats.Float, Bits: 64}, "1.5", "-0"},
		{job.MaskSuppress, formats.Type{Kind: formats.String}, "a", "b"},
		{job.MaskSuppress, formats.Type{Kind: formats.Int, Bits: 64}, "1", "2"},
		{job.MaskDiscretize, formats.Type{Kind: formats.Float, Bits: 64}, "1", "NaN"},
		{job.MaskDiscretize, formats.Type{Kind: formats.Float, Bits: 64}, "1", "-5"},
		{
			job.MaskDiscretize,
			formats.Type{Kind: formats.Decimal, Precision: 30, Wide: true}, "1", "-5",
		},
	} {
		c := tinyPart(t, tt.t, tt.mask, 10)
		values := &formats.Values{Type: tt.t}
		for _, text := range []string{tt.used, tt.unused} {
			if err := values.Parse(text); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.add(values, 1, engine.Frequency{Count: 5}); err != nil {
			t.Fatal(err)
		}
		column := &Column{
			Spec: &job.Column{Name: "c", Mask: tt.mask}, Taxonomy: prefixes,
			Pruning: engine.Pruning{K: 2},
		}
		bound, err := c.bind(t.Context(), column, 5)
		if err != nil {
			t.Fatal(err)
		}
		coder, err := domain.NewCoder(&bound.Attribute, tt.t, prefixes, spill.NewBudget(1<<20))
		if err != nil {
			t.Fatal(err)
		}
		codes, _, err := coder.Encode(values, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, code := range codes {
			if int(code) >= bound.Attribute.Len() {
				t.Errorf("%s of %v: value %d has code %d of %d",
					tt.mask, tt.t, i, code, bound.Attribute.Len())
			}
		}
	}
}

// If there are more pairs of values and classes than usual, their memory is drawn from the budget.
func TestManyClassesAreDrawn(t *testing.T) {
	b := unrounded(formats.Int, 1<<30)
	budget := spill.NewBudget(64 << 20)
	v := &domain.Counted{}
	for class := range uint32(100) {
		v.Classes = append(v.Classes, engine.Frequency{Class: class, Count: 1})
	}
	var err error
	values := 0
	for ; err == nil && values < domain.MaxSplitValues; values++ {
		v.Word++
		b.add(v)
		err = b.draw("c", budget)
		if pairs := len(b.exact.pairs.Pairs); pairs > usualPairs+drawnPairs && budget.Used() == 0 {
			t.Fatalf("%d pairs, none of them drawn", pairs)
		}
	}
	if !errors.Is(err, spill.ErrBudget) {
		t.Errorf("%d values of 100 classes: %v", values, err)
	}
}
