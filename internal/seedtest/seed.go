// Package seedtest says from which seed a test of random cases draws them, and how many.
//
// The fast tests draw the same few cases each time, so that a change is all that can make them
// fail. The long tests (KCUT_LONG) draw more, and others each time. KCUT_SEED repeats those of a
// seed. A test that fails prints its seed.
package seedtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seed returns the seed of a test.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	text := os.Getenv("KCUT_SEED")
	if text == "" {
		if os.Getenv("KCUT_LONG") != "" {
			return rand.Uint64()
		}
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		tb.Fatalf("KCUT_SEED: %v", err)
	}
	return seed
}

// Few returns how many random cases a test draws: few, or all if KCUT_LONG is set.
func Few(few, all int) int {
	if os.Getenv("KCUT_LONG") != "" {
		return all
	}
	return few
}
