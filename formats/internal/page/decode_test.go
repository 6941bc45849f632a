package page

import (
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/format"

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
