package sample

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut"
)

// sampleBytes returns a sample's file.
func sampleBytes(t *testing.T, name string, opt Options) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := Write(t.Context(), path, opt); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSampleDoesNotDependOnThreads(t *testing.T) {
	for _, name := range []string{"people.csv", "people.parquet"} {
		opt := Options{Rows: 10_001, Seed: 5, RowGroupRows: 1000, Threads: 1}
		want := sampleBytes(t, name, opt)
		for _, threads := range []int{2, 3, 16} {
			opt.Threads = threads
			if !bytes.Equal(sampleBytes(t, name, opt), want) {
				t.Errorf("%s: %d threads make another file than one", name, threads)
			}
		}
	}
}

// A person depends only on the seed and the row.
func TestSampleRows(t *testing.T) {
	short := sampleBytes(t, "a.csv", Options{Rows: 1000, Seed: 9, RowGroupRows: 64})
	long := sampleBytes(t, "a.csv", Options{Rows: 3000, Seed: 9})
	if !bytes.HasPrefix(long, short) {
		t.Error("more rows change the first ones")
	}
	other := sampleBytes(t, "a.csv", Options{Rows: 1000, Seed: 10})
	if bytes.Equal(short, other) {
		t.Error("another seed makes the same people")
	}
	if header := sampleBytes(t, "a.csv", Options{}); bytes.Count(header, []byte("\n")) != 1 ||
		!bytes.HasPrefix(long, header) {
		t.Errorf("a sample without rows holds %q", header)
	}
	if rows := bytes.Count(long, []byte("\n")) - 1; rows != 3000 {
		t.Errorf("%d rows, want 3000", rows)
	}
}

// The people of a seed stay the same for all versions and machines, since measurements name only
// the seed. Change the digest only when the model changes on purpose.
func TestSampleDigest(t *testing.T) {
	const want = "163bb4e2dd5b3acc5c24d6dc122b056cf85184618f400151e5f4f5de6efeb5f5"
	if got := fmt.Sprintf("%x", sha256.Sum256(sampleBytes(t, "a.csv",
		Options{Rows: 5000, Seed: 1}))); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// The model has the correlations that a search needs.
func TestSampleModel(t *testing.T) {
	const rows = 60_000
	records, err := csv.NewReader(bytes.NewReader(sampleBytes(t, "a.csv",
		Options{Rows: rows, Seed: 3}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(records[0], name) }
	share := func(of, given func([]string) bool) float64 {
		var yes, all float64
		for _, record := range records[1:] {
			if given(record) {
				all++
				if of(record) {
					yes++
				}
			}
		}
		return yes / all
	}
	is := func(name string, values ...string) func([]string) bool {
		i := column(name)
		return func(record []string) bool { return slices.Contains(values, record[i]) }
	}
	everybody := func([]string) bool { return true }
	rich := is("income", ">50K")
	for _, tt := range []struct {
		name      string
		share     float64
		low, high float64
	}{
		{"rich", share(rich, everybody), 0.20, 0.32},
		{"rich with a master's", share(rich, is("education", "Masters")), 0.6, 0.85},
		{"rich after 9th grade", share(rich, is("education", "9th")), 0, 0.15},
		{"rich and married", share(rich, is("marital-status", "Married")), 0.35, 0.6},
		{"rich and never married", share(rich, is("marital-status", "Never-married")), 0, 0.15},
		{"husbands who are men", share(is("sex", "Male"), is("relationship", "Husband")), 1, 1},
		{"without an occupation", share(is("occupation", ""), everybody), 0.02, 0.1},
		{"without a workclass but with an occupation",
			share(is("workclass", ""), is("occupation",
				newPeople(0).Columns[colOccupation].Values...)), 0, 0},
		{"without a country", share(is("native-country", ""), everybody), 0.005, 0.03},
		{"without a birthday", share(is("birth-date", ""), everybody), 0.002, 0.02},
	} {
		if tt.share < tt.low || tt.share > tt.high {
			t.Errorf("%s: a share of %.4f, want %.3f to %.3f", tt.name, tt.share, tt.low, tt.high)
		}
	}
	for _, c := range newPeople(0).Columns[colSex:] {
		for _, value := range c.Values {
			if c.Type == "string" && c.Name != "zip" && share(is(c.Name, value), everybody) == 0 {
				t.Errorf("%s: %s never occurs", c.Name, value)
			}
		}
	}
}

func TestSampleCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	opt := Options{Rows: 1 << 40, RowGroupRows: 100}
	opt.Events.Progress = func(kcut.Stage, kcut.Progress) { cancel() }
	if err := Write(ctx, filepath.Join(dir, "a.parquet"), opt); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind %v (%v)", left, err)
	}
}

// Frequencies of draws agree with their weights, within five standard deviations.
func TestAlias(t *testing.T) {
	const draws = 200_000
	for _, weights := range [][]uint64{{1}, {0, 1}, {1, 0, 0, 5}, {3, 3, 3},
		{1, 10, 100, 1000, 10000}, newPeople(0).Columns[colAge].Weights[0]} {
		a := newAlias(weights)
		counts := make([]float64, len(weights))
		r := randomAt(7, 0)
		for range draws {
			counts[a.draw(&r)]++
		}
		var total uint64
		for _, w := range weights {
			total += w
		}
		for i, w := range weights {
			p := float64(w) / float64(total)
			if off := math.Abs(counts[i] - draws*p); off > 5*math.Sqrt(draws*p*(1-p)) {
				t.Errorf("weights %v: %d drawn %.0f times, want about %.0f", weights, i, counts[i],
					draws*p)
			}
		}
	}
}

func BenchmarkSample(b *testing.B) {
	const rows = 1 << 18
	for _, name := range []string{"people.csv", "people.parquet"} {
		b.Run(filepath.Ext(name), func(b *testing.B) {
			for b.Loop() {
				opt := Options{Rows: rows, Seed: 1, Threads: 1, Overwrite: true}
				if err := Write(b.Context(), filepath.Join(b.TempDir(), name), opt); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows*b.N), "ns/row")
		})
	}
}
