package plain

import (
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Decimals have any number of bytes, of which those in front may be nothing but the sign.
func TestDecimals(t *testing.T) {
	for _, wide := range []bool{false, true} {
		kind := formats.Type{Kind: formats.Decimal, Precision: 4, Scale: 2, Wide: wide}
		for _, tt := range []struct {
			bytes string
			want  string // "": damaged
		}{
			{"", "0.00"},
			{"\x7b", "1.23"},
			{"\x85", "-1.23"},
			{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7b", "1.23"},
			{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x85", "-1.23"},
			{"\xff\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x85", ""},
			{"\x00\x00\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x85", ""},
		} {
			values := formats.Values{Type: kind}
			from, err := AppendRaw(nil, []byte(tt.bytes), 0)
			if err != nil {
				t.Fatal(err)
			}
			rest, err := DecoderOf(kind, format.ByteArray, 0)(&values, append(from, "rest"...), 1)
			switch {
			case tt.want == "" && !errors.Is(err, formats.ErrDamaged):
				t.Errorf("%q: %v, want ErrDamaged", tt.bytes, err)
			case tt.want != "" && (err != nil || values.Text(0) != tt.want || string(rest) != "rest"):
				t.Errorf("%q: %v, want %s", tt.bytes, err, tt.want)
			}
		}
	}
}
