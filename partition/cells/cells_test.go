package cells

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/partitiontest"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// row is a cell of the naive twin of Cells, which is a slice of them.
type row struct {
	codes []uint32
	count uint64
}

// cellsCase is a random table with its twin and the arguments of Cells.
type cellsCase struct {
	r       *rand.Rand
	domains []int
	classes int // the last domain is that of the classes; 0: there is none
	table   *partition.Table
	rows    []row
}

func newCellsCase(r *rand.Rand) *cellsCase {
	c := &cellsCase{r: r}
	wide := []int{}
	for range 1 + r.IntN(4) {
		c.domains = append(c.domains, 1+r.IntN(1<<(1+r.IntN(13))))
		wide = append(wide, c.domains[len(c.domains)-1]<<(r.IntN(2)*r.IntN(30)))
	}
	if r.IntN(3) > 0 {
		c.classes = 1 + r.IntN(4)
		c.domains, wide = append(c.domains, c.classes), append(wide, c.classes)
	}
	c.table = partitiontest.RandomTable(r, 1+r.IntN(700), c.domains, partition.NewLayout(wide))
	c.rows = rowsOf(c.table)
	return c
}

// columns returns the number of columns without the class.
func (c *cellsCase) columns() int {
	if c.classes > 0 {
		return len(c.domains) - 1
	}
	return len(c.domains)
}

func rowsOf(t *partition.Table) (rows []row) {
	w := t.Layout.Words
	for i, n := range t.Counts {
		var codes []uint32
		for _, f := range t.Layout.Fields {
			codes = append(codes, f.Code(t.Keys[i*w:(i+1)*w]))
		}
		rows = append(rows, row{codes, n})
	}
	return rows
}

// sums returns the counts by tuple.
func sums(rows []row) map[string]uint64 {
	sums := map[string]uint64{}
	var tuple []byte
	for _, r := range rows {
		tuple = tuple[:0]
		for _, code := range r.codes {
			tuple = binary.LittleEndian.AppendUint32(tuple, code)
		}
		sums[string(tuple)] += r.count
	}
	return sums
}

func sizeOf(rows []row) (size uint64) {
	for _, r := range rows {
		size += r.count
	}
	return size
}

// run divides the cells at random until nothing is left, and compares every part with its twin's.
func (c *cellsCase) run(ctx context.Context, root *Cells) error {
	type part struct {
		cells *Cells
		rows  []row
	}
	parts := []part{{root, c.rows}}
	for len(parts) > 0 {
		i := c.r.IntN(len(parts))
		if c.r.IntN(3) > 0 {
			i = len(parts) - 1 // mostly depth first
		}
		p := parts[i]
		parts = slices.Delete(parts, i, i+1)
		if err := c.compare(ctx, p.cells, p.rows); err != nil {
			return err
		}
		if c.r.IntN(6) == 0 {
			if err := c.copy(ctx, p.cells, p.rows); err != nil {
				return err
			}
		}
		if len(p.rows) < 4 || c.r.IntN(12) == 0 {
			if err := p.cells.Free(); err != nil {
				return err
			}
			continue
		}
		divide := c.divide
		if c.r.IntN(2) == 0 {
			divide = c.halve
		}
		children, rows, err := divide(ctx, p.cells, p.rows)
		if err != nil {
			return err
		}
		for i, child := range children {
			if (child == nil) != (len(rows[i]) == 0) {
				return fmt.Errorf("part %d of %d rows is %v", i, len(rows[i]), child)
			}
			if child != nil {
				parts = append(parts, part{child, rows[i]})
			}
		}
	}
	return nil
}

// copy divides a copy of cells, and compares its parts and then the cells with their twins.
func (c *cellsCase) copy(ctx context.Context, cells *Cells, rows []row) error {
	same, err := cells.Copy(ctx)
	if err != nil {
		return err
	}
	children, below, err := c.divide(ctx, same, rows)
	for i, child := range children {
		if child != nil && err == nil {
			err = errors.Join(c.compare(ctx, child, below[i]), child.Free())
		}
	}
	if err != nil {
		return err
	}
	return c.compare(ctx, cells, rows)
}

func (c *cellsCase) divide(ctx context.Context, cells *Cells, rows []row) ([]*Cells, [][]row,
	error) {
	column := c.r.IntN(c.columns())
	n := 1 + c.r.IntN(5)
	part := make([]uint32, c.domains[column])
	for code := range part {
		part[code] = uint32(c.r.IntN(n))
	}
	split := make([][]row, n)
	for _, r := range rows {
		p := part[r.codes[column]]
		split[p] = append(split[p], r)
	}
	children, err := cells.Divide(ctx, column, part, n)
	return children, split, err
}

func (c *cellsCase) halve(ctx context.Context, cells *Cells, rows []row) ([]*Cells, [][]row,
	error) {
	column := c.r.IntN(c.columns())
	at := rows[c.r.IntN(len(rows))].codes[column]
	other := c.r.IntN(len(c.domains))
	left := func(code uint32, count uint64) uint64 { return uint64(code) * 7919 % (count + 1) }
	split := make([][]row, 2)
	for _, r := range rows {
		n := uint64(0)
		switch code := r.codes[column]; {
		case code < at:
			n = r.count
		case code == at:
			n = left(r.codes[other], r.count)
		}
		if n > 0 {
			split[0] = append(split[0], row{r.codes, n})
		}
		if n < r.count {
			split[1] = append(split[1], row{r.codes, r.count - n})
		}
	}
	f := cells.Layout().Fields[other]
	halves, err := cells.Halve(ctx, column, at, func(key []uint64, count uint64) uint64 {
		return left(f.Code(key), count)
	})
	return halves[:], split, err
}

// compare compares all results of cells with those of their twin.
func (c *cellsCase) compare(ctx context.Context, cells *Cells, rows []row) error {
	if cells.Size() != sizeOf(rows) || cells.Len() != len(rows) {
		return fmt.Errorf("%d records in %d cells, want %d in %d", cells.Size(), cells.Len(),
			sizeOf(rows), len(rows))
	}
	var visited []row
	if err := cells.visit(ctx, func(t *partition.Table) error {
		visited = append(visited, rowsOf(t)...)
		return nil
	}); err != nil {
		return err
	}
	if !maps.Equal(sums(visited), sums(rows)) {
		return errors.New("visited cells differ")
	}
	return errors.Join(c.compareSets(ctx, cells, rows), c.compareExtents(ctx, cells, rows))
}

func (c *cellsCase) compareSets(ctx context.Context, cells *Cells, rows []row) error {
	columns := c.r.Perm(c.columns())[:c.r.IntN(c.columns()+1)]
	seen := 0
	err := cells.Histograms(ctx, columns, func(i int, set *FrequencySet) error {
		if seen++; seen != i+1 {
			return fmt.Errorf("set %d came as %d", i, seen)
		}
		want := map[string]uint64{}
		for _, r := range rows {
			class := uint32(0)
			if c.classes > 0 {
				class = r.codes[len(r.codes)-1]
			}
			want[fmt.Sprint(r.codes[columns[i]], class)] += r.count
		}
		got, last := map[string]uint64{}, -1
		for i, code := range set.Codes {
			size := uint64(0)
			for j := set.Start[i]; j < set.Start[i+1]; j++ {
				got[fmt.Sprint(code, set.Class[j])] = set.Count[j]
				size += set.Count[j]
				if j > set.Start[i] && set.Class[j] <= set.Class[j-1] {
					return errors.New("classes are not ascending")
				}
			}
			if set.Size(i) != size || size == 0 || int(code) <= last {
				return fmt.Errorf("code %d after %d, size %d, want %d", code, last, set.Size(i),
					size)
			}
			last = int(code)
		}
		if !maps.Equal(got, want) || set.Classes != max(1, c.classes) ||
			set.Len() != len(set.Codes) {
			return fmt.Errorf("column %d: got %v, want %v", columns[i], got, want)
		}
		return nil
	})
	if err == nil && seen != len(columns) {
		err = fmt.Errorf("%d sets of %d columns", seen, len(columns))
	}
	return err
}

func (c *cellsCase) compareExtents(ctx context.Context, cells *Cells, rows []row) error {
	var tops []uint32
	for i := range c.columns() {
		tops = append(tops, uint32(1+c.r.IntN(c.domains[i])))
	}
	got, err := cells.Extents(ctx, tops)
	if err != nil {
		return err
	}
	for i, top := range tops {
		want := Extent{Lo: 1<<32 - 1}
		for _, r := range rows {
			if code := r.codes[i]; code < top {
				want.Lo, want.Hi = min(want.Lo, code), max(want.Hi, code)
			} else {
				want.Above = true
			}
		}
		if got[i] != want {
			return fmt.Errorf("column %d: extent %v, want %v", i, got[i], want)
		}
	}
	return nil
}

// spilledCopy writes a table to a store.
func spilledCopy(t *partition.Table, s partition.Store) (*partition.Table, error) {
	chunks, pool := &partition.ChunkList{}, partition.NewPool(nil, s, 0)
	for i := range t.Counts {
		if err := pool.Write(chunks, t, t.Rows(i, i+1)); err != nil {
			return nil, err
		}
	}
	return partition.SpilledTable(t.Layout, chunks), nil
}

// search makes Cells of the table and runs the case on them, in the given share.
func (c *cellsCase) search(s *spilltest.MemoryStore, share int64, spilled bool) (err error) {
	budget := spill.NewBudget(1 << 40)
	table := c.table
	if spilled {
		if table, err = spilledCopy(table, s); err != nil {
			return err
		}
	} else if err := budget.Draw("table", table.Bytes()); err != nil {
		return err
	}
	root, err := newCells(table, c.classes, 0, partition.NewPool(budget, s, share))
	if err != nil {
		return err
	}
	if table.Keys != nil { // memory that the budget does not count, once they are in the store
		return errors.New("the table keeps the records")
	}
	err = errors.Join(c.run(context.Background(), root), root.Close())
	if err == nil && (budget.Used() != 0 || len(s.Sequences) > 0) {
		err = fmt.Errorf("%d bytes and %d sequences are left", budget.Used(), len(s.Sequences))
	}
	return err
}

func TestCellsInMemory(t *testing.T) {
	seed := seedtest.Seed(t)
	for i := range 100 {
		c := newCellsCase(rand.New(rand.NewPCG(seed, uint64(i))))
		root, err := New(c.table, c.classes, partition.Space{})
		if err == nil {
			err = errors.Join(c.run(context.Background(), root), root.Close())
		}
		if err != nil {
			t.Fatalf("seed %d, case %d: %v", seed, i, err)
		}
	}
}

// TestCellsSpilled runs cases in the smallest sufficient share, and in larger ones.
func TestCellsSpilled(t *testing.T) {
	seed := seedtest.Seed(t)
	appended, refused, resident := 0, 0, 0
	for i := range 30 {
		for share, enough := int64(1<<10), 0; enough < 4; share *= 2 {
			c := newCellsCase(rand.New(rand.NewPCG(seed, uint64(i))))
			s := spilltest.NewMemoryStore()
			err := c.search(s, share, i%2 == 0)
			if errors.Is(err, spill.ErrBudget) && share < 256<<10 {
				refused++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, case %d, share %d: %v", seed, i, share, err)
			}
			enough++
			appended += s.Appended
			if s.Appended == 0 {
				resident++
			}
		}
	}
	if appended == 0 || refused == 0 || resident == 0 {
		t.Errorf("%d chunks written, %d shares too small, %d large enough for everything", appended,
			refused, resident)
	}
}

// TestCellsReportFaults makes every call of the store fail in turn, in the smallest sufficient
// share.
func TestCellsReportFaults(t *testing.T) {
	for _, spilled := range []bool{false, true} {
		run := func(s *spilltest.MemoryStore, share int64) error {
			return newCellsCase(rand.New(rand.NewPCG(7, 8))).search(s, share, spilled)
		}
		share := int64(1 << 10)
		for errors.Is(run(spilltest.NewMemoryStore(), share), spill.ErrBudget) {
			share += share / 4
		}
		spilltest.UntilNoFault(t, func(s *spilltest.MemoryStore) error { return run(s, share) })
	}
}

func TestCellsStopWhenCancelled(t *testing.T) {
	c := newCellsCase(rand.New(rand.NewPCG(1, 1)))
	root, err := New(c.table, c.classes, partition.Space{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.compare(ctx, root, c.rows); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if _, err := root.Divide(ctx, 0, make([]uint32, c.domains[0]), 1); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
