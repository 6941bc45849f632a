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
	seed := rand.Uint64()
	if text := os.Getenv("KCUT_SEED"); text != "" {
		seed = parse(t, text)
	}
	if text := os.Getenv("KCUT_CASES"); text != "" {
		n = int(parse(t, text))
	}
	for i := range uint64(n) {
		try(t, seed+i, test)
	}
	return n
}

// try runs one case.
func try(t *testing.T, seed uint64, test func(r *rand.Rand)) {
	t.Helper()
	defer func() {
		t.Helper()
		if t.Failed() {
			t.Fatalf("rerun with KCUT_SEED=%d KCUT_CASES=1", seed)
		}
	}()
	test(rand.New(rand.NewPCG(seed, 0)))
}

func parse(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
