package pipeline

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
)

const twoTables = `
entity: patient
quasi_identifiers: [{columns: all, k: 3}]
columns: {patient: {mask: pseudonym, key_file: patients.key, identifying: accepted}}
unlisted: drop
max_unique: 100%
tables:
  stays: {input: in, output: stays.parquet, columns: {city: suppress, age: discretize}}
  bills: {input: in, output: bills/, columns: {job: suppress}}
`

func loadTables(t *testing.T, dir string) *job.Tables {
	t.Helper()
	tables, err := job.LoadTables(filepath.Join(dir, "job.yaml"), nil)
	must(t, err)
	return tables
}

// tablesFolder makes a folder with twoTables. It returns the files of the releases that runs of the
// job of each table make.
func tablesFolder(t *testing.T) (dir string, want map[string]string) {
	t.Helper()
	dir = pseudonymized(t, patients(120), twoTables, 50)
	for _, table := range loadTables(t, dir).Tables {
		_, err := Run(t.Context(), table.Job, RunOptions{})
		must(t, err)
	}
	want = releasedTables(t, dir)
	if len(want) < 3 {
		t.Fatalf("only %v", slices.Collect(maps.Keys(want)))
	}
	removeTables(t, dir)
	return dir, want
}

// releasedTables returns the files of releases in a folder.
func releasedTables(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for path, text := range listing(t, dir) {
		name := strings.TrimPrefix(path, dir+"/")
		if strings.HasPrefix(name, "stays.parquet") || strings.HasPrefix(name, "bills/") {
			files[name] = text
		}
	}
	return files
}

func removeTables(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"stays.parquet", "bills", ".stays.parquet.kcut", ".bills.kcut"} {
		must(t, os.RemoveAll(filepath.Join(dir, name)))
	}
}

// mustBeTables demands that a folder has the releases and nothing else that a run made, except
// records.
func mustBeTables(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if !maps.Equal(releasedTables(t, dir), want) {
		t.Error("other releases")
	}
	mustHaveNoStrays(t, dir)
}

func mustHaveNoStrays(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	known := []string{"in", "job.yaml", "trees.yaml", "patients.key", "stays.parquet", "bills",
		".stays.parquet.kcut", ".bills.kcut"}
	for _, entry := range entries {
		if !slices.Contains(known, entry.Name()) {
			t.Errorf("%s is left", entry.Name())
		}
	}
}

// firstOf returns the files of the first table.
func firstOf(files map[string]string) map[string]string {
	return map[string]string{"stays.parquet": files["stays.parquet"]}
}

// bytesOf returns the digest of a file's bytes from its entry in a listing.
func bytesOf(entry string) string { return entry[strings.LastIndex(entry, " ")+1:] }

// errKilled is the error of operations of a process that was killed.
var errKilled = errors.New("killed")

// killed returns files of a process that is killed before an operation: it and all later ones are
// not done, except that files are closed, which the kernel does.
func killed(operation int) *publish.FS {
	return &publish.FS{Around: func(kind string, do func() error, _ ...string) error {
		operation--
		switch {
		case operation >= 0 && kind == "sync": // no test can lose power
			return nil
		case operation >= 0:
			return do()
		case kind == "close":
			_ = do()
		}
		return errKilled
	}}
}

// A run of several tables that is killed at any operation has published no table, or all, or the
// first one between both publications. The next run completes them with the bytes that the job of
// each table has.
func TestTablesKilled(t *testing.T) {
	dir, want := tablesFolder(t)
	none, first := 0, 0
	for n := 0; ; n++ {
		_, err := RunTables(t.Context(), loadTables(t, dir),
			RunOptions{Resume: true, Checkpoint: 1, System: System{Files: killed(n)}})
		if err == nil || n > 2000 {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("operation %d: %v", n, err)
		}
		switch got := releasedTables(t, dir); {
		case len(got) == 0:
			none++
		case len(got) == 1 && bytesOf(got["stays.parquet"]) == bytesOf(want["stays.parquet"]):
			first++ // the mode may still be that of an unpublished file
		case !maps.Equal(got, want):
			t.Errorf("operation %d: published %v", n, slices.Sorted(maps.Keys(got)))
		}
		_, err = RunTables(t.Context(), loadTables(t, dir), RunOptions{Resume: true})
		must(t, err)
		mustBeTables(t, dir, want)
		removeTables(t, dir)
	}
	mustBeTables(t, dir, want)
	if none < 20 || first == 0 {
		t.Errorf("no table was published %d times, the first alone %d times", none, first)
	}
}

// A run with a failing operation publishes no table, or all; or it fails while it publishes, and
// the error names the tables. The next run completes them.
func TestTablesFail(t *testing.T) {
	dir, want := tablesFolder(t)
	for n, failed := 0, true; failed; n++ {
		files := newFaultyFiles(errKilled, n)
		_, err := RunTables(t.Context(), loadTables(t, dir), RunOptions{
			Resume: true, System: System{Files: files.FS}})
		failed = files.failed != ""
		if !failed && err != nil || err != nil && !errors.Is(err, errKilled) {
			t.Fatalf("operation %d, %s: %v", n, files.failed, err)
		}
		switch got := releasedTables(t, dir); {
		case err == nil && !maps.Equal(got, want):
			t.Errorf("published %v", slices.Sorted(maps.Keys(got)))
		case err == nil, len(got) == 0, maps.Equal(got, want):
		case len(got) > 1 || bytesOf(got["stays.parquet"]) != bytesOf(want["stays.parquet"]):
			t.Errorf("operation %d, %s: published %v", n, files.failed,
				slices.Sorted(maps.Keys(got)))
		case !strings.Contains(err.Error(), "published before: stays") &&
			!strings.Contains(err.Error(), "table stays: "):
			t.Errorf("operation %d, %s: %v", n, files.failed, err)
		}
		_, err = RunTables(t.Context(), loadTables(t, dir), RunOptions{Resume: true})
		must(t, err)
		mustBeTables(t, dir, want)
		removeTables(t, dir)
	}
}

// A run that is stopped as a stage begins publishes nothing, or ends after a publication, which the
// error names. The next run completes the tables.
func TestTablesCancelled(t *testing.T) {
	dir, want := tablesFolder(t)
	before := listing(t, dir)
	none, first := 0, 0
	for stop, stopped := 1, true; stopped; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		begun := 0
		_, err := RunTables(ctx, loadTables(t, dir), RunOptions{Resume: true,
			Events: resources.Events{Start: func(resources.Stage) {
				if begun++; begun == stop {
					cancel()
				}
			}}})
		cancel()
		switch stopped = err != nil; {
		case len(releasedTables(t, dir)) == 0:
			none++
			mustFail(t, err, fault.Cancelled)
			unchanged(t, dir, before)
		case stopped:
			first++
			mustFail(t, err, fault.Cancelled, "table bills: ", "published before: stays")
			if !maps.Equal(releasedTables(t, dir), firstOf(want)) {
				t.Errorf("stopped at stage %d: other releases", stop)
			}
		}
		_, err = RunTables(t.Context(), loadTables(t, dir), RunOptions{Resume: true})
		must(t, err)
		mustBeTables(t, dir, want)
		removeTables(t, dir)
	}
	if none < 10 || first == 0 {
		t.Errorf("no table was published %d times, the first alone %d times", none, first)
	}
}

// Two columns of one table with pseudonyms of one key join it by both.
func TestTablesOfSeveralTokens(t *testing.T) {
	table := patients(300)
	table.addColumn("doctor", func(row int) string {
		return table.rows[row*7%200][table.index("patient")]
	})
	dir := pseudonymized(t, table, strings.Replace(twoTables, "columns: {city",
		"columns: {doctor: {mask: pseudonym, key_file: patients.key, identifying: accepted}, city",
		1), 50)
	report, err := RunTables(t.Context(), loadTables(t, dir), RunOptions{})
	must(t, err)
	people := make(map[string]bool)
	for _, row := range table.rows {
		people[row[table.index("patient")]] = true
		people[row[table.index("doctor")]] = true
	}
	delete(people, null)
	if j := report.Joined; len(j) != 1 || j[0].People != int64(len(people)) ||
		j[0].Column != "patient, doctor" {
		t.Errorf("got %+v, want %d people", j[0], len(people))
	}
}
