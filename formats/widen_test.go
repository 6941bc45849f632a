package formats

import "testing"

// TestWiden: a value that fits is kept, and one without an exact counterpart is refused.
func TestWiden(t *testing.T) {
	i8, i32, i64, u32, u64 := Type{Kind: Int, Bits: 8}, Type{Kind: Int, Bits: 32},
		Type{Kind: Int, Bits: 64}, Type{Kind: Uint, Bits: 32}, Type{Kind: Uint, Bits: 64}
	f16, f32, f64 := Type{Kind: Float, Bits: 16}, Type{Kind: Float, Bits: 32},
		Type{Kind: Float, Bits: 64}
	d52, d94, wide := Type{Kind: Decimal, Precision: 5, Scale: 2},
		Type{Kind: Decimal, Precision: 9, Scale: 4},
		Type{Kind: Decimal, Precision: 30, Scale: 4, Wide: true}
	milli, micro, nano := Type{Kind: Timestamp, Unit: Milli}, Type{Kind: Timestamp, Unit: Micro},
		Type{Kind: Timestamp, Unit: Nano}
	zoned, int96 := Type{Kind: Timestamp, Unit: Nano, Zone: "UTC"},
		Type{Kind: Timestamp, Unit: Nano, Wide: true}
	fixed, bytes := Type{Kind: Binary, Size: 2}, Type{Kind: Binary}
	for _, c := range []struct {
		from, to Type
		text     string
		want     string // empty: there is no exact value
	}{
		{i32, i64, "-5", "-5"}, {u32, u64, "7", "7"}, {u32, i64, "4294967295", "4294967295"},
		{i8, f16, "-128", "-128"},
		{i32, f64, "-2147483648", "-2147483648"},
		{i64, f64, "9007199254740992", "9007199254740992"}, {i64, f64, "9007199254740993", ""},
		{i64, f64, "-9223372036854775808", ""}, {u64, f64, "18446744073709551615", ""},
		{i32, f32, "16777217", ""}, {i32, f32, "16777216", "16777216"},
		{f32, f64, "0.5", "0.5"}, {f16, f32, "-1.5", "-1.5"}, {d52, d94, "123.45", "123.4500"},
		{d52, wide, "-1.5", "-1.5000"},
		{milli, micro, "2020-05-01T10:00:00.5", "2020-05-01T10:00:00.5"},
		{micro, nano, "2020-05-01", "2020-05-01T00:00:00"}, {micro, nano, "3000-01-01", ""},
		{milli, int96, "2020-05-01T10:00:00", "2020-05-01T10:00:00"},
		{fixed, bytes, "00ff", "00ff"},
	} {
		from, to := &Values{Type: c.from}, &Values{Type: c.to}
		if !c.from.Fits(c.to) || c.to.Fits(c.from) {
			t.Errorf("%s fits %s: %t, and the other way round: %t", c.from, c.to, c.from.Fits(c.to),
				c.to.Fits(c.from))
		}
		if err := from.Parse(c.text); err != nil {
			t.Fatal(err)
		}
		exact := to.Widen(from, 0)
		if exact != (c.want != "") || exact && to.Text(0) != normal(t, c.to, c.want) {
			t.Errorf("%s from %s to %s: %t, %s, want %q", c.text, c.from, c.to, exact, to.Text(0),
				c.want)
		}
	}
	for _, pair := range [][2]Type{{i64, u64}, {u64, i64}, {i64, d94}, {d94, d52}, {nano, zoned},
		{i32, {Kind: String}}, {bytes, {Kind: String}}, {{Kind: Date}, micro}} {
		if pair[0].Fits(pair[1]) {
			t.Errorf("%s fits %s", pair[0], pair[1])
		}
	}
}

// normal returns the canonical form of a text.
func normal(t *testing.T, of Type, text string) string {
	values := &Values{Type: of}
	if err := values.Parse(text); err != nil {
		t.Fatal(err)
	}
	return values.Text(0)
}
