package dataset

import (
	"os"
	"path/filepath"
	"testing"
)

// A pattern finds a file by each of its names: through links in the input folder, of either kind,
// and through folders that are links, also if the file or its folder does not exist yet.
func TestFindsLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(at("data/year=2025"), 0o700), os.Mkdir(at("in"), 0o700),
		os.Mkdir(at("elsewhere"), 0o700),
		os.WriteFile(at("people.csv"), nil, 0o600), os.WriteFile(at("second.csv"), nil, 0o600),
		os.WriteFile(at("other.csv"), nil, 0o600),
		os.Symlink("../people.csv", at("in/people.csv")), os.Link(at("second.csv"), at("in/b.csv")),
		os.Symlink("data", at("current")), os.Symlink("../../elsewhere", at("data/year=2025/more")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"in", "people.csv", true},
		{"in/*.csv", "people.csv", true},
		{"in/people.csv", "people.csv", true},
		{"in", "second.csv", true},
		{"in", "other.csv", false},
		{"in", "none.csv", false},
		{"in/*.txt", "people.csv", false},
		{"current", "data/new.csv", true},
		{"current/", "data/new/part-00000.parquet", true},
		{"current", "elsewhere/new.csv", true},
		{"current/*", "data/new.csv", true},
		{"current/*.csv", "data/new.parquet", false},
		{"current", "data/_SUCCESS", false},
		{"current", "other/new.csv", false},
		{"none", "people.csv", false},
	} {
		if got, err := Finds(at(tt.pattern), at(tt.path)); got != tt.want || err != nil {
			t.Errorf("%s finds %s: %v, %v", tt.pattern, tt.path, got, err)
		}
	}
}
