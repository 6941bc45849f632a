package fileset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(dir, "new"), dir + "/new/", "new"} {
		if err := CheckFolder("output", path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{filepath.Join(dir, "none", "new"), filepath.Join(file, "new"), filepath.Join(file, "none", "new")} {
		if err := CheckFolder("output", path); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v is of class %v", path, err, fault.ClassOf(err))
		}
	}
}

func TestCheckFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path      string
		overwrite bool
		class     fault.Class // of the error; Internal: none
	}{
		{filepath.Join(dir, "new"), false, fault.Internal},
		{file, true, fault.Internal},
		{file, false, fault.Exists},
		{dir, true, fault.Usage},
		{filepath.Join(dir, "none", "new"), true, fault.Usage},
		{filepath.Join(file, "new"), true, fault.Usage},
		{filepath.Join(dir, strings.Repeat("x", 1000)), false, fault.Usage},
	} {
		err := CheckFile("page", tt.path, tt.overwrite)
		if (err == nil) != (tt.class == fault.Internal) || fault.ClassOf(err) != tt.class {
			t.Errorf("%.80s: %v is of class %v, want %v", tt.path, err, fault.ClassOf(err), tt.class)
		}
	}
}
