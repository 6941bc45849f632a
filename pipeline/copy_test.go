package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
)

// notedPeople are people with two kept columns: a note that each has for themselves, or none,
// and where they were seen.
func notedPeople(rows int) *testTable {
	rng := rand.New(rand.NewPCG(5, 6))
	table := people(rng, rows)
	table.fields = append(table.fields, textFields("note", "place")...)
	for i := range table.rows {
		note, place := fmt.Sprintf("note %06d", i), fmt.Sprint("place ", rng.IntN(9))
		if rng.IntN(10) == 0 {
			note, place = null, null
		}
		table.rows[i] = append(table.rows[i], note, place)
	}
	return table
}

// followedFolder makes a folder with some files of one row group each.
func followedFolder(t *testing.T, table *testTable, files int) string {
	t.Helper()
	dir := jobFolder(t, changed("  income: keep", "  income: keep\n  note: {keep: {identifying: accepted}}\n  place: keep"))
	for i := range files {
		n := len(table.rows)
		table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%d.parquet", i)), i*n/files, (i+1)*n/files, n)
	}
	return dir
}

// follow runs the folder's job so that row groups of any size are followed.
func follow(t *testing.T, dir string, spill bool, overrides ...string) error {
	t.Helper()
	return tryJob(t, dir, t.Context(), RunOptions{Overwrite: true, System: System{Follow: 1, Spill: spill}}, overrides...)
}

// Kept columns of row groups that are followed come out as they went in, whatever the threads,
// the budget and the spilling, in one file or several. A row group of several batches is read,
// counted, masked and verified by all threads; one of its columns becomes two.
func TestFollow(t *testing.T) {
	table := notedPeople(2500)
	several := followedFolder(t, table, 3)
	for range 27 { // 70,000 rows
		table.rows = append(table.rows, table.rows[:2500:2500]...)
	}
	one := followedFolder(t, table, 1)
	editJob(t, one, "born: discretize", "born: {mask: discretize, render: bounds}")
	first := make(map[string][]byte)
	if _, err := runJob(t, one, nil); err != nil { // it is large enough to be followed without any ado
		t.Fatal(err)
	}
	first[one] = mustRead(t, one+"/out.parquet")
	for _, how := range []struct {
		dir                     string
		groups                  int
		spill                   bool
		threads, memory, output string
	}{
		{several, 3, false, "1", "1GiB", "out.parquet"}, {several, 3, false, "8", "64MiB", "out.parquet"},
		{several, 3, true, "2", "32MiB", "out.parquet"}, {several, 3, false, "2", "1GiB", "out/"},
		{one, 1, false, "1", "1GiB", "out.parquet"}, {one, 1, false, "2", "1GiB", "out.parquet"}, {one, 1, false, "7", "1GiB", "out.parquet"},
	} {
		path := how.dir + "/" + how.output
		settings := []string{"limits.threads", how.threads, "limits.memory", how.memory, "output.path", path}
		if err := follow(t, how.dir, how.spill, settings...); err != nil {
			t.Fatalf("%+v: %v", how, err)
		}
		auditFolder(t, how.dir, settings...)
		if strings.HasSuffix(path, "/") {
			path += fileset.PartName(0)
		}
		got := mustRead(t, path)
		if first[how.dir] == nil {
			first[how.dir] = got
		}
		if !bytes.Equal(got, first[how.dir]) {
			t.Errorf("%+v: other bytes", how)
		}
		file, err := release.Open(t.Context(), path)
		must(t, err)
		if file.RowGroups() != how.groups {
			t.Errorf("%+v: %d row groups, want those of the input", how, file.RowGroups())
		}
		file.Close()
	}
	if !bytes.Contains(first[several], []byte("note 0000")) {
		t.Error("the notes are not stored as they are in the input, with snappy")
	}
}

// A column that some file has without nulls, and so without levels, is encoded anew there.
func TestFollowFilesThatDiffer(t *testing.T) {
	table := notedPeople(900)
	dir := followedFolder(t, table, 3)
	note := len(table.fields) - 2
	for i := range table.rows {
		if table.rows[i][note] == null {
			table.rows[i][note] = "none"
		}
	}
	table.fields[note].Nullable = false
	table.parquet(t, filepath.Join(dir, "in", "1.parquet"), 300, 600, 300)
	must(t, follow(t, dir, false))
	auditFolder(t, dir)
}

// Damage in a page that is only copied ends the run, and nothing is published.
func TestFollowDamage(t *testing.T) {
	dir := followedFolder(t, notedPeople(900), 3)
	path := filepath.Join(dir, "in", "1.parquet")
	good := mustRead(t, path)
	at := bytes.Index(good, []byte("note 000"))
	if at < 0 {
		t.Fatal("no note to damage")
	}
	good[at] ^= 1
	write(t, path, string(good))
	mustRefuse(t, dir, RunOptions{System: System{Follow: 1}}, fault.Input, path, "row group 0", `"note"`, "checksum")
}
