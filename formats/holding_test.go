package formats

import (
	"errors"
	"testing"
)

// A holding reports bytes beyond the usual, and reports their release.
func TestHoldingTellsTheUnusual(t *testing.T) {
	told := int64(0)
	refused := errors.New("too much")
	h := Holding{Tell: func(bytes int64) error {
		if told+bytes > 5<<20 {
			return refused
		}
		told += bytes
		return nil
	}}
	for _, tt := range []struct{ hold, want int64 }{
		{usualBytes, 0}, {3 << 20, 2 << 20}, {4 << 20, 3 << 20}, {100, 0}, {2 << 20, 1 << 20},
	} {
		if err := h.Hold(tt.hold); err != nil || told != tt.want {
			t.Errorf("hold %d: %d are told, want %d (%v)", tt.hold, told, tt.want, err)
		}
	}
	if err := h.Hold(9 << 20); !errors.Is(err, refused) || told != 1<<20 {
		t.Errorf("%v, %d are told", err, told)
	}
	h.Release()
	if h.Release(); told != 0 {
		t.Errorf("%d are told after the release", told)
	}
}
