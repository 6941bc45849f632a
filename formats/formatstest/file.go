package formatstest

import (
	"os"
	"path/filepath"
	"testing"
)

// WriteTemp writes a file for one test and returns its path.
func WriteTemp(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Keep keeps a file for readers outside Go, where asked to:
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
