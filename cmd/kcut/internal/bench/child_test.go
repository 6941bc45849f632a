package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/kcut/internal/sample"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/spill"
)

// Measured tasks run in a process of their own, so that its memory, garbage and processor time are
// theirs alone. The process is this test binary, with its task in the environment variable
// benchTask; it writes its measures to a file.

const benchTaskKey = "KCUT_BENCH_TASK"

// benchTask is the task of a process: make a sample, run a job, or do the same work as a job in a
// plain loop.
type benchTask struct {
	Result string // file for the measures

	Sample string // file to make, with Rows rows
	Rows   int64

	Job     string // job file to run
	Threads string

	Loop    string // file to count and rewrite
	Out     string
	Columns []string // columns to write
	Masked  []string // columns that are counted together and masked
	Class   string   // column that is counted with them
}

// measure is the cost of a stage.
type measure struct {
	Stage  string
	Wall   float64 // seconds
	CPU    float64 // seconds of all threads, including the system's part
	GC     float64 // seconds of CPU of the garbage collector
	Allocs float64
	Bytes  float64 // allocated
	Peak   float64 // largest resident set, in bytes
}

// spawn runs a process for a task.
func (t benchTask) spawn(tb testing.TB) (measures []measure) {
	tb.Helper()
	task, err := json.Marshal(t)
	if err != nil {
		tb.Fatal(err)
	}
	command := exec.CommandContext(tb.Context(), os.Args[0], "-test.run=^TestBenchTask$")
	command.Env = append(os.Environ(), benchTaskKey+"="+string(task))
	if out, err := command.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(t.Result)
	if err := errors.Join(err, json.Unmarshal(text, &measures)); err != nil {
		tb.Fatal(err)
	}
	return measures
}

// TestBenchTask is the process.
func TestBenchTask(t *testing.T) {
	text, ok := os.LookupEnv(benchTaskKey)
	if !ok {
		t.Skip("only benchmarks run it")
	}
	var task benchTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		t.Fatal(err)
	}
	measures, err := task.do(t)
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(measures)
	if err := errors.Join(err, os.WriteFile(task.Result, out, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (t *benchTask) do(tb testing.TB) ([]measure, error) {
	switch {
	case t.Sample != "":
		return nil, sample.Write(tb.Context(), t.Sample, sample.Options{Rows: t.Rows, Seed: 1})
	case t.Job != "":
		return t.run(tb)
	}
	return t.loop(tb), nil
}

// run measures a job stage by stage.
func (t *benchTask) run(tb testing.TB) (measures []measure, err error) {
	began := probe()
	job, err := kcut.LoadJob(t.Job, kcut.Override{
		Key:    "limits.threads",
		Value:  t.Threads,
		Origin: "benchmark",
	})
	if err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(min(job.Limits.Threads, runtime.GOMAXPROCS(0))) // as the program does
	var stage measure
	peak := 0.0
	_, err = kcut.Run(tb.Context(), job, kcut.RunOptions{Overwrite: true, Events: kcut.Events{
		Start: func(kcut.Stage) {
			forgetPeak()
			stage = probe()
		},
		End: func(s kcut.Stage, _ time.Duration) {
			m := probe().since(stage)
			m.Stage, peak = string(s), max(peak, m.Peak)
			measures = append(measures, m)
		},
	}})
	total := probe().since(began)
	total.Stage, total.Peak = "all", peak
	return append(measures, total), err
}

// loop measures a plain loop's counting and rewriting.
func (t *benchTask) loop(tb testing.TB) []measure {
	began := probe()
	_, values := formatstest.CountGroups(tb, t.Loop, append(t.Masked, t.Class))
	labels := make(map[string]map[string]string)
	for i, column := range t.Masked {
		labels[column] = halves(values[i])
	}
	formatstest.RewriteColumns(tb, t.Loop, t.Out, t.Columns, labels)
	all := probe().since(began)
	all.Stage = "all"
	return []measure{all}
}

// halves maps texts to one of two labels.
func halves(texts []string) map[string]string {
	texts = slices.Sorted(slices.Values(texts))
	labels := make(map[string]string)
	for i, text := range texts {
		labels[text] = "lower"
		if i >= len(texts)/2 {
			labels[text] = "upper"
		}
	}
	return labels
}

// probe reads the clocks and counters of the process.
func probe() measure {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	collector := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(collector)
	return measure{
		Wall:   float64(time.Now().UnixNano()) / 1e9,
		CPU:    float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9,
		GC:     collector[0].Value.Float64(),
		Allocs: float64(memory.Mallocs),
		Bytes:  float64(memory.TotalAlloc),
		Peak:   float64(spill.PeakResident()),
	}
}

// since returns the use since an earlier probe, with the present peak.
func (m measure) since(before measure) measure {
	return measure{
		Wall: m.Wall - before.Wall, CPU: m.CPU - before.CPU, GC: m.GC - before.GC,
		Allocs: m.Allocs - before.Allocs, Bytes: m.Bytes - before.Bytes, Peak: m.Peak,
	}
}

// forgetPeak makes the system measure the largest resident set again, where it can.
func forgetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// medians returns the median of every measure, stage by stage.
func medians(rounds [][]measure) []measure {
	result := slices.Clone(rounds[0])
	for i := range result {
		for _, field := range []func(*measure) *float64{
			func(m *measure) *float64 {
				return &m.Wall
			}, func(m *measure) *float64 { return &m.CPU },
			func(m *measure) *float64 {
				return &m.GC
			}, func(m *measure) *float64 { return &m.Allocs },
			func(m *measure) *float64 {
				return &m.Bytes
			}, func(m *measure) *float64 { return &m.Peak },
		} {
			var all []float64
			for _, round := range rounds {
				all = append(all, *field(&round[i]))
			}
			*field(&result[i]) = median(all)
		}
	}
	return result
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// last returns the measure of the whole.
func last(measures []measure) measure { return measures[len(measures)-1] }

// ratio formats the median, over the rounds, of the ratio between two sides.
func ratio(ours, theirs [][]measure, of func(measure) float64) string {
	var all []float64
	for i := range ours {
		all = append(all, of(last(ours[i]))/of(last(theirs[i])))
	}
	return fmt.Sprintf("%.2f", median(all))
}
