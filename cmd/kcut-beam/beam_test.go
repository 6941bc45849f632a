package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/kcut/kcut"
)

// The test program is kcut-beam as well, and a job server, if the environment says so.
const (
	roleEnv = "KCUT_BEAM_TEST" // "program", or the port of a job server
	haltEnv = "KCUT_BEAM_HALT" // a file: the task that makes it waits for a kill
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleEnv)
	if file := os.Getenv(haltEnv); file != "" {
		doTask = func(w *kcut.Worker, ctx context.Context, task int) error {
			if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
				fmt.Fprintln(f, os.Getpid())
				_ = f.Close()
				time.Sleep(time.Minute)
			}
			return w.Do(ctx, task)
		}
	}
	switch {
	case role == "program":
		main()
	case role != "":
		var port int
		_, _ = fmt.Sscan(role, &port)
		_, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port})
		if err != nil {
			panic(err)
		}
		select {}
	}
	os.Exit(m.Run())
}

const testJob = `
input: in
output: out/
class: income
quasi_identifiers:
  - {columns: [city, age, job], k: 20}
  - {columns: [born, city, weight], k: 10}
max_unique: 100%
columns:
  age: {mask: discretize, bounds: [17, 90]}
  born: discretize
  city: {mask: generalize, taxonomy: {prefix: [3, 1]}}
  job: suppress
  weight: discretize
  sex: {mask: pseudonym, key_env: KCUT_BEAM_KEY}
  income: keep
  name: drop
`

// folder makes a folder with the job, and a table of the given number of rows in eight files.
func folder(t *testing.T, rows int) string {
	t.Helper()
	t.Setenv("KCUT_BEAM_KEY", "0123456789abcdef0123456789abcdef")
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(testJob), 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
	rng := rand.New(rand.NewPCG(1, 2))
	jobs := []string{"nurse", "clerk", "cook", "judge", ""}
	for file := range 8 {
		var text bytes.Buffer
		text.WriteString("age,born,city,job,weight,sex,income,name\n")
		for range rows / 8 {
			age := 17 + rng.IntN(70)
			income := "low"
			if age+rng.IntN(40) > 70 {
				income = "high"
			}
			city := fmt.Sprintf("%05d", rng.IntN(200)*37)
			weight := fmt.Sprint(float64(rng.IntN(4000)) / 8)
			if rng.IntN(50) == 0 {
				city, weight = "", ""
			}
			fmt.Fprintf(&text, "%d,%d-%02d-%02d,%s,%s,%s,%c,%s,p%d\n", age, 2020-age,
				1+rng.IntN(12), 1+rng.IntN(28),
				city, jobs[min(rng.IntN(5), age/18)], weight, "fm"[rng.IntN(2)], income,
				rng.IntN(1e6))
		}
		must(t, os.WriteFile(filepath.Join(dir, "in", fmt.Sprintf("%d.csv", file)), text.Bytes(),
			0o600))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// release runs the job of the folder.
func release(t *testing.T, dir, out string, runner kcut.Runner, overrides ...kcut.Override) error {
	t.Helper()
	overrides = append(overrides,
		kcut.Override{Key: "output.path", Value: filepath.Join(dir, out) + "/"})
	job, err := kcut.LoadJob(filepath.Join(dir, "job.yaml"), overrides...)
	must(t, err)
	_, err = kcut.Run(t.Context(), job, kcut.RunOptions{Runner: runner})
	return err
}

// same compares releases, and checks that no files of the runs are left.
func same(t *testing.T, dir, got, want string) {
	t.Helper()
	names, err := os.ReadDir(filepath.Join(dir, want))
	must(t, err)
	others, err := os.ReadDir(filepath.Join(dir, got))
	must(t, err)
	if len(names) < 3 || len(names) != len(others) {
		t.Errorf("%d files, want %d", len(others), len(names))
	}
	for _, name := range names {
		a, err := os.ReadFile(filepath.Join(dir, want, name.Name()))
		must(t, err)
		if b, err := os.ReadFile(filepath.Join(dir, got, name.Name())); err != nil ||
			!bytes.Equal(a, b) {
			t.Errorf("%s: other bytes than those of kcut run, %v", name.Name(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.kcut", "shared-*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// startBeam sets Beam's flags for Prism in this process.
func startBeam(t *testing.T) {
	t.Helper()
	t.Setenv(roleEnv, "")
	must(t, (&settings{runner: "prism"}).prepare())
}

var orders = []string{"released", "input"}

func inOrder(order string) kcut.Override { return kcut.Override{Key: "order", Value: order} }

// shuffled runs tasks on Prism in random order.
type shuffled struct{ rng *rand.Rand }

func (r shuffled) Do(ctx context.Context, folder string, tasks int) error {
	_, err := beam.Run(ctx, "prism", pipelineOf(folder, r.rng.Perm(tasks)))
	return err
}

// Prism in this process makes the same bytes as kcut run. The table has 100,000 rows with every
// mask, two sets, nulls, and several files.
func TestPrism(t *testing.T) {
	startBeam(t)
	dir := folder(t, 100_000)
	for _, order := range orders {
		must(t, release(t, dir, "alone-"+order, nil, inOrder(order)))
		must(t, release(t, dir, "prism-"+order, runner("prism"), inOrder(order)))
		same(t, dir, "prism-"+order, "alone-"+order)
	}
	err := release(t, dir, "none", runner("prism"),
		kcut.Override{Key: "quasi_identifiers[].k", Value: "200000"})
	if !errors.Is(err, kcut.ErrPrivacy) {
		t.Errorf("k is more than there are rows: %v", err)
	}
}

// With protections, some of which count the rows of people, Prism makes the same bytes as kcut run,
// too.
func TestProtections(t *testing.T) {
	startBeam(t)
	dir := folder(t, 16_000)
	protected := strings.Replace(testJob, "class: income\n",
		"class: income\nentity: name\n"+
			"sensitive: [{column: income, l: 2, max_confidence: {high: 0.95}}]\n", 1)
	for name, text := range map[string]string{"entities": protected,
		"suppressed": testJob + "max_suppressed: 2%\n"} {
		must(t, os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(text), 0o600))
		must(t, release(t, dir, "alone-"+name, nil))
		must(t, release(t, dir, "prism-"+name, runner("prism")))
		same(t, dir, "prism-"+name, "alone-"+name)
	}
}

// Bundles in random order, bundles that run twice and a bundle that fails once change no byte.
func TestBundles(t *testing.T) {
	startBeam(t)
	dir := folder(t, 8_000)
	do := doTask
	defer func() { doTask = do }()
	var mu sync.Mutex
	var failed bool
	for _, order := range orders {
		must(t, release(t, dir, "alone-"+order, nil, inOrder(order)))
		doTask = func(w *kcut.Worker, ctx context.Context, task int) error {
			return errors.Join(do(w, ctx, task), do(w, ctx, task))
		}
		must(t, release(t, dir, "twice-"+order, shuffled{rand.New(rand.NewPCG(3, 4))},
			inOrder(order)))
		same(t, dir, "twice-"+order, "alone-"+order)
		failed = false
		doTask = func(w *kcut.Worker, ctx context.Context, task int) error {
			err := do(w, ctx, task)
			mu.Lock()
			defer mu.Unlock()
			if !failed {
				failed = true
				err = errors.Join(err, errors.New("fails once"))
			}
			return err
		}
		must(t, release(t, dir, "failing-"+order, runner("prism"), inOrder(order)))
		same(t, dir, "failing-"+order, "alone-"+order)
		if !failed {
			t.Error("no task has failed")
		}
	}
	doTask = func(*kcut.Worker, context.Context, int) error { return errors.New("fails always") }
	if err := release(t, dir, "none", runner("prism")); !errors.Is(err, kcut.ErrTransient) {
		t.Errorf("every bundle fails: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("there is an output")
	}
}

// The error of a worker has the same class as in kcut run.
func TestWorkerErrors(t *testing.T) {
	startBeam(t)
	dir := folder(t, 8_000)
	must(t, os.WriteFile(filepath.Join(dir, "in", "9.csv"),
		[]byte("age,born,city,job,weight,sex,income,name\n"+
			"200,1999-01-01,00001,cook,1.5,f,low,p1\n"), 0o600))
	if err := release(t, dir, "none", runner("prism")); !errors.Is(err, kcut.ErrInput) ||
		!strings.Contains(err.Error(), "age") {
		t.Errorf("a value is outside its bounds: %v", err)
	}
}

// Messages, answers and exit codes are the same as those of kcut run.
func TestCommandLine(t *testing.T) {
	startBeam(t)
	dir := folder(t, 8_000)
	job, trace, report := filepath.Join(dir, "job.yaml"), filepath.Join(dir, "trace"),
		filepath.Join(dir, "run.json")
	for _, tt := range []struct {
		args string
		exit int
		says string
	}{
		{"", 2, "no command given"},
		{"walk", 2, "no command is called walk"},
		{"version", 0, "kcut-beam "},
		{"run", 2, "takes one job file"},
		{"run JOB --runner dask", 2, "--runner is one of prism, flink, spark, dataflow, not dask"},
		{"run JOB --runner flink --endpoint=", 2, "takes the job server's --endpoint"},
		{"run JOB --runner spark --endpoint localhost:1 --json", 6, `"class":"transient"`},
		{"run JOB --endpoint= --nothing", 2, "kcut-beam run --help"},
		{"run JOB --k 0 --json", 2, `"exit":2`},
		{"run JOB --trace nowhere/trace", 2, "nowhere"},
		{"run JOB --algorithm kactus --output OTHER", 0, "this process masks the rows alone"},
		{"run JOB --k 200000 --json", 4, `"class":"privacy"`},
		{"run JOB --json --trace TRACE --run-json REPORT", 0, `"released":8000`},
		{"run JOB --json", 0, `"already_done":true`},
		{"run JOB --k 30", 5, "replace it with --overwrite"},
		{"run JOB --k 30 --overwrite", 0, `"msg":"released"`},
		{"run --help", 0, "--environment_type"},
	} {
		var out, said bytes.Buffer
		u := &ui{out: &out, err: &said, log: slog.New(slog.NewJSONHandler(&said, nil))}
		args := strings.Fields(strings.NewReplacer("JOB", job, "OTHER",
			filepath.Join(dir, "other.parquet"), "TRACE", trace, "REPORT", report).Replace(tt.args))
		exit := execute(t.Context(), args, u)
		if text := said.String() + out.String(); exit != tt.exit ||
			!strings.Contains(text, tt.says) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", tt.args, exit, tt.exit, tt.says, text)
		}
		if lines := strings.Count(out.String(), "\n"); strings.Contains(tt.args, "--json") &&
			(lines != 1 || !json.Valid(out.Bytes())) {
			t.Errorf("%s: not one line of JSON:\n%s", tt.args, out.String())
		}
	}
	for _, file := range []string{trace, report} {
		if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "{") {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
}

// server starts a job server, and returns its address.
func server(t *testing.T) (*exec.Cmd, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	address := listener.Addr().(*net.TCPAddr)
	must(t, listener.Close())
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", roleEnv, address.Port))
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", address.Port)); err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return cmd, fmt.Sprintf("localhost:%d", address.Port)
}

// program returns the command of a run on a job server, whose workers are processes. If halts is
// true, the first worker that gets a task waits there, and writes its process id to a file.
func program(dir, out, address string, halts bool) (cmd *exec.Cmd, file string) {
	if halts {
		file = filepath.Join(dir, out+".halted")
	}
	environment, _ := json.Marshal(map[string]any{
		"command": os.Args[0], "env": map[string]string{roleEnv: "program", haltEnv: file},
	})
	cmd = exec.Command(os.Args[0], "run", filepath.Join(dir, "job.yaml"), "--output",
		filepath.Join(dir, out)+"/",
		"--endpoint", address, "--environment_type", "PROCESS", "--environment_config",
		string(environment))
	cmd.Env = append(os.Environ(), roleEnv+"=program", haltEnv+"=")
	return cmd, file
}

// awaitHalt waits until a worker halts, and returns its process.
func awaitHalt(t *testing.T, file string, said fmt.Stringer) int {
	t.Helper()
	for range 6_000 { // Flink starts slowly
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(text), "\n") {
			var pid int
			_, err := fmt.Sscan(string(text), &pid)
			must(t, err)
			return pid
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no worker came there: %s", said)
	return 0
}

// workersOf returns the worker processes of the folder's releases, also those that have ended.
func workersOf(t *testing.T, dir string) (pids []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	must(t, err)
	for _, process := range processes {
		args, _ := os.ReadFile(filepath.Join(process, "cmdline")) // the process may have ended
		environment, _ := os.ReadFile(filepath.Join(process, "environ"))
		if bytes.Contains(args, []byte("--worker=true")) &&
			bytes.Contains(environment, []byte(dir)) {
			pids = append(pids, filepath.Base(process))
		}
	}
	return pids
}

// ended waits until no worker process of the folder is left.
func ended(t *testing.T, dir string) {
	t.Helper()
	left := workersOf(t, dir)
	for range 200 {
		if len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
		left = workersOf(t, dir)
	}
	t.Errorf("workers %v are left", left)
}

// A killed worker changes nothing. After the kill of a driver or of a job server there is no
// release, and the next run makes it. Every worker ends with its run.
func TestKills(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("takes minutes: KCUT_LONG=1 runs it")
	}
	dir := folder(t, 8_000)
	for _, order := range orders {
		must(t, release(t, dir, "alone-"+order, nil, inOrder(order)))
	}
	for _, order := range orders {
		_, address := server(t)
		cmd, file := program(dir, "worker-"+order, address, true)
		cmd.Args = append(cmd.Args, "--order", order)
		var out bytes.Buffer
		cmd.Stderr = &out
		must(t, cmd.Start())
		must(t, syscall.Kill(awaitHalt(t, file, &out), syscall.SIGKILL))
		if err := cmd.Wait(); err != nil {
			t.Errorf("a worker was killed, order %s: %v\n%s", order, err, out.String())
			continue
		}
		same(t, dir, "worker-"+order, "alone-"+order)
		ended(t, dir)
	}
	for _, who := range []string{"driver", "server"} {
		job, address := server(t)
		cmd, file := program(dir, who, address, true)
		var out bytes.Buffer
		cmd.Stderr = &out
		must(t, cmd.Start())
		worker := awaitHalt(t, file, &out)
		if !slices.Contains(workersOf(t, dir), strconv.Itoa(worker)) {
			t.Errorf("worker %d is none of %v", worker, workersOf(t, dir))
		}
		if who == "driver" {
			must(t, cmd.Process.Kill())
		} else {
			must(t, job.Process.Kill())
		}
		err := cmd.Wait()
		if who == "driver" { // the job server goes on without its driver
			must(t, syscall.Kill(worker, syscall.SIGKILL))
		}
		ended(t, dir)
		if failure := new(exec.ExitError); !errors.As(err, &failure) ||
			who == "server" && failure.ExitCode() != 6 {
			t.Errorf("the %s was killed: %v", who, err)
		}
		if _, err := os.Stat(filepath.Join(dir, who)); err == nil {
			t.Errorf("the %s was killed, and there is a release", who)
		}
		_, address = server(t)
		cmd, _ = program(dir, who, address, false)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("after the %s was killed: %v\n%s", who, err, out)
			continue
		}
		same(t, dir, who, "alone-released")
	}
}

// printed is a log that keeps the output of Dataflow's dry run.
type printed struct{ bytes.Buffer }

func (p *printed) Log(_ context.Context, _ log.Severity, _ int, text string) { p.WriteString(text) }

// Dataflow's translation accepts the masking. The test does not send the translated job.
func TestDataflowTranslation(t *testing.T) {
	startBeam(t)
	out := &printed{}
	log.SetLogger(out)
	defer log.SetLogger(silence{})
	settings := map[string]string{"dry_run": "true", "staging_location": "gs://bucket/staging",
		"region": "europe-west1", "project": "some"}
	for name, value := range settings {
		must(t, flag.Set(name, value))
	}
	defer func() { must(t, flag.Set("dry_run", "false")) }()
	*jobopts.EnvironmentType = "DOCKER"
	defer func() { *jobopts.EnvironmentType = "LOOPBACK" }()
	must(t, runner("dataflow").Do(t.Context(), "gs://bucket/shared", 3))
	for _, want := range []string{"mask", "beam:transform:group_by_key:v1", "JOB_TYPE_BATCH",
		"gs://bucket/staging"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the job has no %s", want)
		}
	}
}
