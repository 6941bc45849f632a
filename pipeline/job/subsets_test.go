package job

import (
	"fmt"
	"maps"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// demands returns the largest k that sets demand of each set of columns, which are bits. A set
// demands its k of each of its parts, too.
func demands(sets map[uint]int, columns int) []int {
	of := make([]int, 1<<columns)
	for part := range of {
		for set, k := range sets {
			if uint(part)&^set == 0 {
				of[part] = max(of[part], k)
			}
		}
	}
	return of
}

// The sets of random jobs demand what all choices of columns demand, and none of those that an
// entry with subsets has added could be left out.
func TestEverySet(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	families := 0
	for range 2000 {
		columns := 1 + rng.IntN(6)
		names := strings.Split("abcdef", "")[:columns]
		mask := func(list []string) (set uint) {
			for _, name := range list {
				set |= 1 << slices.Index(names, name)
			}
			return set
		}
		j, naive, plain := &Job{}, make(map[uint]int), make(map[uint]int)
		for range 1 + rng.IntN(4) {
			of, k := []string(nil), 1+rng.IntN(3)
			for _, i := range rng.Perm(columns)[:1+rng.IntN(columns)] {
				of = append(of, names[i])
			}
			whole := mask(of)
			if rng.IntN(2) == 0 {
				j.Sets = append(j.Sets, Set{Columns: of, K: k})
				naive[whole], plain[whole] = max(naive[whole], k), max(plain[whole], k)
				continue
			}
			m := 1 + rng.IntN(len(of))
			j.Sets = append(j.Sets, Set{Subsets: m, Of: of, K: k})
			for set := range uint(1) << columns {
				if set&^whole == 0 && bits.OnesCount(set) == m {
					naive[set] = max(naive[set], k)
					families++
				}
			}
		}
		got, all := make(map[uint]int), make(map[uint]int)
		for _, set := range j.EverySet() {
			key := mask(set.Columns)
			all[key] = max(all[key], set.K)
			if plain[key] >= set.K {
				continue
			}
			if _, twice := got[key]; twice {
				t.Fatalf("%+v: set %v is there twice", j.Sets, set.Columns)
			}
			got[key] = set.K
		}
		want := demands(naive, columns)
		if found := demands(all, columns); !slices.Equal(found, want) {
			t.Fatalf("%+v: the sets demand %v, want %v", j.Sets, found, want)
		}
		for key, k := range got {
			others := maps.Clone(all)
			delete(others, key)
			if demands(others, columns)[key] >= k {
				t.Fatalf("%+v: set %b is implied by others", j.Sets, key)
			}
		}
	}
	if families < 1000 {
		t.Errorf("only %d sets were made from subsets", families)
	}
}

func TestNumberOfSubsets(t *testing.T) {
	for n := 1; n <= 70; n++ {
		for m := 1; m <= n; m++ {
			want := min(new(big.Int).Binomial(int64(n), int64(m)).Uint64(), 1001)
			if !new(big.Int).Binomial(int64(n), int64(m)).IsUint64() {
				want = 1001
			}
			entry := Set{Subsets: m, Of: make([]string, n)}
			if got := entry.Number(1000); got != int(want) {
				t.Fatalf("%d of %d: %d, want %d", m, n, got, want)
			}
		}
	}
}

// Subsets of very many columns are refused at once, with the largest number that works.
func TestTooManySubsets(t *testing.T) {
	for _, c := range []struct {
		columns, subsets int
		want             []string
	}{
		{18, 3, nil}, // 816
		{20, 3, []string{"every 3 of 20 columns are 1140 sets", "subsets: 2 is the largest",
			"190 sets"}},
		{1500, 750, []string{"more than 1000000000 sets", "name fewer columns"}},
		{1000, 999, nil},
		{45, 44, nil},
	} {
		var masks []string
		for i := range c.columns {
			masks = append(masks, fmt.Sprintf("c%d: suppress", i))
		}
		_, err := Parse("a.yaml", fmt.Appendf(nil, `input: a.csv
output: b.parquet
quasi_identifiers: [{subsets: %d, of: all, k: 5}]
columns: {%s}
`, c.subsets, strings.Join(masks, ", ")), nil)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%d of %d: %v", c.subsets, c.columns, err)
		}
		for _, words := range c.want {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%d of %d: %v lacks %q", c.subsets, c.columns, err, words)
			}
		}
	}
}
