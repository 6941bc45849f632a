package pipeline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// inhabited is a table, and a table of the population from which its people come. Columns are age
// (numbers), zip (digits), job (texts) and class.
type inhabited struct {
	table, population *testTable
	age               string // mask of the column; empty: discretize
}

// newInhabited returns a random table with a population that has its people, other people of the
// same combinations, and others. Repeat is how often a person of the table is in the population.
func newInhabited(rng *rand.Rand, rows, others, repeat int) inhabited {
	person := func(ages, zips, jobs int) []string {
		row := []string{
			fmt.Sprint(20 + rng.IntN(ages)), fmt.Sprint(1000 + rng.IntN(zips)*37),
			fmt.Sprint("job", rng.IntN(jobs)), fmt.Sprint("class", rng.IntN(2)),
		}
		if i := rng.IntN(60); i < 3 {
			row[i] = null
		}
		return row
	}
	fields := textFields("age", "zip", "job", "class")
	fields[0].Type = formats.Type{Kind: formats.Int, Bits: 64}
	i := inhabited{&testTable{fields: fields},
		&testTable{fields: append(slices.Clone(fields[:3]),
			formats.Field{Name: "n", Type: wholeType})}, ""}
	ages, zips, jobs := 1+rng.IntN(40), 1+rng.IntN(60), 1+rng.IntN(6)
	for range rows {
		row := person(ages, zips, jobs)
		i.table.rows = append(i.table.rows, row)
		i.add(row, repeat)
	}
	for range others {
		i.add(person(ages+rng.IntN(20), zips+rng.IntN(30), jobs+rng.IntN(3)), 1+rng.IntN(4))
	}
	rng.Shuffle(len(i.population.rows), func(x, y int) {
		i.population.rows[x], i.population.rows[y] = i.population.rows[y], i.population.rows[x]
	})
	return i
}

// add adds people to the population.
func (i *inhabited) add(row []string, people int) {
	i.population.rows = append(i.population.rows, append(slices.Clone(row[:3]), fmt.Sprint(people)))
}

const inhabitedJob = `
input: in
output: out.parquet
class: class
quasi_identifiers:
  - {columns: [age, zip, job], k: K1}
  - {columns: [zip, age], k: K2}
columns:
  age: AGE
  zip: {mask: generalize, taxonomy: {prefix: [4, 3, 2, 1]}}
  job: suppress
  class: keep
max_unique: 100%
`

// run runs the job with the given sets, and returns its trace without the numbers that depend on
// codes.
func (i *inhabited) run(t *testing.T, k1, k2 string, opt RunOptions, overrides ...string) (
	dir string, steps []string, err error) {
	t.Helper()
	dir = i.table.folder(t, strings.NewReplacer("K1", k1, "K2", k2, "AGE",
		cmp.Or(i.age, "discretize")).Replace(inhabitedJob)+
		"population: {input: people, count: n}\n", 40)
	must(t, os.Mkdir(filepath.Join(dir, "people"), 0o700))
	i.population.parquet(t, filepath.Join(dir, "people", "a.parquet"), 0,
		len(i.population.rows), 50)
	var trace bytes.Buffer
	opt.Trace = &trace
	_, err = Run(t.Context(), mustLoad(t, dir, append(overrides, "order", "released")...), opt)
	for line := range strings.Lines(trace.String()) {
		step := make(map[string]any)
		must(t, json.Unmarshal([]byte(line), &step))
		delete(step, "live")
		delete(step, "touched")
		steps = append(steps, fmt.Sprint(step))
	}
	return dir, steps, err
}

// fits reports whether a value may be released as a label of a column.
func fits(column *cutfile.Column, value, label string) bool {
	disclosed := func(text string) bool {
		return slices.ContainsFunc(column.Cut, func(l cutfile.Label) bool {
			return !l.Null && l.Label == text || l.Null && text == null
		})
	}
	switch {
	case label == null:
		return value == null
	case column.Mask == job.MaskSuppress && label == "*":
		return !disclosed(value)
	case column.Mask == job.MaskSuppress:
		return value == label
	case value == null: // until the root is refined it covers the null
		return len(column.Cut) == 1
	case column.Mask == job.MaskDiscretize:
		i, _ := parseInterval(label)
		return within(value, i)
	}
	return strings.HasPrefix(value, strings.TrimRight(label, "*"))
}

// registerOf counts the records and the people of every class of a release on some columns, by the
// meaning of its labels.
func (i *inhabited) registerOf(t *testing.T, dir string, columns []int) *risk.Register {
	t.Helper()
	path := filepath.Join(dir, "out.parquet")
	cut := readCut(t, path)
	grid := readByArrow(t, path, cut)
	names := []string{"age", "zip", "job"}
	records, labelsOf := make(map[string]int), make(map[string][]string)
	for row := range grid.rows {
		var labels []string
		for _, c := range columns {
			labels = append(labels, grid.column(names[c]).at(row))
		}
		class := strings.Join(labels, "|")
		records[class]++
		labelsOf[class] = labels
	}
	people, all, placed := make(map[string]int), 0, 0
	for _, person := range i.population.rows {
		n, err := strconv.Atoi(person[3])
		must(t, err)
		all += n
		for class, labels := range labelsOf {
			is := true
			for at, c := range columns {
				column := &cut.Columns[cut.Columns.Position(names[c])]
				is = is && fits(column, person[c], labels[at])
			}
			if is {
				people[class] += n
				placed += n
			}
		}
	}
	r := &risk.Register{People: int64(all), KMap: math.MaxInt64, MinPresence: math.MaxFloat64}
	for class, of := range records {
		share := float64(of) / float64(people[class])
		r.KMap = min(r.KMap, int64(people[class]))
		r.MinPresence, r.MaxPresence = min(r.MinPresence, share), max(r.MaxPresence, share)
	}
	if placed < all {
		r.MinPresence = 0
	}
	if placed > all {
		t.Error("a person is in several classes")
	}
	return r
}

// mustHold demands that the classes of a release on some columns have what a naive recount finds:
// of the limits in the job, and in the figures of verify.
func (i *inhabited) mustHold(t *testing.T, dir string, verified *verify.Result, set int,
	columns []int, limits engine.Population) {
	t.Helper()
	r, got := i.registerOf(t, dir, columns), verified.Population[set]
	broken := r.Broken(int64(limits.KMap), limits.MinPresence, limits.MaxPresence)
	if broken != nil {
		t.Errorf("set %d: %v", set+1, broken)
	}
	if fmt.Sprintf("%+v", *r) != fmt.Sprintf("%+v", plainRegister(got)) {
		t.Errorf("set %d: verify found %+v, naively %+v", set+1, *got, *r)
	}
}

// plainRegister returns the figures of a register alone.
func plainRegister(r *risk.Register) risk.Register {
	return risk.Register{People: r.People, KMap: r.KMap, MinPresence: r.MinPresence,
		MaxPresence: r.MaxPresence}
}

// verify recounts a release with its job.
func (i *inhabited) verify(t *testing.T, dir string, overrides ...string) (*verify.Result, error) {
	t.Helper()
	return Verify(t.Context(), filepath.Join(dir, "out.parquet"),
		VerifyOptions{Job: mustLoad(t, dir, overrides...)})
}

// A population that is the table gives the steps of k, and so does one with ten times the people,
// for ten times as many. With as many it gives more steps: not always, since the search takes the
// best step that it may, and may find none after it.
func TestKMapOfTheTableIsK(t *testing.T) {
	var steps [2]int
	fewer := 0
	cases := enginetest.Cases(t, 12, func(rng *rand.Rand) {
		k := 2 + rng.IntN(20)
		least := 1 + rng.IntN(min(k, 3))
		options := []string{"algorithm.name", []string{"tdr", "tds"}[rng.IntN(2)]}
		i := newInhabited(rng, 40+rng.IntN(400), 0, 1)
		k1, k2 := fmt.Sprint(k), fmt.Sprint(k+rng.IntN(5))
		_, want, err := i.run(t, k1, k2, RunOptions{}, options...)
		if fault.ClassOf(err) == fault.Privacy {
			return // the table has fewer rows
		}
		must(t, err)
		with := func(k string, times string) string {
			return fmt.Sprint(least) + ", k_map: " + k + times
		}
		_, got, err := i.run(t, with(k1, ""), with(k2, ""), RunOptions{}, options...)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("k = %d: steps\n%s\nof k_map, of k\n%s", k, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
		ten := inhabited{i.table, &testTable{fields: i.population.fields}, ""}
		for _, row := range i.table.rows {
			ten.add(row, 10)
		}
		dir, got, err := ten.run(t, with(k1, "0"), with(k2, "0"), RunOptions{}, options...)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("ten times k = %d: steps\n%s\nof k_map, of k\n%s", k,
				strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		verified, err := ten.verify(t, dir, options...)
		must(t, err)
		ten.mustHold(t, dir, verified, 0, []int{0, 1, 2}, engine.Population{KMap: 10 * uint64(k)})
		_, more, err := ten.run(t, with(k1, ""), with(k2, ""), RunOptions{}, options...)
		must(t, err)
		steps[0], steps[1] = steps[0]+len(want), steps[1]+len(more)
		if len(more) < len(want) {
			fewer++
		}
	})
	t.Logf("%d steps of k, %d with ten times the people, fewer in %d of %d cases", steps[0],
		steps[1], fewer, cases)
	if cases >= 10 && (steps[1] < steps[0] || fewer > cases/5) {
		t.Error("more people do not help")
	}
}

// Nobody is counted in the search for limits that k implies, if that leaves the sets as they are.
func TestKImpliesKMap(t *testing.T) {
	i := newInhabited(rand.New(rand.NewPCG(6, 1)), 200, 300, 2)
	for _, c := range []struct {
		k1, k2 string
		people int // groupings with people
	}{
		{"4, k_map: 8", "4", 0},
		{"4, k_map: 9", "4", 1},
		{"4, k_map: 8, max_presence: 50%", "5", 0},
		{"4, k_map: 8, max_presence: 49%", "5", 1},
		{"4, k_map: 8, min_presence: 1%", "5", 1},
		{"4, k_map: 8", "5, k_map: 11", 1},
		{"4", "3, k_map: 6", 1}, // the first set would imply the second
	} {
		dir, _, err := i.run(t, c.k1, c.k2, RunOptions{})
		must(t, err)
		j := mustLoad(t, dir)
		res, err := newRunState(j, &Report{}, resources.Events{}, spill.Options{})
		must(t, err)
		taxonomies, err := binding.LoadTaxonomies(j, res.Budget)
		must(t, err)
		b, err := binding.Open(t.Context(), j, taxonomies, res.Run)
		must(t, err)
		s := search.New(b, res.Run, &res.report.Outcome)
		must(t, s.CheckPeople(t.Context()))
		people := 0
		for _, grouping := range s.Request(count.Tuning{}).Groupings {
			if grouping.People {
				people++
			}
		}
		if people != c.people {
			t.Errorf("k %s and %s: %d groupings with people, not %d", c.k1, c.k2, people, c.people)
		}
		must(t, s.Close())
	}
}

// limits draws limits on the people of the population that all people together meet.
func (i *inhabited) limits(rng *rand.Rand) (keys string, limits engine.Population) {
	people := 0
	for _, person := range i.population.rows {
		n, _ := strconv.Atoi(person[3])
		people += n
	}
	whole := 100 * float64(len(i.table.rows)) / float64(people)
	kind := rng.IntN(6)
	if kind != 1 && kind != 2 {
		limits.KMap = uint64(1 + rng.IntN(min(100, people)))
		keys += fmt.Sprint(", k_map: ", limits.KMap)
	}
	share := func(percent float64) float64 { // as the job's text has it
		var share job.Share
		text := strconv.FormatFloat(percent, 'f', 3, 64) + "%"
		_ = share.UnmarshalText([]byte(text))
		return float64(share)
	}
	if whole < 99 && (kind == 1 || kind == 3) { // no larger one can be asked for
		percent := min(99, whole+0.01+rng.Float64()*(100-whole))
		limits.MaxPresence = share(percent)
		keys += fmt.Sprintf(", max_presence: %.3f%%", percent)
	}
	if kind == 2 || kind == 4 {
		percent := max(0.001, whole*rng.Float64()*0.99)
		limits.MinPresence = share(percent)
		keys += fmt.Sprintf(", min_presence: %.3f%%", percent)
	}
	return keys, limits
}

// Every class has the people that a naive recount finds, also of combinations and values that the
// table lacks: in the run and by verify. The release is the same in memory and in the store, with
// one thread and several.
func TestKMap(t *testing.T) {
	reached := 0
	cases := enginetest.Cases(t, enginetest.Naive(40), func(rng *rand.Rand) {
		i := newInhabited(rng, 30+rng.IntN(200), rng.IntN(800), 1+rng.IntN(2))
		k1, first := i.limits(rng)
		k2, second := i.limits(rng)
		render := []string{"label", "label", "bounds", "interval"}[rng.IntN(4)]
		i.age = "{mask: discretize, render: " + render + "}"
		opt := RunOptions{}
		dir, steps, err := i.run(t, "1"+k1, "2"+k2, opt)
		if err != nil {
			t.Fatal(err, k1, k2)
		}
		if len(steps) > 0 {
			reached++
		}
		verified, err := i.verify(t, dir)
		must(t, err)
		if render == "label" {
			i.mustHold(t, dir, verified, 0, []int{0, 1, 2}, first)
			i.mustHold(t, dir, verified, 1, []int{1, 0}, second)
		}
		opt.System.Spill, opt.System.Room = true, 3
		other, again, err := i.run(t, "1"+k1, "2"+k2, opt, "limits.threads", "1",
			"limits.memory", fmt.Sprint(resources.MinMemory))
		must(t, err)
		released := mustRead(t, filepath.Join(dir, "out.parquet"))
		if !slices.Equal(again, steps) ||
			!bytes.Equal(released, mustRead(t, filepath.Join(other, "out.parquet"))) {
			t.Errorf("in the store: steps\n%s\nin memory\n%s", strings.Join(again, "\n"),
				strings.Join(steps, "\n"))
		}
		if t.Failed() {
			t.Log(k1, k2, render)
		}
	})
	if t.Logf("%d of %d releases have steps", reached, cases); cases > 30 && reached < cases/4 {
		t.Error("that is not enough")
	}
}

// Verify finds classes with too few people, and a population that lacks some.
func TestVerifyPopulation(t *testing.T) {
	i := newInhabited(rand.New(rand.NewPCG(4, 2)), 200, 300, 2)
	dir, _, err := i.run(t, "2, k_map: 9, max_presence: 60%", "2", RunOptions{})
	must(t, err)
	if v, err := i.verify(t, dir); err != nil || !v.OK || v.Sets[0].KMap != 9 {
		t.Errorf("verify: %+v, %v", v, err)
	}
	fewer := inhabited{i.table, &testTable{fields: i.population.fields}, ""}
	for _, row := range i.table.rows {
		fewer.add(row, 1)
	}
	people := func(of *inhabited) {
		must(t, os.RemoveAll(filepath.Join(dir, "people")))
		must(t, os.Mkdir(filepath.Join(dir, "people"), 0o700))
		of.population.parquet(t, filepath.Join(dir, "people", "a.parquet"), 0,
			len(of.population.rows), 50)
	}
	people(&fewer)
	v, err := i.verify(t, dir)
	mustFail(t, err, fault.Privacy, "a class has 2 people of the population, fewer than 9")
	if v.OK || v.Population[0].MaxPresence != 1 {
		t.Errorf("verify: %+v", v.Population[0])
	}
	fewer.population.rows = fewer.population.rows[:1]
	people(&fewer)
	_, err = i.verify(t, dir)
	mustFail(t, err, fault.Input, "the population: it lacks those of ")
	j := mustLoad(t, dir)
	j.Population.Input = nil
	_, err = Verify(t.Context(), filepath.Join(dir, "out.parquet"), VerifyOptions{Job: j})
	mustFail(t, err, fault.Usage, "the job names none")
}

// Verify holds a release to the limits of the job, too: in a set of the same columns, or in one
// that contains them. Where there is none, the release is of another job.
func TestVerifyPopulationOfTheJob(t *testing.T) {
	i := newInhabited(rand.New(rand.NewPCG(4, 2)), 200, 300, 2)
	dir, _, err := i.run(t, "2, k_map: 9", "2", RunOptions{})
	must(t, err)
	sets := mustLoad(t, dir).Sets
	half := job.Share(0.01)
	for _, tt := range []struct {
		name string
		edit func(*job.Set)
		want string
		fail fault.Class
	}{
		{"fewer people", func(s *job.Set) { s.KMap = 3 }, "", fault.Internal},
		{"more people", func(s *job.Set) { s.KMap = 400 },
			" people of the population, fewer than 400", fault.Privacy},
		{"a smaller presence", func(s *job.Set) { s.MaxPresence = &half },
			"is above 1", fault.Privacy},
		{"a set with limits", func(s *job.Set) { s.Columns, s.KMap = sets[1].Columns, 9 },
			"the job does not ask for them", fault.Usage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := mustLoad(t, dir)
			j.Sets = slices.Clone(sets)
			tt.edit(&j.Sets[0])
			_, err := Verify(t.Context(), filepath.Join(dir, "out.parquet"), VerifyOptions{Job: j})
			if tt.want == "" {
				must(t, err)
				return
			}
			mustFail(t, err, tt.fail, tt.want)
		})
	}
	j := mustLoad(t, dir)
	j.Sets[1].KMap = 400 // within the first set, which alone is in the cut
	_, err = Verify(t.Context(), filepath.Join(dir, "out.parquet"), VerifyOptions{Job: j})
	mustFail(t, err, fault.Privacy, " people of the population, fewer than 400")
	i = newInhabited(rand.New(rand.NewPCG(4, 2)), 200, 300, 2)
	dir, _, err = i.run(t, "2", "3", RunOptions{})
	must(t, err)
	j = mustLoad(t, dir)
	j.Sets[0].Columns, j.Sets[0].KMap = sets[1].Columns, 400
	_, err = Verify(t.Context(), filepath.Join(dir, "out.parquet"), VerifyOptions{Job: j})
	mustFail(t, err, fault.Privacy, " people of the population, fewer than 400")
	j.Sets[0].Columns = sets[0].Columns
	_, err = Verify(t.Context(), filepath.Join(dir, "out.parquet"), VerifyOptions{Job: j})
	mustFail(t, err, fault.Privacy, " people of the population, fewer than 400")
}

// A limit of the job is not held in a set of the release whose people are not counted, as the
// population has not all of its columns: that ends with an error, and is not met in silence.
func TestVerifyPopulationOfAnotherSet(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age, zip], k: 2}, {columns: [job], k: 2}]
columns: {age: suppress, zip: suppress, job: suppress}
population: in
`
	dir := csvFolder(t, form, "age,zip,job\n"+strings.Repeat("20,1,a\n30,2,b\n", 5))
	mustRun(t, dir, nil)
	j := mustLoad(t, dir)
	j.Sets[0].Columns, j.Sets[0].KMap, j.Sets[1].KMap = []string{"age"}, 400, 1
	_, err := Verify(t.Context(), filepath.Join(dir, "out.parquet"), VerifyOptions{Job: j})
	mustFail(t, err, fault.Usage, "the job's quasi-identifier set age: the release has no set")
}

// A population that lacks a combination of the table ends a run with the number of its rows, and so
// do too few people.
func TestKMapRefuses(t *testing.T) {
	i := newInhabited(rand.New(rand.NewPCG(8, 9)), 100, 50, 1)
	i.table.rows = append(i.table.rows, []string{"33", "9999", "job0", "class0"},
		[]string{"33", "9999", "job0", "class1"})
	_, _, err := i.run(t, "1, k_map: 5", "1", RunOptions{})
	mustFail(t, err, fault.Input, "the population: it lacks those of 2 rows")
	i.table.rows = i.table.rows[:100]
	_, _, err = i.run(t, "1, k_map: 5000", "1", RunOptions{})
	mustFail(t, err, fault.Privacy, "does not meet k_map or a presence: 100 rows of ")
	limited := strings.NewReplacer("K1", "1, k_map: 5", "K2", "1", "AGE", "discretize")
	for _, keys := range []string{"max_suppressed: 1%", "algorithm: mondrian"} {
		dir := i.table.folder(t, limited.
			Replace(inhabitedJob)+"population: {input: people, count: n}\n"+keys+"\n", 40)
		_, err = loadJob(dir)
		mustFail(t, err, fault.Usage, "k_map")
	}
	dir := i.table.folder(t, limited.
		Replace(inhabitedJob), 40)
	_, err = loadJob(dir)
	mustFail(t, err, fault.Usage, "k_map counts people of a population, and there is none")
}

// A population in CSV is read as the input is: with its names by position, also those of columns
// that are not counted, in a plan, a run, by verify and for the digest.
func TestPopulationNamedByPosition(t *testing.T) {
	const form = `
input: in
output: out.parquet
class: class
quasi_identifiers: [{columns: [age], k: 2, k_map: 4}]
population: people.csv
csv: {delimiter: ";", nulls: ["?"]}
columns:
  age: {mask: discretize, rename: 1}
  name: {mask: drop, rename: 2}
  class: {mask: keep, rename: 3}
`
	var rows strings.Builder
	rows.WriteString("x;x;x\n")
	for i := range 40 {
		age := fmt.Sprint(20 + i%4)
		if i < 4 {
			age = "?"
		}
		fmt.Fprintf(&rows, "%s;someone;c%d\n", age, i%2)
	}
	dir := csvFolder(t, form, rows.String())
	write(t, filepath.Join(dir, "people.csv"),
		rows.String()+strings.TrimPrefix(rows.String(), "x;x;x\n"))
	_, err := Plan(t.Context(), mustLoad(t, dir), PlanOptions{})
	must(t, err)
	mustRun(t, dir, nil)
	v, err := Verify(t.Context(), filepath.Join(dir, "out.parquet"),
		VerifyOptions{Job: mustLoad(t, dir)})
	must(t, err)
	if r := v.Population[0]; r.People != 80 || r.KMap < 4 || r.MaxPresence != 0.5 {
		t.Errorf("verify found %+v", r)
	}
}

// No output, and no other file that a run writes, takes the place of a population or of a key:
// these are read.
func TestPopulationIsNotReplaced(t *testing.T) {
	const form = `
input: in
output: out.parquet
quasi_identifiers: [{columns: [age], k: 2, k_map: 2}]
population: people/*.csv
columns:
  age: suppress
  name: {mask: pseudonym, key_file: names.key, identifying: accepted}
`
	rows := "age,name\n" + strings.Repeat("20,a\n30,b\n", 5)
	dir := csvFolder(t, form, rows)
	key, people := filepath.Join(dir, "names.key"), filepath.Join(dir, "people", "a.csv")
	write(t, key, "0123456789abcdef")
	must(t, os.Mkdir(filepath.Dir(people), 0o700))
	write(t, people, rows)
	for _, tt := range []struct{ path, want string }{
		{people, "among the job's own population"},
		{filepath.Join(dir, "people", "next.csv"), "among the job's own population"},
		{filepath.Dir(people) + "/", "among the job's own population"},
		{key, "the key file is there"},
	} {
		j := mustLoad(t, dir, "output.path", tt.path)
		_, err := Run(t.Context(), j, RunOptions{Overwrite: true})
		mustFail(t, err, fault.Usage, tt.want)
	}
	j := mustLoad(t, dir)
	for path, want := range map[string]string{people: "the population is there",
		filepath.Join(dir, "people", "next.csv"): "the population is there",
		key:                                      "the key file is there"} {
		mustFail(t, output.CheckSideFiles(j, []fileset.Place{{What: "trace", Path: path}}),
			fault.Usage, "write trace "+path+": "+want)
	}
	if string(mustRead(t, people)) != rows || len(mustRead(t, key)) != 16 {
		t.Error("they are replaced")
	}
	_, err := Run(t.Context(), j, RunOptions{})
	must(t, err)
}
