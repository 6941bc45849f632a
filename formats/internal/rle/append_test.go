package rle

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// unpackHybrid is the decoder in the specification's text, bit by bit.
func unpackHybrid(t *testing.T, b []byte, n, width int) []uint32 {
	t.Helper()
	var values []uint32
	for len(values) < n {
		header, shift := uint64(0), 0
		for more := true; more; shift += 7 {
			more = b[0] >= 0x80
			header |= uint64(b[0]&0x7f) << shift
			b = b[1:]
		}
		if header&1 == 0 {
			value := uint32(0)
			for i := range (width + 7) / 8 {
				value |= uint32(b[i]) << (8 * i)
			}
			b = b[(width+7)/8:]
			values = append(values, slices.Repeat([]uint32{value}, int(header>>1))...)
			continue
		}
		for i := range int(header>>1) * 8 {
			value := uint32(0)
			for j := range width {
				bit := i*width + j
				value |= uint32(b[bit/8]>>(bit%8)&1) << j
			}
			values = append(values, value)
		}
		b = b[int(header>>1)*width:]
	}
	if len(b) != 0 {
		t.Errorf("%d bytes after the last run", len(b))
	}
	for _, v := range values[n:] {
		if v != 0 {
			t.Errorf("padding holds %d", v)
		}
	}
	return values[:n]
}

func TestHybridRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for width := 1; width <= 32; width++ {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000} {
			for _, stay := range []float64{0, 0.5, 0.9, 0.99, 1} {
				values := randomRuns(r, n, width, stay)
				got := unpackHybrid(t, Append([]byte{}, values, width), n, width)
				if !slices.Equal(got, values) {
					t.Fatalf("width %d, %d values, stay %v: got %v, want %v", width, n, stay, got,
						values)
				}
			}
		}
	}
}

// randomRuns returns values of up to width bits. Each repeats the one before with probability stay.
func randomRuns(r *rand.Rand, n, width int, stay float64) []uint32 {
	values := make([]uint32, n)
	for i := range values {
		if i > 0 && r.Float64() < stay {
			values[i] = values[i-1]
			continue
		}
		values[i] = uint32(r.Uint64()) >> (32 - width)
	}
	return values
}

func TestHybridKeepsRunsShort(t *testing.T) {
	ones := slices.Repeat([]uint8{1}, 1_000_000)
	if got := Append(nil, ones, 1); len(got) != 4 {
		t.Errorf("a million equal levels take %d bytes, want 4", len(got))
	}
}
