package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
)

func tryCSV(t testing.TB, text string, opt formats.ReadOptions) (formats.Source, error) {
	t.Helper()
	s, err := Open(context.Background(), formatstest.WriteTemp(t, "t.csv", []byte(text)), opt)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

func mustCSV(t testing.TB, text string, opt formats.ReadOptions) formats.Source {
	t.Helper()
	s, err := tryCSV(t, text, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCells(t *testing.T) {
	const null = formatstest.NullCell
	tests := []struct {
		name, text string
		want       [][]string // by column
	}{
		{"plain", "a,b\nx,y\nz,w\n", [][]string{{"x", "z"}, {"y", "w"}}},
		{"no newline at the end", "a,b\nx,y", [][]string{{"x"}, {"y"}}},
		{"crlf", "a,b\r\nx,y\r\n", [][]string{{"x"}, {"y"}}},
		{"carriage returns", "a,b\rx,\"y\rz\"\r\rv,w\r", [][]string{{"x", "v"}, {"y\nz", "w"}}},
		{"crlf cut short", "a,b\r\nx,y\r", [][]string{{"x"}, {"y"}}},
		{"byte order mark", "\ufeffa,b\nx,y\n", [][]string{{"x"}, {"y"}}},
		{"quotes", "\"a\",b\n\"x,1\",\"say \"\"yes\"\"\"\n", [][]string{{"x,1"}, {`say "yes"`}}},
		{"newline in quotes", "a,b\n\"x\ny\r\nz\",w\n", [][]string{{"x\ny\r\nz"}, {"w"}}},
		{"blanks around quotes", "a , \"b\"\t\n x, \"y, z\" \n\t\"v\" ,w \r\n",
			[][]string{{" x", "v"}, {"y, z", "w "}}},
		{"tabs around quotes", "a\tb\n\"x\" \t \"\ty\"\n\t \"\" ", [][]string{{"x", null},
			{"\ty", ""}}},
		{"null and empty", "a,b\n,\"\"\nx,y\n", [][]string{{null, "x"}, {"", "y"}}},
		{"last field empty", "a,b\nx,\ny,", [][]string{{"x", "y"}, {null, null}}},
		{"blank lines between", "a,b\n\nx,y\r\n\r\n\nz,w\n\n", [][]string{{"x", "z"}, {"y", "w"}}},
		{"blank lines of one column", "a\nx\n\ny\n", [][]string{{"x", null, "y"}}},
		{"carriage return inside", "a,b\nx\ry,z\n", [][]string{{"x\ry"}, {"z"}}},
		{"no rows", "a,b\n", [][]string{nil, nil}},
		{"header alone", "a,b", [][]string{nil, nil}},
		{"semicolons", "a;b\nx,1;y\n", [][]string{{"x,1"}, {"y"}}},
		{"bars", "a|b\nx,1|y;z\n", [][]string{{"x,1"}, {"y;z"}}},
		{"tabs", "a\tb\nx;1\ty\n", [][]string{{"x;1"}, {"y"}}},
		{"comma in a quoted name", "\"a,1\";b\nx;y\n", [][]string{{"x"}, {"y"}}},
		{"row numbers of pandas", ",a\n0,x\n1,y\n", [][]string{{"0", "1"}, {"x", "y"}}},
		{"other languages", "größe,név\nß,ő\n", [][]string{{"ß"}, {"ő"}}},
	}
	for _, tt := range tests {
		for _, batch := range []int{0, 1} {
			for _, coded := range []bool{true, false} {
				s := mustCSV(t, tt.text, formats.ReadOptions{BatchRows: batch})
				if got := formatstest.ReadAll(t, s, coded); !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%s, batch %d, coded %v: got %q, want %q", tt.name, batch, coded, got,
						tt.want)
				}
				if got := formatstest.Rows(s); got != int64(len(tt.want[0])) {
					t.Errorf("%s: %d rows, want %d", tt.name, got, len(tt.want[0]))
				}
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	long := strings.Repeat("x", longest+bufferSize)
	tests := []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty file", "", formats.ErrSchema, "no header"},
		{"blank file", "\n\n", formats.ErrSchema, "no header"},
		{"unnamed column", "a,,c\n", formats.ErrSchema, "column 2"},
		{"two columns of one name", "a,b,a\n", formats.ErrSchema, "columns 1 and 3"},
		{"too few fields", "a,b\n1,2\n3\n", formats.ErrDamaged, "line 3"},
		{"too many fields", "a,b\n\n1,2,3,4\n", formats.ErrDamaged, "line 3"},
		{"one field too many", "a,b\n1,2\n1,2,3\n", formats.ErrDamaged, "line 3"},
		{"two too many behind one", "a,b\n1,2,3\n1,2,3,4\n", formats.ErrDamaged, "line 3"},
		{"one too many in some lines", "a,b\n1,2,3\n1,2\n", formats.ErrDamaged, "line 3"},
		{"lines inside quotes count", "a,b\n\"1\n\n\",2\n3\n", formats.ErrDamaged, "line 5"},
		{"quote never closed", "a,b\n1,\"2\n", formats.ErrDamaged, "line 2"},
		{"text behind a quote", "a,b\n1,\"2\"x\n", formats.ErrDamaged, "line 2"},
		{"texts in one field", "a,b\n1,\"2\" \"3\"\n", formats.ErrDamaged, "line 2"},
		{"quote in the middle", "a,b\n1,2\"\n", formats.ErrDamaged, "line 2"},
		{"no UTF-8", "a,b\n1,2\n3,\xff\n", formats.ErrDamaged, `line 3, column "b"`},
		{"no UTF-8 in the header", "a,\xff\n", formats.ErrDamaged, "line 1, column 2"},
		{"UTF-16 without a mark", "a\x00,\x00b\x00\n\x00", formats.ErrDamaged,
			"line 1 has a zero byte"},
		{"long field", "a,b\n1,\"" + long, formats.ErrDamaged, "line 2"},
	}
	for _, tt := range tests {
		_, err := tryCSV(t, tt.text, formats.ReadOptions{})
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %v that says %s", tt.name, err, tt.want, tt.says)
		}
	}
}

func TestInference(t *testing.T) {
	local := formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}
	zoned := formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"}
	tests := []struct {
		texts string // separated by |
		want  formats.Type
		cells string // if they differ from the texts
	}{
		{"true|false", formats.Type{Kind: formats.Boolean}, "1|0"},
		{"True|False", formats.Type{Kind: formats.Boolean}, "1|0"},
		{"TRUE|FALSE", formats.Type{Kind: formats.Boolean}, "1|0"},
		{"true|FALSE", formats.Type{Kind: formats.String}, ""},
		{"true|1", formats.Type{Kind: formats.String}, ""},
		{"yes|no", formats.Type{Kind: formats.String}, ""},
		{"0|-1|9223372036854775807|-9223372036854775808", formats.Type{Kind: formats.Int, Bits: 64},
			""},
		{"12|9223372036854775808", formats.Type{Kind: formats.String}, ""},
		{"01234|12345", formats.Type{Kind: formats.String}, ""},
		{"+1|2", formats.Type{Kind: formats.String}, ""},
		{"-0|1", formats.Type{Kind: formats.String}, ""},
		{"1|1.5", formats.Type{Kind: formats.Float, Bits: 64}, ""},
		{"1234567890123456|1.5", formats.Type{Kind: formats.String}, ""},
		{"0.1|-2.5|1000|0.001|0|1e-07|1.5e+21|0.30000000000000004",
			formats.Type{Kind: formats.Float, Bits: 64},
			"0.1|-2.5|1000|0.001|0|1e-07|1.5e+21|0.30000000000000004"},
		{"10.0|2.25|0.0|-3.5|1e-05|1e+16", formats.Type{Kind: formats.Float, Bits: 64},
			"10|2.25|0|-3.5|1e-05|1e+16"},
		{"10.0|2.25|1.0E7|-1.5E-4", formats.Type{Kind: formats.Float, Bits: 64},
			"10|2.25|1e+07|-0.00015"},
		{"1e+05|2.25|123456|1e-04", formats.Type{Kind: formats.Float, Bits: 64},
			"100000|2.25|123456|0.0001"},
		{"10.0|2.25|10", formats.Type{Kind: formats.String}, ""},
		{"10.0|2.25|1e+16|1.0E7", formats.Type{Kind: formats.String}, ""},
		{"10.0|2.25|2.50", formats.Type{Kind: formats.String}, ""},
		{"10.0|2.25|-0.0", formats.Type{Kind: formats.String}, ""},
		{"1e+05|100000", formats.Type{Kind: formats.String}, ""},
		{"10.0|02.25", formats.Type{Kind: formats.String}, ""},
		{"2.225073858507201e-308", formats.Type{Kind: formats.Float, Bits: 64}, ""},
		{"250.00|-0.50|12.34", formats.Type{Kind: formats.Decimal, Precision: 18, Scale: 2},
			"25000|-50|1234"},
		{"0.1234567890123456789", formats.Type{
			Kind:      formats.Decimal,
			Precision: 38,
			Scale:     19,
			Wide:      true,
		}, "1234567890123456789"},
		{"007.5|1", formats.Type{Kind: formats.String}, ""},
		{"1e999", formats.Type{Kind: formats.String}, ""},
		{"1e-999999", formats.Type{Kind: formats.String}, ""},
		{"1e+|1", formats.Type{Kind: formats.String}, ""},
		{"NaN|1", formats.Type{Kind: formats.String}, ""},
		{"1e|1", formats.Type{Kind: formats.String}, ""},
		{"-|1", formats.Type{Kind: formats.String}, ""},
		{".|1", formats.Type{Kind: formats.String}, ""},
		{"1.2.3", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01|2000-02-29|1969-12-31|0001-01-01", formats.Type{Kind: formats.Date},
			"0|11016|-1|-719162"},
		{"1900-02-29", formats.Type{Kind: formats.String}, ""},
		{"2000-13-01", formats.Type{Kind: formats.String}, ""},
		{"2000-04-31", formats.Type{Kind: formats.String}, ""},
		{"2000-1-01", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01T00:00:01|1970-01-01 00:00:00.5", local, "1000000|500000"},
		{"1969-12-31 23:59:59.999999", local, "-1"},
		{"1970-01-01T00:00:00Z|1970-01-01T00:00:00+01:30|1970-01-01 00:00:00-01:00", zoned,
			"0|-5400000000|3600000000"},
		{"1970-01-01 00:00:00+00|1970-01-01 02:00:00.5+02|1970-01-01T00:00:00-0130|1970-01-01 " +
			"00:00:01 UTC", zoned, "0|500000|5400000000|1000000"},
		{"1970-01-01 00:00:00+2|1970-01-01 00:00:00+02", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01 00:00:00+002|1970-01-01 00:00:00+02", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01 00:00:00+99|1970-01-01 00:00:00+02", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01 00:00:00 CET|1970-01-01 00:00:00+02", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01 00:00:001", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01T00:00:00Z|1970-01-01T00:00:00", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01 00:00:00.500000000|1970-01-01 00:00:01", local, "500000|1000000"},
		{"1970-01-01T00:00:00.1234567", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01T24:00:00", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01T00:00:00+1", formats.Type{Kind: formats.String}, ""},
		{"1970-01-01|1970-01-01T00:00:00", formats.Type{Kind: formats.String}, ""},
		{"1|x", formats.Type{Kind: formats.String}, ""},
	}
	for _, tt := range tests {
		texts := strings.Split(tt.texts, "|")
		want := texts
		if tt.cells != "" {
			want = strings.Split(tt.cells, "|")
		}
		s := mustCSV(t, "c,d\n"+strings.Join(texts, ",\n")+",\n", formats.ReadOptions{})
		if got := s.Fields()[0]; got.Type != tt.want || got.Nullable {
			t.Errorf("%s: got %+v, want %+v", tt.texts, got, tt.want)
		}
		if got := s.Fields()[1]; got.Type.Kind != formats.String || !got.Nullable {
			t.Errorf("column of nulls: got %+v", got)
		}
		for _, coded := range []bool{true, false} {
			if got := formatstest.ReadAll(t, s, coded)[0]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s, coded %v: got %q, want %q", tt.texts, coded, got, want)
			}
		}
	}
}

// The first line may be a record instead of a header: no message shows it.
func TestHeadersShowNothing(t *testing.T) {
	for _, text := range []string{
		"secret,1,secret\nother,2,x\n",
		"a,b\rsecret,1\rsecret,2\r\n",
		"a,b\rsecret1,1\rsecret2,2\n",
		"secret,,x\n",
		",secret,,x\n",
	} {
		_, err := tryCSV(t, text, formats.ReadOptions{})
		if !errors.Is(err, formats.ErrSchema) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if s := mustCSV(t, "\"a\r\nb\",c\n1,2\n",
		formats.ReadOptions{}); s.Fields()[0].Name != "a\r\nb" {
		t.Errorf("a name of two lines is %q", s.Fields()[0].Name)
	}
}

// The empty text in quotes is null where it can be no value, and where the job says so.
func TestQuotedEmptyFields(t *testing.T) {
	const null = formatstest.NullCell
	const text = "n,d,s,declared\n\"1\",\"1970-01-02\",\"a\",\"7\"\n\"\",\"\",\"\",\"\"\n"
	opt := formats.ReadOptions{Types: map[string]formats.Type{"declared": {
		Kind: formats.Int,
		Bits: 64,
	}}}
	for empty, nulls := range map[string][]string{"": nil, null: {""}} {
		opt.CSV.Nulls = nulls
		s := mustCSV(t, text, opt)
		want := [][]string{{"1", null}, {"1", null}, {"a", empty}, {"7", null}}
		for _, coded := range []bool{true, false} {
			if got := formatstest.ReadAll(t, s, coded); !reflect.DeepEqual(got, want) {
				t.Errorf("nulls %q: got %q, want %q", nulls, got, want)
			}
		}
		for i, kind := range []formats.Kind{formats.Int, formats.Date, formats.String,
			formats.Int} {
			if f := s.Fields()[i]; f.Type.Kind != kind || f.Nullable != (want[i][1] == null) {
				t.Errorf("nulls %q: %+v", nulls, f)
			}
		}
	}
}

func TestQuotedFieldsAreInferred(t *testing.T) {
	s := mustCSV(t, "a,b,c\n\"1\",\"\",\n2,\"3\",\n", formats.ReadOptions{})
	for i, want := range []formats.Kind{formats.Int, formats.Int, formats.String} {
		if got := s.Fields()[i].Type.Kind; got != want {
			t.Errorf("column %d: kind %d, want %d", i, got, want)
		}
	}
}

// A number keeps one of several texts. A column with another one is one of texts, unless a
// declaration says that only its order matters.
func TestNumbersThatLoseTheirText(t *testing.T) {
	for _, tt := range []struct {
		texts string // separated by |
		line  int64
	}{
		{"10|10.0", 3}, {"10.0|10", 3}, {"10.5|10.50", 3}, {"1e1|10", 2}, {"1|1E1", 3}, {"5|+5", 3},
		{"+5|5", 2}, {"1|5.", 3}, {".5|1", 2},
		{"1|-0", 3}, {"-0.0|1.0", 2}, {"250.00|250.0|1", 3}, {"2.00|3.00|1e2", 4},
		{"1.5|1.25|1.50", 4}, {"0.10|0.1", 3}, {"1|2.50", 3},
		{"0.1234567890123456789|0.12345678901234567891", 3}, {"1|0.0000001", 3}, {"1|1e5", 3},
		{"1.5|1234567890123456", 3},
		{"123456789.123456789123|1.5", 3}, {"10.0|2.25|10", 4}, {"10.0|2.25|2.50", 4},
		{"1e+16|2.0|1.0E7", 4}, {"100000|2.5|1e+05", 4},
	} {
		text := "c\n" + strings.ReplaceAll(tt.texts, "|", "\n") + "\n"
		want := strings.Split(tt.texts, "|")
		s := mustCSV(t, text, formats.ReadOptions{})
		if f := s.Fields()[0]; f.Type.Kind != formats.String || !f.Text.Number ||
			f.Text.Line != tt.line || !strings.HasSuffix(f.Text.File, "t.csv") {
			t.Errorf("%s: %+v, want line %d", tt.texts, f, tt.line)
		}
		if got := formatstest.ReadAll(t, s, true)[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		s = mustCSV(t, text,
			formats.ReadOptions{CSV: formats.CSV{Ordered: map[string]bool{"c": true}}})
		if f := s.Fields()[0]; f.Type.Kind != formats.Float || f.Text.Line != 0 {
			t.Errorf("%s, by its order: %+v", tt.texts, f)
		}
		formatstest.ReadAll(t, s, true)
	}
}

// Numbers may have a declared sign before or behind their digits, with blanks, and with commas
// between groups of digits unless others are declared. Other texts are errors.
func TestDeclaredSigns(t *testing.T) {
	read := func(csv formats.CSV, layout, values string) (cells []string, err error) {
		csv.Layouts = map[string]string{"n": layout}
		s := mustCSV(t, "n\n"+values, formats.ReadOptions{CSV: csv,
			Types: map[string]formats.Type{"n": {Kind: formats.Float, Bits: 64}}})
		all, err := formatstest.ReadCells(s, 0, 1, formatstest.EveryColumn(s, true)...)
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	point, comma := formats.CSV{Delimiter: ';'}, formats.CSV{Delimiter: ';', Decimal: ','}
	for _, tt := range []struct {
		csv            formats.CSV
		layout, values string
		want           string // empty: an error
	}{
		{point, "N%", "10.65%\n7 %\n\"  -3% \"\n", "[10.65 7 -3]"},
		{point, "$N", "$1,200\n-$5.5\n$-6\n$ 7\n$12,34,567.5\n1,300\n",
			"[1200 -5.5 -6 7 1.2345675e+06 1300]"},
		{point, "N", "\" 5\"\n6 \n7\n", "[5 6 7]"},
		{point, "N months", "36 months\n", "[36]"},
		{comma, "N €", "1.200,5 €\n3 €\n", "[1200.5 3]"},
		{point, "N", "(1,250.5)\n\" (3) \"\n", "[-1250.5 -3]"},
		{point, "$N", "($5)\n$ (6)\n$(7)\n", "[-5 -6 -7]"},
		{point, "feet", "\"5' 11\"\"\"\n5-1\n6 ft 2 in\n5’10''\n6'\n", "[71 61 74 70 72]"},
		{point, "€N", "€110.5M\n€565K\n€0\n€ 1,200 B\n€-3k\n(€2m)\n",
			"[1.105e+08 565000 0 1.2e+12 -3000 -2e+06]"},
		{comma, "N €", "1,5M €\n3 k€\n", "[1.5e+06 3000]"},
		{point, "$N", "$M\n", ""}, {point, "$N", "$1,2B\n", ""}, {point, "$N", "$5KM\n", ""},
		{point, "$N", "$1e3K\n", ""}, {point, "N%", "5K%\n", ""}, {point, "N", "5M\n", ""},
		{point, "N", "(5\n", ""}, {point, "N", "5)\n", ""}, {point, "N", "-(5)\n", ""},
		{point, "feet", "5-12\n", ""}, {point, "feet", "5 10\n", ""},
		{point, "N%", "5\n", ""}, {point, "N%", "5%%\n", ""}, {point, "N%", "%\n", ""},
		{point, "$N", "$1,20\n", ""}, {point, "$N", "-$-5\n", ""}, {point, "$N", "€5\n", ""},
		{comma, "N€", "1,200.5€\n", ""},
	} {
		cells, err := read(tt.csv, tt.layout, tt.values)
		if got := fmt.Sprint(cells); tt.want == "" && !errors.Is(err, formats.ErrDamaged) ||
			tt.want != "" && (err != nil || got != tt.want) {
			t.Errorf("%s of %q: %s, %v, want %s", tt.layout, tt.values, got, err, tt.want)
		}
	}
}

func TestDeclaredTypes(t *testing.T) {
	opt := formats.ReadOptions{Types: map[string]formats.Type{
		"zip": {Kind: formats.String}, "n": {Kind: formats.Int, Bits: 8},
		"d": {Kind: formats.Decimal, Precision: 5, Scale: 2}, "absent": {Kind: formats.Date},
	}}
	s := mustCSV(t, "zip,n,d\n1,-5,1.5\n2,,2.25\n", opt)
	want := [][]string{{"1", "2"}, {"-5", formatstest.NullCell}, {"150", "225"}}
	for _, coded := range []bool{true, false} {
		if got := formatstest.ReadAll(t, s, coded); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, coded := range []bool{true, false} {
		s := mustCSV(t, "zip,n,d\n1,2,3\n4,secret,5\n", opt)
		_, err := formatstest.ReadCells(s, 0, 1, formatstest.EveryColumn(s, coded)...)
		if !errors.Is(err, formats.ErrDamaged) ||
			!strings.Contains(err.Error(), `line 3, column "n"`) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
	nested := formats.ReadOptions{Types: map[string]formats.Type{"zip": {Kind: formats.Nested}}}
	if _, err := tryCSV(t, "zip\n1\n", nested); !errors.Is(err, formats.ErrUnsupported) {
		t.Errorf("nested type: got %v", err)
	}
}

func hintOf(err error) string {
	var advised *fault.Error
	if errors.As(err, &advised) {
		return advised.Hint
	}
	return ""
}

func TestDelimiters(t *testing.T) {
	// records are divided where the sample ends, in quotes, too
	long := strings.Repeat("1;60,5;\"a;\nb\"\n", bufferSize/8)
	for _, tt := range []struct{ text, first string }{
		{"id;weight (kg,mean);age\n1;60;20\n", "1"},
		{"id;weight (kg,mean);age\n1;60,5;20,5\n", "1"},
		{"a,b;c\nx;y,z\n", ""},
		{"id\tname, first\n1\tx,y\n2\tx\n", "1"},
		{"id|a;b|c\n1|2|3\n", "1"},
		{"a,b|c,d\n1,2,3\n", "1"},
		{"id,a;b\n1,\"x;y\"\n", "1"},
		{"id;weight (kg,mean);age\n1;60,5;20\n", ""},
		{"id;a,b\n1;2,3\n2;3,4\n3;4\n", "1"},
		{"id;a,b;c\n1;2;3\n\n2;3;4\n3,4;4\n", ""},
		{"id;weight (kg,mean);note\n" + long, "1"},
		{"id;weight (kg,mean);note\r\n" + long, "1"},
	} {
		s, err := tryCSV(t, tt.text, formats.ReadOptions{})
		switch {
		case tt.first == "":
			if err == nil || !strings.Contains(tt.text, ";a,b;c") &&
				!strings.Contains(hintOf(err), "csv.delimiter") {
				t.Errorf("%.40q: got %v, hint %q", tt.text, err, hintOf(err))
			}
		case err != nil:
			t.Errorf("%.40q: %v", tt.text, err)
		default:
			if got := formatstest.ReadAll(t, s, false)[0][0]; got != tt.first {
				t.Errorf("%.40q: got %q, want %q", tt.text, got, tt.first)
			}
		}
	}
	s := mustCSV(t, "a|b\nx,1|y;2\n", formats.ReadOptions{CSV: formats.CSV{Delimiter: '|'}})
	if got, want := formatstest.ReadAll(t, s, false),
		[][]string{{"x,1"}, {"y;2"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := tryCSV(t, "a,b\n",
		formats.ReadOptions{CSV: formats.CSV{Delimiter: '"'}}); !errors.Is(err,
		formats.ErrUnsupported) {
		t.Errorf("quote as delimiter: got %v", err)
	}
}

// bigCSV returns rows of an int, a quoted text with newlines, and a text of few values.
func bigCSV(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("id,note,class\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,\"line\n%d \"\"q\"\"\",c%d\n", i, i%1000, i%3)
	}
	return b.Bytes()
}

// TestBlocks reads files that are divided into blocks of all sizes, with any number of threads:
// rows, types, nulls, errors and the contents of chunks do not depend on either.
func TestBlocks(t *testing.T) {
	for name, text := range map[string]string{
		"quotes":       string(bigCSV(300)),
		"blanks":       strings.Repeat("1 , \"2,\n\" \n \" x\"\t,3 \r\n", 30) + "4, \"5\" ",
		"one column":   "a\n\n1\n\n\n\"2\n\n\"\n",
		"blank lines":  "a,b\n\n\n1,2\n\n3,4\r\n\r\n",
		"no last line": "a,b\n1,2\n3,\"4\n\"",
		"late type":    "a,b\n" + strings.Repeat("1,2020-01-01\n", 50) + "x,\n",
		"few fields": "a,b\n" + strings.Repeat("1,\"2\n\"\n", 50) + "3\n" +
			strings.Repeat("1,2\n", 50),
		"stray quote": "a,b\n" + strings.Repeat("1,2\n", 50) + "1,2\"\n" +
			strings.Repeat("1,\"2\"\n", 50) + "3\n",
		"open quote": "a,b\n" + strings.Repeat("1,2\n", 50) + "1,\"2\n" +
			strings.Repeat("1,2\n", 50),
	} {
		path := formatstest.WriteTemp(t, "t.csv", []byte(text))
		for _, chunk := range []int64{3, 16, 1000} {
			want := opened(t, path, formats.ReadOptions{Threads: 1}, cutting{1 << 20, chunk, 1})
			for _, block := range []int64{1, 2, 3, 7, 64, 1000} {
				for _, threads := range []int{1, 4} {
					if got := opened(t, path, formats.ReadOptions{Threads: threads},
						cutting{block, chunk, 1 + block%5}); got != want {
						t.Errorf("%s, blocks of %d, %d threads: got %s, want %s", name, block,
							threads, got, want)
					}
				}
			}
		}
	}
}

// opened returns the contents of a file, read chunk by chunk, or its error.
func opened(t *testing.T, path string, opt formats.ReadOptions, cut cutting) string {
	s, err := open(context.Background(), path, opt, cut)
	if err != nil {
		return err.Error()
	}
	defer s.Close()
	text := fmt.Sprintln(s.Chunks())
	for _, f := range s.Fields() {
		f.Texts = nil // a pointer
		text += fmt.Sprintln(f)
	}
	cells := make([][]string, len(s.Fields()))
	for i := range s.Chunks() {
		columns, err := formatstest.ReadCells(s, i, 1, formatstest.EveryColumn(s, true)...)
		if err != nil {
			t.Fatal(err)
		}
		for c := range columns {
			cells[c] = append(cells[c], columns[c]...)
		}
	}
	return text + fmt.Sprintf("%q", cells)
}

func TestChunks(t *testing.T) {
	s := mustCSV(t, string(bigCSV(3*65536+17)), formats.ReadOptions{})
	if got, want := s.Chunks(), []int64{65536, 65536, 65536, 17}; !reflect.DeepEqual(got, want) {
		t.Errorf("chunks %v, want %v", got, want)
	}
}

func TestErrorsInLaterChunksNameTheLine(t *testing.T) {
	text := append(bigCSV(65536+10), "1,2,x\n"...)
	s := mustCSV(t, string(text),
		formats.ReadOptions{Types: map[string]formats.Type{"note": {Kind: formats.Int, Bits: 64}}})
	_, err := formatstest.ReadCells(s, 1, 1, formats.Request{Column: 1})
	if want := fmt.Sprintf("line %d,", 2*65536+2); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to say %s", err, want)
	}
}

func packedText(t testing.TB, data []byte, gz bool) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if !gz {
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCompressed(t *testing.T) {
	plain := append([]byte("\ufeff"), bigCSV(70000)...)
	want := formatstest.ReadAll(t, mustCSV(t, string(plain), formats.ReadOptions{}), true)
	for _, gz := range []bool{true, false} {
		data := packedText(t, plain, gz)
		s := mustCSV(t, string(data), formats.ReadOptions{})
		if len(s.Chunks()) != 1 {
			t.Errorf("%d chunks, want 1", len(s.Chunks()))
		}
		if got := formatstest.ReadAll(t, s, true); !reflect.DeepEqual(got, want) {
			t.Errorf("gzip %v: unpacked text reads differently", gz)
		}
		if _, err := tryCSV(t, string(data[:len(data)/2]), formats.ReadOptions{}); !errors.Is(err,
			formats.ErrDamaged) {
			t.Errorf("gzip %v, cut in half: got %v", gz, err)
		}
		if _, err := tryCSV(t, string(data[:6]), formats.ReadOptions{}); !errors.Is(err,
			formats.ErrDamaged) {
			t.Errorf("gzip %v, 6 bytes: got %v", gz, err)
		}
	}
}

func TestFileThatChanged(t *testing.T) {
	path := formatstest.WriteTemp(t, "t.csv", bigCSV(100))
	s, err := Open(context.Background(), path, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	if _, err := formatstest.ReadCells(s, 0, 1,
		formatstest.EveryColumn(s, true)...); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := formatstest.WriteTemp(t, "t.csv", bigCSV(10))
	if _, err := Open(ctx, path, formats.ReadOptions{}); !errors.Is(err, context.Canceled) ||
		errors.Is(err, formats.ErrDamaged) {
		t.Errorf("open: got %v", err)
	}
	s, err := Open(context.Background(), path, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Read(context.Background(), 0, 1, formatstest.EveryColumn(s, true))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("next: got %v", err)
	}
}

func TestReadsWithoutAllocatingPerRow(t *testing.T) {
	s := mustCSV(t, string(bigCSV(60000)), formats.ReadOptions{BatchRows: 1000})
	for _, coded := range []bool{true, false} {
		r, err := s.Read(context.Background(), 0, 1, formatstest.EveryColumn(s, coded))
		if err != nil {
			t.Fatal(err)
		}
		next := func() {
			if _, err := r.Next(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			next()
		}
		if got := testing.AllocsPerRun(20, next); got > 100 {
			t.Errorf("coded %v: %v allocations a batch of 1,000 rows", coded, got)
		}
		r.Close()
	}
}
