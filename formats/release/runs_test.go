package release

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// randomRuns returns numbers of so many bits, and the same in random runs, encoded bit by bit.
func randomRuns(random *rand.Rand, width int) (numbers []uint32, encoded []byte) {
	number := func() uint32 { return uint32(random.Uint64N(1 << width)) }
	for range 1 + random.IntN(6) {
		if random.IntN(2) == 0 {
			n, one := 1+random.IntN(40), number()
			encoded = binary.AppendUvarint(encoded, uint64(n)<<1)
			encoded = append(encoded, binary.LittleEndian.AppendUint32(nil, one)[:(width+7)/8]...)
			numbers = append(numbers, slices.Repeat([]uint32{one}, n)...)
			continue
		}
		groups := 1 + random.IntN(5)
		encoded = binary.AppendUvarint(encoded, uint64(groups)<<1|1)
		packed := make([]byte, groups*width)
		for i := range 8 * groups {
			one := number()
			numbers = append(numbers, one)
			for bit := range width {
				at := i*width + bit
				packed[at/8] |= byte(one>>bit&1) << (at % 8)
			}
		}
		encoded = append(encoded, packed...)
	}
	return numbers, encoded
}

// Runs of every width are read as they were encoded, in pieces of any size, and runs that
// end too early are refused.
func TestRuns(t *testing.T) {
	random := formatstest.Rand(t)
	for width := range 33 {
		for range 50 {
			numbers, encoded := randomRuns(random, width)
			numbers = numbers[:len(numbers)-random.IntN(min(8, len(numbers)))] // of the last group
			spare := []byte("spare")
			r := newRuns(append(slices.Clone(encoded), spare...), width, len(numbers))
			for at := 0; at < len(numbers); {
				want := numbers[at : at+1+random.IntN(min(20, len(numbers)-at))]
				checkRun(t, &r, want)
				at += len(want)
			}
			if width > 0 && len(r.bytes) < len(spare) {
				t.Fatalf("width %d: %d bytes left", width, len(r.bytes))
			}
			cut := newRuns(encoded[:random.IntN(len(encoded))], width, len(numbers)+8)
			if _, err := cut.read(make([]uint32, len(numbers)+8)); !errors.Is(err, formats.ErrDamaged) {
				t.Fatalf("width %d: %v", width, err)
			}
		}
	}
}

func checkRun(t *testing.T, r *runs, want []uint32) {
	t.Helper()
	got := make([]uint32, len(want))
	same, err := r.read(got)
	if same {
		spread(got)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("width %d: %v, %v, want %v", r.width, got, err, want)
	}
}

func TestOnes(t *testing.T) {
	random := formatstest.Rand(t)
	for range 200 {
		numbers, encoded := randomRuns(random, 1)
		numbers = numbers[:len(numbers)-random.IntN(min(8, len(numbers)))]
		want := 0
		for _, n := range numbers {
			want += int(n)
		}
		got, _, err := newRuns(encoded, 1, len(numbers)).ones()
		if err != nil || got != want {
			t.Fatalf("%d ones, %v, want %d", got, err, want)
		}
	}
	if _, _, err := newRuns([]byte{4 << 1, 3}, 1, 4).ones(); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("a level of 3: %v", err)
	}
}
