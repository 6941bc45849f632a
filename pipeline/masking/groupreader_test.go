package masking

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/spill"
)

// naiveGroups returns the number of rows of each row group: rows are added one by one, and the
// bytes of equal rows count once.
func naiveGroups(rows [][]byte, limit groupLimit) (groups []int64) {
	count, size := int64(0), int64(0)
	for i, row := range rows {
		if count == 0 || !bytes.Equal(row, rows[i-1]) {
			size += int64(len(row))
		}
		count++
		same := i+1 < len(rows) && bytes.Equal(row, rows[i+1])
		if count == limit.rows || limit.bytes > 0 && size >= limit.bytes && !same ||
			i+1 == len(rows) {
			groups, count, size = append(groups, count), 0, 0
		}
	}
	return groups
}

// readGroups returns the numbers of rows of the row groups that a groupReader reads from sorted
// rows.
func readGroups(
	t *testing.T, fill func(run *spill.RowRun) error, limit groupLimit,
) (groups []int64) {
	t.Helper()
	budget := spill.NewBudget(1 << 30)
	sorter := spill.NewSorter(spill.Sorting{
		Budget: budget, Share: 1 << 26, Run: spill.UsualRun(1<<26, 1), Readers: 1 << 26,
		What: "rows",
	})
	defer func() {
		if err := sorter.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := fill(sorter.NewRun()); err != nil {
		t.Fatal(err)
	}
	rows, err := sorter.Merge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for reader := newGroupReader(rows, limit); ; {
		g := &orderedGroup{o: &ordering{Masker: &Masker{Budget: budget}},
			form: &rowForm{kept: make([]keptField, 1)}}
		if err := reader.next(len(groups), g); err != nil {
			t.Fatal(err)
		}
		if g.count == 0 {
			return groups
		}
		groups = append(groups, g.count)
	}
}

// Row groups begin and end at the same rows if rows are added one by one.
func TestGroupReader(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 37))
		limit := groupLimit{1 + rng.Int64N(60), rng.Int64N(3) * rng.Int64N(200)}
		var rows [][]byte
		got := readGroups(t, func(run *spill.RowRun) error {
			for i := range byte(1 + rng.IntN(120)) {
				row, n := slices.Concat([]byte{i}, make([]byte, rng.IntN(9))),
					1+rng.IntN(3)*rng.IntN(40)
				rows = append(rows, slices.Repeat([][]byte{row}, n)...)
				if err := run.Append(row, int64(n)); err != nil {
					return err
				}
			}
			return nil
		}, limit)
		if want := naiveGroups(rows, limit); !slices.Equal(got, want) {
			t.Fatalf("seed %d, %+v: row groups of %d rows, want %d", seed, limit, got, want)
		}
	}
}

// Equal rows, even more than a number of 32 bits counts, are complete, and have their bytes once in
// a row group.
func TestReadManyEqualRows(t *testing.T) {
	fill := func(run *spill.RowRun) error {
		for row := byte('a'); row < 'f'; row++ {
			n := int64(1)
			if row == 'a' {
				n = 2*math.MaxUint32 + 1
			}
			if err := run.Append([]byte{row}, n); err != nil {
				return err
			}
		}
		return nil
	}
	for limit, want := range map[groupLimit][]int64{
		{rows: 1 << 40, bytes: 3}: {2*math.MaxUint32 + 3, 2},
		{rows: 1 << 32, bytes: 3}: {1 << 32, 1<<32 + 0, 3},
		{rows: math.MaxInt32}: {math.MaxInt32, math.MaxInt32, math.MaxInt32, math.MaxInt32,
			2*math.MaxUint32 + 5 - 4*math.MaxInt32},
	} {
		if got := readGroups(t, fill, limit); !slices.Equal(got, want) {
			t.Errorf("%+v: row groups of %d rows, want %d", limit, got, want)
		}
	}
}
