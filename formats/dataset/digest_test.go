package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/formats"
)

// TestDigest demands that the digest of an input depends on its files' contents, order and
// hive partitions, and not on where they lie or on the threads.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"a/x.csv": "one", "a/y.csv": "two", "moved/a.csv": "one", "moved/b.csv": "two", "swapped/a.csv": "two", "swapped/b.csv": "one",
		"hive/year=1/x.csv": "one", "hive/year=1/y.csv": "two", "later/year=2/x.csv": "one", "later/year=2/y.csv": "two",
		"copied/year=1/p.csv": "one", "copied/year=1/q.csv": "two", "more/a.csv": "one", "more/b.csv": "two", "more/c.csv": "",
	} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	of := func(name string, threads int) string {
		sum, err := Digest(t.Context(), []string{filepath.Join(dir, name)}, threads)
		if err != nil {
			t.Fatal(err)
		}
		return sum.String()
	}
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"a", "moved", true}, {"a", "moved/*.csv", true}, {"a", "swapped", false}, {"a", "more", false}, {"a", "a/x.csv", false},
		{"a", "hive", false}, {"hive", "later", false}, {"hive", "copied", true},
	} {
		if same := of(tt.a, 1) == of(tt.b, 3); same != tt.same {
			t.Errorf("%s and %s have the same digest: %t, want %t", tt.a, tt.b, same, tt.same)
		}
	}
	if _, err := Digest(t.Context(), []string{filepath.Join(dir, "none")}, 1); !errors.Is(err, formats.ErrNoInput) {
		t.Errorf("no file: %v", err)
	}
}
