package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
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
			job, err := loadJob(dir, "limits.threads", fmt.Sprint(threads))
			if err != nil {
				t.Fatal(err)
			}
			twice := false
			events := Events{Progress: func(s Stage, p Progress) {
				twice = twice || s == StageMask && p.Total == 2*int64(len(table.rows))
			}}
			if _, err := Run(t.Context(), job, RunOptions{Overwrite: true, Events: events}); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, algorithm, err)
			}
			if twice {
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

// dividedTwice is a recoding all of whose rows are of one divided cell.
type dividedTwice struct{ engine.Recoding }

func (dividedTwice) Cells() int { return 1 }

func (dividedTwice) Count(rows engine.Rows) { rows.Taken[0] += uint64(rows.N) }

// Every split knows how many rows come before its own. Without room for that, one goroutine
// masks them all, and nothing stays drawn.
func TestTurns(t *testing.T) {
	dir := t.TempDir()
	table := people(rand.New(rand.NewPCG(1, 1)), 100)
	for i := range 4 {
		table.parquet(t, filepath.Join(dir, fmt.Sprintf("%d.parquet", i)), 25*i, 25*(i+1), 25)
	}
	in, err := dataset.Open(t.Context(), []string{dir}, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, limit := range []int64{1 << 20, 16, 40 * turnPart} {
		m := &masker{dataset: in, recoding: dividedTwice{}, threads: 2, budget: spill.NewBudget(limit), events: &Events{}}
		if err := m.takeTurns(t.Context(), len(in.Splits()), place{}); err != nil {
			t.Fatal(err)
		}
		if limit < 1<<20 {
			if m.turns != nil || m.threads != 1 || len(m.taken) != 1 || m.budget.Used() != 0 {
				t.Errorf("%d bytes: %d threads, %d bytes drawn", limit, m.threads, m.budget.Used())
			}
			continue
		}
		for i, split := range in.Splits() {
			taken := []uint64{0}
			if m.turns.begin(split, taken); taken[0] != uint64(25*i) {
				t.Errorf("%d rows come before split %d, want %d", taken[0], i, 25*i)
			}
		}
		if m.turns.close(); m.budget.Used() != 0 {
			t.Errorf("%d bytes stay drawn", m.budget.Used())
		}
	}
}
