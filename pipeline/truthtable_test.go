package pipeline

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// truthColumn is a column of a truthCase: its values, and the value of each row.
type truthColumn struct {
	randomColumn
	values *formats.Values // the texts
	codes  []uint32        // 1 + a place in texts, 0: null
	spread spread
	nulls  int // one row in nulls rows has a null; 0: no row
	inCSV  string
	dates  string                    // the form of dates in CSV; empty: ISO 8601
	nested *formatstest.NestedValues // nil: the column is flat
	by     []string                  // the columns that determine its values; nil: none

	unlisted bool // the job has no entry for it
}

// spread is the distribution of the values of a column over rows.
type spread string

const (
	cyclic   spread = "one after the other"
	inRuns   spread = "in runs of three"
	shuffled spread = "shuffled"
	skewed   spread = "skewed"
)

// inferred is the type of a CSV column without a declaration: a declared timestamp has no zone.
const inferred = "inferred"

// manyTypes are types with any number of values.
var manyTypes = []struct {
	of    formats.Type
	most  int
	inCSV string // the name of the type in CSV jobs; empty: none
	text  func(i int) string
}{
	{wholeType, 1 << 30, "integer", func(i int) string { return strconv.Itoa(i*7 - 1000) }},
	{textType, 1 << 30, "text", func(i int) string { return "n" + strconv.Itoa(i) }},
	{floatType, 1 << 30, "number", func(i int) string { return fmt.Sprint(float64(i)/8 - 100) }},
	{formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"}, 1 << 30,
		inferred, func(i int) string {
			return time.Unix(1_600_000_000+int64(i)*61, 0).UTC().Format("2006-01-02T15:04:05Z")
		}},
	{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, 1 << 20, "decimal(9,2)",
		func(i int) string { return fmt.Sprintf("%d.%02d", i/100, i%100) }},
	{textType, 1 << 30, "text", func(i int) string { return fmt.Sprintf("%05d", i) }},
	{formats.Type{Kind: formats.Int, Bits: 32}, 1 << 30, "", func(i int) string {
		return strconv.Itoa(i - 5000)
	}},
	{formats.Type{Kind: formats.Date}, 60_000, "date", func(i int) string {
		return time.Unix(int64(i-30_000)*86_400, 0).UTC().Format(time.DateOnly)
	}},
	{formats.Type{Kind: formats.Int, Bits: 16}, 1 << 16, "", func(i int) string {
		return strconv.Itoa(i - 1<<15)
	}},
	{formats.Type{Kind: formats.Uint, Bits: 64}, 1 << 30, "", func(i int) string {
		return strconv.FormatUint(1<<63-50+uint64(i), 10)
	}},
	{formats.Type{Kind: formats.Float, Bits: 32}, 1 << 20, "", func(i int) string {
		return fmt.Sprint(float32(i)/4 - 100)
	}},
	{formats.Type{Kind: formats.Decimal, Precision: 30, Scale: 2, Wide: true}, 1 << 30, "",
		func(i int) string { return fmt.Sprintf("%d12345678901234567890.%02d", i/100+1, i%100) }},
	{formats.Type{Kind: formats.Timestamp, Unit: formats.Nano}, 1 << 30, "", func(i int) string {
		return time.Unix(1_600_000_000, int64(i)*1_000_001).UTC().Format(
			"2006-01-02T15:04:05.999999999")
	}},
	{formats.Type{Kind: formats.Time, Unit: formats.Micro}, 80_000, "", func(i int) string {
		return time.Unix(int64(i), 0).UTC().Format("15:04:05")
	}},
	{formats.Type{Kind: formats.Binary}, 1 << 30, "", func(i int) string {
		return fmt.Sprintf("%016x", i*2_654_435)
	}},
	{formats.Type{Kind: formats.UUID}, 1 << 30, "", func(i int) string {
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", i)
	}},
	{formats.Type{Kind: formats.Boolean}, 2, "boolean", func(i int) string {
		return strconv.FormatBool(i == 1)
	}},
}

// keptColumn is a column with a number of values, or with all values of its type if these are
// fewer; texts have a least number of bytes.
func keptColumn(rng *rand.Rand, values, length int) truthColumn {
	i := rng.IntN(len(manyTypes))
	if values > 3000 { // types with enough values
		i = rng.IntN(7)
	}
	if length > 0 {
		i = 1
	}
	some := manyTypes[i]
	c := truthColumn{inCSV: some.inCSV}
	c.Type, c.mask = some.of, "{keep: {identifying: accepted}}"
	for i := range min(values, some.most) {
		text := some.text(i)
		if len(text) < length {
			text += strings.Repeat("x", length-len(text))
		}
		c.texts = append(c.texts, text)
	}
	c.draw(rng)
	return c
}

// extremes are types with the first, the last and strange values of each.
var extremes = []struct {
	of    formats.Type
	inCSV string
	texts []string
}{
	{wholeType, "integer", []string{"-9223372036854775808", "9223372036854775807", "0", "-1"}},
	{formats.Type{Kind: formats.Int, Bits: 8}, "", []string{"-128", "127", "0"}},
	{formats.Type{Kind: formats.Uint, Bits: 64}, "",
		[]string{"18446744073709551615", "0", "9223372036854775808"}},
	{formats.Type{Kind: formats.Uint, Bits: 32}, "", []string{"4294967295", "0"}},
	{floatType, "", []string{"NaN", "NaN:fff8000000000001", "-0", "0", "Infinity",
		"-Infinity", "5e-324", "1.7976931348623157e+308", "0.1"}},
	{formats.Type{Kind: formats.Float, Bits: 32}, "",
		[]string{"NaN", "-0", "0", "Infinity", "1e-45", "3.4028235e+38", "0.1"}},
	{formats.Type{Kind: formats.Float, Bits: 16}, "",
		[]string{"NaN", "-0", "0", "-Infinity", "65504", "0.1"}},
	{formats.Type{Kind: formats.Decimal, Precision: 38, Wide: true}, "",
		[]string{strings.Repeat("9", 38), "-" + strings.Repeat("9", 38), "0"}},
	{formats.Type{Kind: formats.Decimal, Precision: 18, Scale: 18}, "decimal(18,18)",
		[]string{"0." + strings.Repeat("9", 18), "-0.000000000000000001"}},
	{dateType, "date", []string{"0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31"}},
	{formats.Type{Kind: formats.Timestamp, Unit: formats.Milli}, "",
		[]string{"0001-01-01T00:00:00", "9999-12-31T23:59:59.999", "1969-12-31T23:59:59.999"}},
	{formats.Type{Kind: formats.Timestamp, Unit: formats.Nano}, "",
		[]string{"1677-09-21T00:12:43.145224193", "2262-04-11T23:47:16.854775807",
			"1969-12-31T23:59:59.999999999"}},
	{formats.Type{Kind: formats.Time, Unit: formats.Micro}, "",
		[]string{"00:00:00", "23:59:59.999999"}},
	{textType, "text", []string{"", " ", "\n", "\"", ",", ";", "é", "\\N", "\\",
		"null", "NA", "*", "a\tb", "0", "a\r\nb", "\u2028", "e\u0301", "(,)"}},
	{formats.Type{Kind: formats.Binary}, "", []string{"", "00", "ff", "22"}},
	{formats.Type{Kind: formats.Binary, Size: 3}, "", []string{"000000", "ffffff"}},
}

// extremeColumn is a kept column of the first, the last and strange values of a type.
func extremeColumn(rng *rand.Rand) truthColumn {
	some := extremes[rng.IntN(len(extremes))]
	c := truthColumn{inCSV: some.inCSV}
	c.Type, c.mask, c.texts = some.of, "{keep: {identifying: accepted}}", some.texts
	c.draw(rng)
	return c
}

// wideColumn is a masked column with a number of values.
func wideColumn(rng *rand.Rand, values int) truthColumn {
	c := keptColumn(rng, values, 0)
	switch {
	case c.Type.Ordered() && rng.IntN(4) > 0:
		render := renders[max(0, rng.IntN(7)-4)]
		c.mask = "{mask: discretize, render: " + render + "}"
	case c.Type == textType && rng.IntN(2) == 0:
		c.mask = "{mask: generalize, taxonomy: {prefix: [4, 2, 1]}}"
	case c.Type.Kind == formats.Date:
		c.mask = "{mask: generalize, taxonomy: {date: [month, year, decade]}}"
	case c.Type == textType && rng.IntN(2) == 0:
		c.mask = ordered(rng, c.texts)
	default:
		c.mask = "suppress"
	}
	return c
}

// draw decides on the distribution of values.
func (c *truthColumn) draw(rng *rand.Rand) {
	c.spread = []spread{cyclic, inRuns, shuffled, skewed}[rng.IntN(4)]
	c.nulls = []int{0, 0, 40, 3}[rng.IntN(4)]
	if rng.IntN(30) == 0 { // nothing else
		c.nulls = 1
	}
}

// deal gives rows their values. A lean of one row makes the skewed columns depend on each other.
func (c *truthColumn) deal(rng *rand.Rand, rows int, lean []float64) {
	n := len(c.texts)
	c.codes = make([]uint32, rows)
	for i := range c.codes {
		at := i % n
		switch c.spread {
		case inRuns:
			at = i / 3 % n
		case skewed:
			at = int(float64(n) * lean[i] * rng.Float64())
		}
		c.codes[i] = uint32(at) + 1
	}
	if c.spread == shuffled {
		rng.Shuffle(rows, func(i, j int) { c.codes[i], c.codes[j] = c.codes[j], c.codes[i] })
	}
	if c.nulls > 0 {
		c.Nullable = true
		for i := range c.codes {
			if rng.IntN(c.nulls) == 0 {
				c.codes[i] = 0
			}
		}
	}
}

// parse makes values of the texts.
func (c *truthColumn) parse(tb testing.TB) {
	tb.Helper()
	if c.nested != nil {
		return
	}
	c.values = &formats.Values{Type: c.Type}
	for _, text := range c.texts {
		if c.Type.Kind == formats.String {
			c.values.AppendBytes([]byte(text))
		} else {
			must(tb, c.values.Parse(text))
		}
	}
}

// coded returns the column in the form of a reader.
func (c *truthColumn) coded() *formats.Column {
	return &formats.Column{Values: c.values, Codes: c.codes}
}

// text returns a text of its values.
func (c *truthColumn) text(code uint32) string {
	if code == 0 {
		return null
	}
	return c.values.Text(int(code - 1))
}

// isNarrow reports whether the 64-bit integers of the column fit into 32 bits.
func (c *truthColumn) isNarrow() bool {
	return c.Type == wholeType && !slices.ContainsFunc(c.texts, func(text string) bool {
		_, err := strconv.ParseInt(text, 10, 32)
		return err != nil
	})
}

func (c *truthColumn) isToken() bool { return c.Name == tokenColumn }

// released returns the text of an unmasked value in a release.
func (c *truthColumn) released(i int) string {
	switch {
	case c.nested != nil:
		return c.texts[i]
	case c.isToken():
		text := c.values.Text(i)
		if c.Type.Kind == formats.Decimal && c.Type.Scale > 0 {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
		for _, form := range replacedForms {
			if strings.Contains(c.mask, "with: "+form) {
				return replacementOf(secretKey, form, text)
			}
		}
		return tokenOf(secretKey, text)
	}
	return c.values.Text(i)
}

// truthTable is a table, stored by columns.
type truthTable struct {
	rows    int
	columns []truthColumn
	int96   bool   // nanosecond timestamps are stored as INT96
	csv     bool   // the files are CSV
	hive    string // the column whose values are names of folders
}

// fill gives rows the values of all columns, and lets the last column, the class, depend on the
// first column.
func (t *truthTable) fill(tb testing.TB, rng *rand.Rand) {
	tb.Helper()
	lean := make([]float64, t.rows)
	for i := range lean {
		lean[i] = rng.Float64()
	}
	for i := range t.columns {
		t.columns[i].parse(tb)
		t.columns[i].deal(rng, t.rows, lean)
	}
	for i := range t.columns {
		t.follow(&t.columns[i])
	}
	first, class := &t.columns[0], t.column(classColumn)
	for i := range class.codes {
		if rng.IntN(3) > 0 {
			class.codes[i] = 1 + first.codes[i]*uint32(len(class.texts))/uint32(len(first.texts)+1)
		}
	}
	if times := t.column(timesColumn); times != nil {
		for i := range times.codes {
			times.codes[i] = max(1, times.codes[i])
		}
	}
}

// follow gives a column the values that other columns determine.
func (t *truthTable) follow(c *truthColumn) {
	for row := range c.codes {
		sum := uint32(0)
		for _, name := range c.by {
			sum = 7*sum + t.column(name).codes[row]
		}
		if c.by != nil {
			c.codes[row] = 1 + sum%uint32(len(c.texts))
		}
	}
}

// inOrder returns the columns in the order of readers: the column of folders comes last.
func (t *truthTable) inOrder() (columns []*truthColumn) {
	for i := range t.columns {
		if t.columns[i].Name != t.hive {
			columns = append(columns, &t.columns[i])
		}
	}
	if t.hive != "" {
		columns = append(columns, t.column(t.hive))
	}
	return columns
}

// sort sorts the rows by the values of a column, and returns the start of each value, and the
// number of values.
func (t *truthTable) sort(name string) (starts []int) {
	by := t.column(name).codes
	rows := make([]int, t.rows)
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(by[i], by[j]) })
	for i := range t.columns {
		was := t.columns[i].codes
		is := make([]uint32, len(was))
		for at, row := range rows {
			is[at] = was[row]
		}
		t.columns[i].codes = is
	}
	by = t.column(name).codes
	for row := range by {
		if row == 0 || by[row] != by[row-1] {
			starts = append(starts, row)
		}
	}
	return append(starts, t.rows)
}

// column returns a column by its name, or nil.
func (t *truthTable) column(name string) *truthColumn {
	if i := slices.IndexFunc(t.columns, func(c truthColumn) bool {
		return c.Name == name
	}); i >= 0 {
		return &t.columns[i]
	}
	return nil
}

// grid returns the table as a grid of an audit, with a row for each record.
func (t *truthTable) grid(tb testing.TB) *grid {
	g := &grid{TB: tb}
	of := make([]int, 0, t.rows)
	times := t.column(timesColumn)
	for row := range t.rows {
		of = append(of, row)
		if times != nil {
			for n, _ := strconv.Atoi(times.text(times.codes[row])); n > 1; n-- {
				of = append(of, row)
			}
		}
	}
	g.rows = len(of)
	for _, c := range t.inOrder() {
		if c.Name == timesColumn {
			continue
		}
		column, own := textColumn{}, []uint32{0}
		column.code("", true)
		for i := range c.texts {
			own = append(own, column.code(c.released(i), false))
		}
		for _, row := range of {
			column.codes = append(column.codes, own[c.codes[row]])
		}
		field := c.Field
		if c.isToken() || t.csv && c.inCSV == inferred && slices.Max(column.codes) == 0 {
			// no value has a type
			field.Type = textType
		}
		field.Type.Wide = field.Type.Wide || t.int96 && field.Type.Kind == formats.Timestamp &&
			field.Type.Unit == formats.Nano
		g.fields, g.columns = append(g.fields, field), append(g.columns, column)
	}
	return g
}
