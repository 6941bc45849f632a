package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/risk"
)

// truthPopulation is a population in files of its own. It has the people of the table, once or
// several times, and others: with the same values, with combinations that the table lacks, and with
// values that no row has.
type truthPopulation struct {
	repeat int  // the most rows for each row of the table
	others int  // the most rows of others for each row of the table
	counts bool // rows have counts of people
	lacks  bool // some people of the table are left out
	table  truthTable
}

// populationFolder is the folder of a population in a job's folder.
const populationFolder = "population"

// drawPopulation draws a population, which may be the input: drawSets limits the people of classes.
func drawPopulation(_ *rand.Rand, c *truthCase) {
	rng := c.apart(43)
	if rng.IntN(4) > 0 || !c.topDown() || c.suppresses() || c.large() ||
		c.column(personColumn) != nil {
		return
	}
	c.peopled = true
	c.may(fault.Privacy, "too few people, or too many or too few in the table")
	if rng.IntN(3) == 0 {
		return
	}
	c.people = &truthPopulation{repeat: 1 + rng.IntN(3), others: rng.IntN(4),
		counts: rng.IntN(2) == 0, lacks: rng.IntN(5) == 0}
	if c.people.lacks {
		c.may(fault.Input, "combinations that the population lacks")
	}
}

// limitPeople draws limits of a set with some k on the people of its classes.
func (c *truthCase) limitPeople(rng *rand.Rand, k int) (limits string) {
	most, least := 100, 100 // percent of the people who are in the table: all of the input's are
	if c.people != nil {
		most, least = 30+rng.IntN(71), 1+rng.IntN(40)
	}
	kinds := 1 + rng.IntN(7)
	if kinds&1 > 0 {
		limits += fmt.Sprint(", k_map: ", 1+rng.IntN(4*k))
	}
	if kinds&2 > 0 {
		limits += fmt.Sprintf(", max_presence: %d%%", most)
	}
	if kinds&4 > 0 {
		limits += fmt.Sprintf(", min_presence: %d%%", least)
	}
	return limits
}

// populationText returns the population as the job has it.
func (c *truthCase) populationText() string {
	input, counts := c.input, c.column(timesColumn) != nil
	if c.people != nil {
		input, counts = populationFolder, c.people.counts
	}
	switch {
	case counts:
		return "{input: " + input + ", count: " + timesColumn + "}"
	case strings.HasPrefix(input, "["):
		return "{input: " + input + "}"
	}
	return input
}

// put draws the people of the case's table and others, and stores them below a folder.
func (p *truthPopulation) put(tb testing.TB, dir string, c *truthCase) {
	tb.Helper()
	rng := c.apart(47)
	masked, times := c.columns[:c.masked], truthColumn{inCSV: "integer"}
	var people [][]uint32 // the codes of each
	for row := range c.rows {
		person := make([]uint32, c.masked)
		for i := range masked {
			person[i] = masked[i].codes[row]
		}
		if !p.lacks || rng.IntN(20) > 0 {
			people = append(people, slices.Repeat([][]uint32{person}, 1+rng.IntN(p.repeat))...)
		}
	}
	for range rng.IntN(p.others*c.rows + 1) {
		person := make([]uint32, c.masked)
		for i := range masked {
			if person[i] = 1 + rng.Uint32N(uint32(len(masked[i].texts))); masked[i].Nullable &&
				rng.IntN(20) == 0 {
				person[i] = 0
			}
		}
		people = append(people, person)
	}
	rng.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
	p.table = truthTable{rows: len(people), columns: slices.Clone(masked)}
	times.Name, times.Type, times.texts = timesColumn, wholeType, []string{"1", "2", "5"}
	times.parse(tb)
	for i := range masked {
		p.table.columns[i].codes = nil
	}
	for _, person := range people {
		for i, code := range person {
			p.table.columns[i].codes = append(p.table.columns[i].codes, code)
		}
		times.codes = append(times.codes, 1+rng.Uint32N(3))
	}
	if p.counts {
		p.table.columns = append(p.table.columns, times)
	}
	stored := c.stored
	stored.Files, stored.Hive, stored.Lacks = 1+rng.IntN(3), "", ""
	if stored.Writer == byCSV && stored.CSV.Header != inFile {
		stored.Writer = byKcut
	}
	stored.put(tb, dir, &p.table)
}

// auditPeople counts the people of the population in the classes of a release, and compares them
// with the limits of the job and with what verification counts.
func (c *truthCase) auditPeople(a *audit, n night) {
	a.Helper()
	people := c.populationGrid(a)
	for i, set := range listedSets(n.job) {
		limits := set.OfPopulation()
		if !limits.Asked() {
			continue
		}
		if lacking := a.lacking(people, set.Columns); lacking > 0 {
			a.Errorf("set %d: the population lacks the values of %d rows", i+1, lacking)
		}
		if r := a.register(people, set.Columns); r.KMap < int64(limits.KMap) ||
			r.MinPresence < limits.MinPresence ||
			limits.MaxPresence > 0 && r.MaxPresence > limits.MaxPresence {
			a.Errorf("set %d: the limits are %+v, counted are %+v", i+1, limits, r)
		}
	}
	v, err := Verify(a.Context(), n.path, VerifyOptions{Job: n.job})
	if err != nil {
		a.Errorf("verify: %v", err)
		return
	}
	for i := range a.cut.Sets {
		set, got := &a.cut.Sets[i], v.Population[i]
		if got == nil && !set.OfPopulation().Asked() {
			continue
		}
		if want := a.register(people, set.Columns); got == nil || plainRegister(got) != *want {
			a.Errorf("set %+v: verify has %+v, counted are %+v", set, got, want)
		}
	}
}

// populationGrid returns the people of the population, with a row for each.
func (c *truthCase) populationGrid(a *audit) *grid {
	if c.people == nil {
		return a.source
	}
	return c.people.table.grid(a)
}

// register counts the people of the classes on some columns. A person is in the class of the rows
// that have the labels of the person's values.
func (a *audit) register(people *grid, columns []string) *risk.Register {
	of := make(map[string]int)
	for _, labels := range a.labelled(people, columns) {
		of[labels]++
	}
	rows, counted := a.labelled(a.source, columns), 0
	r := &risk.Register{People: int64(people.rows), KMap: math.MaxInt64,
		MinPresence: math.MaxFloat64}
	for _, class := range a.classes(columns) {
		inhabitants, had := 0, make(map[string]bool)
		for _, row := range class {
			if labels := rows[a.of[row]]; !had[labels] {
				had[labels] = true
				inhabitants += of[labels]
			}
		}
		counted += inhabitants
		share := float64(len(class)) / float64(inhabitants)
		r.KMap = min(r.KMap, int64(inhabitants))
		r.MinPresence, r.MaxPresence = min(r.MinPresence, share), max(r.MaxPresence, share)
	}
	if counted < people.rows { // classes without rows
		r.MinPresence = 0
	}
	if counted > people.rows {
		a.Errorf("columns %v: of %d people %d are counted", columns, people.rows, counted)
	}
	return r
}

// labelled returns the labels in the cut of the rows of a table.
func (a *audit) labelled(of *grid, columns []string) []string {
	return of.keys(columns, a.label)
}

// lacking returns the number of rows whose values no one of the population has.
func (a *audit) lacking(people *grid, columns []string) (rows int) {
	had := make(map[string]bool)
	for _, values := range people.keys(columns, plainValue) {
		had[values] = true
	}
	for _, values := range a.source.keys(columns, plainValue) {
		if !had[values] {
			rows++
		}
	}
	return rows
}

// keys returns for each row the values of some columns, each replaced by another text.
func (g *grid) keys(columns []string, replaced func(column, value string) string) []string {
	keys := make([]string, g.rows)
	for _, name := range columns {
		column := g.column(name)
		texts := make([]string, len(column.texts))
		for code, text := range column.texts {
			texts[code] = fmt.Sprintf("%q ", replaced(name, text))
		}
		for row, code := range column.codes {
			keys[row] += texts[code]
		}
	}
	return keys
}

// plainValue returns the first of the forms of a value that a search takes for one.
func plainValue(_, value string) string {
	if plain, ok := map[string]string{"-0": "0", "NaN:fff8000000000001": "NaN"}[value]; ok {
		return plain
	}
	return value
}

// mustMissPeople demands that a run was refused for the people of the population with a reason: it
// lacks values, or not even all people and all rows together meet the limits.
func (c *truthCase) mustMissPeople(t *testing.T, n night) {
	t.Helper()
	a := &audit{TB: t, job: n.job, source: c.grid(t)}
	people := c.populationGrid(a)
	presence := float64(a.source.rows) / float64(people.rows)
	for _, set := range listedSets(n.job) {
		limits := set.OfPopulation()
		isBroken := people.rows < set.KMap || presence < limits.MinPresence ||
			limits.MaxPresence > 0 && presence > limits.MaxPresence
		if fault.ClassOf(n.err) == fault.Input {
			isBroken = a.lacking(people, set.Columns) > 0
		}
		if limits.Asked() && isBroken {
			return
		}
	}
	t.Errorf("%d rows, %d people: %v", a.source.rows, people.rows, n.err)
}
