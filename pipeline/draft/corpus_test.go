package draft_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
)

// rightRoles is how many columns of the corpus get the role that an expert gives them: it may only
// rise.
const rightRoles = 773

// corpusPath is where the corpus is, from wherever a test is.
var corpusPath, _ = filepath.Abs("testdata/columns.txt")

// TestDraftGivesRightRoles drafts a job for each table of the corpus, and runs it unchanged. It
// compares the roles with those of an expert in a draft that need not drop columns of few rows.
func TestDraftGivesRightRoles(t *testing.T) {
	columns, right := 0, 0
	for _, table := range readCorpus(t) {
		t.Chdir(t.TempDir())
		table.write(t, "table.csv")
		drafted := func(try draft.Try) string {
			text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}}, try)
			if err != nil {
				t.Fatalf("%s: %v", table.name, err)
			}
			return text
		}
		if _, report := runDraft(t, drafted(planning.Try)); report.Union.Unique > 0 {
			t.Errorf("%s: %g of the rows are alone", table.name, report.Union.Unique)
		}
		j, err := job.Parse("", []byte(drafted(sees(0, 1))), nil)
		if err != nil {
			t.Fatalf("%s: %v", table.name, err)
		}
		for _, c := range table.columns {
			columns++
			if role := roleIn(j, c.name); slices.Contains(c.roles, role) {
				right++
			} else {
				t.Logf("%s: %s: %s, not %s", table.name, c.name, role,
					strings.Join(c.roles, " or "))
			}
		}
	}
	t.Logf("%d of %d columns have the right role", right, columns)
	if columns < 390 || 100*right < 95*columns || right != rightRoles {
		t.Errorf("%d of %d columns have the right role; %d had", right, columns, rightRoles)
	}
}

// roleIn returns a column's role in a job, as the corpus calls it.
func roleIn(j *job.Job, name string) string {
	i := slices.IndexFunc(j.Columns, func(c job.Column) bool { return c.Name == name })
	switch {
	case name == j.Class:
		return "class"
	case name == j.Entity:
		return "entity"
	case i < 0:
		return j.Unlisted
	}
	switch c := j.Columns[i]; {
	case c.Mask != job.MaskGeneralize:
		return c.Mask
	case len(c.Taxonomy.Prefix) > 0:
		return "prefix"
	case len(c.Taxonomy.Ranges) > 0:
		return "ranges"
	}
	return "date"
}

// corpusTable is a table of the corpus.
type corpusTable struct {
	name    string
	rows    int
	columns []*corpusColumn
}

// corpusColumn is a column with the roles that are right.
type corpusColumn struct {
	name, values string
	roles        []string
	lacks        string  // what some rows have instead of a value
	share        float64 // of these rows
	codes        map[string]int
}

// lacking is what stands for a value that a row does not have.
var lacking = map[string]string{"null": "", "blank": " ", "star": "*"}

// readCorpus reads testdata/columns.txt, which says what its lines mean.
func readCorpus(t *testing.T) (tables []*corpusTable) {
	t.Helper()
	text, err := os.ReadFile(corpusPath)
	if err != nil {
		t.Fatal(err)
	}
	gap, absent := regexp.MustCompile(`  +`), regexp.MustCompile(` (null|blank|star) ([0-9.]+)$`)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if head := strings.Fields(line); head[0] == "table" {
			tables = append(tables, &corpusTable{name: head[1], rows: int(number(head[2]))})
			continue
		}
		cells := gap.Split(line, -1)
		if len(cells) != 3 {
			t.Fatalf("%q has no name, values and role", line)
		}
		c := &corpusColumn{name: cells[0], values: cells[1], roles: strings.Split(cells[2], "/"),
			codes: make(map[string]int)}
		if found := absent.FindStringSubmatch(c.values); found != nil {
			c.values = strings.TrimSuffix(c.values, found[0])
			c.lacks, c.share = lacking[found[1]], number(found[2])
		}
		table := tables[len(tables)-1]
		table.columns = append(table.columns, c)
	}
	return tables
}

func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return x
}

// corpusRow is a row while it is made.
type corpusRow struct {
	*rand.Rand
	number, person int
	table          *corpusTable
	values         map[string]string
}

// write writes the table as CSV.
func (c *corpusTable) write(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := csv.NewWriter(file)
	cells := make([]string, len(c.columns))
	for i, column := range c.columns {
		cells[i] = column.name
	}
	out.Write(cells)
	rng := rand.New(rand.NewPCG(9, uint64(len(c.name))))
	for number := range c.rows {
		row := &corpusRow{rng, number, rng.IntN(c.rows / 3), c, make(map[string]string)}
		for i, column := range c.columns {
			cells[i] = row.value(column)
			if rng.Float64() < column.share {
				cells[i] = column.lacks
			}
		}
		out.Write(cells)
	}
	if out.Flush(); out.Error() != nil {
		t.Fatal(out.Error())
	}
}

// value returns the row's value of a column.
func (r *corpusRow) value(c *corpusColumn) string {
	if _, made := r.values[c.name]; !made {
		r.values[c.name] = r.make(c.values)
	}
	return r.values[c.name]
}

func (r *corpusRow) make(values string) string {
	words := strings.Fields(values)
	switch {
	case words[0] == "of":
		return r.follow(strings.TrimPrefix(values, "of "))
	case values == "serial":
		return strconv.Itoa(100_000 + 7*r.number + r.IntN(7))
	case values == "person":
		return strconv.Itoa(100_000 + 31*r.person)
	case values == "prose":
		return fmt.Sprintf("The person came %d times and said that it was about %s matters",
			r.IntN(90), invented(r.IntN(5000)))
	case words[0] == "names":
		return invented(int(number(words[1]) * r.Float64()))
	case words[0] == "given":
		return r.named(often[0], 0.3, int(number(words[1])))
	case words[0] == "surname":
		return r.named(often[1], 0.15, int(number(words[1])))
	case words[0] == "date":
		first, last := int(number(words[1])), int(number(words[2]))
		start := time.Date(first, 1, 1, 0, 0, 0, 0, time.UTC)
		second := r.IntN((last - first + 1) * 365 * 86400)
		return start.Add(time.Duration(second) * time.Second).Format(strings.Join(words[3:], " "))
	case words[0] == "list":
		var some []string
		for _, one := range strings.Split(strings.TrimPrefix(values, "list "), "|") {
			if r.IntN(3) == 0 {
				some = append(some, one)
			}
		}
		return strings.Join(some, ";")
	case values[0] == '"':
		return r.form(values[1 : len(values)-1])
	case spans.MatchString(values):
		return r.between(spans.FindStringSubmatch(values)[1:])
	}
	several := strings.Split(values, "|")
	return several[int(float64(len(several))*math.Pow(r.Float64(), 1.5))]
}

// often are given names and surnames that many people have.
var often = [][]string{
	{"James", "MARY", "Robert", "linda", "Michael", "Susan"},
	{"Smith", "JOHNSON", "garcia", "Nguyen"},
}

// named returns one of some names in a share of rows, and one of n invented ones in others.
func (r *corpusRow) named(known []string, share float64, n int) string {
	if r.Float64() < share {
		return known[r.IntN(len(known))]
	}
	return invented(r.IntN(n))
}

// spans are two numbers with what is between them.
var spans = regexp.MustCompile(`^(-?[\d.]*\d)\.\.(-?\d[\d.]*)(~?)$`)

// between returns a number, with as many decimals as the larger one of two has.
func (r *corpusRow) between(ends []string) string {
	low, high, share := number(ends[0]), number(ends[1]), r.Float64()
	if ends[2] != "" {
		share *= share * share
	}
	_, decimals, _ := strings.Cut(ends[1], ".")
	step := math.Pow10(-len(decimals))
	x := math.Round(low/step) + math.Floor(share*((high-low)/step+1))
	return strconv.FormatFloat(x*step, 'f', len(decimals), 64)
}

// form fills a form.
func (r *corpusRow) form(form string) string {
	var out strings.Builder
	for _, sign := range []byte(form) {
		switch sign {
		case '#':
			sign = '0' + byte(r.IntN(10))
		case '@':
			sign = 'A' + byte(r.IntN(26))
		case '~':
			sign = 'a' + byte(r.IntN(26))
		}
		out.WriteByte(sign)
	}
	return out.String()
}

// follow returns a value that another column determines.
func (r *corpusRow) follow(rule string) string {
	name, how, _ := strings.Cut(rule, ": ")
	at := slices.IndexFunc(r.table.columns, func(c *corpusColumn) bool { return c.name == name })
	of := r.table.columns[at]
	value := r.value(of)
	if _, met := of.codes[value]; !met {
		of.codes[value] = len(of.codes)
	}
	code := of.codes[value]
	switch words := strings.Fields(how); words[0] {
	case "left":
		return value[:int(number(words[1]))]
	case "code":
		return strconv.Itoa(1000 + code*37%997)
	case "age":
		return fmt.Sprint(number(words[1]) - number(value[:4]))
	case "under":
		group := 1
		for _, end := range strings.Split(words[1], ",") {
			if number(value) >= number(end) {
				group++
			}
		}
		return strconv.Itoa(group)
	}
	several := strings.Split(how, "|")
	return several[code%len(several)]
}

// invented returns a name, another one for each number.
func invented(n int) string {
	var out strings.Builder
	for n += 37; n > 0; n /= 35 {
		out.WriteString("bdfgklm"[n%7:][:1] + "aeiou"[n/7%5:][:1])
	}
	return strings.ToUpper(out.String()[:1]) + out.String()[1:] + "n"
}
