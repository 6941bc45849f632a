package formats

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// testSeed seeds everything random in this package's tests, and is in their messages.
var testSeed = uint64(time.Now().UnixNano())

func testRand(t testing.TB) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", testSeed)
	return rand.New(rand.NewPCG(testSeed, 0))
}

func TestParseAndText(t *testing.T) {
	us, ns := Type{Kind: Timestamp, Unit: Micro}, Type{Kind: Timestamp, Unit: Nano}
	utc := Type{Kind: Timestamp, Unit: Milli, Zone: "UTC"}
	int96 := Type{Kind: Timestamp, Unit: Nano, Wide: true}
	price, wide := Type{Kind: Decimal, Precision: 9, Scale: 2}, Type{Kind: Decimal, Precision: 38, Scale: 3, Wide: true}
	for _, c := range []struct {
		kind       Type
		text, want string
	}{
		{Type{Kind: Boolean}, "TRUE", "true"},
		{Type{Kind: Int, Bits: 8}, "-128", "-128"},
		{Type{Kind: Int, Bits: 64}, "-9223372036854775808", "-9223372036854775808"},
		{Type{Kind: Uint, Bits: 64}, "18446744073709551615", "18446744073709551615"},
		{Type{Kind: Float, Bits: 64}, "1e20", "100000000000000000000"},
		{Type{Kind: Float, Bits: 64}, "1e21", "1e+21"},
		{Type{Kind: Float, Bits: 64}, "0.000001", "0.000001"},
		{Type{Kind: Float, Bits: 64}, "0.00000099", "9.9e-07"},
		{Type{Kind: Float, Bits: 64}, "-0", "-0"},
		{Type{Kind: Float, Bits: 64}, "inf", "Infinity"},
		{Type{Kind: Float, Bits: 64}, "NaN", "NaN"},
		{Type{Kind: Float, Bits: 32}, "0.1", "0.1"},
		{Type{Kind: Float, Bits: 16}, "0.1", "0.1"},
		{Type{Kind: Float, Bits: 16}, "65504", "65500"},
		{price, "12.5", "12.50"},
		{price, "-.07", "-0.07"},
		{price, "3", "3.00"},
		{price, "1.50000", "1.50"},
		{Type{Kind: Decimal, Precision: 9, Scale: -2}, "1200", "1200"},
		{wide, "-12345678901234567890123456789012345.678", "-12345678901234567890123456789012345.678"},
		{Type{Kind: Date}, "2024-02-29", "2024-02-29"},
		{Type{Kind: Date}, "-0044-03-15", "-0044-03-15"},
		{Type{Kind: Date}, "+12345-01-01", "12345-01-01"},
		{Type{Kind: Time, Unit: Milli}, "07:30", "07:30:00"},
		{Type{Kind: Time, Unit: Nano}, "23:59:59.999999999", "23:59:59.999999999"},
		{us, "2020-01-01", "2020-01-01T00:00:00"},
		{us, "2020-01-01 10:11", "2020-01-01T10:11:00"},
		{us, "1969-12-31T23:59:59.5", "1969-12-31T23:59:59.5"},
		{utc, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"},
		{utc, "2020-01-01T01:30:00+01:30", "2020-01-01T00:00:00Z"},
		{utc, "2019-12-31 20:00:00.125-04:00", "2020-01-01T00:00:00.125Z"},
		{ns, "2262-04-11T23:47:16.854775807", "2262-04-11T23:47:16.854775807"},
		{Type{Kind: Timestamp, Unit: Second}, "-290308-12-21T19:59:05", "-290308-12-21T19:59:05"},
		{int96, "290000-12-31T12:13:14.000000001", "290000-12-31T12:13:14.000000001"},
		{Type{Kind: UUID}, "00112233445566778899AABBCCDDEEFF", "00112233-4455-6677-8899-aabbccddeeff"},
		{Type{Kind: Binary}, "00fF", "00ff"},
		{Type{Kind: String}, "a\x00é", "a\x00é"},
	} {
		v := &Values{Type: c.kind}
		if err := v.Parse(c.text); err != nil {
			t.Errorf("%s: Parse(%q): %v", c.kind, c.text, err)
			continue
		}
		if got := v.Text(0); got != c.want {
			t.Errorf("%s: Parse(%q) gives %q, want %q", c.kind, c.text, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	us := Type{Kind: Timestamp, Unit: Micro}
	for _, c := range []struct {
		kind  Type
		texts string // between bars
	}{
		{Type{Kind: Boolean}, "|yes|2"},
		{Type{Kind: Int, Bits: 8}, "|128|-129|1.0|0x1| 1"},
		{Type{Kind: Uint, Bits: 16}, "-1|65536"},
		{Type{Kind: Float, Bits: 64}, "|1e999|0x1p3|1_0|NaN:0000000000000001"},
		{Type{Kind: Float, Bits: 16}, "65520|-1e9"},
		{Type{Kind: Decimal, Precision: 9, Scale: 2}, "|.|1.234|1e3|1.-2|--1|99999999999999999999"},
		{Type{Kind: Decimal, Precision: 9, Scale: -2}, "1250|1.5"},
		{Type{Kind: Decimal, Precision: 38, Wide: true}, strings.Repeat("9", 39)},
		{Type{Kind: Date}, "2023-02-29|2023-13-01|2023-1-1|20230101|99-01-01|9999999-01-01|2020-01-01T00:00"},
		{Type{Kind: Time, Unit: Milli}, "7:30|07:60:00|07:30:60|07:30:00.0001|"},
		{Type{Kind: Time, Unit: Second}, "07:30:00.5"},
		{us, "2020-01-01T24:00|2020-01-01T00:00:00Z|2020-01-01T|2020-01-01T10:00:00.0000001|300000-01-01"},
		{Type{Kind: Timestamp, Unit: Nano, Zone: "UTC"}, "2262-04-11T23:47:16.854775808Z|2020-01-01T10:00+25:00"},
		{Type{Kind: Timestamp, Unit: Nano, Wide: true}, "2020-01-01T24:00|99999999-01-01"},
		{Type{Kind: UUID}, "0011|zz112233445566778899aabbccddeeff"},
		{Type{Kind: Binary, Size: 2}, "00|000000|0g"},
		{Type{Kind: Null}, "|x"},
	} {
		for text := range strings.SplitSeq(c.texts, "|") {
			v := &Values{Type: c.kind}
			err := v.Parse(text)
			if err == nil {
				t.Errorf("%s: Parse(%q) gives %q, want an error", c.kind, text, v.Text(0))
			} else if len(text) > 3 && strings.Contains(err.Error(), text) {
				t.Errorf("%s: the error shows the text %q: %v", c.kind, text, err)
			}
			if v.Len() != 0 {
				t.Errorf("%s: Parse(%q) failed and appended", c.kind, text)
			}
		}
	}
}

// orderedTypes are types of every kind that has an order, at every width.
func orderedTypes() []Type {
	types := []Type{
		{Kind: Date},
		{Kind: Decimal, Precision: 18, Scale: 5}, {Kind: Decimal, Precision: 9}, {Kind: Decimal, Precision: 12, Scale: -3},
		{Kind: Decimal, Precision: 38, Scale: 10, Wide: true}, {Kind: Decimal, Precision: 76, Scale: 40, Wide: true},
		{Kind: Timestamp, Unit: Nano, Wide: true},
	}
	for _, bits := range []int{8, 16, 32, 64} {
		types = append(types, Type{Kind: Int, Bits: bits}, Type{Kind: Uint, Bits: bits})
	}
	for _, bits := range []int{16, 32, 64} {
		types = append(types, Type{Kind: Float, Bits: bits})
	}
	for unit := Second; unit <= Nano; unit++ {
		types = append(types, Type{Kind: Time, Unit: unit}, Type{Kind: Timestamp, Unit: unit}, Type{Kind: Timestamp, Unit: unit, Zone: "Europe/Paris"})
	}
	return types
}

// randomValue appends a value of the type, often near zero or the ends.
func randomValue(r *rand.Rand, v *Values) {
	x := int64(r.Uint64()) >> r.IntN(64)
	switch t := v.Type; {
	case t.Wide && t.Kind == Decimal:
		b := make([]byte, wideSize(t))
		b[0] = 0x80
		for i := r.IntN(len(b)); i < len(b); i++ {
			b[i] = byte(r.Uint32())
		}
		v.AppendBytes(b)
	case t.Wide:
		b := make([]byte, 12)
		day, nanos := uint32(x)^1<<31, r.Uint64N(86400e9)
		for i := range 4 {
			b[i] = byte(day >> (24 - 8*i))
		}
		for i := range 8 {
			b[4+i] = byte(nanos >> (56 - 8*i))
		}
		v.AppendBytes(b)
	case t.Kind == Float && t.Bits == 16:
		v.Words = append(v.Words, floatWord(widenFloat16(uint16(r.Uint32()))))
	case t.Kind == Float && t.Bits == 32:
		v.Words = append(v.Words, floatWord(widenFloat32(r.Uint32())))
	case t.Kind == Float:
		v.Words = append(v.Words, floatWord(r.Uint64()))
	case t.Kind == Uint:
		v.Words = append(v.Words, uint64(x)>>(64-t.Bits))
	case t.Kind == Int:
		v.Words = append(v.Words, intWord(x<<(64-t.Bits)>>(64-t.Bits)))
	case t.Kind == Date:
		v.Words = append(v.Words, intWord(int64(int32(x))))
	default:
		v.Words = append(v.Words, intWord(x))
	}
}

func TestTextComesBack(t *testing.T) {
	r := testRand(t)
	for _, kind := range orderedTypes() {
		v, back := &Values{Type: kind}, &Values{Type: kind}
		for i := range 2000 {
			randomValue(r, v)
			text := v.Text(i)
			if err := back.Parse(text); err != nil {
				t.Fatalf("seed %d: %s: %q: %v", testSeed, kind, text, err)
			}
		}
		if !slices.Equal(v.Words, back.Words) || !bytes.Equal(v.Data, back.Data) {
			for i := range v.Len() {
				if v.Text(i) != back.Text(i) {
					t.Fatalf("seed %d: %s: %q came back as %q", testSeed, kind, v.Text(i), back.Text(i))
				}
			}
			t.Fatalf("seed %d: %s: some value came back as another with the same text", testSeed, kind)
		}
	}
}

// compareValues orders two values as Values promises: by words or by bytes.
func compareValues(v *Values, i, j int) int {
	if v.Type.InWords() {
		switch {
		case v.Words[i] < v.Words[j]:
			return -1
		case v.Words[i] > v.Words[j]:
			return 1
		}
		return 0
	}
	return bytes.Compare(v.Bytes(i), v.Bytes(j))
}

func TestOrderIsThatOfTheNumberLine(t *testing.T) {
	r := testRand(t)
	for _, kind := range orderedTypes() {
		v := &Values{Type: kind}
		for range 2000 {
			randomValue(r, v)
		}
		order := make([]int, v.Len())
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return compareValues(v, i, j) })
		last := math.Inf(-1)
		for _, i := range order {
			x := v.Float(i)
			if x < last {
				t.Fatalf("seed %d: %s: %s lies below its predecessor", testSeed, kind, v.Text(i))
			}
			if !math.IsNaN(x) {
				last = x
			}
		}
	}
}

func TestFloatPositions(t *testing.T) {
	for _, c := range []struct {
		kind Type
		text string
		want float64
	}{
		{Type{Kind: Int, Bits: 16}, "-5", -5},
		{Type{Kind: Decimal, Precision: 9, Scale: 2}, "-12.25", -12.25},
		{Type{Kind: Decimal, Precision: 40, Scale: 2, Wide: true}, "-12.25", -12.25},
		{Type{Kind: Date}, "1970-01-11", 10},
		{Type{Kind: Timestamp, Unit: Milli}, "1970-01-01T00:00:01.5", 1500},
		{Type{Kind: Timestamp, Unit: Nano, Wide: true}, "1970-01-01T00:00:01.5", 1.5e9},
		{Type{Kind: Float, Bits: 16}, "-0.5", -0.5},
	} {
		v := &Values{Type: c.kind}
		if err := v.Parse(c.text); err != nil {
			t.Fatal(err)
		}
		if got := v.Float(0); got != c.want {
			t.Errorf("%s: %s lies at %v, want %v", c.kind, c.text, got, c.want)
		}
	}
}

func TestEveryHalfComesBack(t *testing.T) {
	v := &Values{Type: Type{Kind: Float, Bits: 16}}
	seen := make(map[string]bool)
	for bits := range 1 << 16 {
		v.Words = append(v.Words[:0], floatWord(widenFloat16(uint16(bits))))
		text := v.Text(0)
		if seen[text] {
			t.Fatalf("two halves have the text %s", text)
		}
		seen[text] = true
		if err := v.Parse(text); err != nil || v.Words[1] != v.Words[0] {
			t.Fatalf("half %04x: %s does not come back: %v", bits, text, err)
		}
	}
}

func TestCalendarAgreesWithTime(t *testing.T) {
	r := testRand(t)
	for range 20000 {
		days := int64(r.IntN(4_000_000)) - 2_000_000
		want := time.Unix(days*86400, 0).UTC()
		got := civilOf(days)
		if got.year != int64(want.Year()) || got.month != int(want.Month()) || got.day != want.Day() || got.days() != days {
			t.Fatalf("seed %d: day %d is %v, want %s", testSeed, days, got, want.Format("2006-01-02"))
		}
	}
}
