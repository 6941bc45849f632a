package pipeline

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/kcut/kcut/formats"
	"github.com/klauspost/compress/zstd"
)

// csvForm is the form of a table in CSV.
type csvForm struct {
	Delimiter string
	Declared  bool // the job has the delimiter
	LineEnd   string
	Nulls     []string // texts for null, which alternate with the empty field
	Quote     string
	Escape    bool // a backslash precedes a quote in quotes, instead of a second quote
	Quoted    quoting
	Header    header
	Encoding  string // and byte order; empty: UTF-8
	Decimal   string // empty: a point
	Thousands string // empty: digits have no groups
	Dates     string // their form; empty: ISO 8601
	Packed    string // the ending of a compressed file; empty: no compression
}

// quoting says which fields are in quotes.
type quoting string

const (
	quoteTexts quoting = "texts"
	quoteAll   quoting = "all but nulls"
	quoteFew   quoting = "texts that are no words"
)

// header says how columns are named.
type header string

const (
	inFile   header = "in the file"
	inJob    header = "by a list in the job"
	byNumber header = "by their numbers, in a file with one name for all"
	noHeader header = "by their numbers, in a file without names"
)

// The encodings of CSV files, as cases draw them.
const (
	utf8Marked  = "utf-8 with a mark"
	utf16Little = "utf-16, little-endian"
	utf16Big    = "utf-16, big-endian"
	latin1      = formats.EncodingLatin1
	windows1252 = formats.EncodingWindows1252
)

// drawCSV draws a form in which no value of the table becomes another value.
func drawCSV(rng *rand.Rand, t *truthTable, lacks string) csvForm {
	f := csvForm{Quote: `"`, Quoted: []quoting{quoteTexts, quoteTexts, quoteAll, quoteFew}[rng.IntN(4)], Header: inFile}
	f.Delimiter = []string{",", ",", ";", "\t", "|"}[rng.IntN(5)]
	f.LineEnd = []string{"\n", "\n", "\r\n"}[rng.IntN(3)]
	for _, text := range []string{"?", "NA", "-99", "NULL"} {
		if rng.IntN(5) == 0 && !t.has(text) {
			f.Nulls = append(f.Nulls, text)
		}
	}
	if rng.IntN(5) == 0 {
		f.Quote = "'"
	}
	f.Escape = rng.IntN(5) == 0
	if lacks == "" && rng.IntN(3) == 0 {
		f.Header = inJob
		if t.column(timesColumn) == nil { // which needs no entry
			f.Header = []header{inJob, byNumber, noHeader}[rng.IntN(3)]
		}
	}
	encodings := []string{"", "", "", utf8Marked, utf16Little, utf16Big, latin1, windows1252}
	if f.Encoding = encodings[rng.IntN(len(encodings))]; !t.fits(f.Encoding) {
		f.Encoding = ""
	}
	if rng.IntN(4) == 0 {
		f.Decimal = ","
	}
	if rng.IntN(4) == 0 {
		f.Thousands = []string{".", "'", " "}[rng.IntN(3)]
		if f.Decimal == "" {
			f.Thousands = []string{",", "'", " "}[rng.IntN(3)]
		}
	}
	if f.Thousands == f.Quote { // which is the mark of a field
		f.Thousands = " "
	}
	f.Declared = f.Decimal != "" || f.Thousands != "" || f.Quote != `"` || f.Escape || rng.IntN(2) == 0
	f.Dates = []string{"", "", "MM/DD/YYYY", "D.M.YYYY", "DD-MMM-YYYY"}[rng.IntN(5)]
	f.Packed = []string{"", "", "", ".gz", ".zst"}[rng.IntN(5)]
	f.drawTypes(rng, t, lacks)
	return f
}

// startsAsWord matches texts that kcut takes only for texts.
var startsAsWord = regexp.MustCompile(`^(n\d|class |p\d|s\d)`)

// drawTypes leaves out some declared types that kcut can infer, and declares the form of dates.
func (f *csvForm) drawTypes(rng *rand.Rand, t *truthTable, lacks string) {
	for i := range t.columns {
		c := &t.columns[i]
		isPlain := c.inCSV == "integer" || c.inCSV == "boolean" ||
			c.inCSV == "date" && f.Dates == "" ||
			c.inCSV == "text" && !slices.ContainsFunc(c.texts, func(text string) bool {
				return !startsAsWord.MatchString(text)
			})
		switch {
		case isPlain && c.nulls == 0 && c.Name != lacks && rng.IntN(4) == 0:
			c.inCSV = inferred
		case c.inCSV == "date" && f.Dates != "":
			c.inCSV, c.dates = "date("+f.Dates+")", f.Dates
		}
	}
}

// has reports whether a value of the table may be written as a text.
func (t *truthTable) has(text string) bool {
	return slices.ContainsFunc(t.columns, func(c truthColumn) bool {
		return slices.Contains(c.texts, text)
	})
}

// fits reports whether an encoding has all characters of the table.
func (t *truthTable) fits(encoding string) bool {
	for _, c := range t.columns {
		for _, text := range append(c.texts, c.Name) {
			if _, ok := encode(text, encoding); !ok {
				return false
			}
		}
	}
	return true
}

// encode returns a text in an encoding, if the encoding has all of its characters.
func encode(text, encoding string) (out []byte, ok bool) {
	switch encoding {
	case "":
		return []byte(text), true
	case utf8Marked:
		return []byte("\ufeff" + text), true
	case utf16Little, utf16Big:
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			if encoding == utf16Big {
				unit = unit>>8 | unit<<8
			}
			out = append(out, byte(unit), byte(unit>>8))
		}
		return out, true
	}
	for _, r := range text {
		switch {
		case r < 0x80 || 0xa0 <= r && r < 0x100:
			out = append(out, byte(r))
		case r == '€' && encoding == windows1252:
			out = append(out, 0x80)
		default:
			return nil, false
		}
	}
	return out, true
}

// options returns the lines of a job about the form.
func (f *csvForm) options(t *truthTable) string {
	var keys []string
	say := func(key string, value any) { keys = append(keys, fmt.Sprintf("%s: %v", key, value)) }
	if f.Declared {
		say("delimiter", fmt.Sprintf("%q", f.Delimiter))
	}
	if len(f.Nulls) > 0 {
		say("nulls", listOf(f.Nulls))
	}
	if f.Quote != `"` {
		say("quote", fmt.Sprintf("%q", f.Quote))
	}
	if f.Escape {
		say("escape", `"\\"`)
	}
	switch f.Header {
	case inJob:
		var names []string
		for i := range t.columns {
			names = append(names, t.columns[i].Name)
		}
		say("header", listOf(names))
	case noHeader:
		say("header", false)
	}
	if encoding, _, _ := strings.Cut(f.Encoding, ","); f.Encoding != "" &&
		f.Encoding != utf8Marked {
		say("encoding", encoding)
	}
	if f.Decimal != "" {
		say("decimal", fmt.Sprintf("%q", f.Decimal))
	}
	if f.Thousands != "" {
		say("thousands", fmt.Sprintf("%q", f.Thousands))
	}
	return "csv: {" + strings.Join(keys, ", ") + "}\n"
}

func listOf(texts []string) string {
	var out []string
	for _, text := range texts {
		out = append(out, fmt.Sprintf("%q", text))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// entry returns the part of a column's entry about the form.
func (f *csvForm) entry(c *truthColumn, number int) (text string) {
	if c.inCSV != inferred {
		text = ", type: \"" + c.inCSV + "\""
	}
	if f.Header == byNumber || f.Header == noHeader {
		text += fmt.Sprint(", rename: ", number)
	}
	return text
}

// put stores rows.
func (f *csvForm) put(tb testing.TB, path string, t *truthTable, from, to int, without string) {
	tb.Helper()
	var out strings.Builder
	columns := slices.DeleteFunc(slices.Clone(t.columns), func(c truthColumn) bool {
		return c.Name == without
	})
	for i := range columns {
		name := map[header]string{inFile: columns[i].Name, byNumber: "x"}[f.Header]
		if f.Header == inFile || f.Header == byNumber {
			out.WriteString([]string{"", f.Delimiter}[min(i, 1)] + f.inQuotes(name))
		}
	}
	if out.Len() > 0 {
		out.WriteString(f.LineEnd)
	}
	for row := from; row < to; row++ {
		for i := range columns {
			out.WriteString([]string{"", f.Delimiter}[min(i, 1)] + f.field(&columns[i], row))
		}
		out.WriteString(f.LineEnd)
	}
	encoded, ok := encode(out.String(), f.Encoding)
	if !ok {
		tb.Fatalf("a table has characters that %s has not", f.Encoding)
	}
	write(tb, path+f.Packed, string(pack(tb, encoded, f.Packed)))
}

// pack compresses bytes by the ending of a name.
func pack(tb testing.TB, plain []byte, end string) []byte {
	tb.Helper()
	var out bytes.Buffer
	switch end {
	case ".gz":
		z := gzip.NewWriter(&out)
		_, err := z.Write(plain)
		must(tb, cmp.Or(err, z.Close()))
	case ".zst":
		z, err := zstd.NewWriter(&out)
		must(tb, err)
		_, err = z.Write(plain)
		must(tb, cmp.Or(err, z.Close()))
	default:
		return plain
	}
	return out.Bytes()
}

// field returns the text of the value of a row.
func (f *csvForm) field(c *truthColumn, row int) string {
	code := c.codes[row]
	if code == 0 {
		return append(f.Nulls[:len(f.Nulls):len(f.Nulls)], "")[row%(len(f.Nulls)+1)]
	}
	text := c.text(code)
	switch {
	case c.Type.Kind == formats.String:
		if f.Quoted == quoteFew && plainWord.MatchString(text) {
			return text
		}
		return f.inQuotes(text)
	case c.Type.Kind == formats.Int || c.Type.Kind == formats.Float ||
		c.Type.Kind == formats.Decimal:
		text = f.numeral(text)
	case c.dates != "":
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			panic(err)
		}
		text = day.Format(map[string]string{"MM/DD/YYYY": "01/02/2006",
			"D.M.YYYY": "2.1.2006", "DD-MMM-YYYY": "02-Jan-2006"}[c.dates])
	}
	if f.Quoted == quoteAll || strings.Contains(text, f.Delimiter) {
		return f.inQuotes(text)
	}
	return text
}

// numeral returns a number with the signs of the form.
func (f *csvForm) numeral(text string) string {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	for at := len(digits) - 3; at > 0 && f.Thousands != ""; at -= 3 {
		digits = digits[:at] + f.Thousands + digits[at:]
	}
	if strings.HasPrefix(whole, "-") {
		digits = "-" + digits
	}
	if hasPoint {
		digits += cmp.Or(f.Decimal, ".") + fraction
	}
	return digits
}

func (f *csvForm) inQuotes(text string) string {
	before := f.Quote
	if f.Escape {
		text, before = strings.ReplaceAll(text, `\`, `\\`), `\`
	}
	return f.Quote + strings.ReplaceAll(text, f.Quote, before+f.Quote) + f.Quote
}
