package page

import (
	"errors"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/rle"
)

// Runs of booleans have a byte for a value, however many rows they are of.
func TestBooleanRuns(t *testing.T) {
	var runs, want []byte
	for i, n := range []int{3, 9, 1, 20} {
		runs = rle.AppendRun(runs, uint32(i%2), n, 1)
		want = append(want, slices.Repeat([]byte{byte(i % 2)}, n)...)
	}
	stored := append([]byte{byte(len(runs)), 0, 0, 0}, runs...)
	r := Reader{Leaf: leafOf(format.Boolean)}
	if got, _, err := r.decodeValues(stored, format.RLE, len(want)); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// A text that ends behind its page is damage, although there is memory behind the page.
func TestTextsEndInTheirPage(t *testing.T) {
	stored := []byte("\x01\x00\x00\x00a\x03\x00\x00\x00abc")
	r := Reader{Leaf: leafOf(format.ByteArray)}
	if _, _, err := r.decodeValues(slices.Clone(stored)[:len(stored)-1], format.Plain, 2); !errors.Is(err, formats.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
	data, ends, err := r.decodeValues(append(stored, '?'), format.Plain, 2)
	if err != nil || string(data) != "aabc" || !slices.Equal(ends, []uint32{0, 1, 4}) || r.spare != 1 {
		t.Errorf("%q, %v, %d bytes to spare, %v", data, ends, r.spare, err)
	}
}
