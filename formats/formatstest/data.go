package formatstest

import (
	"os"
	"path/filepath"
	"testing"
)

// SharedData returns the path of a file or folder of the real data, and skips the test
// where there is none. The data lies beside the module: in ../shared/data of its root.
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
