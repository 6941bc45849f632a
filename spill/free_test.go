package spill

import (
	"path/filepath"
	"testing"
)

// A folder that is not there yet has the space of the one above it, which is there.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Join(dir, "a", "b")} {
		if free, err := Free(folder); err != nil || free < 0 {
			t.Errorf("%d bytes, %v", free, err)
		}
	}
	if _, err := Free("\x00"); err == nil {
		t.Error("a folder that cannot be has space")
	}
}
