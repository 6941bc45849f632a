package formatstest

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Seed seeds everything random in the tests that use Rand, and is in their messages.
var Seed = uint64(time.Now().UnixNano())

// Rand returns a source of random numbers from Seed.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", Seed)
	return rand.New(rand.NewPCG(Seed, 0))
}
