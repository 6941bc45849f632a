package pipeline

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listing returns everything below a folder: names, modes and contents. The private records of
// runs that made releases, which tell how long that took, are left out.
func listing(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if isRecord(path) {
			return err
		}
		if err != nil || entry.IsDir() {
			found[path] = "directory"
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(text))
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// isRecord reports whether a path is that of a work folder, or of the record in one.
func isRecord(path string) bool {
	return strings.HasSuffix(path, ".kcut") || strings.HasSuffix(path, ".kcut/"+recordFile)
}

// unchanged demands that a folder holds what it held before.
func unchanged(tb testing.TB, dir string, before map[string]string) {
	tb.Helper()
	after := listing(tb, dir)
	for path := range maps.Keys(after) {
		if after[path] != before[path] {
			tb.Errorf("the run left or changed %s", path)
		}
	}
	if len(after) < len(before) {
		tb.Errorf("the run removed something: %d files, %d before", len(after), len(before))
	}
}
