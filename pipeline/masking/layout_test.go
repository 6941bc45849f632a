package masking

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/spill"
)

// naiveGroups returns how many rows each row group has of those in order: rows are added one by one, the bytes of equal ones count once.
func naiveGroups(rows [][]byte, limit groupLimit) (groups []int64) {
	count, size := int64(0), int64(0)
	for i, row := range rows {
		if count == 0 || !bytes.Equal(row, rows[i-1]) {
			size += int64(len(row))
		}
		count++
		same := i+1 < len(rows) && bytes.Equal(row, rows[i+1])
		if count == limit.rows || limit.bytes > 0 && size >= limit.bytes && !same || i+1 == len(rows) {
			groups, count, size = append(groups, count), 0, 0
		}
	}
	return groups
}

// from returns ranges from one on, as they are opened.
func from(ranges []*Range, first int) iter.Seq2[*Range, error] {
	return func(yield func(*Range, error) bool) {
		for _, r := range ranges[first:] {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// groupsFrom returns how many rows the row groups have that begin at some places.
func groupsFrom(t *testing.T, ranges []*Range, begins []RowPlace, limit groupLimit) (groups []int64) {
	t.Helper()
	for _, place := range begins {
		g := &orderedGroup{worker: &worker{m: &Masker{Budget: spill.NewBudget(1 << 30)}}, form: &rowForm{}}
		if err := takeFrom(from(ranges, place.Range), place, limit, g); err != nil {
			t.Fatal(err)
		}
		groups = append(groups, g.count)
	}
	return groups
}

// More equal rows than a number of 32 bits counts are all there.
func TestManyEqualRows(t *testing.T) {
	m := &Masker{Budget: spill.NewBudget(1 << 30)}

	block := spill.AppendRow(spill.AppendRow(nil, []byte("a"), math.MaxUint32), []byte("b"), 3)
	merged, err := m.MergeRange(t.Context(), Order{}, [][]byte{block, block, block})
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRange(bytes.NewReader(merged))
	if err != nil {
		t.Fatal(err)
	}
	begins, err := LayOut(from([]*Range{r}, 0), math.MaxInt32, 0)
	if err != nil || len(begins) != 7 {
		t.Fatalf("%d row groups; %v", len(begins), err)
	}
	groups := groupsFrom(t, []*Range{r}, begins, newGroupLimit(math.MaxInt32, 0))
	if last := int64(3*math.MaxUint32 + 9 - 6*math.MaxInt32); groups[0] != math.MaxInt32 || groups[6] != last {
		t.Errorf("row groups of %d rows, the last one is to have %d", groups, last)
	}
}

// Of large rows few are read at a time, and what becomes of them is drawn from the budget.
func TestRangeOfLargeRows(t *testing.T) {

	var block []byte
	for i := range byte(40) {
		block = spill.AppendRow(block, slices.Concat([]byte{i}, make([]byte, 300_000)), 1)
	}
	for budget, fits := range map[int64]bool{64 << 20: true, 10 << 20: false} {
		m := &Masker{Budget: spill.NewBudget(budget)}
		var store *spill.Store
		merged, err := m.MergeRange(t.Context(), Order{Store: func() (_ *spill.Store, err error) {
			store, err = spill.Open(t.TempDir(), spill.Options{})
			return store, err
		}}, [][]byte{block})
		if store != nil {
			err = errors.Join(err, store.Close())
		}
		if errors.Is(err, spill.ErrBudget) == fits || m.Budget.Used() != 0 {
			t.Errorf("budget %d: %v; %d bytes are still drawn", budget, err, m.Budget.Used())
		}
		if err != nil {
			continue
		}
		r, err := OpenRange(bytes.NewReader(merged))
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.chunks {
			if n := r.chunks[i].length; n > chunkBytes+300_009 {
				t.Errorf("a chunk has %d bytes", n)
			}
		}
	}
}

// Rows that are equal, more than a number of 32 bits counts, have their bytes once in a row group.
func TestLayOutOfManyEqualRows(t *testing.T) {
	m := &Masker{Budget: spill.NewBudget(1 << 30)}
	var run []byte
	for row := byte('a'); row < 'f'; row++ {
		n := int64(1)
		if row == 'a' {
			n = 2*math.MaxUint32 + 1
		}
		run = spill.AppendRow(run, []byte{row}, n)
	}
	merged, err := m.MergeRange(t.Context(), Order{}, [][]byte{run})
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRange(bytes.NewReader(merged))
	if err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[int64]int{1 << 40: 2, 1 << 32: 3} { // the bytes of three rows, or a part of the first one, end a row group
		begins, err := layOut(from([]*Range{r}, 0), groupLimit{rows: rows, bytes: 3})
		if err != nil || len(begins) != want {
			t.Errorf("%d row groups of %d rows, want %d; %v", len(begins), rows, want, err)
		}
	}
}

// Row groups that are laid out in ranges begin and end where they do when rows are taken one by one.
func TestLayOut(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 37))
		limit := groupLimit{1 + rng.Int64N(60), rng.Int64N(3) * rng.Int64N(200)}
		var rows [][]byte
		var ranges []*Range
		for first := byte('a'); first < 'd'; first++ { // a range each
			m := &Masker{Budget: spill.NewBudget(1 << 30)}
			var run []byte

			for i := range byte(rng.IntN(40)) {
				row := slices.Concat([]byte{first, i}, make([]byte, rng.IntN(9)))
				n := 1 + rng.IntN(3)*rng.IntN(40)
				run = spill.AppendRow(run, row, int64(n))
				rows = append(rows, slices.Repeat([][]byte{row}, n)...)
			}
			merged, err := m.mergeRange(t.Context(), Order{}, [][]byte{run}, 1+rng.IntN(9))
			if err != nil {
				t.Fatal(err)
			}
			r, err := OpenRange(bytes.NewReader(merged))
			if err != nil {
				t.Fatal(err)
			}
			ranges = append(ranges, r)
		}
		begins, err := layOut(from(ranges, 0), limit)
		if err != nil {
			t.Fatal(err)
		}
		got := groupsFrom(t, ranges, begins, limit)
		if want := naiveGroups(rows, limit); !slices.Equal(got, want) {
			t.Fatalf("seed %d, %+v: row groups of %d rows, want %d", seed, limit, got, want)
		}
	}
}
