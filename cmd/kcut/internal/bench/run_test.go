// Package bench measures whole runs: the table of docs/performance.md, and the cost of spilling. It
// consists of tests.
package bench

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/kcut/internal/sample"
)

// BenchmarkRun runs the largest of the table's jobs in this process, for profiling.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	people, path := filepath.Join(dir, "people.parquet"), filepath.Join(dir, "job.yaml")
	if err := sample.Write(b.Context(), people,
		sample.Options{Rows: slices.Max(benchRows), Seed: 1}); err != nil {
		b.Fatal(err)
	}
	copyDemo(b, dir, "taxonomies.yaml")
	if err := os.WriteFile(path, []byte(benchInputs[0].job()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		timedRun(b, path, "8GiB")
	}
}

// spillMemory is a budget that is too small for the tuples of the sampled people below.
const spillMemory = "64MiB"

// BenchmarkSpill runs one job in memory and out of core, and reports the ratio of their times, and
// the bytes written to disk relative to the size of the table.
func BenchmarkSpill(b *testing.B) {
	dir := b.TempDir()
	people := filepath.Join(dir, "people.parquet")
	if err := sample.Write(b.Context(), people,
		sample.Options{Rows: 2_000_000, Seed: 1}); err != nil {
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

func timedRun(b *testing.B, path, memory string) (time.Duration, *kcut.Report) {
	job, err := kcut.LoadJob(path, kcut.Override{
		Key:    "limits.memory",
		Value:  memory,
		Origin: "benchmark",
	})
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	report, err := kcut.Run(b.Context(), job, kcut.RunOptions{Overwrite: true})
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(began), report
}

// spillJob has nearly as many distinct tuples as there are people.
const spillJob = `input: people.parquet
order: input
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
