package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// overhead is the memory that a run may take beyond its budget: docs/memory.md promises it.
const overhead = spill.Overhead

// bigRows returns a number of rows, multiplied by KCUT_LONG_SCALE.
func bigRows(rows float64) int64 {
	if scale, err := strconv.ParseFloat(os.Getenv("KCUT_LONG_SCALE"), 64); err == nil {
		rows *= scale
	}
	return int64(rows)
}

// bigRun is a table and a job with one set of all masked columns.
type bigRun struct {
	name  string
	table bigTable
	masks string // masks of the columns in order; the class is kept
	k     int
	group int   // rows of a row group of the release; 0: kcut chooses
	tight []int // budgets in MiB that are too small to run in memory; nil: 256
	// room is the largest number of bytes per row in the spill folder at a time: half more than the
	// packed codes of a row, or than its values with full texts if the values do not fit the
	// memory. A run that did not free consumed data would take more.
	room int64
}

func bigRuns() []bigRun {
	return []bigRun{
		{
			name: "many distinct tuples",
			table: bigTable{rows: bigRows(20e6), rowGroup: 1 << 20, columns: []bigColumn{
				numbers("age", 74), numbers("weight", 20_000), numbers("education-num", 16),
				numbers("gain", 120),
				numbers("loss", 100), numbers("hours", 99), zips("zip"), words("sex", 2),
				words("race", 5),
				words("relationship", 6), words("marital", 7), words("workclass", 8),
				words("occupation", 14), words("country", 41),
			}},
			masks: "discretize discretize discretize discretize discretize discretize prefix " +
				"suppress suppress suppress suppress suppress suppress suppress",
			k:    50,
			room: 27,
		},
		{
			name: "many rows",
			table: bigTable{rows: bigRows(100e6), rowGroup: 12_500_000, columns: []bigColumn{
				numbers("age", 74), words("sex", 2), zips("zip"),
			}},
			masks: "discretize suppress prefix",
			k:     50, tight: []int{32},
			room: 8, // rows in the order of the release
		},
		{
			name: "many distinct values",
			// 20 million accounts, and a larger number of times.
			table: bigTable{rows: bigRows(21.4e6), rowGroup: 1 << 20, columns: []bigColumn{
				{name: "seen", typ: formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}},
				{name: "account", typ: bigText, text: account},
				numbers("age", 74),
			}},
			masks: "discretize suppress discretize",
			k:     50,
			room:  54,
		},
		{
			name: "twenty million codes",
			table: bigTable{rows: bigRows(20e6), rowGroup: 1 << 20, columns: []bigColumn{
				{name: "code", typ: bigText, text: func(v uint64) string {
					return fmt.Sprintf("%010d", v%10_000_000_000)
				}},
				numbers("age", 74), words("sex", 2),
			}},
			masks: "prefix discretize suppress",
			k:     50, tight: []int{256, 64},
			room: 54,
		},
		{
			name: "ten million codes, and moments",
			table: bigTable{rows: bigRows(20e6), rowGroup: 1 << 20, columns: []bigColumn{
				{name: "code", typ: bigText, text: func(v uint64) string {
					return fmt.Sprintf("%012d", v%10_000_000*31_337)
				}},
				{name: "seen", typ: bigText, text: moment},
				words("sex", 2),
			}},
			masks: "prefix date suppress",
			k:     50, tight: []int{256, 64},
			room: 100,
		},
		{
			name: "one giant row group",
			table: bigTable{rows: bigRows(10e6), rowGroup: 1 << 40, columns: []bigColumn{
				numbers("age", 74), words("sex", 2),
				{name: "id", typ: bigInt}, {name: "amount", typ: bigFloat},
				{name: "note", typ: bigText, text: account},
			}},
			masks: "discretize suppress keep keep keep",
			k:     50,
			room:  80,
		},
		{
			name: "giant dictionaries",
			table: bigTable{rows: bigRows(4e6), rowGroup: 1 << 40, columns: []bigColumn{
				numbers("age", 74), words("sex", 2),
				{name: "note", typ: bigText, text: long, domain: int(bigRows(2e6)), listed: true},
				{name: "memo", typ: bigText, text: long, domain: int(bigRows(2e6)), listed: true},
			}},
			masks: "discretize suppress prefix keep",
			k:     50, tight: []int{1024},
			room: 150,
		},
		{
			name: "giant dictionaries, one after another",
			table: bigTable{rows: bigRows(4e6), rowGroup: 1 << 20, columns: []bigColumn{
				numbers("age", 74), words("sex", 2),
				{name: "note", typ: bigText, text: long, domain: int(bigRows(2e6)), listed: true},
				{name: "memo", typ: bigText, text: long, domain: int(bigRows(2e6)), listed: true},
			}},
			masks: "discretize suppress prefix keep",
			k:     50, tight: []int{1024},
			room: 150,
		},
		{
			name: manyChunks,
			// 2,000 row groups of 63 columns, in the table and in the release.
			table: bigTable{rows: 400_000, rowGroup: 200, columns: slices.Concat(
				[]bigColumn{numbers("age", 74), words("sex", 2)},
				slices.Collect(func(yield func(bigColumn) bool) {
					for i := 0; i < 60 && yield(numbers(fmt.Sprintf("kept%d", i), 10)); i++ {
					}
				}))},
			masks: "discretize suppress" + strings.Repeat(" keep", 60),
			k:     50, group: 200, tight: []int{64, 32},
			room: 300,
		},
	}
}

// manyChunks is the name of the run over very many column chunks.
const manyChunks = "many column chunks"

// TestBiggerThanMemory runs jobs whose data are larger than their memory budget. The process stays
// within budget and overhead, its spill folder stays a little larger than the live data, and the
// release is the same as with plenty of memory.
func TestBiggerThanMemory(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("takes minutes: KCUT_LONG=1 runs it")
	}
	program := built(t)
	for i, tt := range bigRuns() {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			text, err := exec.CommandContext(t.Context(), "bigrun", strconv.Itoa(i),
				dir).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			plenty := measure(t, program, dir, "8GiB")
			if tt.tight == nil {
				tt.tight = []int{256}
			}
			for _, budget := range tt.tight {
				tight := measure(t, program, dir, fmt.Sprintf("%dMiB", budget))
				if tight.sums != plenty.sums {
					t.Errorf("with %d MiB release and trace are %s, with 8 GiB %s", budget,
						tight.sums, plenty.sums)
				}
				if tight.resident == 0 || tight.resident > int64(budget)<<20+overhead {
					t.Errorf("peak resident set is %d MiB with a budget of %d MiB",
						tight.resident>>20, budget)
				}
				if room := tt.table.rows * tt.room; tight.disk > room {
					t.Errorf("%d MiB lay in the spill folder at a time, more than %d",
						tight.disk>>20, room>>20)
				}
				if tight.disk == 0 && tt.room > 0 {
					t.Error("nothing was spilled")
				}
			}
		})
	}
}

// TestManyColumnChunks applies and verifies a release of very many column chunks, whose footer is
// large, within budget and overhead. A budget that is too small to open the input is refused at
// once.
func TestManyColumnChunks(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("takes half a minute: KCUT_LONG=1 runs it")
	}
	program, dir := built(t), t.TempDir()
	number := slices.IndexFunc(bigRuns(), func(b bigRun) bool { return b.name == manyChunks })
	text, err := exec.CommandContext(t.Context(), "bigrun", strconv.Itoa(number),
		dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	job, out, cut := filepath.Join(dir, "job.yaml"), filepath.Join(dir, "out.parquet"),
		filepath.Join(dir, "cut.parquet")
	refused := start(t, exec.Command(program, "run", job, "--memory", "16MiB", "--quiet"))
	if code := refused.exit(t); code != 7 ||
		!strings.Contains(refused.stderr.String(), "hint: give at least") {
		t.Errorf("with 16 MiB: exit code %d: %s", code, &refused.stderr)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused run left an output: %v", err)
	}
	for _, args := range [][]string{
		{"run", job, "--memory", "64MiB"}, {"verify", out},
		{"apply", job, "--cut", cut, "--memory", "64MiB"},
	} {
		if args[0] == "apply" {
			if err := os.Rename(out, cut); err != nil {
				t.Fatal(err)
			}
		}
		child := start(t, exec.Command(program, append(args, "--quiet")...))
		resident := child.most(child.peakResident)[0]
		if code := child.exit(t); code != 0 {
			t.Fatalf("%s: exit code %d: %s", args[0], code, &child.stderr)
		}
		if t.Logf("%s: peak resident set %d MiB", args[0], resident>>20); resident == 0 ||
			resident > 64<<20+overhead {
			t.Errorf("%s: peak resident set is %d MiB, more than 64 MiB and the overhead", args[0],
				resident>>20)
		}
	}
}

// built returns the path of kcut for users: the code that tests add would take part of the
// overhead.
func built(t *testing.T) (program string) {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// build builds kcut once, next to the commands of the tests, which are removed after the tests.
var build = sync.OnceValues(func() (program string, err error) {
	command, err := exec.LookPath("kcut")
	if err != nil {
		return "", err
	}
	program = filepath.Join(filepath.Dir(command), "kcut-built")
	text, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program,
		".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build kcut: %w\n%s", err, text)
	}
	return program, nil
})

// moment returns one of the microseconds of forty years.
func moment(v uint64) string {
	const span = 40 * 365 * 24 * 3600 * 1_000_000
	return time.UnixMicro(int64(v % span)).UTC().Format("2006-01-02T15:04:05.000000Z")
}

// long returns a text of a hundred bytes.
func long(v uint64) string { return fmt.Sprintf("%0100d", mix(v)) }

// account returns the text of an account. One in sixteen is one of a hundred frequent accounts.
func account(v uint64) string {
	if v%16 == 0 {
		return "shared-" + strconv.FormatUint(v/16%100, 10)
	}
	return "account-" + strconv.FormatUint(v, 36)
}

// writeBigRun is a command that writes the table and the job of a numbered run to a folder. It runs
// in a process of its own, because the memory of a process counts for its children, too.
func writeBigRun() {
	number, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = bigRuns()[number].prepare(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// prepare writes table and job.
func (b *bigRun) prepare(dir string) error {
	if err := b.table.write(filepath.Join(dir, "in.parquet")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(b.job()), 0o600)
}

// job returns the job file.
func (b *bigRun) job() string {
	var set []string
	columns := "  class: keep\n"
	masks := strings.Fields(b.masks)
	for i, c := range b.table.columns {
		mask := masks[i]
		if mask != "keep" {
			set = append(set, c.name)
		}
		switch mask {
		case "keep":
			mask = "{keep: {identifying: accepted}}"
		case "prefix":
			mask = "{mask: generalize, taxonomy: {prefix: [5, 3, 1]}}"
		case "date":
			mask = "{mask: generalize, taxonomy: {date: [day, month, year]}}"
		}
		columns += fmt.Sprintf("  %s: %s\n", c.name, mask)
	}
	output := "out.parquet"
	if b.group > 0 {
		output = fmt.Sprintf("{path: out.parquet, row_group_rows: %d}", b.group)
	}
	return fmt.Sprintf("input: in.parquet\noutput: %s\nclass: class\nquasi_identifiers:\n  - "+
		"{columns: [%s], k: %d}\ncolumns:\n%s",
		output, strings.Join(set, ", "), b.k, columns)
}

type measured struct {
	resident     int64
	seconds, cpu float64
	disk         int64  // the most bytes seen in the spill folder
	sums         string // digests of release and trace
	run          measuredRun
}

// measuredRun has the fields of run.json that the tests check.
type measuredRun struct {
	Steps       int
	Tuples      []int `json:"distinct_tuples"`
	Spilled     int64 `json:"spilled_bytes"`
	AlreadyDone bool  `json:"already_done"`
	Stages      []struct {
		Stage   string
		Seconds float64
	}
}

// measure runs the job in dir in a process of its own.
func measure(t *testing.T, program, dir, memory string, flags ...string) measured {
	t.Helper()
	report := filepath.Join(dir, "run.json")
	trace := filepath.Join(dir, "trace.jsonl")
	began := time.Now()
	cmd := exec.Command(program,
		append([]string{"run", filepath.Join(dir, "job.yaml"), "--memory", memory,
			"--trace", trace, "--run-json", report, "--overwrite", "--no-resume", "--quiet"},
			flags...)...)
	child := start(t, cmd)
	most := child.most(child.peakResident, func() int64 {
		return bytesIn(filepath.Join(dir, ".kcut-spill"))
	})
	if code := child.exit(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, &child.stderr)
	}
	m := measured{
		seconds:  time.Since(began).Seconds(),
		cpu:      (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		resident: most[0],
		disk:     most[1],
		sums:     digest(t, filepath.Join(dir, "out.parquet")) + " " + digest(t, trace),
	}
	run := &m.run
	text, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(text, run)
	}
	if err != nil {
		t.Fatal(err)
	}
	if run.AlreadyDone {
		t.Fatal("the run found its work done")
	}
	t.Logf("%s: peak resident set %d MiB, %.0f s, %d steps, tuples %d, spilled %d MiB, at most "+
		"%d MiB at a time, stages %v",
		memory, m.resident>>20, m.seconds, run.Steps, run.Tuples, run.Spilled>>20, m.disk>>20,
		run.Stages)
	return m
}

// most returns the largest value that each of the functions returned until the run ended.
func (r *running) most(looks ...func() int64) (most []int64) {
	most = make([]int64, len(looks))
	for {
		select {
		case <-r.done:
			return most
		case <-time.After(5 * time.Millisecond):
			for i, look := range looks {
				most[i] = max(most[i], look())
			}
		}
	}
}

// peakResident returns the largest resident set that the process has had so far, in bytes. After
// the end of the process the system would also count the memory of this process at its start.
func (r *running) peakResident() (bytes int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); err == nil {
			return bytes << 10
		}
	}
	return 0
}

// bytesIn returns the number of bytes of the files below a folder, while files come and go.
func bytesIn(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// digest returns the first bytes of a file's SHA-256.
func digest(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}
