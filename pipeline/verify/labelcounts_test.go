package verify

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/formats/release"
)

// randomBlock returns numbers of columns below the given ones: random ones, now and then the
// same for all rows.
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

// numbersOf returns the numbers of a row.
func numbersOf(row int, numbers []release.Numbers) (key [8]uint32) {
	for column, n := range numbers {
		if key[column] = n.One; !n.Same {
			key[column] = n.Every[row]
		}
	}
	return key
}

// The smallest count of random combinations, and their sum, are those of a plain map, whatever the number of
// labels and of workers is, whether there are cells, and in however many passes.
func TestLabelTally(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	passes := 0
	for range 40 {
		below := make([]uint64, 1+random.IntN(8))
		columns := make([]int, len(below))
		for i := range below {
			below[i], columns[i] = 1+random.Uint64N(1<<random.IntN(17)), i
		}
		k := newLabelKey(columns, below)
		want := make(map[[8]uint32]uint64)
		var blocks [][]release.Numbers
		var rows []int
		for range 10 {
			n := 1 + random.IntN(release.BlockRows)
			block := randomBlock(random, n, below)
			for row := range n {
				want[numbersOf(row, block)]++
			}
			blocks, rows = append(blocks, block), append(rows, n)
		}
		least, records := uint64(math.MaxUint64), uint64(0)
		for _, n := range want {
			least, records = min(least, n), records+n
		}
		counts := newLabelCounts(k.size)
		for _, counts.limit = range []int64{math.MaxInt64, 1 << 17} {
			counts.from = 0
			counts.until.Store(labelShards)
			got, sum := uint64(0), uint64(0)
			keepLeast := func(_ []uint64, n uint64) { got, sum = smaller(got, n), sum+n }
			for more := true; more; more = counts.next() {
				tallyAll(t, &k, counts, blocks, rows)
				counts.each(keepLeast)
				passes++
			}
			if got != least || sum != records {
				t.Fatalf("below %v, within %d bytes: the least is %d of %d, want %d of %d", below, counts.limit, got, sum, least, records)
			}
		}
		if k.size == 1 && k.cells <= mostCells {
			got, sum := uint64(0), uint64(0)
			eachCell(tallyAll(t, &k, nil, blocks, rows), func(_ []uint64, n uint64) { got, sum = smaller(got, n), sum+n })
			if got != least || sum != records {
				t.Fatalf("below %v: the least cell is %d of %d, want %d of %d", below, got, sum, least, records)
			}
		}
		if counts.held.Load() != 0 {
			t.Fatalf("%d bytes held at the end", counts.held.Load())
		}
	}
	if passes <= 2*40 {
		t.Error("no counts needed several passes")
	}
}

// Numbers that do not fit a word go to the next one: no two combinations have one key.
func TestLabelKeyOverflows(t *testing.T) {
	k := newLabelKey([]int{0, 1, 2}, []uint64{1 << 32, 1 << 32, 2})
	if zero, one := k.of([]uint32{0, 0, 0}), k.of([]uint32{0, 0, 1}); slices.Equal(zero, one) {
		t.Errorf("two combinations have the key %d", one)
	}
}

// tallyAll counts blocks with two tallies at a time.
func tallyAll(t *testing.T, k *labelKey, counts *labelCounts, blocks [][]release.Numbers, rows []int) []*labelTally {
	t.Helper()
	var group errgroup.Group
	var tallies []*labelTally
	for _, rows := range []int{tallyRows, release.BlockRows} {
		tallies = append(tallies, newLabelTally(k, counts, rows, make([]uint64, release.BlockRows)))
	}
	for worker, tally := range tallies {
		group.Go(func() error {
			for i := worker; i < len(blocks); i += len(tallies) {
				if err := tally.add(rows[i], blocks[i]); err != nil {
					return err
				}
			}
			return tally.flush()
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return tallies
}

// Counts never hold more than their limit, and say so when not even a shard fits.
func TestLabelCountsLimit(t *testing.T) {
	const limit = 8 << 10
	counts := newLabelCounts(1)
	counts.limit = limit
	keys := make([]uint64, 0, 1<<16)
	for key := uint64(0); len(keys) < cap(keys); key++ {
		if shardOf(labelHash([]uint64{key})) == 0 {
			keys = append(keys, key)
		}
	}
	for part := range slices.Chunk(keys, 100) {
		if err := counts.add(0, part); err != nil {
			if !errors.Is(err, errManyGroups) || counts.until.Load() != 1 {
				t.Errorf("shards up to %d: %v", counts.until.Load(), err)
			}
			return
		}
		if held := counts.held.Load(); held > limit || held != int64(8*len(counts.shards[0].slots)) {
			t.Fatalf("%d bytes", held)
		}
	}
	t.Error("no limit")
}
