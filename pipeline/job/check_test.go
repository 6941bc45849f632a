package job

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares a text with a file of testdata, or rewrites that.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// jobsIn returns the job files of a folder of testdata.
func jobsIn(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no jobs in %s: %v", folder, err)
	}
	return paths
}

// Every mistake is reported at its place, all of them at once.
func TestBadJobs(t *testing.T) {
	for _, path := range jobsIn(t, "bad") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			_, err := Load(path, nil)
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an Error", err)
			}
			for _, p := range bad.Problems {
				if p.File != path || p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("problem without a place: %+v", p)
				}
			}
			text := strings.ReplaceAll(err.Error(), path, filepath.Base(path))
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", text+"\n")
		})
	}
}
