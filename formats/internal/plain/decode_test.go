package plain

import (
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Decimals have any number of bytes. The leading ones may only repeat the sign.
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
			err := AppendTexts(&values, []byte(tt.bytes), []uint32{0, uint32(len(tt.bytes))})
			if fixed := (formats.Values{Type: kind}); tt.bytes != "" {
				width := len(tt.bytes)
				again := DecoderOf(kind, format.FixedLenByteArray, width)(&fixed, []byte(tt.bytes),
					1)
				if (again == nil) != (err == nil) || err == nil && fixed.Text(0) != values.Text(0) {
					t.Errorf("%q of one width: %v", tt.bytes, again)
				}
			}
			switch {
			case tt.want == "" && !errors.Is(err, formats.ErrDamaged):
				t.Errorf("%q: %v, want ErrDamaged", tt.bytes, err)
			case tt.want != "" && (err != nil || values.Text(0) != tt.want):
				t.Errorf("%q: %v, want %s", tt.bytes, err, tt.want)
			}
		}
	}
}
