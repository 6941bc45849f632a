package pipeline

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// The counts of random combinations are those of a plain map, whatever the widths.
func TestLabelCounts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		below := make([]int, 1+random.IntN(8))
		columns := make([]int, len(below))
		for i := range below {
			below[i], columns[i] = random.IntN(1<<random.IntN(17)), i
		}
		k := newLabelKey(columns, below)
		counts := newLabelCounts(k.size, math.MaxInt64)
		want := make(map[[8]uint32]uint64)
		key := make([]uint64, k.size)
		for range 2000 {
			var numbers [8]uint32
			for i, n := range below {
				numbers[i] = uint32(random.IntN(n + 1))
			}
			want[numbers]++
			k.pack(key, func(column int) uint32 { return numbers[column] })
			if err := counts.add(key, 1); err != nil {
				t.Fatal(err)
			}
		}
		least := uint64(math.MaxUint64)
		for numbers, n := range want {
			least = min(least, n)
			k.pack(key, func(column int) uint32 { return numbers[column] })
			if got := counts.find(key)[k.size]; got != n {
				t.Fatalf("%v below %v: %d records, want %d", numbers, below, got, n)
			}
		}
		if counts.used != len(want) || counts.least() != least {
			t.Fatalf("%d groups, the least %d, want %d and %d", counts.used, counts.least(), len(want), least)
		}
	}
}

func TestLabelCountsLimit(t *testing.T) {
	const limit = 100 << 10
	counts := newLabelCounts(1, limit)
	for i := range uint64(1 << 20) {
		if err := counts.add([]uint64{i}, 1); err != nil {
			if !errors.Is(err, errManyGroups) || i < 1000 {
				t.Errorf("group %d: %v", i, err)
			}
			return
		}
		if len(counts.slots)*8 > limit {
			t.Fatalf("%d bytes", len(counts.slots)*8)
		}
	}
	t.Error("no limit")
}
