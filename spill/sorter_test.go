package spill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
)

// TestSorterAgreesWithSort sorts rows of all lengths, many of them equal, in memory and beyond it, from
// several workers, and gives everything back.
func TestSorterAgreesWithSort(t *testing.T) {
	for _, c := range []struct {
		rows, length int
		share        int64
		threads      int
		values       int // of a byte
		stored       bool
	}{
		{0, 10, 1 << 20, 2, 3, false},
		{1, 10, 1 << 20, 1, 3, false},
		{50_000, 12, 1 << 30, 3, 3, false},
		{100_000, 12, 1 << 20, 2, 256, true},
		{400_000, 12, 1 << 20, 1, 256, true}, // runs of the store are joined
		{40, 300_000, 1 << 20, 2, 3, true},   // rows of several chunks
	} {
		t.Run(fmt.Sprint(c.rows, "×", c.length, " in ", c.share), func(t *testing.T) {
			budget := NewBudget(64 << 20)
			if c.share > 64<<20 {
				budget = NewBudget(4 << 30)
			}
			store, err := Open("scratch", Options{Budget: budget, FS: vfs.NewMem()})
			if err != nil {
				t.Fatal(err)
			}
			before, opened := budget.Used(), false
			s, err := NewSorter(budget, c.share, c.threads, func() (*Store, error) { opened = true; return store, nil })
			if err != nil {
				t.Fatal(err)
			}
			rows := make([][]byte, c.rows)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range rows {
				rows[i] = make([]byte, r.IntN(c.length))
				for k := range rows[i] {
					rows[i][k] = byte(r.IntN(c.values))
				}
			}
			err = workers.Each(len(rows), c.threads, func(w workers.Worker, i int) error {
				run := s.Run(w.Number)
				run.Bytes = append(run.Bytes, rows[i]...)
				return run.End(1)
			})
			if err != nil {
				t.Fatal(err)
			}
			sorted, err := s.Merge(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(rows, bytes.Compare)
			for i := 0; i < len(rows); {
				row, n, err := sorted.Next()
				if err != nil || n == 0 || i+int(n) > len(rows) {
					t.Fatalf("row %d of %d, %d times: %v", i, len(rows), n, err)
				}
				for range n {
					if !bytes.Equal(row, rows[i]) {
						t.Fatalf("row %d of %d is another one", i, len(rows))
					}
					i++
				}
			}
			if _, _, err := sorted.Next(); err != io.EOF {
				t.Errorf("after the last row: %v", err)
			}
			if err := sorted.Close(); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if budget.Used() != before || opened != c.stored || s.Len() != int64(len(rows)) {
				t.Errorf("%d bytes are drawn of %d before; store opened %t, %d rows", budget.Used(), before, opened, s.Len())
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// More equal rows than a number of 32 bits counts are all there.
func TestSorterOfManyEqualRows(t *testing.T) {
	s, err := NewSorter(NewBudget(64<<20), 1<<20, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"a": 3 * math.MaxUint32, "b": 1<<40 + 1, "": 2}
	for row, n := range want {
		if err := s.Run(0).Append([]byte(row), n); err != nil {
			t.Fatal(err)
		}
	}
	sorted, err := s.Merge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range want {
		if row, n, err := sorted.Next(); err != nil || n != want[string(row)] {
			t.Errorf("%d times %q, want %d; %v", n, row, want[string(row)], err)
		}
	}
	if err := errors.Join(sorted.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

// A row that is larger than the store takes is a matter of memory, and no bug.
func TestSorterRefusesLargeRow(t *testing.T) {
	budget := NewBudget(64 << 20)
	store, err := Open("scratch", Options{Budget: budget, FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSorter(budget, 1<<20, 1, func() (*Store, error) { return store, nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 20 && err == nil; i++ {
		run := s.Run(0)
		run.Bytes = append(run.Bytes, make([]byte, MaxChunk)...)
		err = run.End(1)
	}
	if fault.ClassOf(err) != fault.Resources {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(s.Close(), store.Close()); err != nil {
		t.Error(err)
	}
}

// Rows come out of a chunk as they went into it, and not out of one whose end is missing.
func TestDecodeRows(t *testing.T) {
	rows := [][]byte{[]byte("a"), {}, []byte("longer than a prefix")}
	encode := (&RowRun{}).Encoder()
	var chunk []byte
	whole := map[int]int{0: 0} // rows by the length of their chunk
	for i, row := range rows {
		chunk = encode(chunk, row, uint32(i+1))
		whole[len(chunk)] = i + 1
	}
	r := &RowRun{}
	for length := range len(chunk) + 1 {
		n, ok := whole[length]
		if err := r.Decode(chunk[:length]); ok != (err == nil) || !ok && err != ErrCorrupt {
			t.Errorf("%d of %d bytes: %v", length, len(chunk), err)
		}
		if ok && r.Len() != n {
			t.Errorf("%d of %d bytes: %d rows instead of %d", length, len(chunk), r.Len(), n)
		}
	}
	for i := range rows {
		if key, row, n := r.At(i); !bytes.Equal(row, rows[i]) || int(n) != i+1 || key != prefixOf(rows[i]) {
			t.Errorf("row %d is %q, %d times", i, row, n)
		}
	}
}
