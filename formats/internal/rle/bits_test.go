package rle

import (
	"errors"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// Bits tells what Read does, however the values are asked for.
func TestBitsAgreeWithRead(t *testing.T) {
	r := formatstest.Rand(t)
	for range 500 {
		n := 1 + r.IntN(3000)
		values := randomRuns(r, n, 1, []float64{0, 0.5, 0.9, 0.99, 1}[r.IntN(5)])
		encoded := encodeRuns(r, values, 1)
		var runs Reader
		runs.Reset(encoded, 1)
		for left := values; len(left) > 0; {
			some := left[:min(1+r.IntN(1000), len(left))]
			left = left[len(some):]
			if value, same := runs.Repeated(len(some)); same {
				if !slices.Equal(some, slices.Repeat([]uint32{value}, len(some))) {
					t.Fatalf("seed %d: repeated %d, want %v", formatstest.Seed, value, some)
				}
				continue
			}
			words := slices.Repeat([]uint64{r.Uint64()}, (len(some)+63)/64+r.IntN(2))
			ones, err := runs.Bits(words, len(some))
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for i, value := range some {
				if want += int(value); uint32(words[i/64]>>(i%64)&1) != value {
					t.Fatalf("seed %d: bit %d is not %d", formatstest.Seed, i, value)
				}
			}
			if ones != want {
				t.Fatalf("seed %d: %d are 1, want %d", formatstest.Seed, ones, want)
			}
		}
		runs.Reset(encoded[:r.IntN(len(encoded))], 1)
		if _, err := runs.Bits(make([]uint64, 1+n/64), n); !errors.Is(err, formats.ErrDamaged) {
			t.Fatalf("seed %d: cut runs: %v, want ErrDamaged", formatstest.Seed, err)
		}
	}
}

// A last group may lack what nobody asks for.
func TestBitsOfGroupThatIsCut(t *testing.T) {
	var runs Reader
	runs.Reset(padded([]byte{2<<1 | 1, 0b101}), 1)
	words := make([]uint64, 1)
	if ones, err := runs.Bits(words, 8); ones != 2 || err != nil || words[0] != 0b101 {
		t.Errorf("%d of %b, %v", ones, words, err)
	}
	if _, err := runs.Bits(words, 1); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("behind the end: %v, want ErrDamaged", err)
	}
}

func TestSpread(t *testing.T) {
	r := formatstest.Rand(t)
	for range 2000 {
		rows, share := r.IntN(400), r.Float64()
		if r.IntN(2) == 0 {
			share = 1 - share/20
		}
		words, values, ones := make([]uint64, (rows+63)/64), make([]uint32, rows), 0
		var want []uint32
		for row := range rows {
			if r.Float64() >= share {
				want = append(want, 7)
				continue
			}
			words[row/64] |= 1 << (row % 64)
			values[ones] = r.Uint32()
			want = append(want, values[ones])
			ones++
		}
		if Spread(values, words, ones, 7); !slices.Equal(values, want) {
			t.Fatalf("seed %d: got %v, want %v", formatstest.Seed, values, want)
		}
	}
}
