package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// shape is one way to store and read the same rows.
type shape struct {
	files, groupRows int
	threads          string
	csv              bool
	spill            bool // out of core
}

// released runs the people job over a table stored in the given shape and returns the
// bytes of the release and of the trace.
func released(t *testing.T, table *testTable, s shape) (release, trace []byte) {
	t.Helper()
	dir := jobFolder(t, peopleJob)
	if s.csv {
		table.csv(t, filepath.Join(dir, "in", "all.csv"))
	}
	for i := range s.files {
		from, to := i*len(table.rows)/s.files, (i+1)*len(table.rows)/s.files
		table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%03d.parquet", i)), from, to, s.groupRows)
	}
	var steps bytes.Buffer
	job, err := loadJob(dir, "limits.threads", s.threads, "limits.memory", "64MiB")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), job, RunOptions{Trace: &steps, System: System{Spill: s.spill}}); err != nil {
		t.Fatal(err)
	}
	release, err = os.ReadFile(filepath.Join(dir, "out.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	return release, steps.Bytes()
}

func TestSameBytesWhateverTheLayout(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	table := people(rand.New(rand.NewPCG(seed, 0)), 3000)
	want, steps := released(t, table, shape{files: 1, groupRows: 1 << 20, threads: "1"})
	if bytes.Count(steps, []byte("\n")) < 5 {
		t.Fatalf("the search made %d steps, too few to tell anything", bytes.Count(steps, []byte("\n")))
	}
	for _, s := range []shape{
		{files: 1, groupRows: 1 << 20, threads: "8"},
		{files: 1, groupRows: 1, threads: "2"},
		{files: 1, groupRows: 7, threads: "8"},
		{files: 20, groupRows: 1 << 20, threads: "8"},
		{files: 20, groupRows: 13, threads: "1"},
		{csv: true, threads: "2"},
		{files: 3, groupRows: 100, threads: "2", spill: true},
		{csv: true, threads: "1", spill: true},
	} {
		got, trace := released(t, table, s)
		if !bytes.Equal(trace, steps) {
			t.Errorf("%+v: another trace", s)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%+v: other bytes, %d instead of %d", s, len(got), len(want))
		}
	}
}

func TestSameCutWhateverTheRowOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	table := people(rng, 2000)
	s := shape{files: 3, groupRows: 100, threads: "4"}
	_, want := released(t, table, s)
	rng.Shuffle(len(table.rows), func(i, j int) {
		table.rows[i], table.rows[j] = table.rows[j], table.rows[i]
	})
	if _, got := released(t, table, s); !bytes.Equal(got, want) {
		t.Error("shuffled rows make another trace")
	}
}
