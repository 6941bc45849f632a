package risk

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/spill"
)

// naive returns the figures of rows, counted with a map.
func naive(rows []string, k int) *Figures {
	classes := make(map[string]int)
	for _, row := range rows {
		classes[row]++
	}
	f, n, smallest := &Figures{Classes: int64(len(classes))}, float64(len(rows)), len(rows)
	for _, size := range classes {
		smallest = min(smallest, size)
		if size == 1 {
			f.Unique += 1 / n
		}
		if size < k {
			f.Below += float64(size) / n
		}
	}
	f.Prosecutor = Risk{1 / float64(smallest), float64(len(classes)) / n}
	f.Journalist, f.Marketer = f.Prosecutor, f.Prosecutor.Average
	return f
}

// near reports whether figures are equal, except for sums that were added in another order.
func near(a, b *Figures) bool {
	same := math.Abs(a.Unique-b.Unique) < 1e-9 && math.Abs(a.Below-b.Below) < 1e-9 &&
		math.Abs(a.Marketer-b.Marketer) < 1e-9
	return same && a.Classes == b.Classes && a.Prosecutor.Highest == b.Prosecutor.Highest &&
		a.Journalist == a.Prosecutor && a.Part == b.Part
}

// randomTable has columns of few and of many values, with nulls. Column "by" determines column
// "of".
func randomTable(rng *rand.Rand) (header []string, rows [][]string) {
	header = []string{"few", "many", "by", "of", "number"}
	for range 1 + rng.IntN(300) {
		by := rng.IntN(12)
		row := []string{fmt.Sprint("v", rng.IntN(3)), fmt.Sprint("w", rng.IntN(200)),
			fmt.Sprint("t", by), fmt.Sprint("o", by%4), fmt.Sprint(rng.IntN(40))}
		if rng.IntN(9) == 0 {
			row[rng.IntN(2)] = ""
		}
		rows = append(rows, row)
	}
	return header, rows
}

func openTable(t *testing.T, header []string, rows [][]string) *dataset.Dataset {
	t.Helper()
	var text bytes.Buffer
	for _, row := range append([][]string{header}, rows...) {
		text.WriteString(strings.Join(row, ",") + "\n")
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := dataset.Open(t.Context(), []string{path}, formats.ReadOptions{BatchRows: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// The figures of random tables agree with naive counts, and nothing stays drawn.
func TestCountAgreesWithNaive(t *testing.T) {
	enginetest.Cases(t, 100, func(rng *rand.Rand) {
		header, rows := randomTable(rng)
		columns := []int{4, 0, 2, 1, 3}
		masked := rng.Perm(len(columns))[:rng.IntN(len(columns)+1)]
		r := &Request{Masked: masked, Raw: true}
		budget := spill.NewBudget(64 << 20)
		counts, err := Count(t.Context(), openTable(t, header, rows), r, columns, 1+rng.IntN(4),
			budget, func(int64) {})
		if err != nil {
			t.Fatal(err)
		}
		k := 1 + rng.IntN(6)
		var tuples []string
		for _, row := range rows {
			tuple := ""
			for _, c := range masked {
				tuple += row[columns[c]] + "|"
			}
			tuples = append(tuples, tuple)
		}
		if got, want := counts.Raw(k), naive(tuples, k); !near(got, want) {
			t.Errorf("%v, k = %d: %+v, want %+v", masked, k, got, want)
		}
		if counts.Close(); budget.Used() != 0 {
			t.Errorf("%d bytes stay drawn", budget.Used())
		}
	})
}

// A full sum counts the classes of the hashes with leading zeros, whichever goroutine counted which
// rows, and its estimates are near.
func TestSumOfAPart(t *testing.T) {
	enginetest.Cases(t, 20, func(rng *rand.Rand) {
		hashes := manyClasses(rng, 30_000)
		rows, budget := int64(len(hashes)), spill.NewBudget(1<<20)
		sum := NewPartSum(2048, rows, budget)
		if err := sum.count(rng, 1+rng.IntN(3), budget, hashes); err != nil {
			t.Fatal(err)
		}
		part, exact := sum.Figures(rows, 2), FiguresOf(hashes, 2)
		want := naivePart(hashes, 2, func(uint) int { return 2048 })
		if !reflect.DeepEqual(part, want) || part.Part != 1.0/16 {
			t.Errorf("%+v, want %+v", part, want)
		}
		// Error is two standard deviations. That of 30,000 classes, a sixteenth of which was
		// counted, is 2 %: no seed gives a result that is six of these away.
		off, classes := math.Abs(part.Unique-exact.Unique),
			float64(part.Classes)/float64(exact.Classes)
		if off > 3*part.Error || part.Error > 0.03 || classes < 0.87 || classes > 1.13 {
			t.Errorf("estimated of a part %+v, counted %+v", part, exact)
		}
		if sum.Close(); budget.Used() != 0 {
			t.Errorf("%d bytes stay drawn", budget.Used())
		}
	})
}

// Bytes are hashed like Go's FNV-1a.
func TestHashValue(t *testing.T) {
	values := &formats.Values{Type: formats.Type{Kind: formats.String}}
	for i, text := range []string{"", "a", "Amsterdam", "\x00\xff"} {
		values.Data = append(values.Data, text...)
		values.Ends = append(values.Ends, uint32(len(values.Data)))
		h := fnv.New64a()
		h.Write([]byte(text))
		if got, want := HashValue(values, i), Scatter(h.Sum64()); got != want {
			t.Errorf("%q: %x, want %x", text, got, want)
		}
	}
}

// The share that ends a run is precise enough to distinguish 0.9 % of the rows from 1.1 %.
func TestSumAtTheLimit(t *testing.T) {
	for _, percent := range []float64{0.9, 1, 1.1} {
		const rows = 2_000_000
		budget := spill.NewBudget(1 << 30)
		sum, alone := NewPartSum(MostClasses(1, 1<<30), rows, budget), int(rows*percent/100)
		counter := sum.Counter(budget)
		for row := range rows {
			counter.Add([]uint64{Scatter(uint64(min(row, alone+(row-alone)/2)))})
		}
		if err := sum.Join(counter); err != nil {
			t.Fatal(err)
		}
		if got := sum.Figures(rows, 2); got.Part == 0 || math.Abs(100*got.Unique-percent) > 0.07 {
			t.Errorf("%.1f %% of the rows are unique: %+v", percent, got)
		}
	}
}

// Few classes are counted one by one, whatever their number of rows. Of more classes a part is
// counted whose shares are near those of all, whichever goroutine counted which rows.
func TestSumsOfManyRows(t *testing.T) {
	for _, tt := range []struct {
		classes int
		rows    int // average rows of a class, except classes of one row
		part    float64
	}{{fewHashes, 60, 0}, {20_000, 50, 1. / 2}, {100_000, 10, 1. / 8}, {900_000, 1, 1. / 16}} {
		rng := rand.New(rand.NewPCG(1, uint64(tt.classes)))
		var hashes []uint64
		for range tt.classes {
			hash := rng.Uint64()
			for range 1 + rng.IntN(2)*rng.IntN(4*tt.rows) {
				hashes = append(hashes, hash)
			}
		}
		rng.Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
		n, budget := int64(len(hashes)), spill.NewBudget(1<<30)
		enough := func(zeros uint) int {
			if n>>zeros > enoughRows {
				return fewHashes
			}
			return mostHashes
		}
		want, exact := naivePart(hashes, 5, enough), FiguresOf(slices.Clone(hashes), 5)
		for _, counters := range []int{1, 5} {
			sum := NewPartSum(MostClasses(3, 1<<30), n, budget)
			if err := sum.count(rng, counters, budget, hashes); err != nil {
				t.Fatal(err)
			}
			if got := sum.Figures(n, 5); got.Part != tt.part || !reflect.DeepEqual(got, want) {
				t.Errorf("%d classes: %d counters have %+v, want %+v, part %g", tt.classes,
					counters, got, want, tt.part)
			}
		}
		if off := math.Abs(want.Unique - exact.Unique); off > max(0.03*exact.Unique, 0.001) ||
			math.Abs(want.Below-exact.Below) > max(0.05*exact.Below, 0.001) ||
			math.Abs(float64(want.Classes)/float64(exact.Classes)-1) > 0.03 ||
			tt.part == 0 && !reflect.DeepEqual(want, exact) {
			t.Errorf("%d classes: %+v, all have %+v", tt.classes, want, exact)
		}
	}
}

// Without memory, sums and entities count a part, too.
func TestSumsWithoutMemory(t *testing.T) {
	budget := spill.NewBudget(20 << 10)
	sum, entities := NewPartSum(1<<16, 5000, budget), newEntities(2, 1<<16, budget)
	rowCounter, entityCounter := sum.Counter(spill.NewBudget(0)), entities.Counter()
	for i := range uint64(5000) {
		class := []uint64{Scatter(i)}
		rowCounter.Add(class)
		entityCounter.Add(class, []uint64{Scatter(i / 2)})
	}
	if err := sum.Join(rowCounter); err != nil {
		t.Fatal(err)
	}
	if f := sum.Figures(5000, 2); f.Part == 0 || f.Unique < 0.8 || f.Classes < 4000 ||
		f.Classes > 6000 {
		t.Errorf("%+v", f)
	}
	if f, err := entities.Figures(2500); err != nil || f.Part == 0 || f.Unique < 0.8 ||
		f.Classes < 3500 || f.Classes > 6500 {
		t.Errorf("entities are %+v: %v", f, err)
	}
	sum.Close()
	if entities.Close(); budget.Used() != 0 {
		t.Errorf("%d bytes stay drawn", budget.Used())
	}
}

// Estimates of more columns are not below those of fewer columns, and exact figures do not change.
func TestRefine(t *testing.T) {
	kept := &Figures{Unique: 1, Below: 1, Classes: 90, Prosecutor: Risk{1, 0.9},
		Journalist: Risk{1, 0.9}, Marketer: 0.9}
	both := &Figures{Unique: 0.98, Below: 0.99, Classes: 95, Prosecutor: Risk{0.5, 0.95}, Part: 0.5}
	both.Refine(kept)
	if want := (Figures{1, 1, 95, Risk{1, 0.95}, Risk{1, 0.95}, 0.95, nil, 0.5, 0}); *both != want {
		t.Errorf("%+v, want %+v", *both, want)
	}
	finer := FiguresOf([]uint64{1, 2, 3, 3}, 3)
	was := *finer
	if finer.Refine(FiguresOf([]uint64{1, 1, 3, 3}, 3)); *finer != was {
		t.Errorf("%+v, was %+v", *finer, was)
	}
}
