// Package formatstest helps tests of files: it finds the real data, reads the cells of any source,
// and returns all bytes of a Parquet file for a search.
//
// Contract: it imports no reader and no writer of its own project, so that their tests can use it.
//
// Limits: it is slow.
package formatstest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
)

// SharedData returns the path of a file or folder of the real data, and skips the test if there is
// none. The data is next to the module: in ../shared/data of its root.
func SharedData(t testing.TB, path string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	path = filepath.Join(dir, "..", "shared", "data", path)
	if _, err := os.Stat(path); err != nil {
		t.Skip("no real data here")
	}
	return path
}

// WriteTemp writes a file for one test and returns its path.
func WriteTemp(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Keep keeps a file for readers outside Go, on request:
//
//	KCUT_SAMPLES=dir go test ./formats/...
func Keep(t *testing.T, name string, b []byte) {
	t.Helper()
	dir := os.Getenv("KCUT_SAMPLES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".parquet"), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Seed is the seed of all random numbers in the tests that use Rand. Their messages contain it.
var Seed uint64

// Rand returns a source of random numbers from Seed, which it sets: the fast tests draw the same
// numbers each time.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	Seed = seedtest.Seed(t)
	t.Logf("seed %d", Seed)
	return rand.New(rand.NewPCG(Seed, 0))
}
