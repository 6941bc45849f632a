package formats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNearRangeGrowsWithItsWords looks up words with and without a range, also at both ends of the
// range of words, and compares the memory of the range with the words in it.
func TestNearRangeGrowsWithItsWords(t *testing.T) {
	for _, first := range []uint64{0, 1, 1 << 20, math.MaxUint64 - 50_000, math.MaxUint64 - 3} {
		for _, width := range []uint64{4, 300, 40_000, 1 << 20} {
			r := rand.New(rand.NewPCG(first, width))
			number := Type{Kind: Int, Bits: 64}
			near, other := NewDistinct(&Values{Type: number}), NewDistinct(&Values{Type: number})
			for range 100 {
				words := make([]uint64, 1+r.IntN(2000))
				for i := range words {
					words[i] = first + r.Uint64N(min(width, math.MaxUint64-first)+1)
				}
				for i, code := range near.AppendCodes(nil, words) {
					if want := other.CodeOfWord(words[i]); code != want {
						t.Fatalf("word %d has code %d, want %d", words[i], code, want)
					}
				}
			}
			if n := uint64(len(near.near.codes)); n > max(64, 4*width) || n > nearWords {
				t.Errorf("a range of %d words takes %d codes", width, n)
			}
		}
	}
}

// TestNearRangeIsBoundByEntries: few words that lie far apart have no wide range.
func TestNearRangeIsBoundByEntries(t *testing.T) {
	d := NewDistinct(&Values{Type: Type{Kind: Int, Bits: 64}})
	for range 3 {
		d.AppendCodes(nil, []uint64{5, 30_000, 60_000})
	}
	for w := range uint64(1000) {
		d.AppendCodes(nil, []uint64{60 * w})
		if n := len(d.near.codes); n > max(leastNear, nearEntries*d.used) {
			t.Fatalf("a range of %d codes for %d entries", n, d.used)
		}
	}
}
