package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// truthColumn is a column of a truthCase: its values, and which of them each row has.
type truthColumn struct {
	randomColumn
	values *formats.Values // the texts
	codes  []uint32        // 1 + a place in texts, 0: null
	spread spread
	nulls  int // one row of so many has none; 0: every row has a value
	inCSV  string
}

// spread is how the values of a column are dealt out to rows.
type spread string

const (
	cyclic   spread = "one after the other"
	inRuns   spread = "in runs of three"
	shuffled spread = "shuffled"
	skewed   spread = "skewed"
)

// inferred is the type of CSV columns that is not declared: a declared timestamp has no zone.
const inferred = "inferred"

// manyTypes are types with as many values as one likes.
var manyTypes = []struct {
	of    formats.Type
	most  int
	inCSV string // its name for columns of CSV; empty: it has none
	text  func(i int) string
}{
	{wholeType, 1 << 30, "integer", func(i int) string { return strconv.Itoa(i*7 - 1000) }},
	{textType, 1 << 30, "text", func(i int) string { return "n" + strconv.Itoa(i) }},
	{floatType, 1 << 30, "number", func(i int) string { return fmt.Sprint(float64(i)/8 - 100) }},
	{formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"}, 1 << 30, inferred, func(i int) string {
		return time.Unix(1_600_000_000+int64(i)*61, 0).UTC().Format("2006-01-02T15:04:05Z")
	}},
	{formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, 1 << 20, "decimal(9,2)", func(i int) string { return fmt.Sprintf("%d.%02d", i/100, i%100) }},
	{textType, 1 << 30, "text", func(i int) string { return fmt.Sprintf("%05d", i) }},
	{formats.Type{Kind: formats.Int, Bits: 32}, 1 << 30, "", func(i int) string { return strconv.Itoa(i - 5000) }},
	{formats.Type{Kind: formats.Date}, 60_000, "date", func(i int) string { return time.Unix(int64(i-30_000)*86_400, 0).UTC().Format(time.DateOnly) }},
	{formats.Type{Kind: formats.Int, Bits: 16}, 1 << 16, "", func(i int) string { return strconv.Itoa(i - 1<<15) }},
	{formats.Type{Kind: formats.Uint, Bits: 64}, 1 << 30, "", func(i int) string { return strconv.FormatUint(1<<63-50+uint64(i), 10) }},
	{formats.Type{Kind: formats.Float, Bits: 32}, 1 << 20, "", func(i int) string { return fmt.Sprint(float32(i)/4 - 100) }},
	{formats.Type{Kind: formats.Decimal, Precision: 30, Scale: 2, Wide: true}, 1 << 30, "", func(i int) string { return fmt.Sprintf("%d12345678901234567890.%02d", i/100+1, i%100) }},
	{formats.Type{Kind: formats.Timestamp, Unit: formats.Nano}, 1 << 30, "", func(i int) string {
		return time.Unix(1_600_000_000, int64(i)*1_000_001).UTC().Format("2006-01-02T15:04:05.999999999")
	}},
	{formats.Type{Kind: formats.Time, Unit: formats.Micro}, 80_000, "", func(i int) string { return time.Unix(int64(i), 0).UTC().Format("15:04:05") }},
	{formats.Type{Kind: formats.Binary}, 1 << 30, "", func(i int) string { return fmt.Sprintf("%016x", i*2_654_435) }},
	{formats.Type{Kind: formats.UUID}, 1 << 30, "", func(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", i) }},
	{formats.Type{Kind: formats.Boolean}, 2, "boolean", func(i int) string { return strconv.FormatBool(i == 1) }},
}

// keptColumn is a column of so many values, or as many as its type has, of at least some bytes where they are texts.
func keptColumn(rng *rand.Rand, values, length int) truthColumn {
	i := rng.IntN(len(manyTypes))
	if values > 3000 { // types that have as many
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

// wideColumn is a masked column of so many values.
func wideColumn(rng *rand.Rand, values int) truthColumn {
	c := keptColumn(rng, values, 0)
	switch {
	case c.Type.Ordered() && rng.IntN(4) > 0:
		render := renders[max(0, rng.IntN(8)-4)]
		if kind := c.Type.Kind; render == job.RenderMidpoint && (kind == formats.Time || kind == formats.Timestamp) { // there are none
			render = job.RenderBounds
		}
		c.mask = "{mask: discretize, render: " + render + "}"
	case c.Type == textType && rng.IntN(2) == 0:
		c.mask = "{mask: generalize, taxonomy: {prefix: [4, 2, 1]}}"
	case c.Type.Kind == formats.Date:
		c.mask = "{mask: generalize, taxonomy: {date: [month, year, decade]}}"
	default:
		c.mask = "suppress"
	}
	return c
}

// draw decides how values are dealt out.
func (c *truthColumn) draw(rng *rand.Rand) {
	c.spread = []spread{cyclic, inRuns, shuffled, skewed}[rng.IntN(4)]
	c.nulls = []int{0, 0, 40, 3}[rng.IntN(4)]
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
	c.values = &formats.Values{Type: c.Type}
	for _, text := range c.texts {
		if c.Type.Kind == formats.String {
			c.values.AppendBytes([]byte(text))
		} else {
			must(tb, c.values.Parse(text))
		}
	}
}

// coded returns the column as readers of files give it.
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

// truthTable is a table by its columns.
type truthTable struct {
	rows    int
	columns []truthColumn
}

// fill deals out the values of all columns, and lets the last one, which is the class, depend on the first.
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

// column returns a column by its name, or nil.
func (t *truthTable) column(name string) *truthColumn {
	if i := slices.IndexFunc(t.columns, func(c truthColumn) bool { return c.Name == name }); i >= 0 {
		return &t.columns[i]
	}
	return nil
}

// grid returns the table as an audit reads it, with a row for each record.
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
	for i := range t.columns {
		c := &t.columns[i]
		if c.Name == timesColumn {
			continue
		}
		column, own := textColumn{}, []uint32{0}
		column.code("", true)
		for i := range c.texts {
			own = append(own, column.code(c.values.Text(i), false))
		}
		for _, row := range of {
			column.codes = append(column.codes, own[c.codes[row]])
		}
		g.fields, g.columns = append(g.fields, c.Field), append(g.columns, column)
	}
	return g
}
