package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// The columns of a truthCase beside c0, c1, ... and k0, k1, ..., which are masked and kept.
const (
	classColumn  = "label"
	idColumn     = "id"     // of the row, kept
	personColumn = "person" // the entity
	secretColumn = "secret" // the sensitive one
	timesColumn  = "times"  // the count
)

// mostRows is how many rows a case has at most.
const mostRows = 300_000

// truthCase is a random table, how it is stored, and a job over it. The seed decides everything.
type truthCase struct {
	truthTable
	seed     uint64
	rng      *rand.Rand
	near     *size // a size in the code that the case is at, just below or just above
	numbers  numbers
	stored   layout
	set      []string // lines of the job's sets
	job      []string // lines of the job, beside sets and columns
	searches string   // algorithm and its options
	masked   int      // columns
	ordered  bool     // rows are released in their own order
	folder   bool     // of part files
	folders  bool     // hive partitions
	alone    bool     // rows may be alone on the labels of all sets, so that the recount refuses the release
	reasons  map[fault.Class]string
	memory   string
}

// numbers are those of a case that sizes in the code are about.
type numbers map[reach]int

// draw draws everything but the rows. It is cheap.
func (c *truthCase) draw() {
	c.rng = rand.New(rand.NewPCG(c.seed, 37))
	c.reasons = make(map[fault.Class]string)
	c.drawNumbers()
	c.drawSearch()
	c.drawColumns()
	for _, key := range jobKeys {
		key(c.rng, c)
	}
	c.drawSets()
	c.stored = drawLayout(c.rng, &c.truthTable, c.numbers[rowsOfGroup])
	if c.rng.IntN(2) == 0 && !c.hasID() && !c.knowsLabels() || c.matchless() {
		c.addID()
	}
}

// may says that a run may be refused, and why.
func (c *truthCase) may(class fault.Class, why string) { c.reasons[class] = why }

// large reports whether the case has so many rows that it takes its time.
func (c *truthCase) large() bool { return c.rows > fewRows }

// drawNumbers draws a size to be near to, which one case in six has that takes many rows, and what that asks for.
func (c *truthCase) drawNumbers() {
	rng := c.rng
	c.numbers = numbers{
		rowsOfGroup: 1 + rng.IntN(400), valuesKept: 1 + rng.IntN(300), valuesMasked: 1 + rng.IntN(100), valuesOfClass: 1 + rng.IntN(5), bytesOfText: 0, rowsReleased: 0,
	}
	c.rows = 8 + rng.IntN(8<<rng.IntN(8))
	small, large := sizesDrawn()
	list, turn := small, int(c.seed-c.seed/6)
	if c.seed%6 == 5 {
		list, turn = large, int(c.seed/6)
	}
	// One after the other, so that few cases meet all of them.
	c.near = list[turn%len(list)]
	off := (turn%len(list)+turn/len(list))%3 - 1
	n := c.near.value + off
	c.numbers[c.near.reach] = n
	switch c.near.reach {
	case rowsOfTable:
		c.rows = n
	case valuesKept, valuesMasked:
		c.rows = n*(1+rng.IntN(4)) + rng.IntN(n/2+10)
	case bytesOfText:
		if c.rows = min(c.rows, 8+4<<20/n); n > fewRows {
			c.may(fault.Resources, "long texts")
		}
	case rowsOfGroup, rowsReleased, valuesOfClass:
		c.rows = n*(1+rng.IntN(3)) + rng.IntN(n/2+10)
	}
	c.rows = min(c.rows, mostRows)
	if c.large() && c.near.reach != rowsOfGroup {
		c.numbers[rowsOfGroup] = []int{3000, 30_000, 50_000, 100_000, 400_000}[rng.IntN(5)]
	}
	c.numbers[rowsOfTable] = c.rows
	c.memory = []string{"64MiB", "256MiB", "1GiB"}[rng.IntN(3)]
}

// drawSearch draws the algorithm, of large tables one that does not take long.
func (c *truthCase) drawSearch() {
	c.searches = "tdr"
	switch rng := c.rng; {
	case c.large():
		c.searches = []string{"tdr", "tdr", "tds", "mondrian"}[rng.IntN(4)]
	case rng.IntN(3) == 0:
		c.searches = "tds"
	case rng.IntN(2) == 0:
		list := searches()
		c.searches = list[rng.IntN(len(list))]
		if c.rows > 1500 || c.rows > 300 && strings.Contains(c.searches, "auto") { // which take long
			c.searches = "mondrian"
		}
	}
	if c.rng.IntN(4) > 0 || !c.topDown() && !isClassless(c.searches) {
		c.job = append(c.job, "class: "+classColumn)
		if c.numbers[valuesOfClass] >= 10_000 {
			c.may(fault.Input, "many classes")
		}
	}
}

func isClassless(search string) bool {
	for _, s := range classless {
		if s == search {
			return true
		}
	}
	return false
}

// topDown reports whether the search is that of tdr or tds.
func (c *truthCase) topDown() bool {
	return strings.HasPrefix(c.searches, "tdr") || strings.HasPrefix(c.searches, "tds")
}

// drawColumns draws masked and kept columns, and the class.
func (c *truthCase) drawColumns() {
	rng := c.rng
	c.masked = 1 + rng.IntN(4)
	if c.large() {
		c.masked = 1 + rng.IntN(2)
	}
	wide := rng.IntN(c.masked)
	for i := range c.masked {
		column := wideColumn(rng, 1+rng.IntN(40))
		switch {
		case i == wide:
			column = wideColumn(rng, c.numbers[valuesMasked])
		case rng.IntN(2) == 0 && !c.large():
			column = truthColumn{randomColumn: randomMasks[rng.IntN(len(randomMasks))](rng)}
			column.draw(rng)
			c.may(fault.Input, "a value that no mask takes")
			c.may(fault.Usage, "a type that no mask takes")
		}
		if column.Type.Kind == 0 && strings.Contains(column.mask, "discretize") {
			column.mask = "suppress"
		}
		column.Name = fmt.Sprint("c", i)
		c.columns = append(c.columns, column)
	}
	for i := range max(rng.IntN(3), c.near.minKept()) {
		values := 1 + rng.IntN(300)
		if i == 0 {
			values = c.numbers[valuesKept]
		}
		column := keptColumn(rng, values, 0)
		if i == 0 && c.numbers[bytesOfText] > 0 {
			column = keptColumn(rng, 1+rng.IntN(3), c.numbers[bytesOfText])
		}
		column.Name = fmt.Sprint("k", i)
		c.columns = append(c.columns, column)
	}
	c.addText(classColumn, "{mask: keep, identifying: accepted}", "class ", c.numbers[valuesOfClass])
}

// addText adds a column of so many texts.
func (c *truthCase) addText(name, mask, prefix string, values int) {
	column := truthColumn{inCSV: "text", spread: shuffled}
	column.Name, column.Type, column.mask = name, textType, mask
	for i := range values {
		column.texts = append(column.texts, fmt.Sprint(prefix, i))
	}
	c.columns = append(c.columns, column)
}

// addID adds a number of every row.
func (c *truthCase) addID() {
	column := truthColumn{inCSV: "integer", spread: cyclic}
	column.Name, column.Type, column.mask = idColumn, wholeType, "{mask: keep, identifying: accepted}"
	for i := range c.rows {
		column.texts = append(column.texts, fmt.Sprint(i))
	}
	c.columns = append(c.columns, column)
}

func (c *truthCase) hasID() bool { return c.column(idColumn) != nil }

// knowsLabels reports whether a value has one label in the cut, so that rows are known by it.
func (c *truthCase) knowsLabels() bool {
	for i := range c.columns {
		if strings.Contains(c.columns[i].mask, "render: ") && !strings.Contains(c.columns[i].mask, "render: label") {
			return false
		}
	}
	return c.topDown()
}

// matchless reports whether nothing but an id says which row of the input a released one is.
func (c *truthCase) matchless() bool { return c.ordered && !c.hasID() && !c.knowsLabels() }

// drawSets draws the sets: every masked column is in one at least.
func (c *truthCase) drawSets() {
	sets := randomSets(c.rng, c.masked)
	if c.rng.IntN(5) == 0 {
		sets = append(sets, sets[0])
	}
	for _, set := range sets {
		k := 1 + c.rng.IntN(8)
		if c.rng.IntN(4) == 0 {
			k = 1 + c.rng.IntN(max(1, c.rows/4))
		}
		if c.large() && !c.topDown() { // so that regions, and labels with them, are not tens of thousands
			k = max(k, c.rows/500)
		}
		c.set = append(c.set, fmt.Sprintf("- {k: %d, columns: [%s]}", k, strings.Join(set, ", ")))
		if k > c.rows {
			c.may(fault.Privacy, "fewer rows than k")
		}
	}
}

// text returns the job file.
func (c *truthCase) text() string {
	var out strings.Builder
	out.WriteString("input: in\nquasi_identifiers:\n" + strings.Join(c.set, "\n") + "\ncolumns:\n")
	for i := range c.columns {
		mask := c.columns[i].mask
		if c.columns[i].Name == timesColumn {
			continue
		}
		mask = strings.Replace(mask, "{keep: {identifying: accepted}}", "{mask: keep, identifying: accepted}", 1)
		if c.stored.Writer == byCSV && c.columns[i].inCSV != inferred {
			if !strings.HasPrefix(mask, "{") {
				mask = "{mask: " + mask + "}"
			}
			mask = strings.TrimSuffix(mask, "}") + ", type: \"" + c.columns[i].inCSV + "\"}"
		}
		fmt.Fprintf(&out, "  %s: %s\n", c.columns[i].Name, mask)
	}
	out.WriteString(worldTree + strings.Join(c.job, "\n") + "\n")
	return withAlgorithm(out.String(), c.searches)
}

// put makes a folder with the job and its input.
func (c *truthCase) put(tb testing.TB) (dir string) {
	tb.Helper()
	c.fill(tb, c.rng)
	dir = jobFolder(tb, c.text())
	c.stored.put(tb, filepath.Join(dir, "in"), &c.truthTable)
	return dir
}

// String describes the case for who is to repeat it.
func (c *truthCase) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "seed %d, near %s = %d\n%d rows, stored %+v\n", c.seed, c.near.name, c.near.value, c.rows, c.stored)
	for i := range c.columns {
		column := &c.columns[i]
		fmt.Fprintf(&out, "%s: %s, %d values, %s, nulls %d\n", column.Name, column.Type, len(column.texts), column.spread, column.nulls)
	}
	return out.String() + c.text()
}
