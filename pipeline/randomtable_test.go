package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/job"
)

// randomColumn is a column of a random table: its type, its mask, and texts to draw from.
type randomColumn struct {
	formats.Field
	mask  string // of the job file
	texts []string
}

// drawn is a column of a type and a mask, with a number of texts that a function draws.
func drawn(of formats.Type, mask string, texts int, draw func() string) randomColumn {
	c := randomColumn{Field: formats.Field{Type: of}, mask: mask}
	for range texts {
		c.texts = append(c.texts, draw())
	}
	return c
}

var (
	textType  = formats.Type{Kind: formats.String}
	wholeType = formats.Type{Kind: formats.Int, Bits: 64}
	floatType = formats.Type{Kind: formats.Float, Bits: 64}
	dateType  = formats.Type{Kind: formats.Date}
)

// randomMasks are the ways in which a column can be masked.
var randomMasks = []func(*rand.Rand) randomColumn{
	suppressedTexts, suppressedWords, discretized, discretizedDecimal, tree, prefixes, generated,
}

func suppressedTexts(rng *rand.Rand) randomColumn {
	i := 0
	c := drawn(textType, "suppress", 1+rng.IntN(40), func() string {
		i++
		return strings.Repeat("common", rng.IntN(4)) + strings.Repeat("\x00", rng.IntN(3)) +
			strconv.Itoa(i/2)
	})
	c.texts = append(c.texts, "", "é")
	if rng.IntN(15) == 0 {
		c.texts = append(c.texts, "*")
	}
	if rng.IntN(3) == 0 {
		c.Type = formats.Type{Kind: formats.Binary}
		for i, text := range c.texts {
			c.texts[i] = fmt.Sprintf("%x", text)
		}
	}
	return c
}

func suppressedWords(rng *rand.Rand) randomColumn {
	switch rng.IntN(3) {
	case 0:
		return randomColumn{formats.Field{Type: formats.Type{Kind: formats.Boolean}}, "suppress",
			[]string{"true", "false"}}
	case 1:
		return randomColumn{formats.Field{Type: floatType}, "suppress", randomFloats(rng)}
	}
	c := drawn(formats.Type{Kind: formats.Int, Bits: 32}, "suppress",
		1+rng.IntN(300), func() string { return strconv.Itoa(rng.IntN(400) - 200) })
	if rng.IntN(2) == 0 {
		c.mask = ordered(rng, append([]string{"999"}, c.texts...))
	}
	return c
}

// ordered returns the mask of suppressed values that has an order for some of them.
func ordered(rng *rand.Rand, texts []string) string {
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	for i, text := range texts {
		texts[i] = job.Quoted(text)
	}
	return "{mask: suppress, order: [" + strings.Join(texts[:1+rng.IntN(len(texts))], ", ") + "]}"
}

// randomFloats returns numbers with some that have no order or two forms.
func randomFloats(rng *rand.Rand) []string {
	texts := []string{"0", "-0", "NaN", "NaN:fff8000000000001", "-Infinity", "Infinity"}
	texts = texts[:rng.IntN(len(texts)+1)]
	for range 1 + rng.IntN(40) {
		texts = append(texts, fmt.Sprint(float64(rng.IntN(200)-100)/8))
	}
	return texts
}

var renders = []string{job.RenderLabel, job.RenderBounds, job.RenderInterval}

func discretized(rng *rand.Rand) (c randomColumn) {
	switch rng.IntN(4) {
	case 0:
		c = randomColumn{Field: formats.Field{Type: floatType}, texts: randomFloats(rng)}
	case 1:
		c = drawn(dateType, "", 1+rng.IntN(60), func() string { return randomDay(rng) })
	case 2:
		some := orderedTypes[rng.IntN(len(orderedTypes))]
		c = drawn(some.of, "", 12, func() string { return some.text(rng.IntN(12)) })
	default:
		c = drawn(wholeType, "", 1+rng.IntN(400), func() string {
			return strconv.Itoa(rng.IntN(600))
		})
		if rng.IntN(3) == 0 {
			c.mask = fmt.Sprintf(", bounds: [0, %d]", 400+rng.IntN(300)) // sometimes too tight
		}
	}
	c.mask = "{mask: discretize, render: " + renders[rng.IntN(len(renders))] + c.mask + "}"
	return c
}

func randomDay(rng *rand.Rand) string {
	return fmt.Sprintf("%d-%02d-%02d", 1960+rng.IntN(50), 1+rng.IntN(12), 1+rng.IntN(28))
}

func discretizedDecimal(rng *rand.Rand) randomColumn {
	t, unit := formats.Type{Kind: formats.Decimal, Precision: 9, Scale: 2}, ""
	if rng.IntN(2) == 0 {
		t, unit = formats.Type{Kind: formats.Decimal, Precision: 30, Scale: 2, Wide: true},
			"12345678901234567890"
	}
	return drawn(t, "discretize", 1+rng.IntN(300), func() string {
		return fmt.Sprintf("%s%d%s.%02d", []string{"", "-"}[rng.IntN(2)], 1+rng.IntN(90),
			unit, rng.IntN(100))
	})
}

func tree(rng *rand.Rand) randomColumn {
	c := randomColumn{
		Field: formats.Field{Type: textType},
		mask: "{mask: generalize, taxonomy: world" + []string{"", ", unknown: root"}[rng.IntN(2)] +
			"}",
		texts: []string{"Bonn", "Köln", "Paris", "Lyon", "Nice", "Rome"}[:1+rng.IntN(6)],
	}
	if strings.Contains(c.mask, "unknown") || rng.IntN(8) == 0 {
		c.texts = append(c.texts, "Oslo", "Bern")
	}
	switch rng.IntN(15) {
	case 0:
		for range rng.IntN(40) { // unknown and rare
			c.texts = append(c.texts, strconv.Itoa(rng.IntN(400)))
		}
	case 1: // not to be added
		c.texts = append(c.texts, []string{"", "South", "World"}[rng.IntN(3)])
	}
	return c
}

const worldTree = `taxonomies:
  world: {World: {Germany: [Bonn, Köln], France: {Paris: {}, South: [Lyon, Nice]}, Rome: {}}}
`

// prefixes makes codes, in groups of which some are rare, or spellings.
func prefixes(rng *rand.Rand) randomColumn {
	of, taxonomy, code := textType, "prefix: [4, 2, 1]", func() string {
		return fmt.Sprintf("%05d", rng.IntN(3)*10_000+rng.IntN(500))
	}
	switch rng.IntN(4) {
	case 0: // of all lengths
		code = func() string { return strconv.Itoa(rng.IntN(1 << rng.IntN(20))) }
	case 1: // words
		of, code = wholeType, func() string { return strconv.Itoa(rng.IntN(3000) - 1000) }
	case 2: // few, and characters of several bytes
		code = func() string {
			return string([]rune("aé*€")[rng.IntN(4)]) + strings.Repeat("ä", rng.IntN(4))
		}
	case 3: // spellings of one value
		taxonomy, code = "spelling: [case, word]", func() string {
			words := []string{"yes", "N", "woman", "F", "é", "ny x", "", "*b"}
			word := words[rng.IntN(len(words))]
			return []string{word, " " + word, strings.ToUpper(word)}[rng.IntN(3)]
		}
	}
	return drawn(of, "{mask: generalize, taxonomy: {"+taxonomy+"}}", 1+rng.IntN(300), code)
}

// generated makes numbers in ranges, or dates, days and times in periods.
func generated(rng *rand.Rand) randomColumn {
	of, taxonomy, value := dateType, "date: [month, year, decade]", func() string {
		return randomDay(rng)
	}
	switch rng.IntN(5) {
	case 0:
		of, taxonomy = formats.Type{Kind: formats.Int, Bits: 16}, "ranges: [0, 10, 100]"
		value = func() string { return strconv.Itoa(rng.IntN(120) - 10) }
	case 1:
		floats := randomFloats(rng)
		of, taxonomy, value = floatType, "ranges: [-1, 0.5]",
			func() string { return floats[rng.IntN(len(floats))] }
	case 2:
		of, taxonomy = formats.Type{Kind: formats.Timestamp, Unit: formats.Micro, Zone: "UTC"},
			"date: [day, quarter, century]"
		value = func() string {
			return fmt.Sprintf("2020-01-%02dT%02d:00:00%sZ",
				1+rng.IntN(4), rng.IntN(4), []string{"", ".5", ".25"}[rng.IntN(3)])
		}
	case 3:
		of, taxonomy = textType, "date: [day, year]"
		value = func() string {
			return randomDay(rng)[:9] + "1" + []string{"", " 10:00", "T11:00"}[min(rng.IntN(40), 2)]
		}
	}
	return drawn(of, "{mask: generalize, taxonomy: {"+taxonomy+"}}",
		1+rng.IntN(300>>rng.IntN(8)), value)
}

// randomTable is a random table with a job over it.
type randomTable struct {
	testTable
	job       string
	overrides []string
}

// randomCase makes a table of up to seven columns, a class and a kept column among them, and
// a job with up to three sets.
func randomCase(rng *rand.Rand) *randomTable {
	var r randomTable
	var columns []randomColumn
	for i := range 1 + rng.IntN(5) {
		columns = append(columns, randomMasks[rng.IntN(len(randomMasks))](rng))
		columns[i].Name = fmt.Sprint("c", i)
	}
	var job strings.Builder
	fmt.Fprintf(&job, "input: in\noutput: out.parquet\nquasi_identifiers:\n")
	for _, set := range randomSets(rng, len(columns)) {
		fmt.Fprintf(&job, "- {k: %d, columns: [%s]}\n", 1+rng.IntN(8), strings.Join(set, ", "))
	}
	job.WriteString("columns:\n")
	for _, c := range columns {
		fmt.Fprintf(&job, "  %s: %s\n", c.Name, c.mask)
	}
	labels := []string{"low", "high", "middle", ""}[:1+rng.IntN(4)]
	columns = append(columns, randomColumn{Field: formats.Field{Name: "label", Type: textType},
		texts: labels})
	job.WriteString("  label: keep\n" + worldTree)
	if rng.IntN(4) > 0 {
		job.WriteString("class: label\n")
	}
	if rng.IntN(4) == 0 {
		fmt.Fprintf(&job, "max_steps: %d\n", rng.IntN(6))
	}
	r.job = job.String()
	r.overrides = []string{
		"score", []string{"tdr", "tds", "infogain"}[rng.IntN(3)], "limits.threads",
		strconv.Itoa(1 + rng.IntN(4)),
		"limits.memory", "64MiB",
	}
	r.fill(rng, columns)
	return &r
}

// randomSets puts every column into one or more sets.
func randomSets(rng *rand.Rand, columns int) [][]string {
	sets := make([][]string, 1+rng.IntN(min(3, columns)))
	for c, of := range rng.Perm(columns) {
		for s := range sets {
			if c%len(sets) == s || rng.IntN(3) == 0 {
				sets[s] = append(sets[s], fmt.Sprintf("c%d", of))
			}
		}
	}
	return sets
}

// fill makes the rows. Early values in the list of a column are frequent, and depend on the
// class.
func (r *randomTable) fill(rng *rand.Rand, columns []randomColumn) {
	nulls := []int{0, 30, 2}[rng.IntN(3)]
	for _, c := range columns {
		c.Nullable = true
		r.fields = append(r.fields, c.Field)
	}
	for range 8 + rng.IntN(8<<rng.IntN(8)) {
		row := make([]string, len(columns))
		lean := rng.Float64()
		for i, c := range columns {
			at := rng.Float64()
			if rng.IntN(3) > 0 {
				at *= lean
			}
			row[i] = c.texts[int(at*float64(len(c.texts)))]
			if nulls > 0 && rng.IntN(nulls) == 0 {
				row[i] = null
			}
		}
		r.rows = append(r.rows, row)
	}
}

// put writes the table to a few files below a folder, and its job.
func (r *randomTable) put(t *testing.T, rng *rand.Rand) (dir string) {
	t.Helper()
	dir = jobFolder(t, r.job)
	files := 1 + rng.IntN(3)
	for i := range files {
		from, to := i*len(r.rows)/files, (i+1)*len(r.rows)/files
		r.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%d.parquet", i)), from,
			to, 1+rng.IntN(200))
	}
	return dir
}
