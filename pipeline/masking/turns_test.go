package masking

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
)

// dividedTwice is a recoding all of whose rows are of one divided cell.
type dividedTwice struct{ engine.Recoding }

func (dividedTwice) Cells() int { return 1 }

func (dividedTwice) Divided(_ engine.Rows, cells []int32) { clear(cells) }

// Every split knows how many rows come before its own. Without room for that, one goroutine
// masks them all, and nothing stays drawn.
func TestTurns(t *testing.T) {
	dir := t.TempDir()
	for i := range 4 {
		path := filepath.Join(dir, fmt.Sprintf("%d.csv", i))
		if err := os.WriteFile(path, []byte("a\n"+strings.Repeat("b\n", 25)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := dataset.Open(t.Context(), []string{dir}, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for _, limit := range []int64{1 << 20, 16, 40 * spill.Turns.Den} {
		m := &Masker{Dataset: in, Recoder: Recoder{Recoding: dividedTwice{}}, Threads: 2, Budget: spill.NewBudget(limit), Advanced: func(int64, int64) {}}
		if err := m.takeTurns(t.Context(), len(in.Splits())); err != nil {
			t.Fatal(err)
		}
		if limit < 1<<20 {
			if m.turns != nil || m.Threads != 1 || len(m.taken) != 1 || m.Budget.Used() != 0 {
				t.Errorf("%d bytes: %d threads, %d bytes drawn", limit, m.Threads, m.Budget.Used())
			}
			continue
		}
		for i, split := range in.Splits() {
			taken := []uint64{0}
			if m.turns.begin(split, taken); taken[0] != uint64(25*i) {
				t.Errorf("%d rows come before split %d, want %d", taken[0], i, 25*i)
			}
		}
		if m.turns.close(); m.Budget.Used() != 0 {
			t.Errorf("%d bytes stay drawn", m.Budget.Used())
		}
	}
}
