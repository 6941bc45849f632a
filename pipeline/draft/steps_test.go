package draft

import (
	"math"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/forecast"
)

// Where most rows have a few of the values, a step is smaller than the span of the values demands,
// so that not all of these rows are between two multiples of it. Frequent values do not count.
func TestStepsOfSkewedNumbers(t *testing.T) {
	for name, tt := range map[string]struct {
		of   func(part float64) float64 // the number with a part of the rows below it
		want string
	}{
		"even":         {func(part float64) float64 { return 1000 * part }, "50"},
		"amounts":      {func(part float64) float64 { return 1000 * math.Pow(part, 8) }, "10"},
		"one frequent": {func(part float64) float64 { return 1000 * max(part, .8) }, "50"},
		"two frequent": {func(part float64) float64 {
			return 1000 * max(math.Floor(2*part)/100, part-.2)
		}, "50"},
		"most of the others": {func(part float64) float64 {
			return 1000 * math.Pow(max(0, 2*part-1), 8)
		}, "10"},
	} {
		p := &Profile{typ: formats.Type{Kind: formats.Int, Bits: 64},
			Field: forecast.Occurrences{Distinct: 500}, low: 0, high: 1000}
		for i := range 10_000 {
			p.numbers = append(p.numbers, math.Round(tt.of(float64(i)/10_000)))
		}
		p.measure()
		p.low, p.high = 0, 1000
		if got := p.step(); got != tt.want {
			t.Errorf("%s: step %q, want %q", name, got, tt.want)
		}
	}
}

// Coordinates are cut no finer than at about a kilometre, also where most rows are in one place.
func TestStepsOfCoordinates(t *testing.T) {
	for _, tt := range []struct {
		span float64
		want string
	}{
		{40, "round: 2 a multiples of 2, about 222 km"},
		{0.02, "round: 0.01 a multiples of 0.01, about 1 km"},
	} {
		p := newProfile(formats.Field{Name: "start_lat", Type: formats.Type{
			Kind: formats.Float, Bits: 64}})
		p.Field = forecast.Occurrences{Distinct: 500}
		for i := range 10_000 {
			p.numbers = append(p.numbers, 40+tt.span*math.Pow(float64(i)/10_000, 20))
		}
		p.measure()
		p.low, p.high = 40, 40+tt.span
		role := discretize(p, "a")
		got := role.Detail + " " + strings.Replace(role.Reason, ", cut at", "", 1)
		if got != tt.want {
			t.Errorf("span %g: %q, want %q", tt.span, got, tt.want)
		}
	}
}

func TestSteps(t *testing.T) {
	whole, float := formats.Type{Kind: formats.Int, Bits: 64},
		formats.Type{Kind: formats.Float, Bits: 64}
	clock := formats.Type{Kind: formats.Time, Unit: formats.Milli}
	day, moment := formats.Type{Kind: formats.Date},
		formats.Type{Kind: formats.Timestamp, Unit: formats.Milli}
	for _, tt := range []struct {
		typ       formats.Type
		distinct  int64
		low, high float64
		want      string
	}{
		{whole, 74, 20, 80, "5"}, {whole, 40, 20, 80, ""}, {whole, 60, 20, 39, ""},
		{whole, 1000, 250, 18_500, "1000"},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, 500, 0.1, 0.3, ""},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, 500, 1, 9, "0.5"},
		{float, 500, 0.01, 0.08, "0.005"}, {float, 500, 5, 5, ""}, {float, 500, 1e-9, 2e-9, ""},
		{float, 500, 0, math.Inf(1), ""}, {float, 500, 0, 1e300, ""},
		{day, 9000, 0, 20_000, "year"}, {day, 900, 0, 900, "month"}, {day, 90, 0, 90, ""},
		{moment, 900, 0, 900 * 86_400_000, "month"}, {moment, 900, 0, 90 * 86_400_000, "day"},
		{moment, 900, 0, 86_400_000, "hour"}, {moment, 900, 0, 3_600_000, "minute"},
		{clock, 900, 0, 80_000_000, "hour"}, {clock, 1327, 733_000, 2_100_000, "minute"},
		{clock, 8000, 8_000_000, 20_000_000, "minute"}, {clock, 555, 300_000, 480_000, "second"},
		{clock, 900, 0, 5000, ""},
	} {
		p := &Profile{
			typ:   tt.typ,
			Field: forecast.Occurrences{Distinct: tt.distinct},
			low:   tt.low,
			high:  tt.high,
		}
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
