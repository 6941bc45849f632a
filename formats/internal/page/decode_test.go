package page

import (
	"errors"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/rle"
)

// Runs of booleans take a byte for each value, however many rows they have.
func TestBooleanRuns(t *testing.T) {
	var runs, want []byte
	for i, n := range []int{3, 9, 1, 20} {
		runs = rle.AppendRun(runs, uint32(i%2), n, 1)
		want = append(want, slices.Repeat([]byte{byte(i % 2)}, n)...)
	}
	stored := append([]byte{byte(len(runs)), 0, 0, 0}, runs...)
	r := Reader{Leaf: leafOf(format.Boolean)}
	if err := r.beginValues(stored, format.RLE, len(want)); err != nil {
		t.Fatal(err)
	}
	for len(want) > 0 {
		n := min(len(want), 7)
		if got, err := r.Values(n); err != nil || !slices.Equal(got.Data, want[:n]) {
			t.Errorf("%v, %v, want %v", got, err, want[:n])
		}
		want = want[n:]
	}
}

// A text that ends behind its page is damage, even if there is memory behind the page.
func TestTextsEndInTheirPage(t *testing.T) {
	stored := []byte("\x01\x00\x00\x00a\x03\x00\x00\x00abc")
	r := Reader{Leaf: leafOf(format.ByteArray)}
	for _, piece := range []int{1, 2} {
		for _, size := range []int{len(stored) - 1, len(stored), len(stored) + 1} {
			var texts []string
			err := r.beginValues(append(slices.Clone(stored), '?')[:size], format.Plain, 2)
			for err == nil && len(texts) < 2 {
				var v Values
				if v, err = r.Values(piece); err == nil {
					for i := range piece {
						texts = append(texts, string(v.Text(i)))
					}
				}
			}
			if size < len(stored) {
				if !errors.Is(err, formats.ErrDamaged) {
					t.Errorf("%d of %d bytes: %v, want ErrDamaged", size, len(stored), err)
				}
			} else if err != nil || !slices.Equal(texts, []string{"a", "abc"}) ||
				r.Spare() != size-len(stored) {
				t.Errorf("%d bytes: %q, %d to spare, %v", size, texts, r.Spare(), err)
			}
		}
	}
}
