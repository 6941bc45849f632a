package spill

import (
	"os"
	"path/filepath"
	"testing"
)

func TestResident(t *testing.T) {
	if now, peak := Resident(), PeakResident(); now < 1<<20 || now > peak {
		t.Fatalf("resident set of %d bytes, at most %d", now, peak)
	}
}

// Transferred counts read and written bytes exactly, whatever else the process does.
func TestTransferred(t *testing.T) {
	const bytes = 3 << 20
	path := filepath.Join(t.TempDir(), "file")
	read, written := Transferred()
	must(t, os.WriteFile(path, make([]byte, bytes), 0o600))
	if _, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	readNow, writtenNow := Transferred()
	if readNow-read < bytes || writtenNow-written < bytes {
		t.Fatalf("%d bytes read and %d written, want %d of both", readNow-read, writtenNow-written,
			bytes)
	}
}

// A folder that does not exist yet has the free space of the folder above it.
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
