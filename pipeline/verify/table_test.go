package verify

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/internal/workers"
)

// randomBlock returns random numbers of columns, below the given limits. Some columns have the same
// number in all rows.
func randomBlock(random *rand.Rand, rows int, below []uint64) []release.Numbers {
	numbers := make([]release.Numbers, len(below))
	for column, n := range below {
		if random.IntN(4) == 0 {
			numbers[column] = release.Numbers{Same: true, One: uint32(random.Uint64N(n))}
			continue
		}
		for range rows {
			numbers[column].Every = append(numbers[column].Every, uint32(random.Uint64N(n)))
		}
	}
	return numbers
}

// keyOf returns the key of a row, number by number.
func keyOf(k *labelKey, row int, numbers []release.Numbers) (key [8]uint64) {
	var of []uint32
	for _, n := range numbers {
		if n.Same {
			of = append(of, n.One)
		} else {
			of = append(of, n.Every[row])
		}
	}
	copy(key[:], k.of(of))
	return key
}

// Tables hold the same groups as a plain map, with any number of labels, workers and passes.
func TestTables(t *testing.T) {
	seed := seedtest.Seed(t)
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	passes := 0
	for range 40 {
		below := make([]uint64, 1+random.IntN(8))
		columns := make([]int, len(below))
		for i := range below {
			below[i], columns[i] = 1+random.Uint64N(1<<random.IntN(17)), i
		}
		r := &rules{keys: []labelKey{newLabelKey(columns, below)}}
		k := &r.keys[0]
		want := make(map[[8]uint64]uint64)
		var blocks [][]release.Numbers
		var rows []int
		for range 10 {
			n := 1 + random.IntN(release.BlockRows)
			block := randomBlock(random, n, below)
			for row := range n {
				want[keyOf(k, row, block)]++
			}
			blocks, rows = append(blocks, block), append(rows, n)
		}
		for _, limit := range []int64{math.MaxInt64, 1 << 17} {
			s := newShareRange(limit)
			got := make(map[[8]uint64]uint64)
			for more := true; more; passes++ {
				for _, c := range countAll(t, r, s, blocks, rows) {
					for key, n := range c.tables[0].all() {
						var to [8]uint64
						copy(to[:], key)
						got[to] += n
					}
					c.tables[0].clear()
				}
				if more = s.next(); s.held.Load() != 0 {
					t.Fatalf("%d bytes held at the end", s.held.Load())
				}
			}
			if !maps.Equal(got, want) {
				t.Fatalf("below %v, within %d bytes: got %d groups, want %d", below, limit,
					len(got), len(want))
			}
		}
	}
	if passes <= 2*40 {
		t.Error("no tables needed several passes")
	}
}

// countAll counts blocks with two counters at a time.
func countAll(
	t *testing.T, r *rules, s *shareRange, blocks [][]release.Numbers, rows []int,
) []*counter {
	t.Helper()
	counters := []*counter{newCounter(r, []*shareRange{s}), newCounter(r, []*shareRange{s})}
	err := workers.Each(len(counters), len(counters), func(_ workers.Worker, number int) error {
		for i := number; i < len(blocks); i += len(counters) {
			if err := counters[number].count(0, rows[i], blocks[i], nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counters
}

// Numbers that do not fit a word go to the next word: no two combinations have the same key.
func TestLabelKeyOverflows(t *testing.T) {
	k := newLabelKey([]int{0, 1, 2}, []uint64{1 << 32, 1 << 32, 2})
	if zero, one := k.of([]uint32{0, 0, 0}), k.of([]uint32{0, 0, 1}); slices.Equal(zero, one) {
		t.Errorf("two combinations have the key %d", one)
	}
}

// A table never holds more than its limit, except while it moves half of its keys, and returns an
// error if not even one share fits.
func TestTableLimit(t *testing.T) {
	s := newShareRange(8 << 10)
	table := newTable(1, s)
	for key, shares := uint64(0), 0; shares < 1<<12; key++ {
		if hashOf([]uint64{key})>>54 != 0 {
			continue
		}
		shares++
		if err := table.add([]uint64{key}, 1); err != nil {
			if !errors.Is(err, errManyGroups) || s.until.Load() != 1 {
				t.Errorf("shares up to %d: %v", s.until.Load(), err)
			}
			return
		}
		if held := s.held.Load(); held > s.limit || held != table.bytes(table.room) {
			t.Fatalf("%d bytes", held)
		}
	}
	t.Error("no limit")
}

// TestKeysOfAllSlots: the first keys that a table returns come evenly from all parts of its slots.
// Otherwise another table to which they are added would be full in front while it is empty behind,
// and each addition would search all slots in front.
func TestKeysOfAllSlots(t *testing.T) {
	const keys, parts = 10_000, 4
	table := newTable(1, newShareRange(math.MaxInt64))
	for i := range uint64(keys) {
		if err := table.add([]uint64{i}, 1); err != nil {
			t.Fatal(err)
		}
	}
	var of [parts]int
	seen := 0
	for key := range table.all() {
		of[hashOf(key)&uint64(table.room-1)*parts/uint64(table.room)]++
		if seen++; seen == keys/parts {
			break
		}
	}
	for part, n := range of {
		if n < keys/parts/parts/2 {
			t.Errorf("of the first %d keys, %d are in part %d of %d", seen, n, part, parts)
		}
	}
}

// TestShares: sets with few combinations of labels leave their memory to other sets, and all
// together take no more than the given memory.
func TestShares(t *testing.T) {
	r := &rules{}
	for _, below := range []uint64{1 << 40, 2, 1 << 41, 30} {
		r.keys = append(r.keys, newLabelKey([]int{0}, []uint64{below}))
	}
	const memory = 1 << 20
	shares := r.share(memory, []int{0, 1, 2, 3}, 2)
	if sum := shares[0] + shares[1] + shares[2] + shares[3]; sum > memory ||
		shares[0] < memory*2/5 || shares[2] < memory*2/5 {
		t.Errorf("shares %v of %d bytes", shares, memory)
	}
	for key, n := range map[int]uint64{1: 2, 3: 30} {
		s := newShareRange(shares[key])
		for range 2 {
			table := newTable(1, s)
			for i := range n {
				if err := table.add([]uint64{i}, 1); err != nil || !s.all() {
					t.Errorf("a set of %d combinations does not fit its share", n)
				}
			}
		}
	}
}
