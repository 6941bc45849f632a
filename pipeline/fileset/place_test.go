package fileset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// Files are compared by their places, whatever their names.
func TestCheckApart(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("job"), nil, 0o600), os.Mkdir(at("out"), 0o700),
		os.Symlink("job", at("link")), os.Link(at("job"), at("second")),
		os.Symlink("out", at("folder")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	others := []Place{{"job file", at("job")}, {"output", at("out") + "/"},
		{"cut", "s3://bucket/cut"}, {"earlier release", ""}}
	for _, tt := range []struct {
		trace, report string
		apart         bool
	}{
		{at("a"), at("b"), true},
		{at("a"), at("a"), false},
		{at("a"), at("out/../a"), false},
		{at("job"), "", false},
		{"", at("link"), false},
		{"", at("second"), false},
		{at("out/trace"), "", false},
		{at("folder/trace"), "", false},
		{at("output"), at("out.json"), true},
		{"", "", true},
		{os.DevNull, os.DevNull, true},
		{"https://catalog/job", "https://catalog/job", true},
	} {
		err := CheckApart([]Place{{"trace", tt.trace}, {"report", tt.report}}, others...)
		if (err == nil) != tt.apart || err != nil && fault.ClassOf(err) != fault.Usage {
			t.Errorf("%q and %q: %v", tt.trace, tt.report, err)
		}
	}
}

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
	for _, path := range []string{filepath.Join(dir, "none", "new"), filepath.Join(file, "new"),
		filepath.Join(file, "none", "new")} {
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
			t.Errorf("%.80s: %v is of class %v, want %v", tt.path, err, fault.ClassOf(err),
				tt.class)
		}
	}
}
