package formats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// TestDistinct compares codes with those of a map, for values in words and in bytes, in a table
// that starts empty or with a list.
func TestDistinct(t *testing.T) {
	r := formatstest.Rand(t)
	for _, known := range []int{0, 1, 5000} {
		words := formats.NewDistinct(&formats.Values{Type: formats.Type{
			Kind: formats.Uint,
			Bits: 64,
		}})
		texts := formats.NewDistinct(&formats.Values{Type: formats.Type{Kind: formats.String}})
		for i := range known {
			words.Values.Words = append(words.Values.Words, uint64(i)<<40)
			texts.Values.AppendBytes(fmt.Append(nil, uint64(i)<<40))
		}
		words, texts = formats.NewDistinct(words.Values), formats.NewDistinct(texts.Values)
		want := map[uint64]uint32{}
		for i := range known {
			want[uint64(i)<<40] = uint32(i + 1)
		}
		for range 20000 {
			w := r.Uint64N(10000) << 40
			if want[w] == 0 {
				want[w] = uint32(len(want) + 1)
			}
			if a, b := words.CodeOfWord(w), texts.CodeOfBytes(fmt.Append(nil, w)); a != want[w] ||
				b != want[w] {
				t.Fatalf("seed %d, %d known: codes %d and %d, want %d", formatstest.Seed, known, a,
					b, want[w])
			}
		}
		if words.Values.Len() != len(want) || texts.Values.Len() != len(want) {
			t.Errorf("%d known: %d and %d values, want %d", known, words.Values.Len(),
				texts.Values.Len(), len(want))
		}
	}
}

func TestDistinctParsed(t *testing.T) {
	parse := func(v *formats.Values, text []byte) error { return v.Parse(string(text)) }
	d := formats.NewParsed(formats.Type{Kind: formats.Int, Bits: 64})
	for i, text := range []string{"7", "8", "7", "x", "8", "9"} {
		code, err := d.CodeOfText([]byte(text), parse)
		if want := []uint32{1, 2, 1, 0, 2, 3}[i]; code != want || (err != nil) != (want == 0) {
			t.Errorf("%q has code %d (%v), want %d", text, code, err, want)
		}
	}
	if d.Renewed(0) != d || d.Renewed(4) != d {
		t.Error("renewed after three values")
	}
	if fresh := d.Renewed(3); fresh == d || fresh.Values.Len() != 0 {
		t.Error("not renewed at its limit")
	}
	// A million equal entries take no longer than other values.
	full := formats.NewDistinct(&formats.Values{
		Type:  formats.Type{Kind: formats.Uint, Bits: 64},
		Words: make([]uint64, 1<<20),
	})
	if code := full.CodeOfWord(0); code != 1 {
		t.Errorf("the code of equal entries is %d, want that of the first", code)
	}
	if fresh := full.Renewed(0); fresh.Values.Len() != 0 || fresh.Values.Type != full.Values.Type {
		t.Errorf("renewed to %d values of %v", fresh.Values.Len(), fresh.Values.Type)
	}
}

// TestAppendCodes compares the codes of blocks of words with those of a map: words that lie close
// together, at both ends of the range of words, that drift away, and that are far apart.
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
				t.Fatalf("seed %d, %s: %d codes of %d words", formatstest.Seed, name, len(codes)-1,
					len(words))
			}
			for j, w := range words {
				if want[w] == 0 {
					want[w] = uint32(len(want) + 1)
				}
				if codes[j+1] != want[w] {
					t.Fatalf("seed %d, %s: code %d, want %d", formatstest.Seed, name, codes[j+1],
						want[w])
				}
			}
		}
		if d.Values.Len() != len(want) {
			t.Errorf("seed %d, %s: %d values, want %d", formatstest.Seed, name, d.Values.Len(),
				len(want))
		}
	}
}
