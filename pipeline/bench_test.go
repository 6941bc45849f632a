package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/sample"
	"github.com/kcut/kcut/spill"
)

// benchRows are the sizes that the benchmarks run on.
var benchRows = []int64{100_000, 1_000_000, 10_000_000}

// BenchmarkRun runs the demo job over sampled people of several sizes, with one thread and
// with two, and reports rows per second of every stage.
func BenchmarkRun(b *testing.B) {
	for _, rows := range benchRows {
		dir := b.TempDir()
		for _, name := range []string{"people.yaml", "taxonomies.yaml"} {
			text, err := os.ReadFile(filepath.Join("..", "docs", "demo", name))
			if err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				b.Fatal(err)
			}
		}
		people := filepath.Join(dir, "people.parquet")
		if err := sample.Write(b.Context(), people, sample.Options{Rows: rows, Seed: 1}); err != nil {
			b.Fatal(err)
		}
		for _, threads := range []string{"1", "2"} {
			b.Run(fmt.Sprintf("rows=%d/threads=%s", rows, threads), func(b *testing.B) {
				benchmarkJob(b, filepath.Join(dir, "people.yaml"), rows, threads)
			})
		}
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkJob reports, for every stage, rows per second, and the peak resident set that the
// process has had so far, in MiB.
func benchmarkJob(b *testing.B, path string, rows int64, threads string) {
	job, err := jobfile.Load(path, []jobfile.Override{{Key: "limits.threads", Value: threads, Origin: "benchmark"}})
	if err != nil {
		b.Fatal(err)
	}
	took := make(map[pipeline.Stage]time.Duration)
	events := pipeline.Events{End: func(s pipeline.Stage, d time.Duration) { took[s] += d }}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := pipeline.Run(b.Context(), job, pipeline.RunOptions{Overwrite: true, Events: events}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	for _, s := range []pipeline.Stage{pipeline.StageCompress, pipeline.StageSearch, pipeline.StageMask, pipeline.StageVerify} {
		b.ReportMetric(float64(rows)*float64(n)/took[s].Seconds(), string(s)+"-rows/s")
	}
	b.ReportMetric(float64(spill.PeakResident())/(1<<20), "peak-MiB")
}

// spillMemory is a budget that the tuples of the sampled people below do not fit.
const spillMemory = "64MiB"

// BenchmarkSpill runs one job in memory and out of core, and reports how many times as long
// it takes out of core, and the bytes written to disk by the size of the table.
func BenchmarkSpill(b *testing.B) {
	dir := b.TempDir()
	people := filepath.Join(dir, "people.parquet")
	if err := sample.Write(b.Context(), people, sample.Options{Rows: 2_000_000, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "job.yaml")
	if err := os.WriteFile(path, []byte(spillJob), 0o600); err != nil {
		b.Fatal(err)
	}
	table, err := os.Stat(people)
	if err != nil {
		b.Fatal(err)
	}
	var inMemory, spilled time.Duration
	var written int64
	runs := 0
	for b.Loop() {
		took, report := timedRun(b, path, "8GiB")
		if report.Spilled > 0 {
			b.Fatalf("it spilled %d bytes with plenty of memory", report.Spilled)
		}
		inMemory += took
		took, report = timedRun(b, path, spillMemory)
		if report.Spilled == 0 {
			b.Fatal("it did not spill")
		}
		spilled += took
		written += report.Spilled
		runs++
	}
	b.ReportMetric(spilled.Seconds()/inMemory.Seconds(), "wall-ratio")
	b.ReportMetric(float64(written)/float64(runs)/float64(table.Size()), "written/table")
}

func timedRun(b *testing.B, path, memory string) (time.Duration, *pipeline.Report) {
	job, err := jobfile.Load(path, []jobfile.Override{{Key: "limits.memory", Value: memory, Origin: "benchmark"}})
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	report, err := pipeline.Run(b.Context(), job, pipeline.RunOptions{Overwrite: true})
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(began), report
}

// spillJob has nearly as many distinct tuples as there are people.
const spillJob = `input: people.parquet
output: release.parquet
class: income
unlisted: drop
quasi_identifiers:
  - {columns: [birth-date, sex, zip, occupation, hours-per-week, education], k: 50}
columns:
  birth-date: discretize
  sex: suppress
  zip: {mask: generalize, taxonomy: {prefix: [5, 3, 1]}}
  occupation: suppress
  hours-per-week: discretize
  education: suppress
  income: keep
`
