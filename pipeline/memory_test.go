package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/sql"
	"github.com/kcut/kcut/spill"
)

// labelled returns a job that masks a text, and a table of the text and a class.
func labelled(mask string, k, rows int, text func(i int) string) (string, *testTable) {
	table := &testTable{fields: textFields("name", "label")}
	for i := range rows {
		table.rows = append(table.rows, []string{text(i), []string{"low", "high"}[2*i/rows]})
	}
	return fmt.Sprintf(`
input: in
output: out.parquet
class: label
quasi_identifiers: [{columns: [name], k: %d}]
columns: {name: %s, label: keep}
`, k, mask), table
}

// namedBudget matches the memory that the hint of a memory error names.
var namedBudget = regexp.MustCompile(`give at least [0-9]+ MiB with --memory`)

// A plan collects garbage before the heap outgrows its budget, also while it reads.
func TestPlanKeepsToItsMemory(t *testing.T) {
	dir := people(rand.New(rand.NewPCG(3, 4)), 100).folder(t, peopleJob, 100)
	ctx := &watching{Context: t.Context()}
	_, err := Plan(ctx, mustLoad(t, dir, "limits.memory", "64MiB"), PlanOptions{Sample: true})
	must(t, err)
	if want := int64(64<<20 + spill.HeapOverhead); ctx.limit != want {
		t.Errorf("the heap was limited to %d bytes, not %d", ctx.limit, want)
	}
}

// watching is a context that notes the limit of the heap when it is asked whether it has ended.
type watching struct {
	context.Context
	limit int64
}

func (w *watching) Err() error {
	w.limit = debug.SetMemoryLimit(-1)
	return w.Context.Err()
}

// A worker, and a statement that masks a table, collect garbage before the heap outgrows the
// job's budget, and remove the limit at their end.
func TestHeapOfOthersIsLimited(t *testing.T) {
	dir := people(rand.New(rand.NewPCG(3, 4)), 100).folder(t, peopleJob, 100)
	limits, before, want := []string{"limits.memory", "64MiB"}, debug.SetMemoryLimit(-1),
		int64(64<<20+spill.HeapOverhead)
	steps := copying(t.TempDir())
	if err := tryJob(t, dir, t.Context(), RunOptions{Runner: steps}, limits...); !errors.Is(err,
		errCopied) {
		t.Fatal(err)
	}
	w, err := OpenWorker(t.Context(), string(steps))
	must(t, err)
	if got := debug.SetMemoryLimit(-1); got != want {
		t.Errorf("the heap of a worker is limited to %d bytes, not %d", got, want)
	}
	must(t, w.Close())
	must(t, tryJob(t, dir, t.Context(), RunOptions{}, limits...))
	ctx := &watching{Context: t.Context()}
	_, err = sql.MaskJob(ctx, mustLoad(t, dir, limits...), filepath.Join(dir, "out.parquet"),
		sql.Options{Dialect: "duckdb", Table: "a", Into: "b"})
	if must(t, err); ctx.limit != want {
		t.Errorf("the heap of a statement is limited to %d bytes, not %d", ctx.limit, want)
	}
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("a limit of %d bytes stays", got)
	}
}

// copying is a runner that copies the shared folder of a run into a folder, and ends the run.
type copying string

var errCopied = errors.New("copied")

func (c copying) Do(_ context.Context, folder string, _ int) error {
	if err := os.CopyFS(string(c), os.DirFS(folder)); err != nil && !errors.Is(err, fs.ErrExist) {
		// a run tries again
		return err
	}
	return errCopied
}

// Too little memory ends the run with the name of the data that do not fit and, if possible, a
// hint; no file stays behind. With more memory the run succeeds, also out of core.
func TestTooLittleMemory(t *testing.T) {
	for _, tt := range []struct {
		name       string
		make       func(t *testing.T) (string, *testTable)
		few, more  string
		says, hint string
		steps      int // least number of steps with more memory
	}{
		{"near-unique numbers", func(*testing.T) (string, *testTable) {
			table := people(rand.New(rand.NewPCG(3, 4)), 40_000)
			for i := range table.rows {
				table.set(i, "weight", fmt.Sprint(float64(i)/16))
			}
			return peopleJob, table
		}, "1MiB", "16MiB", "", "", 1},
		{"every value", func(*testing.T) (string, *testTable) { // k is too large for a step
			job, table := labelled("{mask: generalize, taxonomy: {prefix: [39]}}",
				60_000, 120_000, func(i int) string { return fmt.Sprintf("%040d", i) })
			return withAlgorithm(job, "mondrian"), table
		}, "16MiB", "1GiB", "list every value, as algorithm mondrian must", "algorithm tdr", 0},
		{"pages", func(*testing.T) (string, *testTable) {
			return labelled("{mask: generalize, taxonomy: {prefix: [1]}}",
				2, 4, func(i int) string { return fmt.Sprint(i/2, strings.Repeat("x", 18<<20)) })
		}, "16MiB", "1GiB", `column "name" of row group 0`, "", 1},
		{"a tree", func(t *testing.T) (string, *testTable) {
			var tree strings.Builder
			for i := range 100_000 {
				fmt.Fprintf(&tree, "%05d;%02d;any\n", i, i/1000)
			}
			codes := filepath.Join(t.TempDir(), "codes.csv")
			write(t, codes, tree.String())
			job, table := labelled("{mask: generalize, taxonomy: codes}",
				2, 40, func(i int) string { return fmt.Sprintf("%05d", i/2*1000) })
			return job + "taxonomies: {codes: " + codes + "}\n", table
		}, "16MiB", "128MiB", "", "generate large taxonomies", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job, table := tt.make(t)
			dir := table.folder(t, job, 40_000)
			before := listing(t, dir)
			err := tryJob(t, dir, t.Context(), RunOptions{}, "limits.memory",
				tt.few, "limits.threads", "1")
			mustFail(t, err, fault.Resources, spill.ErrBudget.Error(), tt.says, tt.hint)
			if hint := fault.HintOf(err); !namedBudget.MatchString(hint) {
				t.Errorf("hint %q names no budget", hint)
			}
			unchanged(t, dir, before)
			want := outcomeOf(t, dir, RunOptions{}, "limits.memory", tt.more)
			mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Spill: true}}, "limits.memory",
				tt.more), want)
			if want.err != "" || want.steps < tt.steps {
				t.Errorf("%d steps, %s", want.steps, want.err)
			}
		})
	}
}

// The error of an applied cut in too little memory does not mention the algorithm, which does not
// matter there.
func TestTooLittleMemoryToApply(t *testing.T) {
	text := func(i int) string { return fmt.Sprint(i/2, strings.Repeat("x", 18<<20)) }
	job, table := labelled("{mask: generalize, taxonomy: {prefix: [1]}}", 2, 4, text)
	dir := table.folder(t, job, 40_000)
	must(t, tryJob(t, dir, t.Context(), RunOptions{}, "limits.memory", "1GiB"))
	little := mustLoad(t, dir, "output.path", filepath.Join(dir, "again.parquet"), "limits.memory",
		"16MiB")
	_, err := Apply(t.Context(), little, ApplyOptions{Cut: filepath.Join(dir, "out.parquet")})
	mustFail(t, err, fault.Resources, `column "name" of row group 0`)
	hint := fault.HintOf(err)
	if !namedBudget.MatchString(hint) || strings.Contains(err.Error()+hint, "algorithm") {
		t.Errorf("%v\n%s", err, hint)
	}
}

// identifiers is a table whose columns have nearly as many values as rows.
func identifiers(rng *rand.Rand, rows int) *testTable {
	t := &testTable{fields: []formats.Field{
		{Name: "number", Type: wholeType},
		{Name: "weight", Type: floatType, Nullable: true},
		{Name: "amount", Type: formats.Type{Kind: formats.Decimal, Precision: 30,
			Scale: 2, Wide: true}},
		{Name: "name", Type: textType},
		{Name: "label", Type: textType},
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
		t.rows = append(t.rows, []string{fmt.Sprint(n), weight,
			fmt.Sprintf("%d45678901234567890.25", rng.IntN(2*rows)), name, label})
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

// A run in memory and a run out of core agree for columns with more values than a search splits
// at, for values that are too rare to be listed, and for texts of more bytes than the store takes
// at once.
func TestOutOfCoreAgrees(t *testing.T) {
	try := func(name, job string, table *testTable, groupRows, room, steps int, memory string,
		overrides ...string) {
		t.Run(name, func(t *testing.T) {
			dir := table.folder(t, job, groupRows)
			want := outcomeOf(t, dir, RunOptions{},
				append(slices.Clip(overrides), "limits.memory", "1GiB")...)
			mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Spill: true, Room: room}},
				append(slices.Clip(overrides), "limits.memory", memory)...), want)
			if restricted := strings.Contains(fmt.Sprint(want.notices),
				"split points are restricted to"); restricted != (len(
				table.rows) > domain.MaxSplitValues) {
				t.Errorf("notices %q", want.notices)
			}
			mustRelease(t, dir, steps, overrides...)
		})
	}
	job, table := labelled("suppress", 3, 12, func(i int) string {
		return strings.Repeat(string(rune('a'+i/3)), 4<<20+i/3)
	})
	try("long texts", job, table, 5, 1, 2, "1GiB")
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	try("many values", identifiersJob, identifiers(rng, domain.MaxSplitValues+20_000),
		30_000, 0, 10, "64MiB")
	if long {
		try("more values", identifiersJob, identifiers(rng, 2*domain.MaxSplitValues), 30_000, 0, 10,
			"64MiB", "score", "infogain", "max_steps", "40")
	}
}

// Many values that fit the memory are counted in two readings without a store: this test has no
// usable store.
func TestManyValuesStayInMemory(t *testing.T) {
	dir := identifiers(rand.New(rand.NewPCG(5, 6)), 3000).folder(t, identifiersJob, 1000)
	nowhere := []string{"limits.memory", "1GiB", "limits.spill_dir",
		filepath.Join(dir, "job.yaml", "below")}
	want := outcomeOf(t, dir, RunOptions{}, nowhere...)
	mustAgree(t, outcomeOf(t, dir, RunOptions{System: System{Many: 100}}, nowhere...), want)
	if spilled := outcomeOf(t, dir, RunOptions{System: System{Many: 100, Room: 100}},
		nowhere...); spilled.class != fault.Resources {
		t.Errorf("a census of 100 entries ended with %q of class %d", spilled.err, spilled.class)
	}
	if want.err != "" || want.steps < 3 {
		t.Errorf("%d steps, %s", want.steps, want.err)
	}
}
