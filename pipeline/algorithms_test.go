package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// classless are values of the key algorithm for tests that have no class.
var classless = []string{"tdr", "tds", "auto", "mondrian",
	"{name: mondrian, partitioning: relaxed, seed: 5}", "{name: mondrian, categories: ordered}",
	"{name: mondrian, region_labels: tight, categories: ordered}",
	"{name: mondrian, sets: apart, region_labels: tight, categories: ordered, cuts: tightest}"}

// searches are values of the key algorithm for tests: every algorithm, with all options that
// change its result.
func searches() []string {
	return append(slices.Clone(classless), "tdr\nmax_suppressed: 8%",
		"tds\nmax_suppressed: 12%\nsuppressed: drop", "infogain-mondrian",
		"{name: infogain-mondrian, sets: apart}\nobjective: balanced", "guided",
		"auto\nobjective: balanced\nmax_suppressed: 9%", "bottom-up",
		"{name: bottom-up, loss: weighted, bins: 5}",
		"iack", "{name: iack, small: topup, bins: 3}",
		"{name: iacc, max_divergence: 0.4, max_information_change: 0.4}",
		"kactus", "{name: kactus, seed: 9, prune: pessimistic}",
		"{name: kactus, leftover: recruit, min_objects: 2}")
}

// oneOfEach returns a search of every algorithm, except auto, which runs another algorithm, and
// except searches that suppress records. Other options make cuts of the same kinds.
func oneOfEach() []string {
	had := make(map[string]bool)
	return slices.DeleteFunc(searches(), func(search string) bool {
		name := algorithmOf(search)
		twice := had[name] && !strings.Contains(search, "max_suppressed") &&
			!strings.Contains(search, "recruit")
		had[name] = true
		return twice || name == job.AlgorithmAuto
	})
}

// withAlgorithm returns a job with another algorithm. With iacc it has no k, which iacc may not
// reach.
func withAlgorithm(j, algorithm string) string {
	if strings.Contains(algorithm, job.AlgorithmIACc) {
		j = askedK.ReplaceAllString(j, "")
	}
	return j + "algorithm: " + algorithm + "\n"
}

var askedK = regexp.MustCompile(`, k: \d+|k: \d+, `)

// searchName makes the name of a subtest from a value of the key algorithm.
func searchName(algorithm string) string {
	return strings.NewReplacer("{name: ", "", "}", "", ": ", "=", ", ", " ").Replace(algorithm)
}

// Every algorithm, and the usual one in half of the cases, has the same result in memory and out
// of core, for every layout of the rows and every number of threads; and its release is true.
func TestRandomTables(t *testing.T) {
	schema := cutSchema(t)
	tried := map[string]int{}
	for _, seed := range seeded(t, seedtest.Few(25, 60)) {
		rng := rand.New(rand.NewPCG(seed, 0))
		table := randomCase(rng)
		list := searches()
		if !strings.Contains(table.job, "class:") {
			list = classless
		}
		algorithm := list[max(0, rng.IntN(2*len(list))-len(list))]
		table.job = withAlgorithm(table.job, algorithm)
		ok := t.Run(fmt.Sprint(searchName(algorithm), " ", seed), func(t *testing.T) {
			dir := table.put(t, rng)
			want := outcomeOf(t, dir, RunOptions{}, table.overrides...)
			// the number of values that are numbered in memory before the run spills
			many := []int{0, 1, 6}[rng.IntN(3)]
			options := RunOptions{System: System{
				Spill: many == 0, Many: many, Room: []int{0, 1, 3, 50}[rng.IntN(4)],
				Store: spill.Options{FS: spilltest.Healthy()},
			}}
			mustAgree(t, outcomeOf(t, dir, options, table.overrides...), want)
			mustAgree(t, outcomeOf(t, dir, RunOptions{},
				append(slices.Clone(table.overrides), "limits.threads", "3")...), want)
			if want.err == "" {
				mustAgree(t, outcomeOf(t, table.put(t, rng), RunOptions{}, table.overrides...),
					want)
				a := mustRelease(t, dir, 0, table.overrides...)
				if !schema.takes(t, a.cut.Raw) {
					t.Errorf("the cut is not as its schema says: %s", a.cut.Raw)
				}
			}
			if t.Failed() {
				t.Logf("many %d, room %d, %v, %d rows\n%s",
					many, options.System.Room, table.overrides, len(table.rows), table.job)
			}
			tried[searchName(algorithm)]++
			switch {
			case want.err != "":
				tried["errors"]++
			case want.steps > 2:
				tried["many steps"]++
			default:
				tried["few steps"]++
			}
		})
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Log(tried)
	if (tried["errors"] == 0 || tried["many steps"] == 0 || tried["few steps"] == 0) &&
		os.Getenv("KCUT_SEED") == "" {
		t.Error("that says little")
	}
}

// shape is one way to store and read the same rows.
type shape struct {
	files, groupRows int
	threads          string
	csv              bool
	spill            bool // out of core
}

// storedAs writes a table in a shape and returns the folder of the people job, with the
// given algorithm.
func storedAs(t *testing.T, table *testTable, s shape, algorithm string) string {
	t.Helper()
	dir := jobFolder(t, withAlgorithm(peopleJob, algorithm))
	if s.csv {
		table.csv(t, filepath.Join(dir, "in", "all.csv"))
	}
	for i := range s.files {
		from, to := i*len(table.rows)/s.files, (i+1)*len(table.rows)/s.files
		table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%03d.parquet", i)),
			from, to, s.groupRows)
	}
	return dir
}

// Every algorithm's release of people is true. Release and trace have the same bytes for every
// layout. With the rows in another order the cut is the same.
func TestAlgorithmsOnPeople(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	rows := 800
	if long {
		rows = 2000
	}
	table := people(rng, rows)
	shuffled := &testTable{fields: table.fields, rows: slices.Clone(table.rows)}
	rng.Shuffle(len(table.rows), func(i, j int) {
		shuffled.rows[i], shuffled.rows[j] = shuffled.rows[j], shuffled.rows[i]
	})
	shapes := []shape{
		{files: 1, groupRows: 7, threads: "8"},
		{files: 20, groupRows: 13, threads: "1"},
		{csv: true, threads: "2", spill: true},
	}
	if long {
		shapes = append(shapes,
			shape{files: 1, groupRows: 1 << 20, threads: "1"},
			shape{files: 1, groupRows: 1, threads: "2"},
			shape{csv: true, threads: "2"},
			shape{files: 3, groupRows: 100, threads: "2", spill: true},
			shape{csv: true, threads: "1", spill: true},
		)
	}
	for _, algorithm := range searches() {
		t.Run(searchName(algorithm), func(t *testing.T) {
			dir := storedAs(t, table, shape{files: 1, groupRows: 1 << 20}, algorithm)
			a := mustRelease(t, dir, 0)
			must(t, os.Remove(a.job.Output.Path))
			want := outcomeOf(t, dir, RunOptions{}, "limits.threads", "8")
			if algorithm == "tdr" && want.steps < 5 {
				t.Errorf("%d steps tell too little", want.steps)
			}
			for _, s := range shapes {
				other := storedAs(t, table, s, algorithm)
				options := RunOptions{System: System{Spill: s.spill}}
				if mustAgree(t, outcomeOf(t, other, options, "limits.threads",
					s.threads, "limits.memory", "64MiB"), want); t.Failed() {
					t.Fatalf("%+v", s)
				}
			}
			other := storedAs(t, shuffled, shape{files: 3, groupRows: 100}, algorithm)
			mustRun(t, other, nil)
			if b := cutOf(t, other); !bytes.Equal(a.cut.Raw, b.Raw) {
				t.Errorf("shuffled rows make another cut:\n%s\n%s", b.Raw, a.cut.Raw)
			}
		})
	}
}

func cutOf(t *testing.T, dir string) *cutfile.File {
	t.Helper()
	return readCut(t, filepath.Join(dir, "out.parquet"))
}

// lookalikes returns a table in which many rows are nearly equal, so that some of them differ.
func lookalikes(rng *rand.Rand, rows int) *testTable {
	table := people(rng, max(rows/20, 1))
	few := table.rows
	table.rows = nil
	for range rows {
		table.rows = append(table.rows, few[min(rng.IntN(len(few)), rng.IntN(len(few)))])
	}
	return table
}

// Rows of divided cells get the same regions with any number of threads.
func TestDividedCellsOnThreads(t *testing.T) {
	for _, seed := range seeded(t, 12) {
		rng := rand.New(rand.NewPCG(seed, 0))
		table := lookalikes(rng, 200+rng.IntN(1500))
		algorithm := []string{"{name: mondrian, partitioning: relaxed, categories: ordered}",
			"{name: mondrian, partitioning: relaxed}", "kactus"}[rng.IntN(3)]
		dir := storedAs(t, table, shape{files: 2 + rng.IntN(8), groupRows: 1 + rng.IntN(300)},
			algorithm)
		editJob(t, dir, "out.parquet", fmt.Sprintf("{path: out.parquet, row_group_rows: %d}",
			1+rng.IntN(400)))
		want := outcomeOf(t, dir, RunOptions{}, "limits.threads", "1")
		for _, threads := range []string{"2", "8"} {
			if mustAgree(t, outcomeOf(t, dir, RunOptions{}, "limits.threads", threads),
				want); t.Failed() {
				t.Fatalf("seed %d, %s, %s threads", seed, algorithm, threads)
			}
		}
		mustRelease(t, dir, 0)
	}
}

// suppressedJob masks a column with several sets; the larger k of mail is 20.
const suppressedJob = `
input: in
output: out.parquet
class: income
quasi_identifiers: [{columns: [mail, age], k: 4}, {columns: [mail], k: 20}]
columns: {mail: suppress, age: discretize, income: keep}
`

var setAlgorithms = []string{"mondrian", "{name: mondrian, partitioning: relaxed, seed: 5}",
	"infogain-mondrian", "guided",
	"{name: mondrian, region_labels: tight}", "{name: infogain-mondrian, region_labels: tight}",
	"{name: mondrian, sets: apart, region_labels: tight}", "{name: infogain-mondrian, sets: apart}"}

// mailTable has rows whose values of mail come from a function.
func mailTable(rows int, mail func(rng *rand.Rand, row int) string) *testTable {
	t := &testTable{fields: textFields("mail", "age", "income")}
	t.fields[1].Type = people(rand.New(rand.NewPCG(1, 1)), 1).fields[0].Type
	rng := rand.New(rand.NewPCG(7, 9))
	for row := range rows {
		t.rows = append(t.rows, []string{mail(rng, row), fmt.Sprint(17 + rng.IntN(70)),
			[]string{"low", "high"}[rng.IntN(2)]})
	}
	return t
}

// releaseMails masks a table with every algorithm that makes sets of values, in memory and out of
// core.
func releaseMails(
	t *testing.T, table *testTable, check func(t *testing.T, dir string, cut *cutfile.File),
) {
	t.Helper()
	for _, algorithm := range setAlgorithms {
		t.Run(searchName(algorithm), func(t *testing.T) {
			dir := table.folder(t, withAlgorithm(suppressedJob, algorithm), 4000)
			want := outcomeOf(t, dir, RunOptions{})
			mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Spill: true, Room: 3}}), want)
			check(t, dir, mustRelease(t, dir, 0, "max_steps", "3").cut)
		})
	}
}

// No value of a suppressed column that only one row has is in a release. Labels with the names of
// all values of a region would have it.
func TestDistinctValuesAreNotNamed(t *testing.T) {
	table := mailTable(20_000, func(_ *rand.Rand, row int) string {
		return fmt.Sprintf("user%05d@example.org", row)
	})
	releaseMails(t, table, func(t *testing.T, dir string, _ *cutfile.File) {
		for _, row := range readTable(t, filepath.Join(dir, "out.parquet")).rows {
			if row[0] != "*" {
				t.Fatalf("released is %q", row[0])
			}
		}
		if bytes.Contains(cutOf(t, dir).Raw, []byte("example.org")) {
			t.Error("the cut names a value")
		}
	})
}

// Labels name the frequent values of a column only. Some values, and sometimes nulls, are
// frequent here, others rare.
func TestRareValuesAreNotNamed(t *testing.T) {
	for _, nulls := range []int{0, 7, 400} { // of 2,000 rows
		table := mailTable(2000, func(rng *rand.Rand, row int) string {
			switch {
			case row < nulls:
				return null
			case row < 1000:
				return fmt.Sprint("rare", row/10)
			}
			return fmt.Sprint("often", rng.IntN(6))
		})
		records := map[string]int{}
		for _, row := range table.rows {
			records[row[0]]++
		}
		t.Run(fmt.Sprint(nulls, " nulls"), func(t *testing.T) {
			releaseMails(t, table, func(t *testing.T, _ string, cut *cutfile.File) {
				named := 0
				for _, label := range cut.Columns[0].Cut {
					values := parseSet(label.Label)
					switch {
					case label.Null:
						values = []string{null}
					case label.Label == "*":
						continue
					case values == nil:
						values = []string{label.Label}
					}
					named += len(values)
					for _, value := range values {
						if records[value] < 20 {
							t.Errorf("%q names %q, which %d records have",
								label.Label, value, records[value])
						}
					}
				}
				if named == 0 {
					t.Error("no frequent value is named")
				}
			})
		})
	}
}

// Verification refuses a forged cut whose labels name more values than they may, and a label that
// names values for which the cut has the mark.
func TestVerifyRefusesLongSetLabels(t *testing.T) {
	table := mailTable(2000, func(rng *rand.Rand, _ int) string {
		return fmt.Sprint("often", rng.IntN(4))
	})
	dir := table.folder(t, withAlgorithm(suppressedJob, "mondrian"), 4000)
	mustRun(t, dir, nil)
	var values []string
	for i := range 21 {
		values = append(values, fmt.Sprintf("m%02d", i))
	}
	was := cutOf(t, dir).Columns[0].Cut[0].Label
	relabel := func(label string) func(*forged) {
		return func(f *forged) {
			f.cut.Columns[0].Cut[0].Label = label
			for _, row := range f.rows {
				if row[0] == was {
					row[0] = label
				}
			}
		}
	}
	all := strings.Join(values, "|")
	mustFindForgeries(t, dir, []forgery{
		{"as long as may be", relabel("{" + strings.Join(values[:20], "|") + "}"), nil},
		{"longer", relabel("{" + all + "}"),
			[]string{"column mail: a label of its cut names more values than k = 20"}},
		{
			"no end",
			relabel("{" + all), []string{"column mail: a label of its cut is a set without an end"},
		},
		{"no label", func(f *forged) { f.set(0, "mail", "{often0|often1|often2}") },
			[]string{"column mail"}},
	}...)
}
