package risk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/spill"
)

// determinedTable has columns that determine others for all rows, for nearly all rows, or in pairs.
func determinedTable(rng *rand.Rand) (header []string, rows [][]string) {
	header = []string{"code", "group", "half", "third", "both", "number", "constant"}
	n, wrong := 200+rng.IntN(300), rng.IntN(12)
	for row := range n {
		code, a, b := rng.IntN(20), rng.IntN(6), rng.IntN(6)
		group, both, constant := code/(2+wrong%3), (a*5+b*7)%9, "same"
		if row < wrong {
			group, both = rng.IntN(10), rng.IntN(9)
		}
		if row < wrong/2 {
			constant = "other"
		}
		rows = append(rows, []string{
			fmt.Sprint(code), fmt.Sprint(group), fmt.Sprint(a), fmt.Sprint(b), fmt.Sprint(both),
			fmt.Sprint(rng.IntN(n)), constant,
		})
	}
	rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return header, rows
}

// naiveShare returns the share of the rows for which columns determine another one, counted with
// maps. It is 0 if they do so by chance, or if the other column is constant.
func naiveShare(rows [][]string, by []int, of int) float64 {
	values, all := make(map[string]map[string]int), make(map[string]int)
	for _, row := range rows {
		tuple := ""
		for _, c := range by {
			tuple += row[c] + "|"
		}
		if values[tuple] == nil {
			values[tuple] = make(map[string]int)
		}
		values[tuple][row[of]]++
		all[row[of]]++
	}
	most := func(counts map[string]int) (n int) {
		for _, count := range counts {
			n = max(n, count)
		}
		return n
	}
	if 2*len(values) > len(rows) || 100*most(all) >= 99*len(rows) {
		return 0
	}
	like := 0
	for _, counts := range values {
		like += most(counts)
	}
	return float64(like) / float64(len(rows))
}

// naiveDeterminations finds the same determinations as Determines.
func naiveDeterminations(rows [][]string, r *Request) (all []Determination) {
	add := func(columns []int, groups [][]int, others []int) {
		single := make(map[[2]int]bool)
		for _, by := range columns {
			for _, of := range others {
				if share := naiveShare(rows, []int{by}, of); share >= 0.99 {
					single[[2]int{by, of}] = true
					all = append(all, Determination{[]int{by}, of, share})
				}
			}
		}
		tried := make(map[[2]int]bool)
		for _, group := range groups {
			for i, a := range group {
				for _, b := range group[i+1:] {
					pair := [2]int{a, b}
					if slices.Index(columns, a) > slices.Index(columns, b) {
						pair = [2]int{b, a}
					}
					for _, of := range others {
						if tried[pair] || single[[2]int{a, of}] || single[[2]int{b, of}] {
							continue
						}
						if share := naiveShare(rows, pair[:], of); share >= 0.99 {
							all = append(all, Determination{pair[:], of, share})
						}
					}
					tried[pair] = true
				}
			}
		}
	}
	add(r.Kept, [][]int{r.Kept}, r.Masked)
	add(r.Masked, r.Sets, r.Kept)
	return all
}

// Columns and pairs that determine others in random tables are those that maps find, with the same
// shares, whichever scanner read which rows.
func TestDeterminationAgreesWithNaive(t *testing.T) {
	single, pairs, part := 0, 0, 0
	enginetest.Cases(t, seedtest.Few(100, 300), func(rng *rand.Rand) {
		header, rows := determinedTable(rng)
		order := rng.Perm(len(header))
		cut := 1 + rng.IntN(len(header)-1)
		r := &Request{Kept: order[:cut:cut], Masked: order[cut:]}
		for range rng.IntN(3) {
			var set []int
			for _, column := range r.Masked {
				if rng.IntN(3) > 0 {
					set = append(set, column)
				}
			}
			r.Sets = append(r.Sets, set)
		}
		counts, err := Count(t.Context(), openTable(t, header, rows), r, positions(0, len(header)),
			1+rng.IntN(3), spill.NewBudget(64<<20), func(int64) {})
		if err != nil {
			t.Fatal(err)
		}
		got := counts.Determines()
		want := naiveDeterminations(rows, r)
		near := func(a, b Determination) bool {
			return slices.Equal(a.By, b.By) && a.Of == b.Of && a.Share-b.Share < 1e-9 &&
				b.Share-a.Share < 1e-9
		}
		if !slices.EqualFunc(got, want, near) {
			t.Errorf("%v of %v and %v, sets %v; want %v", got, r.Kept, r.Masked, r.Sets, want)
		}
		for _, d := range want {
			if len(d.By) == 1 {
				single++
			} else {
				pairs++
			}
			if d.Share < 1 {
				part++
			}
		}
		counts.Close()
	})
	if single == 0 || pairs == 0 || part == 0 {
		t.Errorf("%d single columns, %d pairs, %d for a part of the rows", single, pairs, part)
	}
}

// In a table with more rows than are held, true dependencies are found and others are not,
// whichever scanner read which rows.
func TestDeterminationOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := &Request{Kept: []int{0, 1, 2, 3}, Masked: []int{4, 5, 6}, Sets: [][]int{{4, 5, 6}}}
	const rows = 300_000
	budget := spill.NewBudget(64 << 20)
	var scanners []*dependencies
	for range 4 {
		scanners = append(scanners, newDependencies(r, rows, true, budget))
	}
	tuples, values := [][]uint32{}, make([]Hashes, 7)
	for c := range values {
		for value := range rows {
			values[c].byCode = append(values[c].byCode, Scatter(uint64(value)<<8+uint64(c)))
		}
	}
	for range rows {
		code, a, b := rng.IntN(900), rng.IntN(150), rng.IntN(120)
		group, pair, near := code/40, (a*31+b*17)%50, code/20
		if rng.IntN(20) == 0 {
			near = rng.IntN(45) // for 95 % of the rows: too few
		}
		tuples = append(tuples, []uint32{
			uint32(group), uint32(pair), uint32(near), uint32(rng.IntN(rows)), uint32(code),
			uint32(a), uint32(b),
		})
	}
	see := func(d *dependencies, rows [][]uint32) {
		for len(rows) > 0 {
			block := rows[:min(len(rows), countRows)]
			rows = rows[len(block):]
			addBlock(d, block, values)
		}
	}
	see(scanners[0], tuples)
	rng.Shuffle(len(tuples), func(i, j int) { tuples[i], tuples[j] = tuples[j], tuples[i] })
	see(scanners[1], tuples[:500])
	see(scanners[2], tuples[500:9000])
	see(scanners[3], tuples[9000:])
	for _, i := range []int{2, 3} {
		scanners[1].merge(scanners[i])
	}
	want := []Determination{{[]int{4}, 0, 1}, {[]int{5, 6}, 1, 1}}
	for _, d := range scanners[:2] {
		if got := d.found(); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
		d.close()
	}
	if n := budget.Used(); n != 0 {
		t.Errorf("%d bytes stay drawn", n)
	}
}

// TestPairsAreOfColumnsThatMayDetermine: columns with one value, and columns with a different value
// in every row, are not among the columns that are examined in pairs, whose number is limited.
func TestPairsAreOfColumnsThatMayDetermine(t *testing.T) {
	const useless, rows = paired, 400
	header, values := []string{"of"}, make([][]string, rows)
	for c := range 2 * useless {
		header = append(header, fmt.Sprint("c", c))
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for row := range values {
		a, b := rng.IntN(6), rng.IntN(6)
		values[row] = []string{fmt.Sprint((a + b) % 6)}
		for c := range useless {
			values[row] = append(values[row], "same", fmt.Sprint(c+row))
		}
		values[row] = append(values[row], fmt.Sprint(a), fmt.Sprint(b))
	}
	header = append(header, "a", "b")
	r := &Request{Kept: positions(1, len(header)), Masked: []int{0}}
	counts, err := Count(t.Context(), openTable(t, header, values), r, positions(0, len(header)), 1,
		spill.NewBudget(64<<20), func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	defer counts.Close()
	want := []Determination{{[]int{len(header) - 2, len(header) - 1}, 0, 1}}
	if got := counts.Determines(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// batchOf returns a batch of rows of codes.
func batchOf(rows [][]uint32) *formats.Batch {
	b := &formats.Batch{Rows: len(rows)}
	for c := range rows[0] {
		column := &formats.Column{}
		for _, row := range rows {
			column.Codes = append(column.Codes, row[c])
		}
		b.Columns = append(b.Columns, column)
	}
	return b
}

// addBlock adds rows, by their codes, to dependencies.
func addBlock(d *dependencies, rows [][]uint32, values []Hashes) {
	b, hashes := batchOf(rows), make([]uint64, len(rows))
	for _, c := range d.Masked {
		for i, code := range b.Columns[c].Codes {
			hashes[i] = Join(hashes[i], values[c].byCode[code])
		}
	}
	if err := d.add(b, values, hashes, len(d.Masked), 0, len(rows)); err != nil {
		panic(err)
	}
}

// In a table of thousands of columns, no column has a sample of its own, and none takes memory for
// it.
func TestDeterminationOfManyColumns(t *testing.T) {
	const columns, rows = 3000, 400
	r := &Request{Kept: positions(0, columns-1), Masked: []int{columns - 1}}
	budget := spill.NewBudget(64 << 20)
	d := newDependencies(r, rows, true, budget)
	defer d.close()
	values := make([]Hashes, columns)
	row := make([]uint32, columns)
	for c := range values {
		for value := range rows {
			values[c].byCode = append(values[c].byCode, Scatter(uint64(value*columns+c)))
		}
	}
	for i := range rows {
		for c := range row {
			row[c] = uint32(i)
		}
		addBlock(d, [][]uint32{row}, values)
	}
	d.found()
	if d.complete() || len(d.by) != columns {
		t.Fatalf("%d rows have room", rows)
	}
	taken := 0
	for _, s := range d.by {
		taken += 4*cap(s.values) + 12*cap(s.hashes)
	}
	if taken > 0 {
		t.Errorf("samples of single columns take %d bytes, which are not drawn", taken)
	}
}

// TestDeterminationInAnyBudget: a table has more rows than are held, and a column determines
// another one for 99 % of the rows. The result is the same with the smallest budget and a large
// one, and with one scanner and four.
func TestDeterminationInAnyBudget(t *testing.T) {
	header, rows := []string{"group", "code", "number", "kept"}, [][]string{}
	rng := rand.New(rand.NewPCG(7, 8))
	for row := range 20_000 {
		code := rng.IntN(300)
		group := code / 10
		if row%110 == 0 {
			group = (group + 1) % 30
		}
		rows = append(rows, []string{
			fmt.Sprint(group), fmt.Sprint(code), fmt.Sprint(rng.IntN(9000)),
			fmt.Sprint(rng.IntN(50)),
		})
	}
	table := openTable(t, header, rows)
	r := &Request{Kept: []int{0, 3}, Masked: []int{1, 2}, Sets: [][]int{{1, 2}}, Raw: true,
		Dictionaries: true}
	var first []Determination
	for i, memory := range []int64{16 << 20, 1 << 30} {
		for _, threads := range []int{1, 4} {
			counts, err := Count(t.Context(), table, r, positions(0, 4), threads,
				spill.NewBudget(memory), func(int64) {})
			if err != nil {
				t.Fatal(err)
			}
			got := counts.Determines()
			if first == nil {
				first = got
			}
			if i+threads == 1 && len(got) == 0 || !reflect.DeepEqual(got, first) {
				t.Errorf("%d bytes, %d threads: %+v, want %+v", memory, threads, got, first)
			}
			counts.Close()
		}
	}
}

// If memory has no room for rows that show dependencies, that is an error.
func TestDeterminationWithoutMemory(t *testing.T) {
	table := openTable(t, []string{"a", "b"}, [][]string{{"1", "2"}, {"3", "4"}})
	r := &Request{Kept: []int{0}, Masked: []int{1}}
	budget := spill.NewBudget(256)
	_, err := Count(t.Context(), table, r, positions(0, 2), 1, budget, func(int64) {})
	if !errors.Is(err, spill.ErrBudget) {
		t.Errorf("%v, want ErrBudget", err)
	}
	if n := budget.Used(); n != 0 {
		t.Errorf("%d bytes stay drawn", n)
	}
}
