package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// readEscaped is a simple reader of CSV with an escape: character by character.
func readEscaped(text string, delim, quote, escape byte) (records [][]string) {
	var record []string
	var field []byte
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == escape:
			i++
			field = append(field, text[i])
		case c == quote:
			inside = !inside
		case inside || c != delim && c != '\n':
			field = append(field, c)
		default:
			record, field = append(record, string(field)), nil
			if c == '\n' {
				records, record = append(records, record), nil
			}
		}
	}
	return records
}

// With any quote, escape and delimiter, the fields are those of a simple reader, in buffers and
// blocks of any size.
func TestDialects(t *testing.T) {
	r := formatstest.Rand(t)
	for range 2000 {
		d := dialect{delim: ",;\t"[r.IntN(3)], quote: "\"'"[r.IntN(2)]}
		if r.IntN(3) > 0 {
			d.escape = "\\~"[r.IntN(2)]
		}
		alphabet := []byte{'a', 'b', '1', '\n', d.delim, d.quote, ' '}
		if d.escape != 0 {
			alphabet = append(alphabet, d.escape)
		}
		var text strings.Builder
		var want [][]string
		columns := 2 + r.IntN(3)
		text.WriteString(strings.Join([]string{"w", "x", "y", "z"}[:columns], string(d.delim)) +
			"\n")
		for range r.IntN(30) {
			var record []string
			for c := range columns {
				if c > 0 {
					text.WriteByte(d.delim)
				}
				field := make([]byte, r.IntN(6))
				for i := range field {
					field[i] = alphabet[r.IntN(len(alphabet))]
				}
				record = append(record, string(field))
				text.WriteString(quoteWith(d, field, r.IntN(2) == 0))
			}
			text.WriteByte('\n')
			want = append(want, record)
		}
		if d.escape != 0 {
			if got := readEscaped(text.String(), d.delim, d.quote,
				d.escape)[1:]; !reflect.DeepEqual(got, want) && len(want) > 0 {
				t.Fatalf("the plain reader finds %q, not %q", got, want)
			}
		}
		opt := formats.ReadOptions{CSV: formats.CSV{
			Delimiter: d.delim,
			Quote:     d.quote,
			Escape:    d.escape,
		}, Types: map[string]formats.Type{}}
		for _, name := range []string{"w", "x", "y", "z"} {
			opt.Types[name] = formats.Type{Kind: formats.String}
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := open(context.Background(), path, opt,
			cutting{block: 1 + r.Int64N(50), chunk: 1 + r.Int64N(9), mark: 1 + r.Int64N(4)})
		if err != nil {
			t.Fatalf("seed %d: %q: %v", formatstest.Seed, text.String(), err)
		}
		got := formatstest.ReadAll(t, s, r.IntN(2) == 0)
		for c := range columns {
			for row := range want {
				if cell := want[row][c]; got[c][row] != cell &&
					!(cell == "" && got[c][row] == formatstest.NullCell) {
					t.Fatalf("seed %d: %q: row %d, column %d is %q, want %q", formatstest.Seed,
						text.String(), row, c, got[c][row], cell)
				}
			}
		}
	}
}

// quoteWith writes a field, in quotes when necessary or requested.
func quoteWith(d dialect, field []byte, shall bool) string {
	var b strings.Builder
	special := func(c byte) bool {
		return c == d.quote || d.isEscape(c) || c == d.delim || c == '\n'
	}
	if d.escape != 0 && !shall && !bytes.Contains(field, []byte{'\n'}) {
		for _, c := range field {
			if special(c) {
				b.WriteByte(d.escape)
			}
			b.WriteByte(c)
		}
		return b.String()
	}
	if !shall && !bytes.ContainsFunc(field, func(c rune) bool { return special(byte(c)) }) {
		return string(field)
	}
	b.WriteByte(d.quote)
	for _, c := range field {
		switch {
		case d.escape != 0 && (c == d.quote || c == d.escape):
			b.WriteByte(d.escape)
		case c == d.quote:
			b.WriteByte(c)
		}
		b.WriteByte(c)
	}
	b.WriteByte(d.quote)
	return b.String()
}

// A text in any encoding is the same table, packed or not.
func TestEncodings(t *testing.T) {
	const text = "größe,name\n1,André\n2,Zoë\n"
	latin := func(s string) (b []byte) {
		for _, r := range s {
			b = append(b, byte(r))
		}
		return b
	}
	utf16of := func(s string, high int) (b []byte) {
		for _, u := range utf16.Encode([]rune(s)) {
			pair := []byte{byte(u), byte(u >> 8)}
			b = append(b, pair[high], pair[1-high])
		}
		return b
	}
	want := [][]string{{"1", "2"}, {"André", "Zoë"}}
	for _, tt := range []struct {
		encoding string
		text     []byte
	}{
		{"", []byte(text)},
		{formats.EncodingUTF8, []byte("\ufeff" + text)},
		{formats.EncodingLatin1, latin(text)},
		{formats.EncodingWindows1252, latin(text)},
		{"", utf16of("\ufeff"+text, 0)},
		{"", utf16of("\ufeff"+text, 1)},
		{formats.EncodingUTF16, utf16of("\ufeff"+text, 1)},
		{formats.EncodingUTF16, utf16of(text, 0)},
	} {
		for _, data := range [][]byte{tt.text, packedText(t, tt.text, true),
			packedText(t, tt.text, false)} {
			s, err := tryCSV(t, string(data),
				formats.ReadOptions{BatchRows: 1, CSV: formats.CSV{Encoding: tt.encoding}})
			if err != nil {
				t.Errorf("%q: %v", tt.encoding, err)
				continue
			}
			if got := formatstest.ReadAll(t, s, true); !reflect.DeepEqual(got, want) ||
				s.Fields()[0].Name != "größe" {
				t.Errorf("%q: got %q under %q", tt.encoding, got, s.Fields()[0].Name)
			}
		}
	}
	windows := formats.ReadOptions{CSV: formats.CSV{Encoding: formats.EncodingWindows1252}}
	if s := mustCSV(t, "a\n\x80\n", windows); formatstest.ReadAll(t, s, true)[0][0] != "€" {
		t.Error("0x80 of windows-1252 is not €")
	}
	if _, err := tryCSV(t, string(latin(text)), formats.ReadOptions{}); !errors.Is(err,
		formats.ErrEncoding) || !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("latin-1 that is not declared: %v", err)
	}
	if _, err := tryCSV(t, string(utf16of("a,b\n1,2\n", 0)), formats.ReadOptions{}); !errors.Is(err,
		formats.ErrDamaged) || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16 that is not declared: %v", err)
	}
	for high := range 2 {
		whole := utf16of("\ufeffa,b\n1,🦊\n2,x", high)
		s := mustCSV(t, string(whole), formats.ReadOptions{})
		if got := formatstest.ReadAll(t, s, true)[1][0]; got != "🦊" {
			t.Errorf("a pair of surrogates is %q", got)
		}
		fox := bytes.Index(whole, utf16of("🦊", high))
		for name, damaged := range map[string][]byte{
			"first half":        slices.Delete(slices.Clone(whole), fox+2, fox+4),
			"second half":       slices.Delete(slices.Clone(whole), fox, fox+2),
			"first half at end": whole[:fox+2],
			"half of a unit":    append(slices.Clone(whole), 'x'),
		} {
			_, err := tryCSV(t, string(damaged), formats.ReadOptions{})
			if !errors.Is(err, formats.ErrDamaged) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := tryCSV(t, "a\n1\n",
		formats.ReadOptions{CSV: formats.CSV{Encoding: "ebcdic"}}); !errors.Is(err,
		formats.ErrUnsupported) {
		t.Errorf("an unknown encoding: %v", err)
	}
}

// Texts that mean null do so in and out of quotes, do not change the type, and are names in a
// header.
func TestNullTexts(t *testing.T) {
	const text = "NA,n\n1,NA\n\"NA\",2\nnan,\\N\n"
	s := mustCSV(t, text, formats.ReadOptions{CSV: formats.CSV{Nulls: []string{"NA", "nan", `\N`}}})
	want := [][]string{{"1", formatstest.NullCell, formatstest.NullCell},
		{formatstest.NullCell, "2", formatstest.NullCell}}
	for _, coded := range []bool{true, false} {
		if got := formatstest.ReadAll(t, s, coded); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, f := range s.Fields() {
		if f.Type.Kind != formats.Int || !f.Nullable || f.Text.Line != 0 {
			t.Errorf("%+v", f)
		}
	}
	if s.Fields()[0].Name != "NA" {
		t.Errorf("the header's name is %q", s.Fields()[0].Name)
	}
}

// The line of the first text in a column of numbers is reported, wherever blocks end.
func TestLineOfFirstText(t *testing.T) {
	r := formatstest.Rand(t)
	for range 300 {
		var text strings.Builder
		text.WriteString("a,b,c\n")
		want, numbers, broke := int64(0), false, false
		for line := int64(2); line < int64(3+r.IntN(60)); line++ {
			cell := fmt.Sprint(r.IntN(100))
			switch r.IntN(30) {
			case 0:
				cell = "x"
			case 1:
				cell = ""
			}
			if cell == "x" && !broke {
				broke = true
				if numbers {
					want = line
				}
			}
			numbers = numbers || cell != "" && cell != "x"
			fmt.Fprintf(&text, "%s,text,2000-01-01\n", cell)
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := open(context.Background(), path, formats.ReadOptions{},
			cutting{block: 1 + r.Int64N(200), chunk: 1 + r.Int64N(9), mark: 1 + r.Int64N(4)})
		if err != nil {
			t.Fatal(err)
		}
		if f := s.Fields(); f[0].Text.Line != want || f[0].Text.Number || f[1].Text.Line != 0 ||
			f[2].Text.Line != 0 {
			t.Fatalf("seed %d: %q: lines %d, %d, %d, want %d", formatstest.Seed, text.String(),
				f[0].Text.Line, f[1].Text.Line, f[2].Text.Line, want)
		}
	}
}

func TestNamesByPosition(t *testing.T) {
	opt := formats.ReadOptions{CSV: formats.CSV{Names: map[int]string{3: "c"}}}
	s := mustCSV(t, "a,b,a\n1,2,3\n", opt)
	if f := s.Fields(); f[0].Name != "a" || f[2].Name != "c" {
		t.Errorf("got %+v", f)
	}
	opt.CSV = formats.CSV{Known: func(name string) bool { return name == "a" }}
	if _, err := tryCSV(t, "a,b,a\n1,2,3\n", opt); err == nil ||
		!strings.Contains(err.Error(), `the name "a" for columns 1 and 3`) {
		t.Errorf("got %v", err)
	}
	if _, err := tryCSV(t, "secret,b,secret\n1,2,3\n", opt); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestLayouts(t *testing.T) {
	opt := formats.ReadOptions{
		Types: map[string]formats.Type{"day": date, "at": local},
		CSV:   formats.CSV{Layouts: map[string]string{"day": "1/2/2006", "at": "02.01.2006 15:04"}},
	}
	s := mustCSV(t, "day,at\n1/2/1970,01.01.1970 00:01\n12/31/1969,\n", opt)
	want := [][]string{{"1", "-1"}, {"60000000", formatstest.NullCell}}
	for _, coded := range []bool{true, false} {
		if got := formatstest.ReadAll(t, s, coded); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for layout, text := range map[string]string{
		formats.UnixSeconds: "at\n1500000000\n-1\n",
		formats.UnixMillis:  "at\n1500000000000\n-1000\n",
	} {
		opt := formats.ReadOptions{Types: opt.Types,
			CSV: formats.CSV{Layouts: map[string]string{"at": layout}}}
		if got := formatstest.ReadAll(t, mustCSV(t, text, opt), true); !reflect.DeepEqual(got,
			[][]string{{"1500000000000000", "-1000000"}}) {
			t.Errorf("%s: %q", layout, got)
		}
		s := mustCSV(t, "at\n9000000000000000000\n", opt)
		if _, err := formatstest.ReadCells(s, 0, 1,
			formatstest.EveryColumn(s, true)...); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: got %v", layout, err)
		}
	}
	s = mustCSV(t, "day,at\n31/12/1969,\n", opt)
	if _, err := formatstest.ReadCells(s, 0, 1,
		formatstest.EveryColumn(s, true)...); !errors.Is(err, formats.ErrDamaged) ||
		strings.Contains(err.Error(), "12/1969") {
		t.Errorf("got %v", err)
	}
}

// Texts that are none of a declared type are null where this is declared, with codes and without
// them. Blanks before a unit do not matter.
func TestLenientTypes(t *testing.T) {
	number := formats.Type{Kind: formats.Float, Bits: 64}
	s := mustCSV(t, "a,b\n1,>90\nx,7 kg\n2,7\nx,8kg\n1,\n", formats.ReadOptions{
		Types: map[string]formats.Type{"a": number, "b": number},
		CSV: formats.CSV{Layouts: map[string]string{"b": "N kg"},
			Lenient: map[string]bool{"a": true, "b": true}},
	})
	const null = formatstest.NullCell
	want := [][]string{{"1", null, "2", null, "1"}, {null, "7", null, "8", null}}
	for _, coded := range []bool{true, false} {
		if got := formatstest.ReadAll(t, s, coded); !reflect.DeepEqual(got, want) {
			t.Errorf("coded %t: got %q, want %q", coded, got, want)
		}
	}
	if fields := s.Fields(); !fields[0].Nullable || !fields[1].Nullable {
		t.Errorf("%+v", fields)
	}
}

// Years of two digits mean 1969 to 2068, or a hundred years from another one on, in the first
// layout that a text has.
func TestFirstYears(t *testing.T) {
	opt := formats.ReadOptions{
		Types: map[string]formats.Type{"a": date, "b": date, "c": date},
		CSV: formats.CSV{
			Layouts:    map[string]string{"a": "1/2/06", "b": "1/2/06 or 1-2-2006", "c": "1/2/06"},
			FirstYears: map[string]int{"b": 1930, "c": 1830},
		},
	}
	s := mustCSV(t, "a,b,c\n1/1/30,1/1/30,1/1/30\n1/1/29,1-1-1929,1/1/29\n2/29/00,2/29/00,\n", opt)
	days := func(years ...int) (cells []string) {
		for _, year := range years {
			cells = append(cells, fmt.Sprint(time.Date(year, 1, 1, 0, 0, 0, 0,
				time.UTC).Unix()/86400))
		}
		return cells
	}
	leap := fmt.Sprint(time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	want := [][]string{append(days(2030, 2029), leap), append(days(1930, 1929), leap),
		append(days(1830, 1929), formatstest.NullCell)}
	if got := formatstest.ReadAll(t, s, true); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s = mustCSV(t, "c\n2/29/00\n", opt) // 1900 has no such day
	if _, err := formatstest.ReadCells(s, 0, 1,
		formatstest.EveryColumn(s, true)...); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// Types and reported lines do not depend on where blocks end.
func TestNumbersInBlocks(t *testing.T) {
	r := formatstest.Rand(t)
	path := filepath.Join(t.TempDir(), "t.csv")
	cells := []string{"1", "1.5", "2.50", "3.25", "4.0", ".5", "1e3", "+5", "-0", "x", ""}
	for range 400 {
		few := cells[r.IntN(len(cells)):]
		var text strings.Builder
		text.WriteString("a,b\n")
		for range 1 + r.IntN(40) {
			fmt.Fprintf(&text, "%s,t\n", few[min(r.IntN(len(few)), r.IntN(len(few)))])
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var fields [2]formats.Field
		for i, cut := range []cutting{usualCutting,
			{block: 1 + r.Int64N(30), chunk: 1 + r.Int64N(9), mark: 1 + r.Int64N(4)}} {
			s, err := open(t.Context(), path, formats.ReadOptions{}, cut)
			if err != nil {
				t.Fatal(err)
			}
			fields[i] = s.Fields()[0]
			fields[i].Texts = nil
		}
		if !reflect.DeepEqual(fields[0], fields[1]) {
			t.Fatalf("seed %d: %q: %+v in one block, %+v in many", formatstest.Seed, text.String(),
				fields[0], fields[1])
		}
	}
}

// Delimiters at the end of lines that are followed by nothing are skipped and noted.
func TestTrailingDelimiters(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // cells of the last column, or a part of the error
		line string
	}{
		{"a,b,\n1,2,\n3,4,\n", "2 4", ""}, {"a,b\n1,2,\n3,4,\n", "2 4", ""},
		{"a,b,,,\r\n1,2,,,\r\n3,4,,,\r\n", "2 4", ""},
		{"a,b,\n1,2\n3,4\n", "2 4", ""}, {"a,b\n1,2\n3,4,\n", "2 4", ""},
		{"a;b;\n1;2,5;\n", "2,5", ""}, {"a;b\n1;2,5;\n", "2,5", ""},
		{"a,b\n1,2,\n1,2,x\n", "", "line 3"}, {"a,b,\n1,2,,x\n", "", "line 2"},
	} {
		s, err := tryCSV(t, tt.text, formats.ReadOptions{})
		if tt.line != "" {
			if !errors.Is(err, formats.ErrDamaged) || !strings.Contains(err.Error(), tt.line) ||
				!strings.Contains(hintOf(err), "csv.header") {
				t.Errorf("%q: %v, hint %s", tt.text, err, hintOf(err))
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := formatstest.ReadAll(t, s, true); len(got) != 2 ||
			strings.Join(got[1], " ") != tt.want {
			t.Errorf("%q: got %q", tt.text, got)
		}
		if notes := s.(formats.Inferring).Notes(); len(notes) != 1 ||
			!strings.HasPrefix(notes[0], "lines end in a delimiter") {
			t.Errorf("%q: notes %q", tt.text, notes)
		}
	}
	opt := formats.ReadOptions{CSV: formats.CSV{Names: map[int]string{3: "c"}}}
	if got := formatstest.ReadAll(t, mustCSV(t, "a,b,\n1,2,\n3,4,5\n", opt), true); len(got) != 3 ||
		got[2][1] != "5" {
		t.Errorf("a column that the job names: %q", got)
	}
}

// The questions and their numbers that Qualtrics writes behind the header are no records.
func TestQuestions(t *testing.T) {
	const numbers = "\"{\"\"ImportId\"\":\"\"QID1\"\"}\",\"{\"\"ImportId\"\":\"\"QID2\"\"}\"\n"
	for text, notes := range map[string]int{
		"Q1,Q2\nHow old?,\"Where\nfrom?\"\n" + numbers + "1,x\n2,y\n": 1,
		"Q1,Q2\n1,x\n2,y\n" + numbers:                                 0,
	} {
		s := mustCSV(t, text, formats.ReadOptions{})
		got, kind := formatstest.ReadAll(t, s, true), s.Fields()[0].Type.Kind
		if noted := s.(formats.Inferring).Notes(); len(noted) != notes ||
			(len(got[0]) == 2 && kind == formats.Int) != (notes == 1) ||
			notes == 1 && s.Fields()[1].Question != "Where\nfrom?" {
			t.Errorf("%q: %v %q, notes %q", text, kind, got, noted)
		}
	}
}

// A column at the end that has values, and no name in the header, gets a name by its position where
// the reader names columns, or the job has one with that name. Otherwise the error says how to name
// it.
func TestUnnamedEnds(t *testing.T) {
	for _, tt := range []struct{ text, schema, last, column string }{
		{"a,b,\n1,2,x\n3,4,y\n", "a b column3", "x y", "column 3"},
		{"a,b,\n1,2,\n3,4,y\n", "a b column3", "null y", "column 3"},
		{"a,b,,,\n1,2,,x,\n3,4,,,\n", "a b column3 column4", "x null", "column 4"},
		{"a,b,,\n1,2,x,\n3,4,,y\n", "a b column3 column4", "null y", "column 3"},
		{"a;b, c;\n1;2;x\n3;4;y\n", "a b, c column3", "x y", "column 3"},
		{"a,b,\n1,2,\"\"\n3,4,y\n", "a b column3", " y", "column 3"},
	} {
		_, err := tryCSV(t, tt.text, formats.ReadOptions{})
		if !errors.Is(err, formats.ErrSchema) || !strings.Contains(err.Error(), tt.column) ||
			!strings.Contains(hintOf(err), "rename: "+tt.column[len("column "):]+"}") {
			t.Errorf("%q: %v, hint %s", tt.text, err, hintOf(err))
		}
		known := func(name string) bool { return strings.HasPrefix(name, "column") }
		mustCSV(t, tt.text, formats.ReadOptions{CSV: formats.CSV{Known: known}})
		s := mustCSV(t, tt.text, formats.ReadOptions{CSV: formats.CSV{Naming: true}})
		var names []string
		for i, f := range s.Fields() {
			names = append(names, f.Name)
			if i >= 2 && f.Position != i+1 {
				t.Errorf("%q: position %d", tt.text, f.Position)
			}
		}
		got := formatstest.ReadAll(t, s, true)
		last := strings.ReplaceAll(strings.Join(got[len(got)-1], " "), "\x00", "")
		if last != tt.last || strings.Join(names, " ") != tt.schema {
			t.Errorf("%q: got %q of %q", tt.text, got, names)
		}
		notes := len(s.(formats.Inferring).Notes())
		if passed := strings.HasSuffix(tt.text, ",\n"); passed != (notes == 1) {
			t.Errorf("%q: %d notes", tt.text, notes)
		}
	}
}

// Excel begins a text with a line that names the delimiter.
func TestSeparatorLine(t *testing.T) {
	for _, text := range []string{"sep=;\na;b\n1;2,3\n", "SEP=;\r\na;b\r\n1;2,3\r\n",
		"\ufeff\"sep=;\"\na;b\n1;2,3\n", "sep=;\na,1;b\n1;2,3\n"} {
		s := mustCSV(t, text, formats.ReadOptions{})
		if got := formatstest.ReadAll(t, s, true); len(got) != 2 || got[1][0] != "2,3" {
			t.Errorf("%q: got %q", text, got)
		}
	}
	if _, err := tryCSV(t, "sep=;\na;b\n1\n", formats.ReadOptions{}); err == nil ||
		!strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v", err)
	}
	if s := mustCSV(t, "sep=;\n1\n", formats.ReadOptions{CSV: formats.CSV{
		Headless: true,
		Header:   []string{"n"},
	}}); len(formatstest.ReadAll(t, s, true)[0]) != 1 {
		t.Error("the line is a record")
	}
	if s := mustCSV(t, "sep=\nx\n", formats.ReadOptions{}); s.Fields()[0].Name != "sep=" {
		t.Errorf("a name is %q", s.Fields()[0].Name)
	}
}

// Without a header all lines are records; names that look like values are noted, but not shown.
func TestHeadless(t *testing.T) {
	const text = "0,M,20,Bonn\n1,F,21,Bonn\n2,M,22,\n"
	s := mustCSV(t, text, formats.ReadOptions{})
	if notes := s.(formats.Inferring).Notes(); len(notes) != 1 ||
		!strings.Contains(notes[0], "in column 1, 2, 3, 4: set csv.header") ||
		strings.Contains(notes[0], "Bonn") {
		t.Errorf("notes %q", notes)
	}
	for _, tt := range []struct {
		csv   formats.CSV
		names string
	}{
		{formats.CSV{Headless: true}, "column1 column2 column3 column4"},
		{formats.CSV{Headless: true, Names: map[int]string{2: "sex"}},
			"column1 sex column3 column4"},
		{formats.CSV{Headless: true, Header: []string{"id", "sex", "age", "city"}},
			"id sex age city"},
	} {
		s := mustCSV(t, text, formats.ReadOptions{CSV: tt.csv})
		var names []string
		for _, f := range s.Fields() {
			names = append(names, f.Name)
		}
		if got := formatstest.ReadAll(t, s, true); len(got[0]) != 3 || got[2][0] != "20" ||
			strings.Join(names, " ") != tt.names || len(s.(formats.Inferring).Notes()) > 0 {
			t.Errorf("%v %q, notes %q", names, got, s.(formats.Inferring).Notes())
		}
	}
	for _, header := range [][]string{{"id", "sex", "age"}, {"id", "sex", "age", "city", "more"}} {
		if _, err := tryCSV(t, text, formats.ReadOptions{CSV: formats.CSV{
			Headless: true,
			Header:   header,
		}}); !errors.Is(err, formats.ErrSchema) || !strings.Contains(hintOf(err), "csv.header") {
			t.Errorf("%d names: %v", len(header), err)
		}
	}
	if s := mustCSV(t, "a,b;\n1,;2\n3,;\n",
		formats.ReadOptions{CSV: formats.CSV{Headless: true, Delimiter: ';'}}); len(
		s.Fields()) != 2 {
		t.Errorf("%d columns, the last of which is null in the first line", len(s.Fields()))
	}
	// a name that no value of its column could be shows a header, whatever the others are
	for _, header := range []string{"a,b\n1,x\n", "other,age\nother,20\nnone,30\n",
		"day,male\n2020-01-31,male\n2020-02-01,female\n"} {
		s = mustCSV(t, header, formats.ReadOptions{})
		if len(s.(formats.Inferring).Notes()) > 0 {
			t.Errorf("notes of a header: %q", s.(formats.Inferring).Notes())
		}
	}
	for text, columns := range map[string]string{"x,y\nx,z\n": "1", "x,NA\nx,2\n": "1",
		"x,2019\nx,2\n": "1, 2", "2019,n\n3,4\n": "1"} {
		s = mustCSV(t, text, formats.ReadOptions{CSV: formats.CSV{Nulls: []string{"NA"}}})
		if notes := fmt.Sprint(s.(formats.Inferring).Notes()); !strings.Contains(notes,
			"in column "+columns+": set") {
			t.Errorf("%q: notes %q", text, notes)
		}
	}
}
