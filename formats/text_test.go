package formats_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

func TestParseAndText(t *testing.T) {
	us, ns := formats.Type{Kind: formats.Timestamp, Unit: formats.Micro},
		formats.Type{Kind: formats.Timestamp, Unit: formats.Nano}
	utc := formats.Type{Kind: formats.Timestamp, Unit: formats.Milli, Zone: "UTC"}
	int96 := formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true}
	price, wide := formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2},
		formats.Type{Kind: formats.Decimal, Precision: 38, Scale: 3, Wide: true}
	for _, c := range []struct {
		kind       formats.Type
		text, want string
	}{
		{formats.Type{Kind: formats.Boolean}, "TRUE", "true"},
		{formats.Type{Kind: formats.Int, Bits: 8}, "-128", "-128"},
		{formats.Type{Kind: formats.Int, Bits: 64}, "-9223372036854775808", "-9223372036854775808"},
		{formats.Type{Kind: formats.Uint, Bits: 64}, "18446744073709551615",
			"18446744073709551615"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "1e20", "100000000000000000000"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "1e21", "1e+21"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "0.000001", "0.000001"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "0.00000099", "9.9e-07"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "-0", "-0"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "inf", "Infinity"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "NaN", "NaN"},
		{formats.Type{Kind: formats.Float, Bits: 32}, "0.1", "0.1"},
		{formats.Type{Kind: formats.Float, Bits: 16}, "0.1", "0.1"},
		{formats.Type{Kind: formats.Float, Bits: 16}, "65504", "65500"},
		{price, "12.5", "12.50"},
		{price, "-.07", "-0.07"},
		{price, "3", "3.00"},
		{price, "1.50000", "1.50"},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: -2}, "1200", "1200"},
		{wide, "-12345678901234567890123456789012345.678",
			"-12345678901234567890123456789012345.678"},
		{formats.Type{Kind: formats.Date}, "2024-02-29", "2024-02-29"},
		{formats.Type{Kind: formats.Date}, "-0044-03-15", "-0044-03-15"},
		{formats.Type{Kind: formats.Date}, "+12345-01-01", "12345-01-01"},
		{formats.Type{Kind: formats.Time, Unit: formats.Milli}, "07:30", "07:30:00"},
		{formats.Type{Kind: formats.Time, Unit: formats.Nano}, "23:59:59.999999999",
			"23:59:59.999999999"},
		{us, "2020-01-01", "2020-01-01T00:00:00"},
		{us, "2020-01-01 10:11", "2020-01-01T10:11:00"},
		{us, "1969-12-31T23:59:59.5", "1969-12-31T23:59:59.5"},
		{utc, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"},
		{utc, "2020-01-01T01:30:00+01:30", "2020-01-01T00:00:00Z"},
		{utc, "2019-12-31 20:00:00.125-04:00", "2020-01-01T00:00:00.125Z"},
		{utc, "2020-01-01 02:00:00+02", "2020-01-01T00:00:00Z"},
		{utc, "2020-01-01 00:00:00+00", "2020-01-01T00:00:00Z"},
		{utc, "2020-01-01 02:30:00+0230", "2020-01-01T00:00:00Z"},
		{utc, "2020-01-01 00:00:00 UTC", "2020-01-01T00:00:00Z"},
		{ns, "2262-04-11T23:47:16.854775807", "2262-04-11T23:47:16.854775807"},
		{formats.Type{Kind: formats.Timestamp, Unit: formats.Second}, "-290308-12-21T19:59:05",
			"-290308-12-21T19:59:05"},
		{int96, "290000-12-31T12:13:14.000000001", "290000-12-31T12:13:14.000000001"},
		{formats.Type{Kind: formats.UUID}, "00112233445566778899AABBCCDDEEFF",
			"00112233-4455-6677-8899-aabbccddeeff"},
		{formats.Type{Kind: formats.Binary}, "00fF", "00ff"},
		{formats.Type{Kind: formats.String}, "a\x00é", "a\x00é"},
	} {
		v := &formats.Values{Type: c.kind}
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
	us := formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}
	for _, c := range []struct {
		kind  formats.Type
		texts string // separated by bars
	}{
		{formats.Type{Kind: formats.Boolean}, "|yes|2"},
		{formats.Type{Kind: formats.Int, Bits: 8}, "|128|-129|1.0|0x1| 1"},
		{formats.Type{Kind: formats.Uint, Bits: 16}, "-1|65536"},
		{formats.Type{Kind: formats.Float, Bits: 64}, "|1e999|0x1p3|1_0|NaN:0000000000000001"},
		{formats.Type{Kind: formats.Float, Bits: 16}, "65520|-1e9"},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2},
			"|.|1.234|1e3|1.-2|--1|99999999999999999999"},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: -2}, "1250|1.5"},
		{formats.Type{Kind: formats.Decimal, Precision: 38, Wide: true}, strings.Repeat("9", 39)},
		{formats.Type{Kind: formats.Date},
			"2023-02-29|2023-13-01|2023-1-1|20230101|99-01-01|9999999-01-01|2020-01-01T00:00"},
		{formats.Type{Kind: formats.Time, Unit: formats.Milli},
			"7:30|07:60:00|07:30:60|07:30:00.0001|"},
		{formats.Type{Kind: formats.Time, Unit: formats.Second}, "07:30:00.5"},
		{us,
			"2020-01-01T24:00|2020-01-01T00:00:00Z|2020-01-01T|2020-01-01T10:00:00.0000001|" +
				"300000-01-01"},
		{formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Zone: "UTC"},
			"2262-04-11T23:47:16.854775808Z|2020-01-01T10:00+25:00"},
		{formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true},
			"2020-01-01T24:00|99999999-01-01"},
		{formats.Type{Kind: formats.UUID}, "0011|zz112233445566778899aabbccddeeff"},
		{formats.Type{Kind: formats.Binary, Size: 2}, "00|000000|0g"},
		{formats.Type{Kind: formats.Null}, "|x"},
	} {
		for text := range strings.SplitSeq(c.texts, "|") {
			v := &formats.Values{Type: c.kind}
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
func orderedTypes() []formats.Type {
	types := []formats.Type{
		{Kind: formats.Date},
		{Kind: formats.Decimal, Precision: 18, Scale: 5}, {Kind: formats.Decimal, Precision: 9},
		{Kind: formats.Decimal, Precision: 12, Scale: -3},
		{Kind: formats.Decimal, Precision: 38, Scale: 10, Wide: true},
		{Kind: formats.Decimal, Precision: 76, Scale: 40, Wide: true},
		{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true},
	}
	for _, bits := range []int{8, 16, 32, 64} {
		types = append(types, formats.Type{Kind: formats.Int, Bits: bits},
			formats.Type{Kind: formats.Uint, Bits: bits})
	}
	for _, bits := range []int{16, 32, 64} {
		types = append(types, formats.Type{Kind: formats.Float, Bits: bits})
	}
	for unit := formats.Second; unit <= formats.Nano; unit++ {
		types = append(types, formats.Type{Kind: formats.Time, Unit: unit},
			formats.Type{Kind: formats.Timestamp, Unit: unit},
			formats.Type{Kind: formats.Timestamp, Unit: unit, Zone: "Europe/Paris"})
	}
	return types
}

// randomValue appends a value of the type, often near zero or the ends.
func randomValue(r *rand.Rand, v *formats.Values) {
	x := int64(r.Uint64()) >> r.IntN(64)
	switch t := v.Type; {
	case t.Wide && t.Kind == formats.Decimal:
		b := make([]byte, t.WideSize())
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
	case t.Kind == formats.Float && t.Bits == 16:
		v.Words = append(v.Words, formats.FloatWord(formats.WidenFloat16(uint16(r.Uint32()))))
	case t.Kind == formats.Float && t.Bits == 32:
		v.Words = append(v.Words, formats.FloatWord(formats.WidenFloat32(r.Uint32())))
	case t.Kind == formats.Float:
		v.Words = append(v.Words, formats.FloatWord(r.Uint64()))
	case t.Kind == formats.Uint:
		v.Words = append(v.Words, uint64(x)>>(64-t.Bits))
	case t.Kind == formats.Int:
		v.Words = append(v.Words, formats.IntWord(x<<(64-t.Bits)>>(64-t.Bits)))
	case t.Kind == formats.Date:
		v.Words = append(v.Words, formats.IntWord(int64(int32(x))))
	default:
		v.Words = append(v.Words, formats.IntWord(x))
	}
}

func TestTextComesBack(t *testing.T) {
	r := formatstest.Rand(t)
	for _, kind := range orderedTypes() {
		v, back := &formats.Values{Type: kind}, &formats.Values{Type: kind}
		for i := range 2000 {
			randomValue(r, v)
			text := v.Text(i)
			if err := back.Parse(text); err != nil {
				t.Fatalf("seed %d: %s: %q: %v", formatstest.Seed, kind, text, err)
			}
		}
		if !slices.Equal(v.Words, back.Words) || !bytes.Equal(v.Data, back.Data) {
			for i := range v.Len() {
				if v.Text(i) != back.Text(i) {
					t.Fatalf("seed %d: %s: %q came back as %q", formatstest.Seed, kind, v.Text(i),
						back.Text(i))
				}
			}
			t.Fatalf("seed %d: %s: some value came back as another with the same text",
				formatstest.Seed, kind)
		}
	}
}

// compareValues orders two values as Values promises: by words or by bytes.
func compareValues(v *formats.Values, i, j int) int {
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
	r := formatstest.Rand(t)
	for _, kind := range orderedTypes() {
		v := &formats.Values{Type: kind}
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
				t.Fatalf("seed %d: %s: %s lies below its predecessor", formatstest.Seed, kind,
					v.Text(i))
			}
			if !math.IsNaN(x) {
				last = x
			}
		}
	}
}

func TestFloatPositions(t *testing.T) {
	for _, c := range []struct {
		kind    formats.Type
		text    string
		want    float64
		spacing float64
	}{
		{formats.Type{Kind: formats.Int, Bits: 16}, "-5", -5, 1},
		{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, "-12.25", -12.25, 0.01},
		{formats.Type{Kind: formats.Decimal, Precision: 40, Scale: 2, Wide: true}, "-12.25",
			-12.25, 0.01},
		{formats.Type{Kind: formats.Date}, "1970-01-11", 10, 1},
		{formats.Type{Kind: formats.Timestamp, Unit: formats.Milli}, "1970-01-01T00:00:01.5", 1500,
			1},
		{formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Wide: true},
			"1970-01-01T00:00:01.5", 1.5e9, 1},
		{formats.Type{Kind: formats.Float, Bits: 16}, "-0.5", -0.5, 0},
	} {
		v := &formats.Values{Type: c.kind}
		if err := v.Parse(c.text); err != nil {
			t.Fatal(err)
		}
		if got := v.Float(0); got != c.want {
			t.Errorf("%s: %s lies at %v, want %v", c.kind, c.text, got, c.want)
		}
		if got := c.kind.Spacing(); got != c.spacing {
			t.Errorf("%s: values lie at least %v apart, want %v", c.kind, got, c.spacing)
		}
	}
}

func TestEveryHalfComesBack(t *testing.T) {
	v := &formats.Values{Type: formats.Type{Kind: formats.Float, Bits: 16}}
	seen := make(map[string]bool)
	for bits := range 1 << 16 {
		v.Words = append(v.Words[:0], formats.FloatWord(formats.WidenFloat16(uint16(bits))))
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
