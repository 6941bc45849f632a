package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
)

// notedPeople are people with two kept columns: a note of their own, or none, and the place where
// they were seen.
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

// notedFolder makes a folder with some files of one row group each.
func notedFolder(t *testing.T, table *testTable, files int) string {
	t.Helper()
	dir := jobFolder(t, changed("  income: keep",
		"  income: keep\n  note: {keep: {identifying: accepted}}\n  place: keep"))
	for i := range files {
		n := len(table.rows)
		table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%d.parquet", i)),
			i*n/files, (i+1)*n/files, n)
	}
	return dir
}

// Kept columns are released unchanged, with any number of threads, budget and spilling, from one
// file or several. All threads read, count, mask and verify the batches of one row group; one of
// its columns is released as two columns. Row groups are those of the release, not of the input.
func TestInputOrder(t *testing.T) {
	table := notedPeople(2500)
	several := notedFolder(t, table, 3)
	for range 27 { // 70,000 rows
		table.rows = append(table.rows, table.rows[:2500:2500]...)
	}
	one, cut := notedFolder(t, table, 1), notedFolder(t, table, 1)
	editJob(t, cut, "output: out.parquet", "output: {path: out.parquet, row_group_rows: 20000}")
	editJob(t, one, "born: discretize", "born: {mask: discretize, render: bounds}")
	first := make(map[string][]byte)
	for _, how := range []struct {
		dir                     string
		groups                  int
		spill                   bool
		threads, memory, output string
	}{
		{several, 1, false, "1", "1GiB", "out.parquet"},
		{several, 1, false, "8", "64MiB", "out.parquet"},
		{several, 1, true, "2", "32MiB", "out.parquet"}, {several, 1, false, "2", "1GiB", "out/"},
		{one, 1, false, "1", "1GiB", "out.parquet"}, {one, 1, false, "2", "1GiB", "out.parquet"},
		{one, 1, false, "7", "1GiB", "out.parquet"},
		{cut, 4, false, "1", "1GiB", "out.parquet"}, {cut, 4, true, "3", "32MiB", "out.parquet"},
	} {
		path := how.dir + "/" + how.output
		settings := []string{"limits.threads", how.threads, "limits.memory",
			how.memory, "output.path", path}
		must(t, tryJob(t, how.dir, t.Context(),
			RunOptions{Overwrite: true, System: System{Spill: how.spill}}, settings...))
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
		if groups := rowGroups(t, path); len(groups) != how.groups {
			t.Errorf("%+v: row groups of %v rows", how, groups)
		}
	}
}

// rowGroups returns the rows of each row group of a file.
func rowGroups(t *testing.T, path string) (rows []int64) {
	t.Helper()
	file, err := release.Open(t.Context(), path)
	must(t, err)
	defer file.Close()
	for g := range file.RowGroups() {
		rows = append(rows, file.RowGroupRows(g))
	}
	return rows
}

// Row groups of large rows end early, with the row that brings them to 8 MiB, for all numbers of
// threads, budgets and batches, and their rows are those of the input.
func TestLargeRowsInInputOrder(t *testing.T) {
	table := notedPeople(3000)
	rng := rand.New(rand.NewPCG(8, 9))
	for _, row := range table.rows {
		text := make([]byte, 6000+rng.IntN(9000))
		for i := range text {
			text[i] = 'a' + byte(rng.UintN(26))
		}
		row[len(row)-2] = string(text)
	}
	dir := notedFolder(t, table, 2)
	var want []byte
	for _, how := range [][]string{{"1", "1GiB"}, {"2", "1GiB"}, {"1", "128MiB"}, {"3", "256MiB"}} {
		settings := []string{"limits.threads", how[0], "limits.memory", how[1]}
		must(t, tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}, settings...))
		auditFolder(t, dir, settings...)
		got := mustRead(t, filepath.Join(dir, "out.parquet"))
		if want == nil {
			want = got
			if groups := rowGroups(t, filepath.Join(dir, "out.parquet")); !slices.Equal(groups,
				[]int64{787, 791, 802, 620}) {
				t.Errorf("row groups of %v rows", groups)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%v: other bytes", how)
		}
	}
}

// A column without nulls in some file, and so without levels there, is released like the column
// of the other files.
func TestInputOrderOfFilesThatDiffer(t *testing.T) {
	table := notedPeople(900)
	dir := notedFolder(t, table, 3)
	note := len(table.fields) - 2
	for i := range table.rows {
		if table.rows[i][note] == null {
			table.rows[i][note] = "none"
		}
	}
	table.fields[note].Nullable = false
	table.parquet(t, filepath.Join(dir, "in", "1.parquet"), 300, 600, 300)
	must(t, tryJob(t, dir, t.Context(), RunOptions{}))
	auditFolder(t, dir)
}

// Damage in a page of a kept column ends the run, and nothing is published.
func TestDamageOfKeptColumn(t *testing.T) {
	dir := notedFolder(t, notedPeople(900), 3)
	path := filepath.Join(dir, "in", "1.parquet")
	good := mustRead(t, path)
	at := bytes.Index(good, []byte("note 000"))
	if at < 0 {
		t.Fatal("no note to damage")
	}
	good[at] ^= 1
	write(t, path, string(good))
	mustRefuse(t, dir, RunOptions{}, fault.Input, path, "row group 0", `"note"`, "checksum")
}
