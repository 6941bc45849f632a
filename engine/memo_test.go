package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// mixed sends every tuple somewhere, and counts how many it is asked for.
type mixed struct{ asked *int }

func (l mixed) Locate(n int, codes [][]uint32, regions []int32) {
	*l.asked += n
	for i := range n {
		h := uint32(7)
		for a := range codes {
			h = h*31 + codes[a][i]
		}
		regions[i] = int32(h%1000) - 1 // some are dropped
	}
}

// A memo answers as the locator does, whatever it remembers, and asks little when tuples are few.
func TestMemo(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, tt := range []struct {
		name    string
		domains []int
		tuples  int
		bytes   int64
		most    int // tuples asked for in 200,000 rows
	}{
		{"few", []int{90, 7, 1}, 500, 1 << 20, 10_000},
		{"several words", []int{1 << 30, 1 << 30, 1 << 30, 5}, 5000, 1 << 22, 60_000},
		{"more than it holds", []int{1 << 20, 1 << 20}, 200_000, 1, 200_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tuples := make([][]uint32, tt.tuples)
			for i := range tuples {
				for _, domain := range tt.domains {
					tuples[i] = append(tuples[i], uint32(rng.IntN(domain)))
				}
			}
			memo, asked, again := NewMemo(tt.domains, tt.bytes), 0, 0
			for range 100 {
				codes := make([][]uint32, len(tt.domains))
				n := 1 + rng.IntN(2*2000-1)
				for range n {
					for a, code := range tuples[rng.IntN(len(tuples))] {
						codes[a] = append(codes[a], code)
					}
				}
				want := make([]int32, n)
				mixed{&again}.Locate(n, codes, want)
				if got := memo.Locate(mixed{&asked}, n, codes); !slices.Equal(got, want) {
					t.Fatal("a memo answers otherwise")
				}
			}
			if asked > tt.most*again/200_000 {
				t.Errorf("asked for %d of %d rows", asked, again)
			}
			if bytes := int64(8*len(memo.keys) + 4*len(memo.regions)); len(memo.regions) > fewestSlots && bytes > tt.bytes {
				t.Errorf("it takes %d bytes of %d", bytes, tt.bytes)
			}
		})
	}
}
