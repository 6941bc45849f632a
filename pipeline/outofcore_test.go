package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// cases returns how many random cases to try: KCUT_CASES, or a few.
func cases(tb testing.TB, few int) int {
	tb.Helper()
	text := os.Getenv("KCUT_CASES")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// seeded returns the seeds of random cases: KCUT_SEED alone, or as many as there are cases.
func seeded(tb testing.TB, few int) []uint64 {
	tb.Helper()
	if text := os.Getenv("KCUT_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		return []uint64{seed}
	}
	seeds := make([]uint64, cases(tb, few))
	for i := range seeds {
		seeds[i] = rand.Uint64()
	}
	return seeds
}

// outcome is what a run leaves.
type outcome struct {
	release, trace []byte
	notices        []string // but of spilling
	steps          int
	err            string
	class          fault.Class
}

// outcomeOf runs a folder's job and removes the release.
func outcomeOf(t *testing.T, dir string, opt RunOptions, overrides ...string) (o outcome) {
	t.Helper()
	job, err := loadJob(dir, overrides...)
	if err != nil {
		t.Fatalf("%v\n%s", err, mustRead(t, filepath.Join(dir, "job.yaml")))
	}
	before := listing(t, dir)
	var trace bytes.Buffer
	opt.Trace = &trace
	report, err := Run(t.Context(), job, opt)
	o.trace = trace.Bytes()
	if err != nil {
		o.err, o.class = strings.ReplaceAll(err.Error(), dir, ""), fault.ClassOf(err)
	} else {
		o.release = mustRead(t, job.Output.Path)
		o.steps = report.Steps
		o.notices = slices.DeleteFunc(report.Notices, func(text string) bool { return strings.HasSuffix(text, "spilling to disk") })
		if err := os.Remove(job.Output.Path); err != nil {
			t.Fatal(err)
		}
	}
	unchanged(t, dir, before)
	return o
}

func mustRead(tb testing.TB, path string) []byte {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// mustAgree demands that two runs ended in the same way.
func mustAgree(t *testing.T, got, want outcome) {
	t.Helper()
	if got.err != want.err || got.class != want.class {
		t.Errorf("out of core: %q of class %d\nin memory:   %q of class %d", got.err, got.class, want.err, want.class)
	}
	if !bytes.Equal(got.trace, want.trace) {
		t.Errorf("another trace:\n%s\nin memory:\n%s", got.trace, want.trace)
	}
	if !bytes.Equal(got.release, want.release) {
		t.Errorf("other bytes, %d instead of %d", len(got.release), len(want.release))
	}
	if !slices.Equal(got.notices, want.notices) {
		t.Errorf("notices %q, in memory %q", got.notices, want.notices)
	}
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
		columns = append(columns, randomMasks[rng.IntN(len(randomMasks))](rng, fmt.Sprintf("c%d", i)))
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
	columns = append(columns, randomColumn{
		Field: formats.Field{Name: "label", Type: formats.Type{Kind: formats.String}}, texts: labels,
	})
	job.WriteString("  label: keep\n" + worldTree)
	if rng.IntN(4) > 0 {
		job.WriteString("class: label\n")
	}
	if rng.IntN(4) == 0 {
		fmt.Fprintf(&job, "max_steps: %d\n", rng.IntN(6))
	}
	r.job = job.String()
	r.overrides = []string{
		"score", []string{"tdr", "tds", "infogain"}[rng.IntN(3)], "limits.threads", strconv.Itoa(1 + rng.IntN(4)),
		"limits.memory", "64MiB",
	}
	r.fill(rng, columns)
	return &r
}

// randomSets deals all columns out to sets, which may overlap.
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

// fill makes the rows. Values that come early in a column's list are frequent, and go with a class.
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
		r.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%d.parquet", i)), from, to, 1+rng.IntN(200))
	}
	return dir
}

// A run ends in the same way whether the table fits the memory or not.
func TestOutOfCoreAgrees(t *testing.T) {
	tried := map[string]int{}
	for _, seed := range seeded(t, 150) {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			table := randomCase(rng)
			dir := table.put(t, rng)
			want := outcomeOf(t, dir, RunOptions{}, table.overrides...)
			room := []int{0, 1, 3, 50}[rng.IntN(4)]
			many := []int{0, 1, 6}[rng.IntN(3)] // that many values are numbered in memory before it is left
			opt := RunOptions{System: System{Spill: many == 0, Many: many, Room: room, Store: spill.Options{FS: spilltest.Healthy()}}}
			mustAgree(t, outcomeOf(t, dir, opt, table.overrides...), want)
			if t.Failed() {
				t.Logf("room %d, many %d, %v, %d rows\n%s", room, many, table.overrides, len(table.rows), table.job)
			}
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
	if len(tried) < 3 && os.Getenv("KCUT_SEED") == "" {
		t.Error("that says little")
	}
}

// identifiers is a table whose columns have about as many values as rows.
func identifiers(rng *rand.Rand, rows int) *testTable {
	text := formats.Type{Kind: formats.String}
	t := &testTable{fields: []formats.Field{
		{Name: "number", Type: formats.Type{Kind: formats.Int, Bits: 64}},
		{Name: "weight", Type: formats.Type{Kind: formats.Float, Bits: 64}, Nullable: true},
		{Name: "amount", Type: formats.Type{Kind: formats.Decimal, Precision: 30, Scale: 2, Wide: true}},
		{Name: "name", Type: text},
		{Name: "label", Type: text},
	}}
	for range rows {
		n := rng.IntN(3 * rows)
		label := []string{"low", "high"}[min(n/rows, 1)]
		if rng.IntN(10) == 0 {
			label = "odd"
		}
		weight := fmt.Sprint(float64(rng.IntN(2*rows)-rows) / 16)
		if rng.IntN(500) == 0 {
			weight = null
		}
		name := fmt.Sprint("common prefix of all ", rng.IntN(rows))
		if rng.IntN(4) == 0 {
			name = fmt.Sprint("Smith ", rng.IntN(50))
		}
		t.rows = append(t.rows, []string{fmt.Sprint(n), weight, fmt.Sprintf("%d45678901234567890.25", rng.IntN(2*rows)), name, label})
	}
	return t
}

const identifiersJob = `
input: in
output: out.parquet
class: label
quasi_identifiers:
  - {columns: [number, name], k: 20}
  - {columns: [name, amount, weight], k: 5}
columns: {number: discretize, weight: discretize, amount: discretize, name: suppress, label: keep}
`

// Columns with more values than a search splits at, and with values that are too rare to be
// listed, make no difference either.
func TestOutOfCoreAgreesOnManyValues(t *testing.T) {
	for _, tt := range []struct {
		rows      int
		overrides []string
	}{
		{domain.MaxSplitValues + 20_000, nil},
		{2 * domain.MaxSplitValues, []string{"score", "infogain", "max_steps", "40"}},
	} {
		if tt.overrides != nil && !long {
			continue
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		table := identifiers(rand.New(rand.NewPCG(seed, 0)), tt.rows)
		dir := jobFolder(t, identifiersJob)
		table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, tt.rows, 30_000)
		want := outcomeOf(t, dir, RunOptions{}, append(tt.overrides, "limits.memory", "1GiB")...)
		got := outcomeOf(t, dir, RunOptions{System: System{Spill: true}}, append(tt.overrides, "limits.memory", "64MiB")...)
		mustAgree(t, got, want)
		if want.steps < 10 {
			t.Errorf("%d steps tell too little", want.steps)
		}
	}
}

// Many values that fit the memory are counted in two readings without a store: here none
// could be opened.
func TestManyValuesStayInMemory(t *testing.T) {
	table := identifiers(rand.New(rand.NewPCG(5, 6)), 3000)
	dir := jobFolder(t, identifiersJob)
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 3000, 1000)
	nowhere := []string{"limits.memory", "1GiB", "limits.spill_dir", filepath.Join(dir, "job.yaml", "below")}
	want := outcomeOf(t, dir, RunOptions{}, nowhere...)
	mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Many: 100}}, nowhere...), want)
	if spilled := outcomeOf(t, dir, RunOptions{System: System{Many: 100, Room: 100}}, nowhere...); spilled.class != fault.Resources {
		t.Errorf("a census of 100 entries ended with %q of class %d", spilled.err, spilled.class)
	}
	if want.err != "" || want.steps < 3 {
		t.Errorf("%d steps, %s", want.steps, want.err)
	}
}

// An input that changes after its values were counted makes no release.
func TestInputChangesAfterTheSurvey(t *testing.T) {
	for name, change := range map[string]func(*testTable){
		"new values": func(table *testTable) {
			for row := range table.rows {
				table.set(row, "job", "x"+table.rows[row][table.index("job")])
				table.set(row, "weight", "NaN")
				table.set(row, "age", null)
			}
		},
		"fewer rows": func(table *testTable) { table.rows = table.rows[:200] },
		"more rows":  func(table *testTable) { table.rows = append(table.rows, table.rows...) },
	} {
		for _, kind := range []string{"parquet", "csv"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				dir := jobFolder(t, peopleJob)
				table := people(rand.New(rand.NewPCG(3, 4)), 300)
				path := filepath.Join(dir, "in", "a."+kind)
				table.file(t, path)
				var once sync.Once
				err := tryJob(t, dir, t.Context(), RunOptions{Events: Events{Progress: func(s Stage, p Progress) {
					if s == StageCompress && 2*p.Done == p.Total {
						once.Do(func() {
							change(table)
							table.file(t, path)
						})
					}
				}}, System: System{Spill: true}})
				if err == nil || fault.ClassOf(err) != fault.Input {
					t.Errorf("got %v of class %d", err, fault.ClassOf(err))
				}
				for _, left := range []string{"out.parquet", ".kcut-spill"} {
					if _, err := os.Lstat(filepath.Join(dir, left)); err == nil {
						t.Errorf("%s is left", left)
					}
				}
			})
		}
	}
}

// A text of more bytes than the store takes at once is a value like any other.
func TestOutOfCoreLongTexts(t *testing.T) {
	table := &testTable{fields: textFields("name", "label")}
	for i := range 12 {
		text := strings.Repeat(string(rune('a'+i/3)), spill.MaxChunk+i/3)
		table.rows = append(table.rows, []string{text, []string{"low", "high"}[i/3%2]})
	}
	dir := jobFolder(t, `
input: in
output: out.parquet
class: label
quasi_identifiers: [{columns: [name], k: 3}]
columns: {name: suppress, label: keep}
`)
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 5)
	limit := []string{"limits.memory", "1GiB"}
	want := outcomeOf(t, dir, RunOptions{}, limit...)
	if want.steps < 2 {
		t.Errorf("%d steps, %s", want.steps, want.err)
	}
	mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Spill: true, Room: 1}}, limit...), want)
}

func TestBudgetTooSmall(t *testing.T) {
	dir := jobFolder(t, peopleJob)
	table := people(rand.New(rand.NewPCG(3, 4)), 40_000)
	for i := range table.rows {
		table.set(i, "weight", fmt.Sprint(float64(i)/16))
	}
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(table.rows), 10_000)
	before := listing(t, dir)
	_, err := runJob(t, dir, nil, "limits.memory", "1MiB")
	if !errors.Is(err, spill.ErrBudget) || fault.ClassOf(err) != fault.Resources {
		t.Errorf("got %v of class %d", err, fault.ClassOf(err))
	}
	unchanged(t, dir, before)
	if _, err := runJob(t, dir, nil, "limits.memory", "16MiB"); err != nil {
		t.Errorf("with the least memory: %v", err)
	}
}
