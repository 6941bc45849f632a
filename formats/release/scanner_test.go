package release

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
)

// shareAmong makes calls on goroutines that are each one worker.
func shareAmong(workers int) formats.Share {
	return func(n int, call func(worker, i int) error) error {
		var next atomic.Int64
		var group sync.WaitGroup
		errs := make([]error, workers)
		for worker := range workers {
			group.Go(func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					errs[worker] = cmp.Or(errs[worker], call(worker, i))
				}
			})
		}
		group.Wait()
		return cmp.Or(errs...)
	}
}

// TestScannerShares reads a row group of some windows with different rows in every block, with one
// worker and with several: each row is shown once, and errors are found.
func TestScannerShares(t *testing.T) {
	text := formats.Type{Kind: formats.String}
	columns := []writer.Column{
		{Field: formats.Field{Name: "hundreds", Type: text}, Masked: true},
		{Field: formats.Field{Name: "kept", Type: text, Nullable: true}},
		{Field: formats.Field{Name: "rest", Type: text, Nullable: true}, Masked: true},
	}
	const rows = 3*windowBlocks*BlockRows + BlockRows + 7
	values := textValues()
	for i := range rows/100 + 1 {
		values.AppendBytes([]byte(strconv.Itoa(i)))
	}
	hundreds, rest := &formats.Column{Values: values}, &formats.Column{Values: values}
	want := make(map[[2]uint32]int)
	for i := range uint32(rows) {
		hundreds.Codes, rest.Codes = append(hundreds.Codes, 1+i/100), append(rest.Codes, i%100)
		want[[2]uint32{1 + i/100, i % 100}]++
	}
	r := open(t, releaseOf(t, columns, nil, []*formats.Column{hundreds, rest, rest}))
	number := func(label string, null bool) (uint32, bool) {
		if null {
			return 0, true
		}
		n, err := strconv.ParseUint(label, 10, 32)
		return uint32(n) + 1, err == nil && n != 42
	}
	for _, workers := range []int{0, 1, 3} {
		s := NewScanners([]Masked{{Name: "hundreds", Number: number},
			{Name: "rest", Number: number}}, nil, max(1, workers))[0]
		if workers > 0 {
			s.Share(shareAmong(workers))
		}
		var mu sync.Mutex
		got := make(map[[2]uint32]int)
		found, err := s.Rows(t.Context(), r, 0,
			func(worker, rows int, numbers []Numbers, _ []Hashes) error {
				mu.Lock()
				defer mu.Unlock()
				for row := range rows {
					got[[2]uint32{numbers[0].of(row), numbers[1].of(row)}]++
				}
				return nil
			})
		must(t, err)
		if !maps.Equal(got, want) {
			t.Errorf("%d workers: rows are not those that were written", workers)
		}
		kept, err := s.Kept(t.Context(), r, 0)
		if text := fmt.Sprint(found); len(found) != 2 || len(kept) > 0 || err != nil {
			t.Errorf("%d workers: found %s and %v, %v", workers, text, kept, err)
		}
	}
}

// of returns the number of a row.
func (n *Numbers) of(row int) uint32 {
	if n.Same {
		return n.One
	}
	return n.Every[row]
}
