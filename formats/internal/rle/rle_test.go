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

// padded adds the capacity that unpacking needs behind data.
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

// decode reads values in pieces, sometimes as bytes if they fit.
func decode(rng *rand.Rand, r *Reader, n int) (values []uint32, err error) {
	for len(values) < n {
		piece := min(n-len(values), 1+rng.IntN(70)*rng.IntN(5))
		if r.width <= 8 && rng.IntN(2) == 0 {
			some := make([]byte, piece)
			if err := r.ReadBytes(some); err != nil {
				return values, err
			}
			for _, v := range some {
				values = append(values, uint32(v))
			}
			continue
		}
		some := make([]uint32, piece)
		if err := r.Read(some); err != nil {
			return values, err
		}
		if r.Same() && slices.Min(some) != slices.Max(some) {
			return values, errors.New("other values are said to be the same")
		}
		values = append(values, some...)
	}
	return values, nil
}

func TestRuns(t *testing.T) {
	rng := formatstest.Rand(t)
	for width := 0; width <= 32; width++ {
		values := make([]uint32, 1+rng.IntN(3000))
		for i := range values {
			if i > 0 && rng.IntN(3) > 0 {
				values[i] = values[i-1]
			} else {
				values[i] = uint32(rng.Uint64() & (1<<width - 1))
			}
		}
		encoded := encodeRuns(rng, values, width)
		var r Reader
		r.Reset(padded(append(slices.Clone(encoded), "spare"...)), width)
		got, err := decode(rng, &r, len(values))
		if err != nil || r.Spare() != len("spare") || !slices.Equal(got, values) {
			t.Errorf("seed %d: width %d: other values, or %d bytes to spare: %v", formatstest.Seed,
				width, r.Spare(), err)
		}
		r.Reset(padded(slices.Clone(encoded[:rng.IntN(len(encoded))])), width)
		got, err = decode(rng, &r, len(values))
		if whole := err == nil && r.Spare() < 0; !whole && !errors.Is(err, formats.ErrDamaged) ||
			!slices.Equal(got, values[:len(got)]) {
			t.Errorf("seed %d: width %d: cut: %v", formatstest.Seed, width, err)
		}
	}
}

// Runs that claim more than they have are refused, even if their first values are there.
func TestRunsDamaged(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":                   {},
		"endless header":            {0x80},
		"no value":                  {4},
		"value out of width":        {4, 0x08},
		"packed run cut":            {7, 0xff},
		"groups that are not there": binary.AppendUvarint(nil, 1<<30|1),
		"too many groups":           binary.AppendUvarint(nil, 1<<42|1),
	} {
		var r Reader
		r.Reset(padded(data), 3)
		if err := r.Read(make([]uint32, 1)); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

// A run that is longer than any memory is decoded only as far as requested.
func TestLongRuns(t *testing.T) {
	for name, data := range map[string][]byte{
		"run":                 AppendRun(nil, 0, 1<<39, 0),
		"groups without bits": binary.AppendUvarint(nil, 1<<39|1),
	} {
		var r Reader
		r.Reset(data, 0)
		dst := []uint32{7, 7, 7}
		if err := r.Read(dst); err != nil || !slices.Equal(dst, []uint32{0, 0, 0}) || !r.Same() {
			t.Errorf("%s: %v, known to be the same: %t, %v", name, dst, r.Same(), err)
		}
	}
}

// The last group of a page may lack bytes that no value needs.
func TestGroupsCutShort(t *testing.T) {
	const width = 3
	values := make([]uint32, 100)
	for i := range values {
		values[i] = uint32(i % 5)
	}
	runs := padded(Append(nil, values, width))
	for _, tt := range []struct {
		cut, n int
		err    error
	}{
		{0, 100, nil},
		{1, 100, nil},
		{2, 100, formats.ErrDamaged},
		{2, 96, nil},
		{width, 80, formats.ErrDamaged},
	} {
		var r Reader
		r.Reset(runs[:len(runs)-tt.cut], width)
		got := make([]uint32, tt.n)
		if err := r.Read(got); !errors.Is(err, tt.err) || err == nil &&
			!slices.Equal(got, values[:tt.n]) {
			t.Errorf("%d values, %d bytes cut: %v", tt.n, tt.cut, err)
		}
	}
}

// Bytes that readers skip count as spare.
func TestSpareIsStrict(t *testing.T) {
	for name, tt := range map[string]struct {
		data []byte
		want int
	}{
		"exact":                {[]byte{3, 0xff, 0x7f, 0}, 0},
		"a bit in the padding": {[]byte{3, 0xff, 0x7f, 0x80}, 1},
		"the lowest of them":   {[]byte{3, 0xff, 0xff, 0}, 1},
		"a longer run":         {[]byte{12, 5}, 1},
		"a group more":         {[]byte{5, 0xff, 0x7f, 0, 0, 0, 0}, 3},
		"a run more":           {[]byte{3, 0xff, 0x7f, 0, 2, 0}, 2},
		"no values":            {[]byte{0, 5, 16, 5}, -1},
		"last group cut":       {[]byte{3, 0xff, 0xff}, -1},
	} {
		var r Reader
		r.Reset(padded(tt.data), 3)
		if err := r.Read(make([]uint32, 5)); r.Spare() != tt.want || err != nil {
			t.Errorf("%s: %d bytes, %v, want %d", name, r.Spare(), err, tt.want)
		}
	}
}

func TestFromBitPacked(t *testing.T) {
	// The example of Parquet's Encodings.md: 0 to 7 in three bits, from the highest bit on.
	data := padded([]byte{0b00000101, 0b00111001, 0b01110111, 0b00100111})
	FromBitPacked(data, 3)
	var r Reader
	r.ResetPacked(data, 3)
	got := make([]byte, 10)
	if err := r.ReadBytes(got); err != nil ||
		!slices.Equal(got, []byte{0, 1, 2, 3, 4, 5, 6, 7, 1, 1}) || r.Spare() != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}
