package engine_test

import (
	"math"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/formatstest"
)

func TestNLogIsNearlyExact(t *testing.T) {
	rng := formatstest.Rand(t)
	if got := engine.NLog(0); got != 0 {
		t.Errorf("of 0: %v", got)
	}
	for i := range 1_000_000 {
		n := uint64(i + 1)
		if i >= 100_000 {
			n = max(1, rng.Uint64()>>rng.IntN(64))
		}
		want := float64(n) * math.Log2(float64(n))
		if got := engine.NLog(n); math.Abs(got-want) > 1e-13*float64(n) {
			t.Fatalf("of %d: %v, want %v", n, got, want)
		}
	}
}
