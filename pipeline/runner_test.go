package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kcut/kcut/formats/storage/storagetest"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
)

// errandEnv gives a copy of the test program an errand.
const errandEnv = "KCUT_TEST_ERRAND"

// errand is the task list of a worker process.
type errand struct {
	Folder string
	Tasks  []int // one may be there twice
	Dies   bool  // when all but the last one are done
}

// TestWorkerProcess is the main function of a worker process, not a test.
func TestWorkerProcess(t *testing.T) {
	text, ok := os.LookupEnv(errandEnv)
	if !ok {
		t.Skip("this process is no worker")
	}
	var e errand
	must(t, json.Unmarshal([]byte(text), &e))
	w, err := OpenWorker(t.Context(), e.Folder)
	must(t, err)
	for i, task := range e.Tasks {
		if e.Dies && i == len(e.Tasks)-1 {
			os.Exit(3)
		}
		must(t, w.Do(t.Context(), task))
	}
	must(t, w.Close())
}

// processes is a runner that masks in new processes, which share only files. Tasks are in random
// order, and some are done twice.
type processes struct{ rng *rand.Rand }

func (p *processes) Do(_ context.Context, folder string, tasks int) error {
	const workers = 3
	todo := append(p.rng.Perm(tasks), p.rng.Perm(tasks)[:tasks/2]...)
	var running sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		e := errand{Folder: folder}
		for at := w; at < len(todo); at += workers {
			e.Tasks = append(e.Tasks, todo[at])
		}
		running.Go(func() { errs[w] = runErrand(e, w == 0) })
	}
	running.Wait()
	return errors.Join(errs...)
}

// runErrand starts a process for an errand, and another process if the first one dies.
func runErrand(e errand, dies bool) error {
	e.Dies = dies
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	worker := exec.Command(os.Args[0], "-test.run=^TestWorkerProcess$", "-test.v")
	worker.Env = append(os.Environ(), errandEnv+"="+string(text))
	if out, err := worker.CombinedOutput(); err != nil && !dies {
		return fmt.Errorf("a worker: %w\n%s", err, out)
	} else if dies && err == nil {
		return errors.New("a worker was to die")
	}
	if dies {
		return runErrand(e, false)
	}
	return nil
}

// goroutines is a runner that masks in this process, in the way of processes.
type goroutines struct {
	rng    *rand.Rand
	before func(folder string) error // nil: nothing
	after  func(folder string) error // likewise
	turns  bool                      // tasks are done one after the other
	asked  int                       // number of calls of Do
}

func (g *goroutines) Do(ctx context.Context, folder string, tasks int) error {
	g.asked++
	if g.before != nil {
		if err := g.before(folder); err != nil {
			return err
		}
	}
	w, err := OpenWorker(ctx, folder)
	if err != nil {
		return errors.New("workers failed, and nobody knows why") // as runners tell
	}
	todo := append(g.rng.Perm(tasks), g.rng.Perm(tasks)[:tasks/2]...)
	errs := make([]error, len(todo))
	var running sync.WaitGroup
	for i, task := range todo {
		if g.turns {
			running.Wait()
		}
		running.Go(func() { errs[i] = w.Do(ctx, task) })
	}
	running.Wait()
	if drawn := w.res.Budget.Used(); drawn != w.baseDrawn {
		errs = append(errs, fmt.Errorf("%d bytes are drawn when all is done, and %d before",
			drawn, w.baseDrawn))
	}
	if err := errors.Join(append(errs, w.Close())...); err != nil {
		return fmt.Errorf("tasks failed, and nobody knows why: %d", len(err.Error()))
	}
	if g.after != nil {
		return g.after(folder)
	}
	return nil
}

// splitFolder makes a folder with a job and files of a table of many splits, in which each file
// has a class of its own.
func splitFolder(t *testing.T, rng *rand.Rand, job string, rows, group int) string {
	t.Helper()
	dir := jobFolder(t, job)
	table := people(rng, rows)
	table.fields[5].Nullable, table.rows[7][5], table.rows[rows-100][5] = true, null, null
	for from := 0; from < rows; from += 150 {
		table.rows[from][5] = fmt.Sprint("class ", rows-from)
	}
	if strings.HasPrefix(job, "count: ") {
		table = table.counted(rng)
	}
	for from := 0; from < len(table.rows); from += 150 {
		table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%04d.parquet", from)),
			from, min(from+150, len(table.rows)), group)
	}
	return dir
}

// sameReleases compares the files of two releases.
func sameReleases(t *testing.T, got, want string) {
	t.Helper()
	files := func(root string) (names []string) {
		must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				names = append(names, strings.TrimPrefix(path, root))
			}
			return err
		}))
		return names
	}
	names := files(want)
	if others := files(got); !slices.Equal(others, names) {
		t.Errorf("the release has %q, want %q", others, names)
	}
	for _, name := range names {
		if !bytes.Equal(mustRead(t, got+name), mustRead(t, want+name)) {
			t.Errorf("%s: other bytes than those of one process", name)
		}
	}
}

// leftovers fails if a folder has other files than inputs and outputs.
func leftovers(t *testing.T, dir string, known ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, entry := range entries {
		inner, _ := filepath.Glob(filepath.Join(dir, entry.Name(), sharedFolderPrefix+"*"))
		if len(inner) > 0 || entry.Name()[0] == '.' && !slices.Contains(known, entry.Name()) {
			t.Errorf("%s is left: %q", entry.Name(), inner)
		}
	}
}

// The release of a run has the same bytes, and its report the same risks, whichever processes
// mask the rows.
func TestRunWithRunner(t *testing.T) {
	t.Setenv("KCUT_TEST_KEY", "0123456789abcdef0123456789abcdef")
	directory := func(job string) string {
		return strings.Replace(job, "output: out.parquet", "output: out/", 1)
	}
	small := func(job string) string {
		return strings.Replace(job, "output: out.parquet",
			"output: {path: out/, row_group_rows: 40}", 1)
	}
	jobs := map[string]string{
		"released":     directory(peopleJob),
		"one file":     peopleJob,
		"small groups": small(peopleJob),
		"input":        small(peopleJob),
		"no class":     small(changed("class: income\n", "")),
		"bottom-up":    small(withAlgorithm(peopleJob, "bottom-up")),
		"tds":          small(withAlgorithm(peopleJob, "tds")),
		"prefix": small(changed("job: suppress",
			"job: {mask: generalize, taxonomy: {prefix: [1]}}")),
		"rendered": small(changed("born: discretize",
			"born: {mask: discretize, render: interval}")),
		"pseudonyms": small(strings.Replace(changed("class: income\n", ""), "income: keep",
			"income: {mask: pseudonym, key_env: KCUT_TEST_KEY}", 1)),
		"replacements": small(strings.Replace(changed("class: income\n", ""), "income: keep",
			"income: {mask: replace, with: street, key_env: KCUT_TEST_KEY}", 1)),
		"balance": small("balance: 1\n" + peopleJob),
		"score":   small("score: infogain\nmax_steps: 9\n" + peopleJob),
		"bounds": small(changed("born: discretize",
			"born: {mask: discretize, render: bounds, round: month}")),
		"weight": small(changed("weight: discretize",
			"weight: {mask: discretize, render: bounds, weight: 2}")),
		"levels":  small(changed("city: generalize", "city: {mask: generalize, at_most: 1}")),
		"counted": small("count: times\n" + peopleJob),
		"sensitive": small(changed("class: income\n",
			"class: income\nsensitive: [{column: income, l: 2, max_confidence: {high: 0.99}}]\n")),
		"no class, sensitive": small(strings.NewReplacer("class: income\n",
			"sensitive: [{column: income, l: 2}, {column: job, entropy_l: 1.5, t: 0.6}]\n",
			"job: suppress", "job: keep", ", job]", "]").Replace(peopleJob)),
		"entities": small(strings.NewReplacer("class: income\n",
			"class: income\nentity: born\nsensitive: [{column: job, max_confidence: 0.9}, "+
				"{column: income, l: 2}]\n",
			"job: suppress", "job: keep", ", job]", "]", "income: keep",
			"income: {keep: {identifying: accepted}}", "born: discretize", "born: drop",
			"[born, ", "[").Replace(peopleJob)),
		"entities, no class": small(strings.NewReplacer("class: income\n", "entity: born\n",
			"income: keep", "income: {keep: {identifying: accepted}}", "born: discretize",
			"born: drop", "[born, ", "[").Replace(peopleJob)),
		"entities, suppressed": small(strings.NewReplacer("class: income\n",
			"class: income\nentity: born\nmax_suppressed: 3%\n", "income: keep",
			"income: {keep: {identifying: accepted}}", "born: discretize", "born: drop",
			"[born, ", "[").Replace(peopleJob)),
		"suppressed": small("max_suppressed: 3%\n" + peopleJob),
		"dropped":    small("max_suppressed: 3%\nsuppressed: drop\n" + peopleJob),
		"kactus":     small(withAlgorithm(peopleJob, "kactus")),
		"recruit":    small(withAlgorithm(peopleJob, "{name: kactus, leftover: recruit}")),
		"iack":       small(withAlgorithm(peopleJob, "iack")),
		"iacc":       small(withAlgorithm(peopleJob, "iacc")),
		"mondrian":   small(withAlgorithm(peopleJob, "mondrian")),
		"relaxed":    small(withAlgorithm(peopleJob, "{name: mondrian, partitioning: relaxed}")),
		"infogain":   small(withAlgorithm(peopleJob, "infogain-mondrian")),
		"apart": small(withAlgorithm(peopleJob,
			"{name: mondrian, sets: apart, region_labels: tight}")),
		"guided": small("max_suppressed: 1%\nsensitive: [{column: income, l: 2}]\n" +
			withAlgorithm(peopleJob, "guided")),
		"auto": small(withAlgorithm("max_suppressed: 1%\n"+changed("class: income\n", ""),
			"auto")),
		"partitions": strings.Replace(peopleJob, "out.parquet",
			"{path: out/, partition_by: [city]}", 1),
		"kept": small(strings.NewReplacer("job: suppress", "job: {keep: {identifying: accepted}}",
			", job]", "]").Replace(peopleJob)),
		"not accepted": small(strings.NewReplacer("job: suppress", "job: keep", ", job]",
			"]").Replace(peopleJob)),
		"nothing kept": small(strings.Replace(changed("class: income\n", ""), "income: keep",
			"income: drop", 1)),
	}
	alone := []string{ // their labels depend on several columns, or their row groups on labels
		"entities, suppressed", "suppressed", "dropped", "kactus", "recruit", "iack",
		"iacc", "mondrian", "relaxed", "infogain", "apart", "guided", "partitions",
	}
	seed := uint64(0)
	for name, text := range jobs {
		seed++
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 25))
			rows := 1500
			if name == "guided" { // whose models take long
				rows = 450
			}
			dir := splitFolder(t, rng, text, rows, 60)
			order := job.OrderReleased
			if name == "input" {
				order = job.OrderInput
			}
			var risks []*risk.Report
			run := func(runner *goroutines, out string) {
				j := mustLoad(t, dir, "order", order)
				j.Output.Path = filepath.Join(dir, out) +
					strings.TrimPrefix(filepath.Base(j.Output.Path), "out")
				if strings.HasSuffix(mustLoad(t, dir, "order", order).Output.Path, "/") {
					j.Output.Path = filepath.Join(dir, out) + "/"
				}
				opt := RunOptions{System: System{Room: 40}}
				if runner != nil {
					opt.Runner = runner
				}
				masksAlone := false
				opt.Events.Notice = func(text string) {
					masksAlone = masksAlone ||
						strings.Contains(text, "this process masks the rows alone")
				}
				report, err := Run(t.Context(), j, opt)
				must(t, err)
				if want := runner != nil && slices.Contains(alone, name); masksAlone != want &&
					name != "auto" || runner != nil && runner.asked > 0 == masksAlone {
					t.Errorf("the run masks the rows alone: %t, want %t; workers were asked "+
						"%d times", masksAlone, want, runner.asked)
				}
				if *report.Information == 0 && name != "iack" {
					t.Error("nothing is left")
				}
				risks = append(risks, report.Risk)
			}
			run(nil, "alone")
			run(&goroutines{rng: rng}, "elsewhere")
			names, err := filepath.Glob(filepath.Join(dir, "alone*"))
			if err != nil || len(names) != 1 {
				t.Fatal(names, err)
			}
			sameReleases(t, strings.Replace(names[0], "alone", "elsewhere", 1), names[0])
			if keeps := name == "not accepted"; !reflect.DeepEqual(risks[0], risks[1]) ||
				keeps && risks[0].Both == nil {
				t.Errorf("elsewhere the risks are %+v, not %+v", risks[1], risks[0])
			}
		})
	}
}

// A run of counts has no rows to mask: it does not call its runner.
func TestCountsWithRunner(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	dir := splitFolder(t, rng, strings.NewReplacer("input: in", "input_counts: in",
		"out.parquet", "cut.json").Replace("count: times\n"+peopleJob), 1500, 60)
	for _, runner := range []Runner{nil, &goroutines{rng: rng}} {
		must(t, tryJob(t, dir, t.Context(), RunOptions{Runner: runner}))
		if runner == nil {
			must(t, os.Rename(filepath.Join(dir, "cut.json"), filepath.Join(dir, "alone")))
		}
	}
	sameReleases(t, filepath.Join(dir, "cut.json"), filepath.Join(dir, "alone"))
}

// Rows that do not fit the memory of the run spill on its machine, even if each worker's part of
// them fits.
func TestRemoteRowsSpill(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	dir := jobFolder(t, strings.NewReplacer("out.parquet", "out/", "[city, age, job], k: 5",
		"[age, job], k: 5", "  - {columns: [born, city, weight], k: 3}\n", "",
		"born: discretize", "born: {keep: {identifying: accepted}}", "city: generalize",
		"city: {keep: {identifying: accepted}}",
		"weight: discretize", "weight: {keep: {identifying: accepted}}").Replace(peopleJob))
	table := people(rng, 240_000)
	for from := 0; from < len(table.rows); from += 10_000 {
		table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%06d.parquet", from)),
			from, from+10_000, 10_000)
	}
	for _, runner := range []Runner{nil, &goroutines{rng: rng, turns: true}} {
		spills := false
		_, err := Run(t.Context(), mustLoad(t, dir, "order", job.OrderReleased, "limits.memory",
			"16MiB"), RunOptions{Runner: runner, Events: resources.Events{Notice: func(
			text string,
		) {
			spills = spills || strings.HasPrefix(text, "rows of the release exceed")
		}}})
		must(t, err)
		if runner == nil {
			must(t, os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "alone")))
		} else if !spills {
			t.Error("no row was spilled")
		}
	}
	sameReleases(t, filepath.Join(dir, "out"), filepath.Join(dir, "alone"))
}

// Runs to several outputs share one place with their workers. Each run removes the folders that
// earlier runs to its output left there, and no others.
func TestSharedFolder(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	eachStore(t, 600, func(t *testing.T, dir string, server *storagetest.Server) {
		in := t.TempDir()
		for name, store := range map[string]sharedFolder{
			"a disk": sharedFolder(in), "a store": sharedFolder(server.URL("shared")),
		} {
			run := func(out string, before func(string) error) error {
				j := mustLoad(t, dir, "output.path", filepath.Join(t.TempDir(), out)+"/",
					"order", job.OrderReleased)
				left := store.subfolder(sharedPrefixOf(filepath.Clean(j.Output.Path)) + "left")
				must(t, left.make())
				must(t, left.put(t.Context(), jobFile, []byte("of a run that was killed")))
				_, err := Run(t.Context(), j, RunOptions{
					Runner: &goroutines{rng: rng, before: before}, Shared: string(store),
				})
				return err
			}
			err := run("one", func(string) error { return run("other", nil) })
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if names, err := store.list(t.Context(), ""); err != nil || len(names) > 0 {
				t.Errorf("%s: %q is left, %v", name, names, err)
			}
		}
	})
}

// Workers that share an object store with the run make the same bytes there, from its input, and
// leave no other object.
func TestWorkersInStores(t *testing.T) {
	eachStore(t, 600, func(t *testing.T, dir string, server *storagetest.Server) {
		rng := rand.New(rand.NewPCG(37, 38))
		var want map[string][]byte
		for _, opt := range []RunOptions{
			{}, {Runner: &goroutines{rng: rng}},
			{Runner: &goroutines{rng: rng}, Shared: server.URL("shared")},
		} {
			if _, err := runRemote(t, dir, server, "out/", opt); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = outputs(t, server)
			}
			if got := server.Keys(t); len(want) < 3 ||
				!maps.EqualFunc(outputs(t, server), want, bytes.Equal) || len(got) != len(want)+5 {
				t.Errorf("shared %q: %q, want %d objects, and the same, beside 4 of the input "+
					"and run.json", opt.Shared, got, len(want))
			}
			removeOutputs(t, server)
		}
	})
}

// Workers in processes of their own, one of which dies, make the same bytes.
func TestRunByProcesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for _, order := range []string{job.OrderReleased, job.OrderInput} {
		t.Run(order, func(t *testing.T) {
			dir := splitFolder(t, rng, changed("output: out.parquet",
				"output: {path: out/, row_group_rows: 40}"), 900, 60)
			for _, runner := range []Runner{nil, &processes{rng}} {
				must(t, tryJob(t, dir, t.Context(), RunOptions{Runner: runner}, "order", order))
				if runner == nil {
					must(t, os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "alone")))
				}
			}
			sameReleases(t, filepath.Join(dir, "out"), filepath.Join(dir, "alone"))
			leftovers(t, dir, ".out.kcut")
		})
	}
}

// Any failure of workers or their runner fails the run; the run keeps the class of the error and
// leaves no files.
func TestRemoteMaskingFailures(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	base := strings.NewReplacer("job: suppress", "job: {keep: {identifying: accepted}}",
		", job]", "]",
		"output: out.parquet", "output: {path: out/, row_group_rows: 40}").Replace(peopleJob)
	dir := splitFolder(t, rng, base, 900, 60)
	stopped, stop := context.WithCancel(t.Context())
	eachResult := func(change func(name string) error) func(string) error {
		return func(folder string) error {
			names, err := filepath.Glob(filepath.Join(folder, resultPrefix+"*"))
			if err == nil && len(names) == 0 {
				err = errors.New("there are no results")
			}
			for _, name := range names {
				err = errors.Join(err, change(name))
			}
			return err
		}
	}
	damage := func(name string) error {
		content, err := os.ReadFile(name)
		content[len(content)/2] ^= 0x55
		return errors.Join(err, os.WriteFile(name, content, 0o600))
	}
	for name, tc := range map[string]struct {
		runner *goroutines
		order  string
		want   error
		asked  int
	}{
		"runner": {&goroutines{before: func(string) error {
			return errors.New("the cluster is gone")
		}}, job.OrderReleased, fault.Transient, mostAttempts},
		"stopped": {&goroutines{before: func(string) error { stop(); return stopped.Err() }},
			job.OrderReleased, fault.Cancelled, 1},
		"input gone": {&goroutines{before: func(string) error {
			return os.Rename(filepath.Join(dir, "in", "0150.parquet"),
				filepath.Join(dir, "in", "_gone"))
		}}, job.OrderReleased, fault.Input, 1},
		"cut gone": {&goroutines{before: func(folder string) error {
			return os.Remove(filepath.Join(folder, cutFile))
		}}, job.OrderReleased, fault.Transient, mostAttempts},
		"damaged rows": {&goroutines{after: eachResult(damage)}, job.OrderReleased,
			fault.Input, 1},
		"damaged row groups": {&goroutines{after: eachResult(damage)}, job.OrderInput,
			fault.Input, 1},
		"lost": {&goroutines{after: eachResult(os.Remove)}, job.OrderReleased, fault.Transient,
			mostAttempts},
		"two kinds": {
			&goroutines{after: eachResult(func(name string) error {
				return os.WriteFile(name+"0", nil, 0o600)
			})}, job.OrderReleased, fault.Transient, mostAttempts,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if name == "stopped" {
				ctx = stopped
			}
			tc.runner.rng = rng
			err := tryJob(t, dir, ctx, RunOptions{Runner: tc.runner}, "order", tc.order)
			if !errors.Is(fault.Advised(err), tc.want) || tc.runner.asked != tc.asked {
				t.Errorf("%v, want class %v; asked %d times, want %d",
					err, tc.want, tc.runner.asked, tc.asked)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is an output: %v", err)
			}
			leftovers(t, dir)
		})
		_ = os.Rename(filepath.Join(dir, "in", "_gone"), filepath.Join(dir, "in", "0150.parquet"))
	}
}

// With a runner, rows that are unique on kept columns are refused, and so is an earlier cut.
func TestRunnerRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	opt := RunOptions{Runner: &goroutines{rng: rng}}
	dir := splitFolder(t, rng, strings.NewReplacer("weight: discretize", "weight: keep",
		", weight]", "]").Replace(peopleJob), 900, 150)
	if err := tryJob(t, dir, t.Context(), opt); !errors.Is(fault.Advised(err), fault.Privacy) {
		t.Errorf("a kept column that tells rows apart: %v", err)
	}
	dir = splitFolder(t, rng, peopleJob, 900, 150)
	must(t, tryJob(t, dir, t.Context(), RunOptions{}))
	opt.OnlyCoarsen, opt.Overwrite = filepath.Join(dir, "out.parquet"), true
	if err := tryJob(t, dir, t.Context(), opt); !errors.Is(fault.Advised(err), fault.Usage) {
		t.Errorf("a cut that is given: %v", err)
	}
}

// A worker has the same job as the run, wherever the worker reads it.
func TestPortableJob(t *testing.T) {
	dir := jobFolder(t, changed("job: suppress",
		"job: {mask: generalize, taxonomy: {prefix: [1]}}")+"max_suppressed: 0.5%\nmax_steps: 0\n")
	j := mustLoad(t, dir)
	text, err := j.Portable()
	must(t, err)
	must(t, os.Remove(filepath.Join(dir, "trees.yaml")))
	t.Chdir(t.TempDir())
	read, err := job.ParsePortable(text)
	must(t, err)
	again, err := read.Portable()
	must(t, err)
	if !bytes.Equal(again, text) || read.MaxSuppressed != j.MaxSuppressed || read.MaxSteps == nil ||
		read.Column("city").Taxonomy.Tree == nil {
		t.Errorf("%s\n%s", again, text)
	}
}
