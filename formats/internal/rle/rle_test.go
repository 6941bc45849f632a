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

func TestReader(t *testing.T) {
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
		if n, err := Spare(append(slices.Clone(encoded), "spare"...), width, len(values)); n != len("spare") || err != nil {
			t.Errorf("seed %d: width %d: %d bytes to spare, %v", formatstest.Seed, width, n, err)
		}
		if _, err := Spare(encoded[:r.IntN(len(encoded))], width, len(values)); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("seed %d: width %d: cut: %v", formatstest.Seed, width, err)
		}
		var runs Reader
		runs.Reset(encoded, width)
		first := 1 + r.IntN(len(values))
		for _, part := range [][]uint32{values[:first], values[first:]} {
			want := 0
			for _, value := range part {
				if value == values[0] {
					want++
				}
			}
			if got, err := runs.Count(values[0], len(part)); got != want || err != nil {
				t.Errorf("seed %d: width %d: counted %d, %v, want %d", formatstest.Seed, width, got, err, want)
			}
		}
		runs.Reset(encoded, width)
		for left := values; len(left) > 0; {
			n := min(1+r.IntN(100), len(left))
			got := make([]uint32, n)
			value, same := uint32(0), false
			if r.IntN(4) == 0 {
				value, same = runs.Repeated(n)
			}
			if same {
				copy(got, slices.Repeat([]uint32{value}, n))
			} else if err := runs.Read(got); err != nil {
				t.Fatalf("seed %d: width %d: %v", formatstest.Seed, width, err)
			}
			if !slices.Equal(got, left[:n]) {
				t.Fatalf("seed %d: width %d: got %v, want %v", formatstest.Seed, width, got, left[:n])
			}
			left = left[n:]
		}
	}
}

func TestReaderDamaged(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":            {},
		"endless header":     {0x80},
		"no value":           {4},
		"value out of width": {4, 0x08},
		"packed run cut":     {7, 0xff},
	} {
		var runs Reader
		runs.Reset(padded(data), 3)
		if err := runs.Read(make([]uint32, 20)); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
		if _, err := Spare(data, 3, 20); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: spare: %v, want ErrDamaged", name, err)
		}
	}
}

// What readers pass over is no part of the runs for who looks for it.
func TestSpareIsStrict(t *testing.T) {
	for name, data := range map[string][]byte{"no values": {0, 5, 16, 5}, "last group cut": {3, 0xff, 0xff}} {
		if _, err := Spare(data, 3, 8); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
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
		if got, err := Spare(tt.data, 3, 5); got != tt.want || err != nil {
			t.Errorf("%s: %d bytes, %v, want %d", name, got, err, tt.want)
		}
	}
}

func TestFromBitPacked(t *testing.T) {
	// The example of Parquet's Encodings.md: 0 to 7 in three bits, from the highest bit on.
	var runs Reader
	runs.Reset(FromBitPacked([]byte{0b00000101, 0b00111001, 0b01110111}, 8, 3), 3)
	got := make([]uint32, 8)
	if err := runs.Read(got); err != nil || !slices.Equal(got, []uint32{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPacked(t *testing.T) {
	var bits Reader
	bits.ResetPacked(padded([]byte{0b10110001, 0b00000010}), 1)
	got := make([]uint32, 10)
	if err := bits.Read(got); err != nil || !slices.Equal(got, []uint32{1, 0, 0, 0, 1, 1, 0, 1, 0, 1}) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := bits.Read(got); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("behind the end: %v, want ErrDamaged", err)
	}
}

// Head cuts behind the runs that values need, makes a last group whole, and refuses runs that claim more than they have.
func TestHead(t *testing.T) {
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
		head, all, err := Head(c.data, c.width, c.n)
		if len(head) != c.head || all != c.all || !errors.Is(err, c.err) {
			t.Errorf("%s: %d bytes of %d values, %v", c.what, len(head), all, err)
		}
	}
}
