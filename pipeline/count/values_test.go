package count

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// tinyPart returns a part of a column's values that holds a few entries, in a store of its own.
func tinyPart(tb testing.TB, t formats.Type, mask string, room int) *part {
	tb.Helper()
	budget := spill.NewBudget(64 << 20)
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
	return NewValues(formats.Field{Name: "c", Type: t}, mask, open, budget).newPart(room * EntryBytes)
}

// plainCounts counts (value, class) pairs by a map.
type plainCounts map[string]map[uint32]uint64

func (p plainCounts) add(value string, class uint32, n uint64) {
	if p[value] == nil {
		p[value] = map[uint32]uint64{}
	}
	p[value][class] += n
}

// taken is one value of counted values, as each tells it.
type taken struct {
	word    uint64
	value   string
	classes []engine.Frequency
}

func takeValues(tb testing.TB, c *part) (all []taken) {
	tb.Helper()
	err := c.each(tb.Context(), func(v *domain.Counted) error {
		all = append(all, taken{v.Word, string(v.Value), slices.Clone(v.Classes)})
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// mustCount compares what counted values told of texts with a plain count.
func mustCount(t *testing.T, got []taken, want plainCounts) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d values, want %d", len(got), len(want))
	}
	if !slices.IsSortedFunc(got, func(a, b taken) int { return cmp.Compare(a.value, b.value) }) {
		t.Error("the values are not in order")
	}
	for _, v := range got {
		classes := map[uint32]uint64{}
		for _, k := range v.classes {
			classes[k.Class] += k.Count
		}
		ascend := slices.IsSortedFunc(v.classes, func(a, b engine.Frequency) int { return cmp.Compare(a.Class, b.Class) })
		if !maps.Equal(classes, want[v.value]) || len(classes) != len(v.classes) || !ascend {
			t.Errorf("a value of %d bytes: %v, want %v", len(v.value), v.classes, want[v.value])
		}
	}
}

// randomText returns a text that is like others: by its start, its zero bytes, its length.
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

func TestValuesOfTexts(t *testing.T) {
	enginetest.Cases(t, 40, func(rng *rand.Rand) {
		room := 1 + rng.IntN(1<<rng.IntN(10))
		c := tinyPart(t, formats.Type{Kind: formats.String}, job.MaskSuppress, room)
		c.fan = 2 + rng.IntN(5)
		for range rng.IntN(3) {
			c.newPart(room * EntryBytes)
		}
		want, nulls := plainCounts{}, map[uint32]uint64{}
		for range rng.IntN(40) {
			addRandomBatch(t, rng, c.parts[rng.IntN(len(c.parts))], want, nulls)
		}
		mustCount(t, takeValues(t, c), want)
		for _, pair := range c.Values.nulls() {
			if nulls[pair.Class] != pair.Count {
				t.Errorf("class %d: %d nulls, want %d", pair.Class, pair.Count, nulls[pair.Class])
			}
		}
		if t.Failed() {
			t.Fatalf("room %d, fan %d", room, c.fan)
		}
	})
}

// addRandomBatch adds rows to counted values in one of its two ways, and to a plain one.
func addRandomBatch(t *testing.T, rng *rand.Rand, c *part, want plainCounts, nulls map[uint32]uint64) {
	t.Helper()
	values := &formats.Values{Type: c.typ}
	for range rng.IntN(30) {
		values.AppendBytes([]byte(randomText(rng)))
	}
	var codes []uint32
	classes := make([]uint32, rng.IntN(60))
	for i := range classes {
		classes[i] = uint32(rng.IntN(4))
		code := uint32(rng.IntN(values.Len() + 1))
		codes = append(codes, code)
		if code == 0 {
			nulls[classes[i]]++
		} else {
			want.add(string(values.Bytes(int(code)-1)), classes[i], 1)
		}
	}
	tally := &columnTally{part: c, listed: rng.IntN(2) * values.Len(), stride: 1}
	if err := errors.Join(tally.count(values, codes, classes, 4), tally.empty()); err != nil {
		t.Fatal(err)
	}
}

// Entries are sorted as comparing them would do.
func TestEntriesAreSorted(t *testing.T) {
	enginetest.Cases(t, 40, func(rng *rand.Rand) {
		p := part{Values: &Values{budget: spill.NewBudget(1 << 30)}, room: math.MaxInt}
		texts, spread := rng.IntN(3) > 0, rng.IntN(64)
		for range rng.IntN(2 << rng.IntN(13)) {
			e := entry{word: rng.Uint64() >> spread << (spread / 2), class: rng.Uint32N(3), count: 1 + rng.Uint32N(9)}
			if texts {
				if err := p.keep(&e, []byte(randomText(rng))); err != nil {
					t.Fatal(err)
				}
			}
			p.entries = append(p.entries, e)
		}
		want := slices.Clone(p.entries)
		slices.SortFunc(want, func(a, b entry) int { return compareEntries(&a, p.arena, &b, p.arena) })
		entrySorter{p.arena}.sort(p.entries, 0)
		for i := range want {
			if compareEntries(&p.entries[i], p.arena, &want[i], p.arena) != 0 {
				t.Fatalf("entry %d of %d is out of order", i, len(want))
			}
		}
		counts := func(entries []entry) (sum uint64) {
			for _, e := range entries {
				sum += uint64(e.count) * uint64(e.at+1)
			}
			return sum
		}
		if counts(p.entries) != counts(want) {
			t.Fatalf("other entries")
		}
	})
}

// Values of any length pass through the runs, also those around and above a chunk.
func TestValuesOfLongValues(t *testing.T) {
	c := tinyPart(t, formats.Type{Kind: formats.Binary}, job.MaskSuppress, 4)
	want := plainCounts{}
	lengths := []int{
		0, 1, runChunk - 20, runChunk, maxRunChunk, 2 * maxRunChunk, 2*maxRunChunk + 1, spill.MaxChunk, spill.MaxChunk + 1, 9 << 20,
	}
	for around := -16; around <= 0; around++ { // one fills its chunk exactly
		lengths = append(lengths, maxRunChunk+around, 3*maxRunChunk+around)
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
	mustCount(t, takeValues(t, c), want)
}

// Of floats, all NaNs are one value or the null, and the two zeros are one.
func TestValuesOfFloats(t *testing.T) {
	for _, mask := range []string{job.MaskSuppress, job.MaskDiscretize} {
		c := tinyPart(t, formats.Type{Kind: formats.Float, Bits: 64}, mask, 2)
		values := &formats.Values{Type: c.typ}
		for _, text := range []string{"0", "-0", "NaN", "NaN:fff8000000000001", "1", "-Infinity", "Infinity", "-1"} {
			if err := values.Parse(text); err != nil {
				t.Fatal(err)
			}
		}
		for i := range values.Len() {
			if err := c.add(values, uint32(i+1), engine.Frequency{Count: uint64(1 + i)}); err != nil {
				t.Fatal(err)
			}
		}
		told := &formats.Values{Type: c.typ}
		var got []string
		for i, v := range takeValues(t, c) {
			told.Words = append(told.Words, v.word)
			got = append(got, fmt.Sprint(told.Text(i), v.classes[0].Count))
		}
		want := []string{"-Infinity6", "-18", "03", "15", "Infinity7", "NaN7"}
		if mask == job.MaskDiscretize {
			want = want[:5]
			if len(c.nulls) != 1 || c.nulls[0] != 7 {
				t.Errorf("nulls %v", c.nulls)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Counts above 32 bits are sums of entries that are not.
func TestValuesOfManyRecords(t *testing.T) {
	c := tinyPart(t, formats.Type{Kind: formats.Int, Bits: 64}, job.MaskSuppress, 8)
	c.fan = 2
	values := &formats.Values{Type: c.typ, Words: []uint64{1, 2, 3}}
	for range 8 {
		for i := range values.Words {
			if err := c.add(values, uint32(i+1), engine.Frequency{Class: 5, Count: math.MaxUint32}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, v := range takeValues(t, c) {
		if want := []engine.Frequency{{Class: 5, Count: 8 * math.MaxUint32}}; !slices.Equal(v.classes, want) {
			t.Errorf("value %d: %v, want %v", v.word, v.classes, want)
		}
	}
}

// Counted values gives back what it drew, and its runs.
func TestValuesReturnsItsShare(t *testing.T) {
	c := tinyPart(t, formats.Type{Kind: formats.Int, Bits: 64}, job.MaskSuppress, 10)
	c.fan = 3
	before := c.budget.Used()
	for n := range uint64(2000) {
		if err := c.add(&formats.Values{Type: c.typ, Words: []uint64{n * 7919 % 2000}}, 1, engine.Frequency{Count: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.runs) < 100 {
		t.Fatalf("%d runs are too few", len(c.runs))
	}
	if got := takeValues(t, c); len(got) != 2000 {
		t.Errorf("%d values", len(got))
	}
	if now := c.budget.Used(); now != before {
		t.Errorf("%d bytes are drawn, %d before", now, before)
	}
}

// What a caller makes of a value that it refuses passes through unchanged, from runs as from
// memory.
func TestValuesRefused(t *testing.T) {
	refused := errors.New("no such value")
	for _, values := range []uint64{5, 500} {
		c := tinyPart(t, formats.Type{Kind: formats.Int, Bits: 64}, job.MaskSuppress, 20)
		for n := range values {
			if err := c.add(&formats.Values{Type: c.typ, Words: []uint64{n}}, 1, engine.Frequency{Count: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.each(t.Context(), func(*domain.Counted) error { return refused }); err != refused {
			t.Errorf("%d values: %v", values, err)
		}
	}
}

// Bytes that are no run are refused as damage, whatever they are.
func TestParseEntryOfAnything(t *testing.T) {
	enginetest.Cases(t, 20, func(rng *rand.Rand) {
		chunk := make([]byte, rng.IntN(60))
		for i := range chunk {
			chunk[i] = byte(rng.Uint32() >> rng.IntN(24))
		}
		for at := 0; at < len(chunk); {
			_, next, err := parseEntry(chunk, at)
			if err != nil {
				if fault.ClassOf(err) != fault.Transient {
					t.Errorf("%v of class %d", err, fault.ClassOf(err))
				}
				break
			}
			if next <= at || next > len(chunk) {
				t.Fatalf("entry from %d to %d of %d", at, next, len(chunk))
			}
			at = next
		}
	})
}

// The coders of counted values take lists that hold values no record has, as a source's
// dictionary may, and give them codes of the domain.
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
		{job.MaskDiscretize, formats.Type{Kind: formats.Decimal, Precision: 30, Wide: true}, "1", "-5"},
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
		column := &Column{Spec: &job.Column{Name: "c", Mask: tt.mask}, Taxonomy: prefixes, Pruning: engine.Pruning{K: 2}}
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
				t.Errorf("%s of %v: value %d has code %d of %d", tt.mask, tt.t, i, code, bound.Attribute.Len())
			}
		}
	}
}

// Pairs of values and classes that are more than usual are drawn from the budget.
func TestManyClassesAreDrawn(t *testing.T) {
	b := &binner{limit: domain.MaxSplitValues, total: 1 << 30}
	b.exact.Type, b.bins.Type = formats.Type{Kind: formats.Int, Bits: 64}, formats.Type{Kind: formats.Int, Bits: 64}
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
		if pairs := len(b.exactly.Pairs); pairs > usualPairs+drawnPairs && budget.Used() == 0 {
			t.Fatalf("%d pairs, none of them drawn", pairs)
		}
	}
	if !errors.Is(err, spill.ErrBudget) {
		t.Errorf("%d values of 100 classes: %v", values, err)
	}
}
