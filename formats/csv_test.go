package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// writeTemp writes a file for one test and returns its path.
func writeTemp(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func tryCSV(t testing.TB, text string, opt ReadOptions) (source, error) {
	t.Helper()
	s, err := openCSV(context.Background(), writeTemp(t, "t.csv", []byte(text)), opt)
	if err == nil {
		t.Cleanup(func() { s.close() })
	}
	return s, err
}

func mustCSV(t testing.TB, text string, opt ReadOptions) source {
	t.Helper()
	s, err := tryCSV(t, text, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCSVCells(t *testing.T) {
	const null = nullCell
	tests := []struct {
		name, text string
		want       [][]string // by column
	}{
		{"plain", "a,b\nx,y\nz,w\n", [][]string{{"x", "z"}, {"y", "w"}}},
		{"no newline at the end", "a,b\nx,y", [][]string{{"x"}, {"y"}}},
		{"crlf", "a,b\r\nx,y\r\n", [][]string{{"x"}, {"y"}}},
		{"crlf cut short", "a,b\r\nx,y\r", [][]string{{"x"}, {"y"}}},
		{"byte order mark", "\ufeffa,b\nx,y\n", [][]string{{"x"}, {"y"}}},
		{"quotes", "\"a\",b\n\"x,1\",\"say \"\"yes\"\"\"\n", [][]string{{"x,1"}, {`say "yes"`}}},
		{"newline in quotes", "a,b\n\"x\ny\r\nz\",w\n", [][]string{{"x\ny\r\nz"}, {"w"}}},
		{"null and empty", "a,b\n,\"\"\nx,y\n", [][]string{{null, "x"}, {"", "y"}}},
		{"last field empty", "a,b\nx,\ny,", [][]string{{"x", "y"}, {null, null}}},
		{"blank lines between", "a,b\n\nx,y\r\n\r\n\nz,w\n\n", [][]string{{"x", "z"}, {"y", "w"}}},
		{"blank lines of one column", "a\nx\n\ny\n", [][]string{{"x", null, "y"}}},
		{"carriage return inside", "a,b\nx\ry,z\n", [][]string{{"x\ry"}, {"z"}}},
		{"no rows", "a,b\n", [][]string{nil, nil}},
		{"header alone", "a,b", [][]string{nil, nil}},
		{"semicolons", "a;b\nx,1;y\n", [][]string{{"x,1"}, {"y"}}},
		{"tabs", "a\tb\nx;1\ty\n", [][]string{{"x;1"}, {"y"}}},
		{"comma in a quoted name", "\"a,1\";b\nx;y\n", [][]string{{"x"}, {"y"}}},
		{"other languages", "größe,név\nß,ő\n", [][]string{{"ß"}, {"ő"}}},
	}
	for _, tt := range tests {
		for _, batch := range []int{0, 1} {
			for _, coded := range []bool{true, false} {
				s := mustCSV(t, tt.text, ReadOptions{BatchRows: batch})
				if got := mustReadAll(t, s, coded); !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%s, batch %d, coded %v: got %q, want %q", tt.name, batch, coded, got, tt.want)
				}
				if got := rowsOf(s); got != int64(len(tt.want[0])) {
					t.Errorf("%s: %d rows, want %d", tt.name, got, len(tt.want[0]))
				}
			}
		}
	}
}

func TestCSVRefuses(t *testing.T) {
	long := strings.Repeat("x", csvLongest+csvBuffer)
	tests := []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty file", "", ErrSchema, "no header"},
		{"blank file", "\n\n", ErrSchema, "no header"},
		{"unnamed column", "a,,c\n", ErrSchema, "column 2"},
		{"two columns of one name", "a,b,a\n", ErrSchema, `"a"`},
		{"too few fields", "a,b\n1,2\n3\n", ErrDamaged, "line 3"},
		{"too many fields", "a,b\n\n1,2,3\n", ErrDamaged, "line 3"},
		{"lines inside quotes count", "a,b\n\"1\n\n\",2\n3\n", ErrDamaged, "line 5"},
		{"quote never closed", "a,b\n1,\"2\n", ErrDamaged, "line 2"},
		{"text behind a quote", "a,b\n1,\"2\"x\n", ErrDamaged, "line 2"},
		{"quote in the middle", "a,b\n1,2\"\n", ErrDamaged, "line 2"},
		{"no UTF-8", "a,b\n1,2\n3,\xff\n", ErrDamaged, `line 3, column "b"`},
		{"no UTF-8 in the header", "a,\xff\n", ErrDamaged, "line 1, column 2"},
		{"UTF-16", "\xff\xfea\x00,\x00b\x00\n\x00", ErrDamaged, "line 1"},
		{"long field", "a,b\n1,\"" + long, ErrDamaged, "line 2"},
	}
	for _, tt := range tests {
		_, err := tryCSV(t, tt.text, ReadOptions{})
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %v that says %s", tt.name, err, tt.want, tt.says)
		}
	}
}

func TestCSVInference(t *testing.T) {
	local := Type{Kind: Timestamp, Unit: Micro}
	zoned := Type{Kind: Timestamp, Unit: Micro, Zone: "UTC"}
	tests := []struct {
		texts string // separated by |
		want  Type
		cells string // other than the texts
	}{
		{"true|false", Type{Kind: Boolean}, "1|0"},
		{"True|False", Type{Kind: Boolean}, "1|0"},
		{"TRUE|FALSE", Type{Kind: Boolean}, "1|0"},
		{"true|FALSE", Type{Kind: String}, ""},
		{"true|1", Type{Kind: String}, ""},
		{"yes|no", Type{Kind: String}, ""},
		{"0|-1|9223372036854775807|-9223372036854775808", Type{Kind: Int, Bits: 64}, ""},
		{"12|9223372036854775808", Type{Kind: String}, ""},
		{"01234|12345", Type{Kind: String}, ""},
		{"+1|2", Type{Kind: String}, ""},
		{"-0|1", Type{Kind: Float, Bits: 64}, "-0|1"},
		{"1|1.5", Type{Kind: Float, Bits: 64}, ""},
		{"1234567890123456|1.5", Type{Kind: String}, ""},
		{"0.1|-2.50|1e3|1E-3|.5|5.", Type{Kind: Float, Bits: 64}, "0.1|-2.5|1000|0.001|0.5|5"},
		{"123456789.123456789123|2.2250738585072011e-308", Type{Kind: Float, Bits: 64}, "1.2345678912345679e+08|2.225073858507201e-308"},
		{"007.5|1", Type{Kind: String}, ""},
		{"1e999", Type{Kind: String}, ""},
		{"NaN|1", Type{Kind: String}, ""},
		{"1e|1", Type{Kind: String}, ""},
		{"-|1", Type{Kind: String}, ""},
		{".|1", Type{Kind: String}, ""},
		{"1.2.3", Type{Kind: String}, ""},
		{"1970-01-01|2000-02-29|1969-12-31|0001-01-01", Type{Kind: Date}, "0|11016|-1|-719162"},
		{"1900-02-29", Type{Kind: String}, ""},
		{"2000-13-01", Type{Kind: String}, ""},
		{"2000-04-31", Type{Kind: String}, ""},
		{"2000-1-01", Type{Kind: String}, ""},
		{"1970-01-01T00:00:01|1970-01-01 00:00:00.5", local, "1000000|500000"},
		{"1969-12-31 23:59:59.999999", local, "-1"},
		{"1970-01-01T00:00:00Z|1970-01-01T00:00:00+01:30|1970-01-01 00:00:00-01:00", zoned, "0|-5400000000|3600000000"},
		{"1970-01-01T00:00:00Z|1970-01-01T00:00:00", Type{Kind: String}, ""},
		{"1970-01-01T00:00:00.1234567", Type{Kind: String}, ""},
		{"1970-01-01T24:00:00", Type{Kind: String}, ""},
		{"1970-01-01T00:00:00+1", Type{Kind: String}, ""},
		{"1970-01-01|1970-01-01T00:00:00", Type{Kind: String}, ""},
		{"1|x", Type{Kind: String}, ""},
	}
	for _, tt := range tests {
		texts := strings.Split(tt.texts, "|")
		want := texts
		if tt.cells != "" {
			want = strings.Split(tt.cells, "|")
		}
		s := mustCSV(t, "c,d\n"+strings.Join(texts, ",\n")+",\n", ReadOptions{})
		if got := s.fields()[0]; got.Type != tt.want || got.Nullable {
			t.Errorf("%s: got %+v, want %+v", tt.texts, got, tt.want)
		}
		if got := s.fields()[1]; got.Type.Kind != String || !got.Nullable {
			t.Errorf("column of nulls: got %+v", got)
		}
		for _, coded := range []bool{true, false} {
			if got := mustReadAll(t, s, coded)[0]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s, coded %v: got %q, want %q", tt.texts, coded, got, want)
			}
		}
	}
}

func TestCSVQuotedFieldsAreInferred(t *testing.T) {
	s := mustCSV(t, "a,b,c\n\"1\",\"\",\n2,\"3\",\n", ReadOptions{})
	for i, want := range []Kind{Int, String, String} {
		if got := s.fields()[i].Type.Kind; got != want {
			t.Errorf("column %d: kind %d, want %d", i, got, want)
		}
	}
}

func TestCSVDeclaredTypes(t *testing.T) {
	opt := ReadOptions{Types: map[string]Type{
		"zip": {Kind: String}, "n": {Kind: Int, Bits: 8}, "d": {Kind: Decimal, Precision: 5, Scale: 2}, "absent": {Kind: Date},
	}}
	s := mustCSV(t, "zip,n,d\n1,-5,1.5\n2,,2.25\n", opt)
	want := [][]string{{"1", "2"}, {"-5", nullCell}, {"150", "225"}}
	for _, coded := range []bool{true, false} {
		if got := mustReadAll(t, s, coded); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, coded := range []bool{true, false} {
		s := mustCSV(t, "zip,n,d\n1,2,3\n4,secret,5\n", opt)
		_, err := readCells(s, 0, 1, everyColumn(s, coded)...)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), `line 3, column "n"`) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := tryCSV(t, "zip\n1\n", ReadOptions{Types: map[string]Type{"zip": {Kind: Nested}}}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("nested type: got %v", err)
	}
}

func TestCSVDelimiters(t *testing.T) {
	s := mustCSV(t, "a|b\nx,1|y;2\n", ReadOptions{Delimiter: '|'})
	if got, want := mustReadAll(t, s, false), [][]string{{"x,1"}, {"y;2"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := tryCSV(t, "a,b\n", ReadOptions{Delimiter: '"'}); !errors.Is(err, ErrUnsupported) {
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

func TestCSVChunksReadAlone(t *testing.T) {
	const rows = 3*csvChunkRows + 17
	s := mustCSV(t, string(bigCSV(rows)), ReadOptions{})
	if got, want := s.chunks(), []int64{csvChunkRows, csvChunkRows, csvChunkRows, 17}; !reflect.DeepEqual(got, want) {
		t.Fatalf("chunks %v, want %v", got, want)
	}
	whole := mustReadAll(t, s, true)
	parts := make([][][]string, 4)
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() { parts[i], _ = readCells(s, i, 1, everyColumn(s, false)...) })
	}
	wait.Wait()
	for c := range whole {
		var got []string
		for _, p := range parts {
			got = append(got, p[c]...)
		}
		if !reflect.DeepEqual(got, whole[c]) {
			t.Errorf("column %d: chunks read alone differ from the whole", c)
		}
	}
}

func TestCSVErrorsInLaterChunksNameTheLine(t *testing.T) {
	text := append(bigCSV(csvChunkRows+10), "1,2,x\n"...)
	s := mustCSV(t, string(text), ReadOptions{Types: map[string]Type{"note": {Kind: Int, Bits: 64}}})
	_, err := readCells(s, 1, 1, Request{Column: 1})
	if want := fmt.Sprintf("line %d,", 2*csvChunkRows+2); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to say %s", err, want)
	}
}

func packedText(t testing.TB, data []byte, gz bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if gz {
		w := gzip.NewWriter(&b)
		w.Write(data)
		w.Close()
		return b.Bytes()
	}
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func TestCSVCompressed(t *testing.T) {
	plain := append([]byte("\ufeff"), bigCSV(csvChunkRows+5)...)
	want := mustReadAll(t, mustCSV(t, string(plain), ReadOptions{}), true)
	for _, gz := range []bool{true, false} {
		data := packedText(t, plain, gz)
		s := mustCSV(t, string(data), ReadOptions{})
		if len(s.chunks()) != 1 {
			t.Errorf("%d chunks, want 1", len(s.chunks()))
		}
		if got := mustReadAll(t, s, true); !reflect.DeepEqual(got, want) {
			t.Errorf("gzip %v: unpacked text reads differently", gz)
		}
		if _, err := tryCSV(t, string(data[:len(data)/2]), ReadOptions{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("gzip %v, cut in half: got %v", gz, err)
		}
		if _, err := tryCSV(t, string(data[:6]), ReadOptions{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("gzip %v, 6 bytes: got %v", gz, err)
		}
	}
}

func TestCSVFileThatChanged(t *testing.T) {
	path := writeTemp(t, "t.csv", bigCSV(100))
	s, err := openCSV(context.Background(), path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	if _, err := readCells(s, 0, 1, everyColumn(s, true)...); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestCSVStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := writeTemp(t, "t.csv", bigCSV(10))
	if _, err := openCSV(ctx, path, ReadOptions{}); !errors.Is(err, context.Canceled) || errors.Is(err, ErrDamaged) {
		t.Errorf("open: got %v", err)
	}
	s, err := openCSV(context.Background(), path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	r, err := s.read(context.Background(), 0, 1, everyColumn(s, true))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("next: got %v", err)
	}
}

func TestCSVReadsWithoutAllocatingPerRow(t *testing.T) {
	s := mustCSV(t, string(bigCSV(60000)), ReadOptions{BatchRows: 1000})
	for _, coded := range []bool{true, false} {
		r, err := s.read(context.Background(), 0, 1, everyColumn(s, coded))
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
