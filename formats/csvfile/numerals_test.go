package csvfile

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
)

// TestNumerals: numbers with decimal commas and with grouped digits are numbers if they are
// declared, and have one form throughout; else they are texts.
func TestNumerals(t *testing.T) {
	whole, float := formats.Type{Kind: formats.Int, Bits: 64},
		formats.Type{Kind: formats.Float, Bits: 64}
	money := formats.Type{Kind: formats.Decimal, Precision: 18, Scale: 2}
	german, swiss, french, english := formats.CSV{Decimal: ',', Thousands: '.'},
		formats.CSV{Thousands: '\''}, formats.CSV{Decimal: ',', Thousands: ' '},
		formats.CSV{Thousands: ','}
	comma, point := formats.CSV{Decimal: ','}, formats.CSV{Decimal: '.'}
	for _, tt := range []struct {
		csv   formats.CSV
		texts string // separated by |
		want  formats.Type
		cells string // if they differ from the texts
	}{
		{comma, "12,5|0,25|-3", float, "12.5|0.25|-3"},
		{comma, "1.234,56|0,50|-1.234.567,00", money, "123456|50|-123456700"},
		{comma, "1.234|2,5", formats.Type{}, ""},
		{comma, "12.5|1", formats.Type{}, ""},
		{comma, "1,5|1.5", formats.Type{}, ""},
		{comma, "1,234|1", float, "1.234|1"},
		{comma, "1.234,5|1234,25", formats.Type{}, ""},
		{comma, "10,0|2,25|1e-05", float, "10|2.25|1e-05"},
		{comma, "2020-01-01", formats.Type{Kind: formats.Date}, "18262"},
		{formats.CSV{Thousands: '.'}, "1.234,5|2,25|-12", float, "1234.5|2.25|-12"},
		{german, "1.234|12|1.234.567", whole, "1234|12|1234567"},
		{german, "12345|12", whole, "12345|12"},
		{german, "1.234|1234", formats.Type{}, ""},
		{german, "1.23|1", formats.Type{}, ""},
		{german, "1.2345|1", formats.Type{}, ""},
		{german, "1234.567|1", formats.Type{}, ""},
		{german, "01.234|1", formats.Type{}, ""},
		{german, ".123|1", formats.Type{}, ""},
		{german, "01.02.2020|1", formats.Type{}, ""},
		{german, "1,5,5|1", formats.Type{}, ""},
		{german, "1.234,567.890|1", formats.Type{}, ""},
		{english, "1,234.50|2.25|1,000,000.75", money, "123450|225|100000075"},
		{english, "1,234.5|2.25|1,000.75", float, "1234.5|2.25|1000.75"},
		{point, "1,234.5|2.25", float, "1234.5|2.25"},
		{point, "1,234|2.25", formats.Type{}, ""},
		{english, "30,99,414|1,00,000|99,999", whole, "3099414|100000|99999"},
		{english, "1,00|1,234", formats.Type{}, ""},
		{english, "100,00,000|1", formats.Type{}, ""},
		{german, "1.00.000|1", formats.Type{}, ""},
		{swiss, "1'234.50|1’234’567.00", money, "123450|123456700"},
		{french, "1 234,5|1\u00a0234,25|12\u202f345", float, "1234.5|1234.25|12345"},
		{french, "1 234 x|1", formats.Type{}, ""},
		{formats.CSV{}, "1,5|2", formats.Type{}, ""},
	} {
		texts := strings.Split(tt.texts, "|")
		want := texts
		if tt.cells != "" {
			want = strings.Split(tt.cells, "|")
		}
		if tt.want == (formats.Type{}) {
			tt.want = formats.Type{Kind: formats.String}
		}
		text := "c;d\n" + strings.Join(texts, ";\n") + ";\n"
		s := mustCSV(t, text, formats.ReadOptions{CSV: tt.csv})
		if got := s.Fields()[0]; got.Type != tt.want {
			t.Errorf("%s: %s, want %s", tt.texts, got.Type, tt.want)
			continue
		}
		for _, coded := range []bool{true, false} {
			if got := formatstest.ReadAll(t, s, coded)[0]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s, coded %v: got %q, want %q", tt.texts, coded, got, want)
			}
		}
	}
	declared := formats.ReadOptions{CSV: german, Types: map[string]formats.Type{"c": money}}
	if got := formatstest.ReadAll(t, mustCSV(t, "c\n\"1.234,5\"\n1234\n", declared),
		true)[0]; !reflect.DeepEqual(got, []string{"123450", "123400"}) {
		t.Errorf("declared decimals are %q", got)
	}
	if _, err := tryCSV(t, "c\n1\n", formats.ReadOptions{CSV: formats.CSV{
		Decimal:   ',',
		Thousands: ',',
	}}); err == nil {
		t.Error("one sign for two things was read")
	}
	for of, hint := range map[formats.Type]string{money: "csv.decimal",
		{Kind: formats.Date}: "date(DD.MM.YYYY)"} {
		undeclared := mustCSV(t, "c\n\"1,5\"\n",
			formats.ReadOptions{Types: map[string]formats.Type{"c": of}})
		r, err := undeclared.Read(t.Context(), 0, 1, []formats.Request{{Column: 0}})
		if err == nil {
			_, err = r.Next(t.Context())
		}
		if err == nil || !strings.Contains(fault.HintOf(err), hint) {
			t.Errorf("%s: %v, hint %q", of, err, fault.HintOf(err))
		}
	}
}
