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
		{30_000, 40, 1 << 30, 2, 1, false}, // zeros alone
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
	var chunk []byte
	whole := map[int]int{0: 0} // rows by the length of their chunk
	for i, row := range rows {
		chunk = AppendRow(chunk, row, int64(i+1))
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
		if row, n := r.At(i); !bytes.Equal(row, rows[i]) || int(n) != i+1 {
			t.Errorf("row %d is %q, %d times", i, row, n)
		}
	}
}

// Rows that agree in many bytes, or in all of them, are put in order as others are.
func TestSorterOfRowsAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := &RowRun{sorter: &Sorter{limit: math.MaxInt}}
	var want [][]byte
	for i := range 4000 {
		row := bytes.Repeat([]byte{'a'}, 100*rng.IntN(3))
		if i%20 == 0 {
			row = bytes.Repeat([]byte{'b'}, 20_000)
		}
		for range rng.IntN(3) {
			row = append(append(row, byte(rng.IntN(2))), "0123456789"[:rng.IntN(11)]...)
		}
		want = append(want, row)
		if err := r.Append(row, 1); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(want, bytes.Compare)
	r.sort()
	for i := range r.Len() {
		row, n := r.At(i)
		if r.refs[i].prefix != prefixOf(row) || i > 0 && bytes.Compare(want[0], r.row(&r.refs[i-1])) <= 0 {
			t.Fatalf("row %d has another prefix than its own, or comes again", i)
		}
		for range n {
			if !bytes.Equal(row, want[0]) {
				t.Fatalf("row %d is another one", i)
			}
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("%d rows are missing", len(want))
	}
}
