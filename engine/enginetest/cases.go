package enginetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Cases runs a test on n random cases, each of a seed of its own, until one fails. A failed
// case is repeated with KCUT_SEED, which the log names, and KCUT_CASES=1; KCUT_CASES tries
// more of them. It returns how many were tried.
func Cases(t *testing.T, n int, test func(r *rand.Rand)) int {
	t.Helper()
	seed := fromEnv(t, "KCUT_SEED", rand.Uint64())
	n = int(fromEnv(t, "KCUT_CASES", uint64(n)))
	defer func() {
		t.Helper()
		if t.Failed() {
			t.Fatalf("rerun with KCUT_SEED=%d KCUT_CASES=1", seed)
		}
	}()
	for range n {
		if test(rand.New(rand.NewPCG(seed, 0))); t.Failed() {
			break
		}
		seed++
	}
	return n
}

// fromEnv returns a number that a variable of the environment may set.
func fromEnv(t *testing.T, name string, number uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return number
	}
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return number
}
