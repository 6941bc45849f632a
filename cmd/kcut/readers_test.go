package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// readers runs a program of testdata/readers in the Python of make test-readers.
func readers(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Getenv("KCUT_READERS"),
		append([]string{program}, args...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, said.Bytes())
	}
	if said.Len() > 0 {
		t.Logf("%s: %s", filepath.Base(program), said.Bytes())
	}
	return out
}

// TestReaders makes common readers read releases of one file, of a directory and of hive
// partitions. It compares the sizes of the groups that they find with the sizes of a recount. It
// also runs the code of README.md over labels.
func TestReaders(t *testing.T) {
	if os.Getenv("KCUT_READERS") == "" {
		t.Skip("make test-readers names a Python with readers of Parquet")
	}
	programs, err := filepath.Abs(filepath.Join("testdata", "readers"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	demoFolder(t, "20000")
	change(t, "people.yaml", "hours-per-week: {mask: discretize, bounds: [1, 99]}",
		"hours-per-week: {mask: discretize}")
	change(t, "people.yaml", "output: release.parquet",
		"output: {path: release.parquet, row_group_rows: 500}")
	entry := "hours-per-week: {mask: discretize}"
	for _, tt := range []struct {
		name, render string
		flags        []string
	}{
		{"release.parquet", "", nil},
		{"release/", "", nil},
		{"input/", "", []string{"--order", "input"}},
		{"bounds.parquet", "bounds", nil},
		{"bounds/", "", nil},
		{"mondrian.parquet", "", []string{"--algorithm", "mondrian"}},
		{"interval.parquet", "interval", nil},
		{"interval/", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.render != "" {
				rendered := "hours-per-week: {mask: discretize, render: " + tt.render + "}"
				change(t, "people.yaml", entry, rendered)
				entry = rendered
			}
			kcutMust(t, append([]string{"run", "people.yaml", "--quiet", "--output", tt.name},
				tt.flags...)...)
			checkGroups(t, filepath.Join(programs, "sizes.py"), tt.name)
		})
	}
	t.Run("partitions/", func(t *testing.T) {
		change(t, "people.yaml", entry, "hours-per-week: {mask: discretize}")
		change(t, "people.yaml", "{path: release.parquet,",
			"{path: release.parquet, partition_by: [native-country, hours-per-week],")
		kcutMust(t, "run", "people.yaml", "--quiet", "--output", "partitions/")
		checkGroups(t, filepath.Join(programs, "sizes.py"), "partitions/", "native-country",
			"hours-per-week")
	})
	t.Run("labels", func(t *testing.T) {
		_, code, _ := strings.Cut(string(document), "```py\n")
		code, _, _ = strings.Cut(code, "```\n")
		save(t, "labels.py", []byte(code))
		save(t, "cut.json", kcutMust(t, "show", "release.parquet", "--json"))
		out := readers(t, filepath.Join(programs, "ends.py"), "labels.py", "cut.json")
		if !bytes.HasSuffix(out, []byte("ok\n")) {
			t.Errorf("got %s", out)
		}
	})
}

// readRelease is the result of a reader.
type readRelease struct {
	Sizes  [][]uint64 // by set, in order; none if the reader fails on a column: see sizes.py
	Values [][]string // of each column of hive partitions
}

// checkGroups makes all readers read a release, and checks the groups and the labels of its hive
// partitions.
func checkGroups(t *testing.T, program, release string, partitions ...string) {
	t.Helper()
	inspection, err := kcut.Inspect(t.Context(), release, kcut.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rendered := func(name string) []string {
		for _, c := range inspection.Cut.Columns {
			if c.Name == name && c.Render == "bounds" {
				return []string{name + "_lower", name + "_upper"}
			}
		}
		return []string{name}
	}
	var sets [][]string
	for _, set := range inspection.Cut.Sets {
		var columns []string
		for _, name := range set.Columns {
			columns = append(columns, rendered(name)...)
		}
		sets = append(sets, columns)
	}
	names, err := json.Marshal(append([]string{}, partitions...))
	if err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(sets)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]readRelease)
	err = json.Unmarshal(readers(t, program, string(args), string(names), release), &found)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pyarrow", "pandas", "polars", "polars, lazy", "duckdb",
		"duckdb, glob"} {
		if found[name].Sizes == nil {
			t.Errorf("%s has not read it", name)
		}
	}
	for name, read := range found {
		sizes := read.Sizes
		for i, partition := range partitions {
			if want := labelsOf(t, inspection, partition); len(want) < 2 ||
				!slices.Equal(read.Values[i], want) {
				t.Errorf("%s: labels of %s are %q, want %q", name, partition, read.Values[i], want)
			}
		}
		for i, of := range inspection.Sizes {
			if sizes[i] == nil && name == "fastparquet" && strings.HasPrefix(release, "interval") {
				continue // see sizes.py
			}
			rows := uint64(0)
			for _, size := range sizes[i] {
				rows += size
			}
			switch smallest := inspection.Sets[i].Anonymity; {
			case int64(rows) != inspection.Rows, uint64(len(sizes[i])) != of.Classes,
				sizes[i][0] != smallest, slices.Max(sizes[i]) != of.Largest:
				t.Errorf("%s, set %d: %d rows in %d groups of %d to %d, a recount finds %d in %d "+
					"of %d to %d",
					name, i+1, rows, len(sizes[i]), sizes[i][0], slices.Max(sizes[i]),
					inspection.Rows, of.Classes, smallest, of.Largest)
			case !slices.Equal(bucketsOf(sizes[i]), of.Buckets):
				t.Errorf("%s, set %d: groups of other sizes", name, i+1)
			}
		}
	}
}

// labelsOf returns the labels of a column of a release, in order.
func labelsOf(t *testing.T, inspection *kcut.Inspection, name string) (labels []string) {
	t.Helper()
	for _, c := range inspection.Cut.Columns {
		if c.Name == name {
			for _, node := range c.Cut {
				labels = append(labels, node.Label)
			}
		}
	}
	slices.Sort(labels)
	return labels
}

// bucketsOf counts groups with sorted sizes in the buckets of a recount.
func bucketsOf(sizes []uint64) (buckets []kcut.SizeBucket) {
	for _, size := range sizes {
		last := len(buckets) - 1
		if last < 0 || size >= buckets[last].To {
			to := uint64(1)
			for to <= size {
				to *= 2
			}
			from := to / 2
			if last < 0 {
				from = size
			}
			buckets = append(buckets, kcut.SizeBucket{From: from, To: to})
			last++
		}
		buckets[last].Classes++
		buckets[last].Records += size
	}
	return buckets
}

// change replaces a text in a file. The file must have the text.
func change(t *testing.T, file, from, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte(from)) {
		t.Fatalf("%s lacks %s: %v", file, from, err)
	}
	save(t, file, bytes.Replace(text, []byte(from), []byte(to), 1))
}

func save(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNotebook runs the cells of docs/notebook.ipynb with the module of the wheels and this
// program.
func TestNotebook(t *testing.T) {
	python := cmp.Or(os.Getenv("KCUT_READERS"), "python3")
	libraries := exec.CommandContext(t.Context(), python, "-c", "import pandas, pyarrow")
	if err := libraries.Run(); err != nil {
		t.Skipf("no %s with pandas and pyarrow: %v", python, err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("PYTHONPATH", filepath.Join(root, "cmd", "kcut", "internal", "wheel"))
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	out, err := exec.CommandContext(t.Context(), python,
		filepath.Join(root, "cmd", "kcut", "testdata", "notebook", "cells.py"),
		filepath.Join(root, "docs", "notebook.ipynb")).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "10 cells\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
