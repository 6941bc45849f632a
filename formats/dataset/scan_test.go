package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kcut/kcut/formats"
)

// numbers returns a dataset of one split whose rows are the numbers from 0 to rows−1.
func numbers(t *testing.T, rows int) *Dataset {
	t.Helper()
	var text strings.Builder
	text.WriteString("n\n")
	for i := range rows {
		text.WriteString(strconv.Itoa(i) + "\n")
	}
	path := filepath.Join(t.TempDir(), "numbers.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), []string{path}, formats.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if len(d.Splits()) != 1 {
		t.Fatalf("%d splits, want one", len(d.Splits()))
	}
	return d
}

// adder notes which rows it takes. Its first part waits until another worker has taken one.
type adder struct {
	divides bool
	seen    []atomic.Int32 // by number, of all workers
	took    []atomic.Int32 // parts, by worker
	self    int
	help    context.Context
}

func (a *adder) BeginSplit(formats.Split) {}

func (a *adder) EndSplit() error { return nil }

func (a *adder) Divides(*formats.Batch) bool { return a.divides }

func (a *adder) Batch(b *formats.Batch) error {
	a.take(b, 0, b.Rows)
	return nil
}

func (a *adder) Block(b *formats.Batch, from, to int) error {
	a.took[a.self].Add(1)
	for a.took[0].Load() == 0 || a.took[1].Load() == 0 {
		if a.help.Err() != nil {
			return errors.New("the other worker takes no part")
		}
		time.Sleep(time.Millisecond)
	}
	a.take(b, from, to)
	return nil
}

func (a *adder) take(b *formats.Batch, from, to int) {
	for _, code := range b.Columns[0].Codes[from:to] {
		n, _ := strconv.Atoi(b.Columns[0].Values.Text(int(code - 1)))
		a.seen[n].Add(1)
	}
}

// Every row of the one split is taken once, whether the worker that has none takes parts or not.
func TestScanDividesBatches(t *testing.T) {
	const rows = 4*blockRows + 17
	d := numbers(t, rows)
	help, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, divides := range []bool{true, false} {
		seen, took := make([]atomic.Int32, rows), make([]atomic.Int32, 2)
		workers := []*adder{{divides, seen, took, 0, help}, {divides, seen, took, 1, help}}
		advanced := atomic.Int64{}
		err := Scan(t.Context(), d, []formats.Request{{Coded: true}}, workers, func(rows int64) { advanced.Store(rows) })
		if err != nil {
			t.Fatalf("divides %v: %v", divides, err)
		}
		for n := range seen {
			if seen[n].Load() != 1 {
				t.Fatalf("divides %v: row %d was taken %d times", divides, n, seen[n].Load())
			}
		}
		if parts := took[0].Load() + took[1].Load(); divides != (parts == 5) || advanced.Load() != rows {
			t.Errorf("divides %v: %d parts, %d rows advanced", divides, parts, advanced.Load())
		}
	}
}

func TestBlockScanners(t *testing.T) {
	for _, tc := range []struct{ rows, threads, want int }{
		{10, 4, 1}, {blockRows, 4, 1}, {3 * blockRows, 4, 3}, {4 * blockRows, 2, 2},
	} {
		if got := numbers(t, tc.rows).BlockScanners(tc.threads); got != tc.want {
			t.Errorf("%d rows, %d threads: %d workers, want %d", tc.rows, tc.threads, got, tc.want)
		}
	}
}
