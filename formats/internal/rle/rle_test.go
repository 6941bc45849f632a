package rle

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
)

// padded gives data the room behind it that unpacking needs.
func padded(data []byte) []byte {
	return append(data, make([]byte, Padding)...)[:len(data)]
}

// encodeRuns writes values as a random mix of runs and packed groups.
func encodeRuns(r *rand.Rand, values []uint32, width int) []byte {
	var out []byte
	for len(values) > 0 {
		n := 1
		for n < len(values) && values[n] == values[0] {
			n++
		}
		if n > r.IntN(20) {
			out = binary.AppendUvarint(out, uint64(n)<<1)
			for b := 0; b < width; b += 8 {
				out = append(out, byte(values[0]>>b))
			}
			values = values[n:]
			continue
		}
		groups := min(1+r.IntN(6), (len(values)+7)/8)
		out = binary.AppendUvarint(out, uint64(groups)<<1|1)
		packed := make([]byte, groups*width)
		for i := range min(groups*8, len(values)) {
			for b := range width {
				if values[i]>>b&1 != 0 {
					at := i*width + b
					packed[at/8] |= 1 << (at % 8)
				}
			}
		}
		out = append(out, packed...)
		values = values[min(groups*8, len(values)):]
	}
	return padded(out)
}

func TestRuns(t *testing.T) {
	r := formatstest.Rand(t)
	for width := 0; width <= 32; width++ {
		values := make([]uint32, 1+r.IntN(3000))
		for i := range values {
			if i > 0 && r.IntN(3) > 0 {
				values[i] = values[i-1]
			} else {
				values[i] = uint32(r.Uint64() & (1<<width - 1))
			}
		}
		encoded := encodeRuns(r, values, width)
		head, _, spare, err := Measure(append(slices.Clone(encoded), "spare"...), width, len(values))
		if err != nil || spare != len("spare") || !slices.Equal(head, encoded) {
			t.Errorf("seed %d: width %d: %d bytes of %d, %d to spare, %v", formatstest.Seed, width, len(head), len(encoded), spare, err)
		}
		if _, _, spare, err := Measure(encoded[:r.IntN(len(encoded))], width, len(values)); spare >= 0 && !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("seed %d: width %d: cut: %v", formatstest.Seed, width, err)
		}
	}
}

func TestRunsDamaged(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":            {},
		"endless header":     {0x80},
		"no value":           {4},
		"value out of width": {4, 0x08},
		"packed run cut":     {7, 0xff},
	} {
		if _, _, _, err := Measure(padded(data), 3, 20); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

// What readers pass over is no part of the runs for who looks for it.
func TestSpareIsStrict(t *testing.T) {
	for name, data := range map[string][]byte{"no values": {0, 5, 16, 5}, "last group cut": {3, 0xff, 0xff}} {
		if _, _, spare, err := Measure(data, 3, 5); spare >= 0 || err != nil {
			t.Errorf("%s: %d bytes, %v, want -1", name, spare, err)
		}
	}
	for name, tt := range map[string]struct {
		data []byte
		want int
	}{
		"exact":                {[]byte{3, 0xff, 0x7f, 0}, 0},
		"a bit in the padding": {[]byte{3, 0xff, 0x7f, 0x80}, 1},
		"the lowest of them":   {[]byte{3, 0xff, 0xff, 0}, 1},
		"a longer run":         {[]byte{12, 5}, 1},
		"a group more":         {[]byte{5, 0xff, 0x7f, 0, 0, 0, 0}, 4},
	} {
		if _, _, got, err := Measure(tt.data, 3, 5); got != tt.want || err != nil {
			t.Errorf("%s: %d bytes, %v, want %d", name, got, err, tt.want)
		}
	}
}

func TestFromBitPacked(t *testing.T) {
	// The example of Parquet's Encodings.md: 0 to 7 in three bits, from the highest bit on.
	runs := FromBitPacked([]byte{0b00000101, 0b00111001, 0b01110111}, 8, 3)
	if got := unpackHybrid(t, runs, 8, 3); !slices.Equal(got, []uint32{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("got %v", got)
	}
}

// Measure cuts behind the runs that values need, makes a last group whole, and refuses runs that claim more than they have.
func TestMeasure(t *testing.T) {
	const width = 3
	values := make([]uint32, 100)
	for i := range values {
		values[i] = uint32(i % 5)
	}
	runs := Append(nil, values, width)
	for _, c := range []struct {
		what      string
		data      []byte
		width, n  int
		head, all int
		err       error
	}{
		{"all", runs, width, 100, len(runs), 104, nil},
		{"more behind", append(slices.Clone(runs), "behind"...), width, 100, len(runs), 104, nil},
		{"last group cut short", runs[:len(runs)-1], width, 100, len(runs), 104, nil},
		{"last value cut", runs[:len(runs)-2], width, 100, 0, 0, formats.ErrDamaged},
		{"two groups cut", runs[:len(runs)-2*width], width, 80, 0, 0, formats.ErrDamaged},
		{"nothing", nil, width, 1, 0, 0, formats.ErrDamaged},
		{"no value wanted", nil, width, 0, 0, 0, nil},
		{"long run", AppendRun(nil, 1, 1<<20, width), width, 1, 5, 1 << 20, nil},
		{"huge run", AppendRun(nil, 1, 1<<31, width), width, 1, 0, 0, formats.ErrUnsupported},
		{"groups without bits", binary.AppendUvarint(nil, 1<<39|1), 0, 1, 0, 0, formats.ErrUnsupported},
		{"groups that are not there", binary.AppendUvarint(nil, 1<<30|1), width, 1, 0, 0, formats.ErrDamaged},
	} {
		head, all, _, err := Measure(c.data, c.width, c.n)
		if len(head) != c.head || all != c.all || !errors.Is(err, c.err) {
			t.Errorf("%s: %d bytes of %d values, %v", c.what, len(head), all, err)
		}
	}
}
