package risk

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/spill"
)

// together runs a function in several goroutines at the same time.
func together(goroutines int, do func(goroutine int)) {
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// manyClasses returns hashes of rows: of classes of one row, and of classes of several rows.
func manyClasses(rng *rand.Rand, classes int) (hashes []uint64) {
	for range classes {
		hash := rng.Uint64()
		for range 1 + rng.IntN(4)*rng.IntN(2) {
			hashes = append(hashes, hash)
		}
	}
	rng.Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
	return hashes
}

// naivePart returns the figures of rows, counted in the classes whose hashes begin with the least
// number of zeros that leaves no more classes than most allows.
func naivePart(hashes []uint64, k int, most func(zeros uint) int) *Figures {
	of := make(map[uint64]int64)
	for _, hash := range hashes {
		of[hash]++
	}
	for zeros := uint(0); ; zeros++ {
		c, n := ClassSizes{K: k}, 0
		for hash, rows := range of {
			if hash>>(64-zeros) == 0 {
				c.Add(rows)
				n++
			}
		}
		if n <= most(zeros) {
			return c.figures(int64(len(hashes)), zeros)
		}
	}
}

// count has several counters count some rows each.
func (s *Sum) count(rng *rand.Rand, counters int, budget *spill.Budget, hashes []uint64) error {
	all := make([]*Counter, counters)
	for i := range all {
		all[i] = s.Counter(budget)
	}
	for from := 0; from < len(hashes); from += 1 << 10 {
		all[rng.IntN(counters)].Add(hashes[from:min(from+1<<10, len(hashes))])
	}
	return s.Join(all...)
}

// A sum has the same result whichever goroutine counted which rows, with any memory: of few classes
// that of a plain count, of more classes that of the classes whose hashes begin with zeros.
func TestSum(t *testing.T) {
	const most = 1 << 12
	parts := make(map[float64]int)
	enginetest.Cases(t, 30, func(rng *rand.Rand) {
		hashes := manyClasses(rng, 1+rng.IntN(4*most))
		rows, k, goroutines := int64(len(hashes)), 2+rng.IntN(3), 1+rng.IntN(4)
		budget := spill.NewBudget(1 << 30)
		sum, counters, own := NewSum(most, budget), []*Counter(nil),
			spill.NewBudget(rng.Int64N(200<<10))
		for range goroutines {
			counters = append(counters, sum.Counter(own))
		}
		together(goroutines, func(g int) {
			for from := g * 100; from < len(hashes); from += goroutines * 100 {
				counters[g].Add(hashes[from:min(from+100, len(hashes))])
			}
		})
		if err := sum.Join(counters...); err != nil {
			t.Fatal(err)
		}
		got := sum.Figures(rows, k)
		parts[got.Part]++
		want := naivePart(hashes, k, func(uint) int { return most })
		if !reflect.DeepEqual(got, want) ||
			got.Part == 0 && !reflect.DeepEqual(got, FiguresOf(hashes, k)) {
			t.Errorf("%+v, want %+v", got, want)
		}
		if sum.Close(); budget.Used() != 0 || own.Used() != 0 {
			t.Errorf("%d and %d bytes stay drawn", budget.Used(), own.Used())
		}
	})
	if parts[0] == 0 || parts[0.5] == 0 {
		t.Errorf("counted are %v", parts)
	}
}

// A sum of many classes is exact up to its limit, whatever the size of the table.
func TestSumOfManyRows(t *testing.T) {
	hashes := manyClasses(rand.New(rand.NewPCG(1, 1)), 2*fewHashes+1000)
	sum := NewSum(UnionHashes, spill.NewBudget(1<<30))
	own := spill.NewBudget(1 << 30)
	if err := sum.count(rand.New(rand.NewPCG(2, 1)), 2, own, hashes); err != nil {
		t.Fatal(err)
	}
	got, want := sum.Figures(int64(len(hashes)), 3), FiguresOf(hashes, 3)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A sum takes the declared memory. Without room for it, there is an error, and nothing else.
func TestSumWithoutMemory(t *testing.T) {
	hashes := manyClasses(rand.New(rand.NewPCG(1, 1)), UnionHashes)
	for _, tt := range []struct {
		limit int64
		err   error
	}{{SumBytes, nil}, {1 << 20, spill.ErrBudget}} {
		budget := spill.NewBudget(tt.limit)
		sum := NewSum(UnionHashes, budget)
		counter := sum.Counter(spill.NewBudget(0))
		counter.Add(hashes)
		if err := sum.Join(counter); !errors.Is(err, tt.err) {
			t.Errorf("within %d bytes: %v", tt.limit, err)
		}
		if sum.Close(); budget.Used() != 0 {
			t.Errorf("%d bytes stay drawn", budget.Used())
		}
	}
}

// visits are rows of some classes and entities.
type visits struct{ classes, entities []uint64 }

func newVisits(rng *rand.Rand, rows, classes, entities int) (v visits) {
	for range rows {
		v.classes = append(v.classes, Scatter(uint64(rng.IntN(classes))))
		v.entities = append(v.entities, Scatter(uint64(rng.IntN(entities))))
	}
	return v
}

// naive returns the shares of entities that are alone, or in classes of fewer than k, in the
// classes whose hashes begin with the given number of zeros.
func (v visits) naive(k int, zeros uint) (alone, small float64) {
	whose, of := make(map[uint64]bool), make(map[uint64]map[uint64]bool)
	for i, class := range v.classes {
		whose[v.entities[i]] = true
		if class>>(64-zeros) != 0 {
			continue
		}
		if of[class] == nil {
			of[class] = make(map[uint64]bool)
		}
		of[class][v.entities[i]] = true
	}
	areAlone, areSmall := make(map[uint64]bool), make(map[uint64]bool)
	for _, class := range of {
		for entity := range class {
			if len(class) == 1 {
				areAlone[entity] = true
			}
			if len(class) < k {
				areSmall[entity] = true
			}
		}
	}
	all := float64(len(whose)) / float64(uint(1)<<zeros)
	return min(float64(len(areAlone))/all, 1), min(float64(len(areSmall))/all, 1)
}

// Entities agree with a naive count, of a part of the classes if there are many, whichever
// goroutine counted which rows.
func TestEntities(t *testing.T) {
	sampled := 0
	check := func(rng *rand.Rand, rows, classes int) {
		v, k, goroutines := newVisits(rng, rows, classes, 1+rng.IntN(min(rows, UnionHashes))),
			1+rng.IntN(4), 1+rng.IntN(4)
		budget := spill.NewBudget(1 << 30)
		entities := NewEntities(k, budget)
		var counters []*EntityCounter
		for range goroutines {
			counters = append(counters, entities.Counter())
		}
		together(goroutines, func(g int) {
			for from := g * 100; from < rows; from += goroutines * 100 {
				to := min(from+100, rows)
				counters[g].Add(v.classes[from:to], v.entities[from:to])
			}
		})
		whose := make(map[uint64]bool)
		for _, entity := range v.entities {
			whose[entity] = true
		}
		got, err := entities.Figures(int64(len(whose)))
		if err != nil {
			t.Fatal(err)
		}
		if entities.Close(); budget.Used() != 0 {
			t.Errorf("%d bytes stay drawn", budget.Used())
		}
		zeros := entities.zeros()
		if zeros > 0 {
			sampled++
		}
		if alone, small := v.naive(k, zeros); got.Unique != alone || got.Below != small ||
			(got.Part > 0) != (zeros > 0) {
			t.Errorf("%+v of %d rows, want %g and %g", got, rows, alone, small)
		}
	}
	enginetest.Cases(t, 60, func(rng *rand.Rand) {
		rows := 1 + rng.IntN(2000)
		check(rng, rows, 1+rng.IntN(rows))
	})
	if check(rand.New(rand.NewPCG(4, 2)), 2*mostPairs, 2*mostPairs); sampled == 0 {
		t.Error("no part was counted")
	}
}

// Without room for entities there is an error.
func TestEntitiesWithoutMemory(t *testing.T) {
	entities := NewEntities(2, spill.NewBudget(1<<18))
	v := newVisits(rand.New(rand.NewPCG(3, 1)), 50_000, 50_000, 50_000)
	entities.Counter().Add(v.classes, v.entities)
	if _, err := entities.Figures(50_000); !errors.Is(err, spill.ErrBudget) {
		t.Errorf("%v", err)
	}
}
