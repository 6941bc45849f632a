package pipeline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/fault"
)

// The columns of a truthCase besides the masked columns c0, c1, ... and the kept columns k0, k1,
// ...
const (
	classColumn      = "label"
	idColumn         = "id"     // the number of the row, kept
	personColumn     = "person" // the entity
	secretColumn     = "secret" // the sensitive column
	timesColumn      = "times"  // the count
	tokenColumn      = "token"  // pseudonyms
	nestedColumn     = "nested" // kept
	goneColumn       = "gone"   // dropped
	determinedColumn = "told"   // kept; masked columns determine it
	otherColumn      = "other"  // kept without an entry
	householdColumn  = "household"
	samplingColumn   = "sampling" // the weights of rows
	peopleColumn     = "people"   // the count of a population
)

// mostRows is the largest number of rows in a case.
const mostRows = 300_000

// truthCase is a random table, its layout in files, and a job over it. The seed determines all of
// them.
type truthCase struct {
	truthTable
	seed     uint64
	rng      *rand.Rand
	near     *size // a size in the code that the case is at, just below or just above
	numbers  numbers
	stored   layout
	set      []string         // lines of the job's sets
	job      []string         // other lines of the job than sets and columns
	searches string           // algorithm and its options
	masked   int              // columns
	ordered  bool             // rows are released in their own order
	folder   bool             // of part files
	folders  bool             // hive partitions
	unique   float64          // the share of the rows that may be alone on the labels of all sets
	peopled  bool             // people of a population are counted
	people   *truthPopulation // nil: they are those of the input
	recount  bool             // the run may refuse the release after recounting it
	suffix   string           // of the names of masked and kept columns
	input    string           // as the job names it
	trees    string           // the file of taxonomies, if there is one
	writer   string           // of the input, unless a column's type takes another one
	reasons  map[fault.Class]string
	memory   string
	applied  *ApplyOptions // of a cut; nil: a run
}

// nameSuffixes are the endings of names of columns: none in two of three cases.
var nameSuffixes = []string{"", " x", ".y", "é", "'s", `"q"`, "-", "/", "%20", ": ", "#", ",", "=1", "[]", "`"}

// numbers are the numbers of a case to which sizes in the code apply.
type numbers map[reach]int

// draw draws everything but the rows.
func (c *truthCase) draw() {
	c.drawNumbers()
	c.suffix = nameSuffixes[max(0, c.rng.IntN(3*len(nameSuffixes))-2*len(nameSuffixes))]
	c.input = []string{"in", "in", "in/*", "[in]"}[c.rng.IntN(4)]
	c.trees = []string{"", "", "world.yaml", "world.csv"}[c.rng.IntN(4)]
	c.writer = []string{byKcut, byPqarrow, byPqarrow, byArrow, byCSV, byCSV}[c.rng.IntN(6)]
	c.drawSearch()
	c.drawColumns()
	for _, key := range jobKeys {
		key(c.rng, c)
	}
	c.drawSets()
	c.stored = drawLayout(c.rng, c.writer, &c.truthTable, c.numbers[rowsOfGroup])
	c.drawFolders()
	if c.rng.IntN(2) == 0 && !c.hasID() && !c.knowsLabels() || c.matchless() {
		c.addID()
	}
	if c.stored.Writer == byCSV {
		c.stored.CSV = drawCSV(c.rng, &c.truthTable, c.stored.Lacks)
	}
}

// apart returns random numbers of a part of the case that leave the draws of the others as they
// are.
func (c *truthCase) apart(part uint64) *rand.Rand { return rand.New(rand.NewPCG(c.seed, part)) }

// may adds a class of errors with which a run may be refused, and the reason.
func (c *truthCase) may(class fault.Class, why string) { c.reasons[class] = why }

// large reports whether the case has enough rows to take long.
func (c *truthCase) large() bool { return c.rows > fewRows }

// drawNumbers draws a size to be near to, and numbers that reach it. One case in six has a size
// that needs many rows.
func (c *truthCase) drawNumbers() {
	c.rng = rand.New(rand.NewPCG(c.seed, 37))
	c.reasons = make(map[fault.Class]string)
	rng := c.rng
	c.numbers = numbers{
		rowsOfGroup: 1 + rng.IntN(400), valuesKept: 1 + rng.IntN(300), valuesMasked: 1 +
			rng.IntN(100), valuesOfClass: 1 + rng.IntN(5), bytesOfText: 0, rowsReleased: 0,
	}
	c.rows = 8 + rng.IntN(8<<rng.IntN(8))
	small, large := sizesDrawn()
	list, turn := small, int(c.seed-c.seed/6-(c.seed+5)/6)
	switch c.seed % 6 {
	case 5:
		list, turn = large, int(c.seed/6)
	case 0:
		list, turn = []*size{{name: "nothing"}}, 0
		if rng.IntN(5) == 0 {
			c.rows = 1 + rng.IntN(8)
		}
	}
	// The sizes follow one after the other, so that few cases meet all of them.
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
	if c.numbers[valuesMasked] > 1<<17 && c.memory == "64MiB" {
		c.may(fault.Resources, "a tree of as many values")
	}
}

// drawSearch draws the algorithm; for large tables it draws a fast one.
func (c *truthCase) drawSearch() {
	c.searches = "tdr"
	switch rng := c.rng; {
	case c.large():
		c.searches = []string{"tdr", "tdr", "tds", "mondrian"}[rng.IntN(4)]
	case c.near.value == 0: // each in its turn
		list := searches()
		c.searches = list[int(c.seed/6)%len(list)]
		if strings.Contains(c.searches, "auto") {
			c.rows = min(c.rows, 300)
		}
	case rng.IntN(3) == 0:
		c.searches = "tds"
	case rng.IntN(2) == 0:
		list := searches()
		c.searches = list[rng.IntN(len(list))]
		if c.rows > 1500 || c.rows > 300 && strings.Contains(c.searches, "auto") {
			// which take long
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
	if c.near.value == 0 {
		wide = -1 // none
	}
	for i := range c.masked {
		c.addColumn(fmt.Sprint("c", i), func() truthColumn { return c.maskedColumn(i == wide) })
	}
	for i := range max(rng.IntN(3), c.near.minKept()) {
		c.addColumn(fmt.Sprint("k", i), func() truthColumn {
			switch {
			case i == 0 && c.numbers[bytesOfText] > 0:
				return keptColumn(rng, 1+rng.IntN(3), c.numbers[bytesOfText])
			case i == 0:
				return keptColumn(rng, c.numbers[valuesKept], 0)
			case rng.IntN(2) == 0:
				return extremeColumn(rng)
			}
			return keptColumn(rng, 1+rng.IntN(300), 0)
		})
	}
	if c.near.reach == valuesOfClass || rng.IntN(2) == 0 {
		c.addText(classColumn, accepted, "class ", c.numbers[valuesOfClass])
		return
	}
	c.addKept(classColumn, c.numbers[valuesOfClass])
}

// accepted is the mask of a kept column that may identify rows.
const accepted = "{mask: keep, identifying: accepted}"

// addKept adds a kept column of any type, with a number of values.
func (c *truthCase) addKept(name string, values int) *truthColumn {
	c.addColumn("", func() truthColumn { return keptColumn(c.rng, values, 0) })
	column := &c.columns[len(c.columns)-1]
	column.Name = name
	return column
}

// addColumn adds a column that is drawn again until files have its type.
func (c *truthCase) addColumn(name string, draw func() truthColumn) {
	column := draw()
	for c.writer == byCSV && column.inCSV == "" ||
		c.column(nestedColumn) != nil && !formatstest.ArrowTakes(column.Type) {
		column = draw()
	}
	column.Name = name + c.suffix
	c.columns = append(c.columns, column)
}

// maskedColumn draws a masked column, with the number of values of the case if it is wide.
func (c *truthCase) maskedColumn(wide bool) (column truthColumn) {
	rng := c.rng
	switch {
	case wide:
		column = wideColumn(rng, c.numbers[valuesMasked])
	case rng.IntN(6) == 0:
		column = extremeColumn(rng)
		column.mask = "suppress"
		if column.Type.Ordered() && rng.IntN(3) > 0 {
			column.mask = "{mask: discretize}"
		}
		c.may(fault.Input, "a value that is the mark")
	case (rng.IntN(2) == 0 || c.near.value == 0) && !c.large():
		column = truthColumn{randomColumn: randomMasks[rng.IntN(len(randomMasks))](rng)}
		column.inCSV = csvName(column.Type, column.texts)
		column.draw(rng)
		c.may(fault.Input, "a value that no mask takes")
		c.may(fault.Usage, "a type that no mask takes")
	default:
		column = wideColumn(rng, 1+rng.IntN(40))
	}
	if column.Type.Kind == formats.Boolean && strings.Contains(column.mask, "discretize") {
		column.mask = "suppress"
	}
	return column
}

// csvName returns the name of a column's type in a job over CSV files; empty if CSV cannot have
// all of its texts.
func csvName(of formats.Type, texts []string) string {
	for _, text := range texts {
		if strings.ContainsAny(text, "\x00N") || strings.HasPrefix(text, "-0") ||
			strings.Contains(text, "Inf") {
			return ""
		}
	}
	switch {
	case of == textType:
		return "text"
	case of == wholeType:
		return "integer"
	case of == floatType:
		return "number"
	case of == dateType:
		return "date"
	case of.Kind == formats.Boolean:
		return "boolean"
	case of.Kind == formats.Decimal && !of.Wide:
		return fmt.Sprintf("decimal(%d,%d)", of.Precision, of.Scale)
	}
	return ""
}

// worldHierarchy is the tree of worldTree in the form of ARX.
const worldHierarchy = `Bonn;Germany;Germany;World
Köln;Germany;Germany;World
Paris;Paris;France;World
Lyon;South;France;World
Nice;South;France;World
Rome;Rome;Rome;World
`

// mayLackTypes adds a reason to refuse CSV columns that have no value from which to find a type.
func (c *truthCase) mayLackTypes() {
	for i := range c.columns {
		of := &c.columns[i]
		if c.csv && of.inCSV == inferred && !slices.ContainsFunc(of.codes, func(code uint32) bool {
			return code > 0
		}) {
			c.may(fault.Input, "a column without a value has no type")
		}
	}
}

// drawFolders draws a column whose values are names of folders, or a column that the last file
// lacks.
func (c *truthCase) drawFolders() {
	rng, l := c.rng, &c.stored
	switch rng.IntN(6) {
	case 0:
		if c.suffix != "" || !c.ordered || c.folders || l.Writer == byCSV ||
			c.column(timesColumn) != nil {
			return
		}
		i := slices.IndexFunc(c.columns, func(column truthColumn) bool {
			isOther := func(text string) bool {
				return !plainWord.MatchString(text) || len(text) > 100
			}
			return column.Type == textType && len(column.texts) <= 12 &&
				!slices.ContainsFunc(column.texts, isOther)
		})
		if i >= 0 {
			l.Hive, c.hive, c.input = c.columns[i].Name, c.columns[i].Name, "in"
		}
	case 1:
		if column := &c.columns[rng.IntN(c.masked)]; l.Files > 1 {
			l.Lacks = column.Name
			c.job = append(c.job, "missing_columns: \"null\"")
		}
	}
}

var plainWord = regexp.MustCompile(`^[a-zA-Zé][a-zA-Z0-9éö ]*$`)

// addText adds a column with a number of texts.
func (c *truthCase) addText(name, mask, prefix string, values int) {
	column := truthColumn{inCSV: "text", spread: shuffled}
	column.Name, column.Type, column.mask = name, textType, mask
	for i := range values {
		column.texts = append(column.texts, fmt.Sprint(prefix, i))
	}
	c.columns = append(c.columns, column)
}

// addID adds a column with the number of every row.
func (c *truthCase) addID() {
	column := truthColumn{inCSV: "integer", spread: cyclic}
	column.Name, column.Type, column.mask = idColumn, wholeType, accepted
	column.number(c.rows)
	c.columns = append(c.columns, column)
}

// number makes the values numbers, one for each row.
func (c *truthColumn) number(rows int) {
	c.texts = nil
	for i := range rows {
		c.texts = append(c.texts, fmt.Sprint(i))
	}
}

func (c *truthCase) hasID() bool { return c.column(idColumn) != nil }

// knowsLabels reports whether each value has one label in the cut, so that rows can be found by
// their labels.
func (c *truthCase) knowsLabels() bool {
	for i := range c.columns {
		if strings.Contains(c.columns[i].mask, "render: ") &&
			!strings.Contains(c.columns[i].mask, "render: label") {
			return false
		}
	}
	return c.topDown()
}

// matchless reports whether only an id can show which row of the input a released row comes from.
func (c *truthCase) matchless() bool { return c.ordered && !c.hasID() && !c.knowsLabels() }

// drawSets draws the sets: every masked column is in one or more sets.
func (c *truthCase) drawSets() {
	apart := c.apart(46)
	sets := randomSets(c.rng, c.masked)
	if c.rng.IntN(5) == 0 {
		sets = append(sets, sets[0])
	}
	if c.rng.IntN(5) == 0 {
		sets = append(sets, nil)
	}
	for _, set := range sets {
		k := 1 + c.rng.IntN(8)
		if c.rng.IntN(4) == 0 {
			k = 1 + c.rng.IntN(max(1, c.rows/4))
		}
		if c.large() && !c.topDown() {
			// fewer than tens of thousands of regions, and so of labels
			k = max(k, c.rows/500)
		}
		if set == nil { // else the other sets would do
			k *= 1 + apart.IntN(4)
		}
		asked := fmt.Sprint("k: ", k)
		if c.peopled && (len(c.set) == 0 || c.rng.IntN(2) == 0) {
			asked += c.limitPeople(apart, k)
		}
		if set != nil {
			asked += ", columns: [" + c.quoted(set) + "]"
		} else {
			size, of := 1+c.rng.IntN(min(3, c.masked)), "all"
			if apart.IntN(2) == 0 {
				names := make([]string, c.masked)
				for i, at := range apart.Perm(c.masked) {
					names[i] = fmt.Sprint("c", at)
				}
				of = "[" + c.quoted(names[:size+apart.IntN(c.masked-size+1)]) + "]"
			}
			asked += fmt.Sprintf(", subsets: %d, of: %s", size, of)
		}
		c.set = append(c.set, "- {"+asked+"}")
		if k > c.rows {
			c.may(fault.Privacy, "fewer rows than k")
		}
	}
}

// quoted returns the masked columns of a set as text of a job.
func (c *truthCase) quoted(set []string) string {
	names := make([]string, len(set))
	for i, name := range set {
		names[i] = strconv.Quote(name + c.suffix)
	}
	return strings.Join(names, ", ")
}

// text returns the job file.
func (c *truthCase) text() string {
	var out strings.Builder
	out.WriteString("input: " + c.input + "\nquasi_identifiers:\n")
	out.WriteString(strings.Join(c.set, "\n") + "\n")
	if c.peopled {
		out.WriteString("population: " + c.populationText() + "\n")
	}
	out.WriteString("columns:\n")
	for i := range c.columns {
		column := &c.columns[i]
		mask := column.mask
		if column.Name == timesColumn || column.unlisted && c.stored.Writer != byCSV {
			continue
		}
		mask = strings.Replace(mask, "{keep: {identifying: accepted}}", accepted, 1)
		if c.stored.Writer == byCSV {
			if !strings.HasPrefix(mask, "{") {
				mask = "{mask: " + mask + "}"
			}
			mask = strings.TrimSuffix(mask, "}") + c.stored.CSV.entry(column, i+1) + "}"
		}
		fmt.Fprintf(&out, "  %q: %s\n", column.Name, mask)
	}
	taxonomies := map[string]string{
		"": worldTree, "world.yaml": "taxonomies: world.yaml\n",
		"world.csv": "taxonomies: {world: world.csv}\n",
	}
	if c.stored.Writer == byCSV {
		out.WriteString(c.stored.CSV.options(&c.truthTable))
	}
	out.WriteString(taxonomies[c.trees] + strings.Join(c.job, "\n") + "\n")
	return withAlgorithm(out.String(), c.searches)
}

// put makes a folder with the job and its input.
func (c *truthCase) put(tb testing.TB) (dir string) {
	tb.Helper()
	c.fill(tb, c.rng)
	dir = jobFolder(tb, c.text())
	write(tb, filepath.Join(dir, "token.key"), secretKey)
	write(tb, filepath.Join(dir, "world.yaml"), strings.TrimPrefix(worldTree, "taxonomies:\n"))
	write(tb, filepath.Join(dir, "world.csv"), worldHierarchy)
	c.stored.put(tb, filepath.Join(dir, "in"), &c.truthTable)
	if c.people != nil {
		c.people.put(tb, filepath.Join(dir, populationFolder), c)
	}
	return dir
}

// String describes the case, so that somebody can repeat it.
func (c *truthCase) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "seed %d, near %s = %d\n%d rows, stored %+v\n",
		c.seed, c.near.name, c.near.value, c.rows, c.stored)
	for i := range c.columns {
		column := &c.columns[i]
		fmt.Fprintf(&out, "%s: %s, %d values, %s, nulls %d\n",
			column.Name, column.Type, len(column.texts), column.spread, column.nulls)
	}
	return out.String() + c.text()
}

// parts are parts of ordinary jobs, by name, with functions that report whether a case has the
// part.
var parts = map[string]func(c *truthCase) bool{
	"CSV":               func(c *truthCase) bool { return c.stored.Writer == byCSV },
	"Arrow":             func(c *truthCase) bool { return c.stored.Writer == byArrow },
	"Parquet by others": func(c *truthCase) bool { return c.stored.Writer == byPqarrow },
	"INT96":             func(c *truthCase) bool { return c.stored.Int96 },
	"folders of input":  func(c *truthCase) bool { return c.hive != "" },
	"a column lacking":  func(c *truthCase) bool { return c.stored.Lacks != "" },
	"an empty file":     func(c *truthCase) bool { return c.stored.Empty },
	"folders of output": func(c *truthCase) bool { return c.folders },
	"part files":        func(c *truthCase) bool { return c.folder && !c.folders },
	"the input's order": func(c *truthCase) bool { return !c.ordered },
	"a tree of ARX": func(c *truthCase) bool {
		return c.trees == "world.csv" && c.masks("world")
	},
	"names":                  func(c *truthCase) bool { return c.suffix != "" },
	"few rows":               func(c *truthCase) bool { return c.rows < 8 },
	"a population":           func(c *truthCase) bool { return c.peopled && c.people == nil },
	"others of a population": func(c *truthCase) bool { return c.people != nil },
	"people by counts":       func(c *truthCase) bool { return c.people != nil && c.people.counts },
	"k_map":                  func(c *truthCase) bool { return c.asks("k_map: ") },
	"min_presence":           func(c *truthCase) bool { return c.asks("min_presence: ") },
	"max_presence":           func(c *truthCase) bool { return c.asks("max_presence: ") },
	"subsets of all":         func(c *truthCase) bool { return c.asks("of: all") },
	"subsets of some":        func(c *truthCase) bool { return c.asks("of: [") },
	"households":             func(c *truthCase) bool { return c.says("household: ") },
	"households of people": func(c *truthCase) bool {
		return c.says("household: ") && c.says("entity: ")
	},
	"sampling weights":  func(c *truthCase) bool { return c.says("weight_of_row: ") },
	"an average risk":   func(c *truthCase) bool { return c.says("max_risk: ") },
	"a sensitive class": func(c *truthCase) bool { return c.says("column: " + classColumn) },
	"an entity":         func(c *truthCase) bool { return c.column(personColumn) != nil },
	"a count":           func(c *truthCase) bool { return c.column(timesColumn) != nil },
	"sensitive values":  func(c *truthCase) bool { return c.column(secretColumn) != nil },
	"pseudonyms":        func(c *truthCase) bool { return c.column(tokenColumn) != nil },
	"replacements":      func(c *truthCase) bool { return c.masks("with: ") },
	"nested values":     func(c *truthCase) bool { return c.column(nestedColumn) != nil },
	"no entry": func(c *truthCase) bool {
		return c.column(goneColumn) != nil && c.column(goneColumn).unlisted
	},
	"a set of all": func(c *truthCase) bool { return c.asks("columns: all") },
	"a guard": func(c *truthCase) bool {
		return slices.ContainsFunc(c.columns, func(column truthColumn) bool {
			return strings.Contains(column.mask, "keep") &&
				!strings.Contains(column.mask, "accepted")
		})
	},
	"suppressed records": func(c *truthCase) bool { return c.suppresses() },
	"no class":           func(c *truthCase) bool { return !c.says("class: ") },
	"a weight":           func(c *truthCase) bool { return c.masks("weight: ") },
	"a finest level":     func(c *truthCase) bool { return c.masks("at_most: 1}") },
	"a least width":      func(c *truthCase) bool { return c.masks("at_most: 10}") },
	"a coarsest level":   func(c *truthCase) bool { return c.masks("at_least: 1}") },
	"round bounds":       func(c *truthCase) bool { return c.masks("round: ") },
	"bounds":             func(c *truthCase) bool { return c.masks("render: bounds") },
	"declared bounds":    func(c *truthCase) bool { return c.masks(", bounds: ") },
	"round dates": func(c *truthCase) bool {
		return c.masks("round: month") || c.masks("round: year")
	},
	"round times": func(c *truthCase) bool {
		return c.masks("round: hour") || c.masks("round: minute")
	},
	"round fractions":  func(c *truthCase) bool { return c.masks("round: 0.25") },
	"a width of dates": func(c *truthCase) bool { return c.masks("at_most: 30d") },
	"a limit of time":  func(c *truthCase) bool { return c.says("limits: ") },
	"plain labels":     func(c *truthCase) bool { return c.says("labels: ") },
	"an objective":     func(c *truthCase) bool { return c.says("objective: ") },
	"two folders":      func(c *truthCase) bool { return c.folders && c.says(`", "`) },
	"people, counted": func(c *truthCase) bool {
		return c.column(personColumn) != nil && c.column(timesColumn) != nil
	},
	"a narrower file": func(c *truthCase) bool {
		return c.stored.Narrow != "" && c.stored.Files > 1
	},
	"what others tell": func(c *truthCase) bool { return c.column(determinedColumn) != nil },
	"pairs that tell":  func(c *truthCase) bool { return c.columns[0].by != nil },
	"columns unlisted": func(c *truthCase) bool { return c.column(otherColumn) != nil },
	"a class of numbers": func(c *truthCase) bool {
		return c.says("class: ") && c.column(classColumn).Type != textType
	},
	"quotes":           func(c *truthCase) bool { return c.stored.CSV.Quote == "'" },
	"escapes":          func(c *truthCase) bool { return c.stored.CSV.Escape },
	"names by number":  func(c *truthCase) bool { return c.stored.CSV.Header == byNumber },
	"no names":         func(c *truthCase) bool { return c.stored.CSV.Header == noHeader },
	"names in the job": func(c *truthCase) bool { return c.stored.CSV.Header == inJob },
	"UTF-16": func(c *truthCase) bool {
		return strings.HasPrefix(c.stored.CSV.Encoding, "utf-16")
	},
	"Latin-1":          func(c *truthCase) bool { return c.stored.CSV.Encoding == latin1 },
	"decimal commas":   func(c *truthCase) bool { return c.stored.CSV.Decimal == "," },
	"groups of digits": func(c *truthCase) bool { return c.stored.CSV.Thousands != "" },
	"other dates":      func(c *truthCase) bool { return c.stored.CSV.Dates != "" },
	"packed":           func(c *truthCase) bool { return c.stored.CSV.Packed != "" },
	"intervals":        func(c *truthCase) bool { return c.masks("render: interval") },
	"prefixes":         func(c *truthCase) bool { return c.masks("prefix: ") },
	"spellings":        func(c *truthCase) bool { return c.masks("spelling: ") },
	"dates":            func(c *truthCase) bool { return c.masks("date: ") },
	"ranges":           func(c *truthCase) bool { return c.masks("ranges: ") },
}

// sensitiveMeasures are the keys of measures of a sensitive column.
var sensitiveMeasures = []string{"l", "nulls", "c", "entropy_l", "max_confidence", "t", "t_ordered",
	"t_hierarchical", "basic_beta", "enhanced_beta", "delta"}

// asks reports whether a set's line contains a text.
func (c *truthCase) asks(text string) bool {
	return slices.ContainsFunc(c.set, func(line string) bool {
		return strings.Contains(line, text)
	})
}

// masks reports whether the entry of some column contains a text.
func (c *truthCase) masks(text string) bool {
	return slices.ContainsFunc(c.columns, func(column truthColumn) bool {
		return strings.Contains(column.mask, text)
	})
}

// says reports whether a line of the job contains a text.
func (c *truthCase) says(text string) bool {
	return slices.ContainsFunc(c.job, func(line string) bool {
		return strings.Contains(line, text)
	})
}

// algorithmOf returns the name of a search's algorithm.
func algorithmOf(search string) string { return strings.Fields(searchName(search))[0] }

// The cases of the fast tests have all parts of ordinary jobs, and every algorithm.
func TestTruthDraws(t *testing.T) {
	drawn := make(map[string]int)
	seeds := truthRare
	for seed := range uint64(truthSample) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		c := &truthCase{seed: seed}
		c.draw()
		for name, has := range parts {
			if has(c) {
				drawn[name]++
			}
		}
		for _, measure := range sensitiveMeasures {
			if c.says(", " + measure + ": ") {
				drawn[measure]++
			}
		}
		drawn[algorithmOf(c.searches)]++
	}
	names := append(slices.Sorted(maps.Keys(parts)), sensitiveMeasures...)
	for _, search := range searches() {
		names = append(names, algorithmOf(search))
	}
	for _, name := range names {
		if drawn[name] == 0 {
			t.Errorf("no case has %s", name)
		}
	}
}
