package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const identityJob = `
input: in.parquet
output: out.parquet
quasi_identifiers: [{columns: [city, zip], k: 5}]
columns:
  city: {mask: generalize, taxonomy: places}
  zip: {mask: generalize, taxonomy: {prefix: [3, 1]}}
taxonomies: {places: {ANY: {North: [a, b], South: [c]}}}
`

// identityOf returns the identity of a job file's text.
func identityOf(t *testing.T, text string, overrides ...Override) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "job.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := Load(path, overrides)
	if err != nil {
		t.Fatal(err)
	}
	taxonomies, err := job.LoadTaxonomies()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := job.Identity(&b, taxonomies); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestIdentity demands that an identity changes with what the release depends on, and with
// nothing else.
func TestIdentity(t *testing.T) {
	want := identityOf(t, identityJob)
	for _, tt := range []struct {
		old, replacement string
		same             bool
	}{
		{"in.parquet", "elsewhere/*.csv", true},
		{"out.parquet", "elsewhere.parquet", true},
		{"out.parquet", "out/", false},
		{"k: 5", "k: 6", false},
		{"\ncolumns:", "\n# what happens\ncolumns:", true},
		{"output: out.parquet", "output: {path: out.parquet, compression: zstd}", true},
		{"output: out.parquet", "output: {path: out.parquet, compression: gzip}", false},
		{"quasi", "limits: {memory: 1GiB, threads: 3, spill_dir: there}\nquasi", true},
		{"quasi", "max_steps: 3\nquasi", false},
		{"quasi", "unlisted: keep\nquasi", false},
		{"[3, 1]", "[3, 2]", false},
		{"places", "regions", true},
		{"[a, b]", "[b, a]", false},
		{"[a, b]", "[a, b, d]", false},
		{"North: [a, b], South: [c]", `North: [a], "b", South: [c]`, false},
		{"taxonomy: places", "taxonomy: {ANY: {North: [a, b], South: [c]}}", true},
	} {
		got := identityOf(t, strings.ReplaceAll(identityJob, tt.old, tt.replacement))
		if (got == want) != tt.same {
			t.Errorf("%s instead of %s: the identity is the same: %t, want %t", tt.replacement, tt.old, got == want, tt.same)
		}
	}
	if got := identityOf(t, identityJob, Override{"quasi_identifiers[].k", "5", "--k"}); got != want {
		t.Error("a flag that changes nothing changes the identity")
	}
}
