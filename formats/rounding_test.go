package formats_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
)

func TestBetween(t *testing.T) {
	int64s, price := formats.Type{Kind: formats.Int, Bits: 64},
		formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}
	float64s, float32s := formats.Type{Kind: formats.Float, Bits: 64},
		formats.Type{Kind: formats.Float, Bits: 32}
	wide := formats.Type{Kind: formats.Decimal, Precision: 38, Scale: 3, Wide: true}
	date, clock := formats.Type{Kind: formats.Date},
		formats.Type{Kind: formats.Time, Unit: formats.Milli}
	utc := formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"}
	int96 := formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true}
	for _, c := range []struct {
		kind                  formats.Type
		step, below, at, want string
	}{
		{int64s, "", "35", "37", "36"},
		{int64s, "", "36", "37", "37"},
		{int64s, "", "17", "37", "20"},
		{int64s, "", "95", "1234", "1000"},
		{int64s, "", "1230", "1234", "1232"},
		{int64s, "", "1229", "1234", "1230"},
		{int64s, "", "-5", "3", "0"},
		{int64s, "", "-5", "0", "0"},
		{int64s, "", "-37", "-12", "-30"},
		{int64s, "", "-1000", "-12", "-600"},
		{int64s, "", "-9223372036854775808", "-9223372036854775807", "-9223372036854775807"},
		{int64s, "", "-9223372036854775808", "-9123372036854775807", "-9200000000000000000"},
		{formats.Type{Kind: formats.Int, Bits: 8}, "", "-128", "-121", "-125"},
		{formats.Type{Kind: formats.Uint, Bits: 64}, "", "9223372036854775807",
			"18446744073709551615", "10000000000000000000"},
		{int64s, "5", "35", "37", ""},
		{int64s, "5", "34", "37", "35"},
		{int64s, "5", "3", "27", "10"},
		{int64s, "15", "300", "4700", "3000"},
		{int64s, "7", "-20", "-8", "-14"},
		{int64s, "10", "-5", "3", "0"},
		{price, "", "12.34", "12.50", "12.40"},
		{price, "", "9.99", "12.50", "10.00"},
		{price, "0.25", "12.26", "12.55", "12.50"},
		{price, "0.25", "12.51", "12.55", ""},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: -2}, "", "1200", "12300",
			"10000"},
		{wide, "", "12345678901234567890123456789012345.678",
			"12345678901234567890123456789012399.000", "12345678901234567890123456789012370.000"},
		{float64s, "", "0.1", "0.2718281828", "0.2"},
		{float64s, "", "2.5e-324", "1.5e-323", "1e-323"},
		{float64s, "", "0.30000000000000004", "0.30000000000000010", "0.3000000000000001"},
		{float64s, "", "-Infinity", "-3", "-1e+308"},
		{float64s, "", "100", "Infinity", "1e+308"},
		{float64s, "", "1.7976931348623157e308", "Infinity", "Infinity"},
		{float64s, "0.1", "0.25", "0.33", "0.3"},
		{float64s, "0.1", "0.31", "0.33", ""},
		{float32s, "", "0.1", "0.12345", "0.11"},
		{formats.Type{Kind: formats.Float, Bits: 16}, "", "999", "65504", "30000"},
		{date, "", "1987-05-06", "1990-03-17", "1988-01-01"},
		{date, "", "1990-01-01", "1990-03-17", "1990-02-01"},
		{date, "", "1990-03-01", "1990-03-17", "1990-03-09"},
		{date, "month", "1990-03-01", "1990-03-17", ""},
		{date, "month", "1990-02-01", "1990-03-17", "1990-03-01"},
		{date, "year", "1989-02-01", "1990-03-17", "1990-01-01"},
		{date, "year", "1990-01-01", "1990-12-31", ""},
		{date, "", "-0044-01-05", "-0044-03-15", "-0044-02-01"},
		{utc, "", "2020-01-01T10:11:12.5Z", "2020-01-01T10:11:12.987654Z",
			"2020-01-01T10:11:12.7Z"},
		{utc, "", "2020-01-01T10:11:12.5Z", "2020-01-01T11:30:12.987654Z", "2020-01-01T11:00:00Z"},
		{utc, "", "1969-12-30T10:11:12Z", "1969-12-31T23:30:00Z", "1969-12-31T00:00:00Z"},
		{utc, "hour", "2020-01-01T10:11:12.5Z", "2020-01-01T10:59:59Z", ""},
		{utc, "", "-290308-12-21T19:59:05.224192Z", "-290308-12-21T19:59:05.3Z",
			"-290308-12-21T19:59:05.3Z"},
		{int96, "", "2999-12-31T10:00:00", "3000-06-01T00:00:00.000000001", "3000-01-01T00:00:00"},
		{int96, "", "2999-12-31T10:00:00.000000001", "2999-12-31T10:00:00.000000012",
			"2999-12-31T10:00:00.00000001"},
		{clock, "", "07:15:00", "09:30:00.125", "08:00:00"},
		{clock, "minute", "07:15:00", "07:15:59.999", ""},
		{clock, "hour", "-02:00:00", "-00:30:00", "-01:00:00"},
	} {
		if got := between(t, c.kind, c.step, c.below, c.at); got != c.want {
			t.Errorf("%s %q: between %s and %s: %q, want %q", c.kind, c.step, c.below, c.at, got,
				c.want)
		}
	}
}

func TestNewRoundingRefuses(t *testing.T) {
	for _, c := range []struct {
		kind  formats.Type
		steps string // separated by bars
	}{
		{formats.Type{Kind: formats.Int, Bits: 8}, "0|-5|0.5|month|200"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "0|NaN|Infinity|day"},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, "0.001|0|-0.01"},
		{formats.Type{Kind: formats.Date}, "7|hour|weeks"},
		{formats.Type{Kind: formats.Time}, "day|60"},
		{formats.Type{Kind: formats.Timestamp}, "1|tenth"},
	} {
		for step := range strings.SplitSeq(c.steps, "|") {
			if _, err := formats.NewRounding(c.kind, step); err == nil {
				t.Errorf("%s: a step of %s", c.kind, step)
			}
		}
	}
}

// between returns the text of the roundest value, which must parse to the value.
func between(t *testing.T, kind formats.Type, step, below, at string) string {
	t.Helper()
	r, err := formats.NewRounding(kind, step)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := r.Between(valueOf(t, kind, below), valueOf(t, kind, at))
	if !ok {
		return ""
	}
	if again := valueOf(t, kind, v.Text(0)); slices.Equal(v.Words, again.Words) &&
		bytes.Equal(v.Data, again.Data) {
		return v.Text(0)
	}
	return "another value than its text"
}

func valueOf(t *testing.T, kind formats.Type, text string) *formats.Values {
	t.Helper()
	v := &formats.Values{Type: kind}
	if err := v.Parse(text); err != nil {
		t.Fatalf("%s %q: %v", kind, text, err)
	}
	return v
}

// TestBetweenAgreesWithTryingAll compares Between with a search of all values in small intervals:
// among numbers it is the one whose digits end in the most zeros, among dates the start of the
// longest unit; in a tie it is the last up to the middle, or the first.
func TestBetweenAgreesWithTryingAll(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	kinds := []struct {
		kind  formats.Type
		scale int // numbers: places after the point
	}{
		{formats.Type{Kind: formats.Int, Bits: 16}, 0},
		{formats.Type{Kind: formats.Uint, Bits: 64}, 0},
		{formats.Type{Kind: formats.Float, Bits: 64}, 3},
		{formats.Type{Kind: formats.Float, Bits: 32}, 2},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, 2},
		{formats.Type{Kind: formats.Decimal, Precision: 30, Scale: 4, Wide: true}, 4},
		{formats.Type{Kind: formats.Date}, 0},
	}
	none := 0
	for range 3000 {
		k := kinds[r.IntN(len(kinds))]
		below := r.IntN(6000) - 3000
		if k.kind.Kind == formats.Uint {
			below += 3000
		}
		at, step, stepText := below+1+r.IntN(1<<r.IntN(12)), 0, ""
		text := func(x int) string { return scaled(x, k.scale) }
		zeros := func(x int) int { return trailingZeros(x) }
		if k.kind.Kind == formats.Date {
			day := func(x int) time.Time { return time.Date(1971, 3, 4+x, 0, 0, 0, 0, time.UTC) }
			text = func(x int) string { return day(x).Format(time.DateOnly) }
			zeros = func(x int) int { return roundness(day(x)) }
			if unit := r.IntN(4); unit < 3 {
				step, stepText = unit, []string{"day", "month", "year"}[unit]
			}
		} else if r.IntN(2) == 0 {
			step = 1 + r.IntN(1<<r.IntN(10))
			stepText = text(step)
		}
		want, most, admitted := "", -1, false
		for x := below + 1; x <= at; x++ {
			admitted = step == 0 || x%step == 0
			if k.kind.Kind == formats.Date {
				admitted = zeros(x) >= step
			}
			if admitted && (zeros(x) > most || zeros(x) == most && 2*x <= below+at) {
				want, most = text(x), zeros(x)
			}
		}
		rounding, err := formats.NewRounding(k.kind, stepText)
		if err != nil || rounding.Admits(valueOf(t, k.kind, text(at))) != admitted {
			t.Fatalf("%s, step %q: %v, %s is a multiple: %t", k.kind, stepText, err, text(at),
				!admitted)
		}
		if want != "" {
			want = valueOf(t, k.kind, want).Text(0)
		} else {
			none++
		}
		if got := between(t, k.kind, stepText, text(below), text(at)); got != want {
			t.Fatalf("%s, step %q: between %s and %s: %q, want %q", k.kind, stepText, text(below),
				text(at), got, want)
		}
	}
	if none < 100 {
		t.Errorf("only %d intervals without a multiple", none)
	}
}

// Moments that package time cannot represent have a value between them, too.
func TestBetweenLastMoments(t *testing.T) {
	for _, unit := range []formats.Unit{formats.Second, formats.Nano} {
		kind := formats.Type{Kind: formats.Timestamp, Unit: unit}
		for _, ends := range [][2]uint64{{0, 1}, {0, 1 << 40},
			{math.MaxUint64 - 1<<40, math.MaxUint64}, {0, math.MaxUint64}} {
			r, err := formats.NewRounding(kind, "")
			if err != nil {
				t.Fatal(err)
			}
			below, at := &formats.Values{Type: kind, Words: ends[:1]},
				&formats.Values{Type: kind, Words: ends[1:]}
			if v, ok := r.Between(below, at); !ok || v.Words[0] <= ends[0] || v.Words[0] > ends[1] {
				t.Errorf("%s: between %d and %d: %v, %v", kind, ends[0], ends[1], v.Words, ok)
			}
		}
	}
}

func trailingZeros(x int) (n int) {
	if x == 0 {
		return 100
	}
	for ; x%10 == 0; x /= 10 {
		n++
	}
	return n
}

// roundness returns 2 for the first day of a year, 1 for the first day of a month.
func roundness(day time.Time) int {
	switch {
	case day.YearDay() == 1:
		return 2
	case day.Day() == 1:
		return 1
	}
	return 0
}

// TestBetweenMomentsAgreesWithPackageTime compares the results with the starts of units in package
// time.
func TestBetweenMomentsAgreesWithPackageTime(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	kind := formats.Type{Kind: formats.Timestamp, Unit: formats.Milli}
	const form = "2006-01-02T15:04:05.999"
	steps, none := []string{"year", "month", "day", "hour", "minute", "second", "", "", ""}, 0
	for range 2000 {
		at := time.UnixMilli(r.Int64N(4e12) - 2e12).UTC()
		below := at.Add(-time.Millisecond * time.Duration(1+r.Int64N(1<<(1+r.IntN(38)))))
		finest := r.IntN(len(steps))
		if steps[finest] == "" {
			finest = len(steps) - 1
		}
		want := ""
		for unit := range finest + 1 {
			if !startOf(at, unit, 0).After(below) {
				continue
			}
			start := startOf(below.Add(at.Sub(below)/2), unit, 0)
			if !start.After(below) {
				start = startOf(below, unit, 1)
			}
			want = valueOf(t, kind, start.Format(form)).Text(0)
			break
		}
		if want == "" {
			none++
		}
		if got := between(t, kind, steps[finest], below.Format(form),
			at.Format(form)); got != want {
			t.Fatalf("step %q: between %s and %s: %q, want %q", steps[finest], below.Format(form),
				at.Format(form), got, want)
		}
	}
	if none < 100 {
		t.Errorf("only %d intervals without a start", none)
	}
}

// startOf returns the start of the unit that contains a time, or of a later one.
func startOf(at time.Time, unit, later int) time.Time {
	switch unit {
	case 0:
		return time.Date(at.Year()+later, 1, 1, 0, 0, 0, 0, time.UTC)
	case 1:
		return time.Date(at.Year(), at.Month()+time.Month(later), 1, 0, 0, 0, 0, time.UTC)
	case 2:
		return time.Date(at.Year(), at.Month(), at.Day()+later, 0, 0, 0, 0, time.UTC)
	}
	length := []time.Duration{time.Hour, time.Minute, time.Second, time.Second / 10,
		time.Second / 100, time.Second / 1000}[unit-3]
	return at.Truncate(length).Add(time.Duration(later) * length)
}

func BenchmarkBetween(b *testing.B) {
	for _, kind := range []formats.Type{{Kind: formats.Int, Bits: 64},
		{Kind: formats.Float, Bits: 64}, {Kind: formats.Date},
		{Kind: formats.Timestamp, Unit: formats.Micro}} {
		b.Run(fmt.Sprint(kind), func(b *testing.B) {
			r, _ := formats.NewRounding(kind, "")
			below, at := &formats.Values{Type: kind, Words: []uint64{0}},
				&formats.Values{Type: kind, Words: []uint64{0}}
			for i := range b.N {
				below.Words[0] = formats.IntWord(int64(i * 37 % 50000))
				at.Words[0] = formats.IntWord(int64(i*37%50000 + 40))
				r.Between(below, at)
			}
		})
	}
}

// scaled returns the text of x·10^-places.
func scaled(x, places int) string {
	sign := ""
	if x < 0 {
		sign, x = "-", -x
	}
	digits := fmt.Sprintf("%0*d", places+1, x)
	if places == 0 {
		return sign + digits
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}
