package formats_test

import (
	"math"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// TestAppendCodes compares the codes of blocks of words with those of a map: words that lie
// close together, at either end of what there is, that drift away, and that are far apart.
func TestAppendCodes(t *testing.T) {
	r := formatstest.Rand(t)
	for name, word := range map[string]func(i int) uint64{
		"close":  func(int) uint64 { return 1<<63 + r.Uint64N(1000) },
		"least":  func(int) uint64 { return r.Uint64N(1 << 16) },
		"most":   func(int) uint64 { return math.MaxUint64 - r.Uint64N(1<<16) },
		"drift":  func(i int) uint64 { return 1<<40 + uint64(i)*7 + r.Uint64N(100) },
		"apart":  func(int) uint64 { return r.Uint64N(300) << 48 },
		"either": func(int) uint64 { return 5 + r.Uint64N(2)*(1<<17+r.Uint64N(9)) },
	} {
		d := formats.NewDistinct(&formats.Values{Type: formats.Type{Kind: formats.Uint, Bits: 64}})
		want := map[uint64]uint32{}
		for i := 0; i < 40000; {
			words := make([]uint64, r.IntN(3000))
			for j := range words {
				words[j] = word(i)
				i++
			}
			codes := d.AppendCodes([]uint32{77}, words)
			if len(codes) != len(words)+1 || codes[0] != 77 {
				t.Fatalf("seed %d, %s: %d codes of %d words", formatstest.Seed, name, len(codes)-1, len(words))
			}
			for j, w := range words {
				if want[w] == 0 {
					want[w] = uint32(len(want) + 1)
				}
				if codes[j+1] != want[w] {
					t.Fatalf("seed %d, %s: code %d, want %d", formatstest.Seed, name, codes[j+1], want[w])
				}
			}
		}
		if d.Values.Len() != len(want) {
			t.Errorf("seed %d, %s: %d values, want %d", formatstest.Seed, name, d.Values.Len(), len(want))
		}
	}
}
