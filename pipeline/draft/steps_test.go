package draft

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/forecast"
)

func TestSteps(t *testing.T) {
	whole, float := formats.Type{Kind: formats.Int, Bits: 64}, formats.Type{Kind: formats.Float, Bits: 64}
	day, moment := formats.Type{Kind: formats.Date}, formats.Type{Kind: formats.Timestamp, Unit: formats.Milli}
	for _, tt := range []struct {
		typ       formats.Type
		distinct  int64
		low, high float64
		want      string
	}{
		{whole, 74, 20, 80, "5"}, {whole, 40, 20, 80, ""}, {whole, 60, 20, 39, ""}, {whole, 1000, 250, 18_500, "1000"},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, 500, 0.1, 0.3, ""}, {formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, 500, 1, 9, "0.5"},
		{float, 500, 0.01, 0.08, "0.005"}, {float, 500, 5, 5, ""}, {float, 500, 1e-9, 2e-9, ""}, {float, 500, 0, math.Inf(1), ""}, {float, 500, 0, 1e300, ""},
		{day, 9000, 0, 20_000, "year"}, {day, 900, 0, 900, "month"}, {day, 90, 0, 90, ""},
		{moment, 900, 0, 900 * 86_400_000, "month"}, {moment, 900, 0, 90 * 86_400_000, "day"}, {moment, 900, 0, 86_400_000, "hour"}, {moment, 900, 0, 3_600_000, ""},
		{formats.Type{Kind: formats.Time, Unit: formats.Milli}, 900, 0, 80_000_000, "hour"},
	} {
		p := &Profile{typ: tt.typ, Field: forecast.Sighting{Distinct: tt.distinct}, low: tt.low, high: tt.high}
		if got := p.step(); got != tt.want {
			t.Errorf("%s from %g to %g: step %q, want %q", tt.typ, tt.low, tt.high, got, tt.want)
			continue
		}
		if tt.want != "" {
			if _, err := formats.NewRounding(tt.typ, tt.want); err != nil {
				t.Errorf("%s: %v", tt.typ, err)
			}
		}
	}
}

// TestMeasure compares the parts of random numbers with what is counted of each one by itself.
func TestMeasure(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		p := &Profile{}
		spread := 1 + rng.IntN(50)
		for range 1 + rng.IntN(100) {
			number := float64(rng.IntN(spread))
			if rng.IntN(5) == 0 {
				number = math.NaN()
			}
			p.numbers = append(p.numbers, number)
		}
		numbers := slices.Clone(p.numbers)
		parted := p.measure()
		for i, x := range numbers {
			for j, y := range numbers {
				switch {
				case math.IsNaN(x) != math.IsNaN(y) && parted[i] == parted[j]:
					t.Fatalf("seed %d: a null is in the part of a number", seed)
				case x < y && parted[i] > parted[j], x == y && parted[i] != parted[j]:
					t.Fatalf("seed %d: %g is in part %d, %g in part %d", seed, x, parted[i], y, parted[j])
				}
			}
		}
		least, above, known := make(map[uint64]float64), make(map[uint64]int), 0
		for i, x := range numbers {
			if first, ok := least[parted[i]]; !math.IsNaN(x) {
				least[parted[i]] = x
				if ok {
					least[parted[i]] = min(first, x)
				}
				known++
			}
		}
		for i, x := range numbers {
			if !math.IsNaN(x) && x > least[parted[i]] {
				above[parted[i]]++
			}
		}
		for part, n := range above { // a frequent value may have more than its share, but none after it
			if n > known/parts+1 {
				t.Fatalf("seed %d: part %d has %d of %d rows above its least value", seed, part, n, known)
			}
		}
	}
}

func TestLeaveNoneAlone(t *testing.T) {
	for _, tt := range []struct {
		kept        string // of all columns that are not the last
		sizes, want []int
	}{
		{"kept", []int{3, 1}, []int{4}}, {"kept", []int{3, 2}, []int{3, 2}}, {"", nil, nil}, {"", []int{1}, []int{1}}, {"", []int{4, 2}, []int{4, 2}}, {"", []int{4, 1}, []int{3, 2}}, {"", []int{2, 1}, []int{3}}, {"", []int{4, 2, 1}, []int{4, 3}}, {"", []int{3, 3, 1}, []int{3, 2, 2}},
	} {
		var sets [][]*Profile
		var all []*Profile
		for _, size := range tt.sizes {
			set := make([]*Profile, size)
			for i := range set {
				set[i] = &Profile{name: tt.kept}
			}
			sets, all = append(sets, set), append(all, set...)
		}
		var got []int
		var left []*Profile
		for _, set := range (&theme{first: [][]string{{"kept"}}}).leaveNoneAlone(sets) {
			got, left = append(got, len(set)), append(left, set...)
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(left, all) {
			t.Errorf("sets of %d: %d, want %d", tt.sizes, got, tt.want)
		}
	}
}
