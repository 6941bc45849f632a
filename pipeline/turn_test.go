package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// lookalikes returns a table in which many rows are alike, so that some of them part.
func lookalikes(rng *rand.Rand, rows int) *testTable {
	table := people(rng, max(rows/20, 1))
	few := table.rows
	table.rows = nil
	for range rows {
		table.rows = append(table.rows, few[min(rng.IntN(len(few)), rng.IntN(len(few)))])
	}
	return table
}

// Rows of divided cells go to the same regions whether one goroutine takes them in order or
// several take splits in any order.
func TestDividedCellsInParallel(t *testing.T) {
	counted := 0
	for _, seed := range seeded(t, 12) {
		rng := rand.New(rand.NewPCG(seed, 0))
		table := lookalikes(rng, 200+rng.IntN(1500))
		algorithm := []string{"{name: mondrian, partitioning: relaxed, categories: ordered}", "{name: mondrian, partitioning: relaxed}", "kactus"}[rng.IntN(3)]
		s := shape{files: 2 + rng.IntN(8), groupRows: 1 + rng.IntN(300), csv: rng.IntN(4) == 0}
		if s.csv {
			s.files = 0
		}
		dir := storedAs(t, table, s, algorithm)
		output := fmt.Sprintf("output: {path: out.parquet, row_group_rows: %d}", 1+rng.IntN(400))
		job := filepath.Join(dir, "job.yaml")
		write(t, job, strings.Replace(string(mustRead(t, job)), "output: out.parquet", output, 1))
		release := func(threads int) []byte {
			t.Helper()
			job := mustLoad(t, dir, "limits.threads", fmt.Sprint(threads))
			var twice atomic.Bool
			events := Events{Progress: func(s Stage, p Progress) {
				if s == StageMask && p.Total == 2*int64(len(table.rows)) {
					twice.Store(true)
				}
			}}
			if _, err := Run(t.Context(), job, RunOptions{Overwrite: true, Events: events}); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, algorithm, err)
			}
			if twice.Load() {
				counted++
			}
			return mustRead(t, filepath.Join(dir, "out.parquet"))
		}
		want := release(1)
		for _, threads := range []int{2, 8} {
			if got := release(threads); !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s, %+v, %s: other bytes with %d threads", seed, algorithm, s, output, threads)
			}
		}
		auditFolder(t, dir)
	}
	t.Logf("rows of divided cells were counted %d times", counted)
	if counted == 0 && !t.Failed() {
		t.Error("no cell is divided")
	}
}
