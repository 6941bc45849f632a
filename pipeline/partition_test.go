package pipeline

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// inPartitions is the people job with an output in partitions.
func inPartitions(algorithm, columns string) string {
	return withAlgorithm(changed("output: out.parquet",
		"output: {path: out/, row_group_rows: 40, partition_by: "+columns+"}"), algorithm)
}

// rowsByColumn counts the rows of files by the texts of all their columns, including the columns
// of folder names.
func rowsByColumn(t *testing.T, files, columns []string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, file := range files {
		g := readReleased(t, file)
		for i := range g.rows {
			row := map[string]string{}
			for c := range g.fields {
				row[g.fields[c].Name] = g.columns[c].at(i)
			}
			for _, name := range columns {
				label, isNull, found := fileset.LabelIn(file, name)
				if _, twice := row[name]; !found || twice {
					t.Fatalf("%s: column %s is in its folder: %t, in the file: %t",
						file, name, found, twice)
				}
				if row[name] = label; isNull {
					row[name] = null
				}
			}
			counts[fmt.Sprint(row)]++
		}
	}
	return counts
}

// A release in partitions has the same rows as one without, by every algorithm, and is verified;
// its bytes depend neither on threads nor on memory, nor on the order of the input.
func TestPartitions(t *testing.T) {
	folders := map[string]bool{}
	for i, algorithm := range oneOfEach() {
		t.Run(searchName(algorithm), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, uint64(i)))
			columns := [][]string{{"city"}, {"job", "city"},
				{"weight"}, {"age", "job"}}[rng.IntN(4)]
			text := inPartitions(algorithm, "["+strings.Join(columns, ", ")+"]")
			table := people(rng, 900)
			table.rows[3][3], table.rows[4][2] = null, null
			dir := table.folder(t, text, 50)
			ordered := []string{"order", job.OrderReleased}
			want := mustRun(t, dir, nil, ordered...).Digests.Output
			out := filepath.Join(dir, "out")
			mustFind(t, out)
			parts, err := fileset.Parts(t.Context(), out)
			must(t, err)
			for number, part := range parts {
				folders[filepath.Base(filepath.Dir(part))] = true
				if filepath.Base(part) != fileset.PartName(number) {
					t.Errorf("part %d is %s", number, part)
				}
			}
			whole := filepath.Join(dir, "whole.parquet")
			editJob(t, dir, "path: out/, ", "path: whole.parquet, ")
			editJob(t, dir, ", partition_by: ["+strings.Join(columns, ", ")+"]", "")
			mustRun(t, dir, nil, ordered...)
			if got, want := rowsByColumn(t, parts, columns),
				rowsByColumn(t, []string{whole}, nil); !maps.Equal(got, want) {
				t.Errorf("other rows than in one file: %d and %d different ones",
					len(got), len(want))
			}
			rng.Shuffle(len(table.rows), func(i, j int) {
				table.rows[i], table.rows[j] = table.rows[j], table.rows[i]
			})
			again := table.folder(t, text, 70)
			j := mustLoad(t, again, append(ordered, "limits.threads", "3", "limits.memory",
				"16MiB")...)
			report, err := Run(t.Context(), j,
				RunOptions{System: System{Spill: true,
					Store: spill.Options{FS: spilltest.Healthy()}}})
			must(t, err)
			if report.Digests.Output != want {
				t.Error("other bytes with other threads, memory and order")
			}
		})
	}
	if len(folders) < 12 || !folders["city=__HIVE_DEFAULT_PARTITION__"] &&
		!folders["job=__HIVE_DEFAULT_PARTITION__"] {
		t.Errorf("the folders %v tell too little", slices.Sorted(maps.Keys(folders)))
	}
}

// Verification finds rows in a wrong folder, and folders that no label names; their content stays
// secret.
func TestPartitionsTampered(t *testing.T) {
	for name, tc := range map[string]struct {
		tamper func(t *testing.T, out string, folders []string)
		want   string
	}{
		"a value": {func(t *testing.T, out string, f []string) {
			must(t, os.Rename(f[0], filepath.Join(out, "age=37")))
		}, "named by no label"},
		"another label": {func(t *testing.T, out string, f []string) {
			swap(t, f[0], f[1])
		}, "no region of its cut"},
		"a column": {func(t *testing.T, out string, f []string) {
			must(t, os.Rename(f[0], filepath.Join(out, "income=low")))
		}, "named by no label"},
		"one more": {func(t *testing.T, out string, f []string) {
			must(t, os.Mkdir(filepath.Join(out, "hidden"), 0o700))
		}, "no part of a release"},
		"a file": {func(t *testing.T, out string, f []string) {
			write(t, filepath.Join(f[0], "notes.txt"), "x")
		}, "no part of a release"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := peopleFolder(t, inPartitions("infogain-mondrian", "[age]"), 900)
			mustRun(t, dir, nil, "order", job.OrderReleased)
			out := filepath.Join(dir, "out")
			folders, err := filepath.Glob(filepath.Join(out, "age=*"))
			must(t, err)
			if len(folders) < 2 {
				t.Fatal("too few folders")
			}
			tc.tamper(t, out, folders)
			mustFind(t, out, tc.want)
		})
	}
}

// swap exchanges the content of two folders with different numbers of rows.
func swap(t *testing.T, a, b string) {
	t.Helper()
	must(t, os.Rename(a, a+"~"))
	must(t, os.Rename(b, a))
	must(t, os.Rename(a+"~", b))
}

// A run that was stopped while it masked makes the release of an unstopped run, and replaces a
// release in partitions.
func TestPartitionsResumed(t *testing.T) {
	dir := peopleFolder(t, inPartitions("infogain-mondrian", "[age]"), 900)
	want := mustRun(t, dir, nil, "order", job.OrderReleased).Digests.Output
	must(t, os.RemoveAll(filepath.Join(dir, "out")))
	for _, stage := range []resources.Stage{resources.StageMask, resources.StageVerify} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stop := func(s resources.Stage, p resources.Progress) {
			if s == stage && 2*p.Done >= p.Total {
				cancel()
			}
		}
		opt := RunOptions{Resume: true, Checkpoint: 1, Overwrite: true,
			Events: resources.Events{Progress: stop}}
		if err := tryJob(t, dir, ctx, opt, "order", job.OrderReleased); err == nil {
			t.Fatalf("it was not stopped after %s", stage)
		}
		report, err := Run(t.Context(), mustLoad(t, dir, "order", job.OrderReleased),
			RunOptions{Resume: true, Checkpoint: 1, Overwrite: true})
		must(t, err)
		if report.Digests.Output != want {
			t.Errorf("stopped after %s: other bytes", stage)
		}
		mustFind(t, filepath.Join(dir, "out"))
		must(t, os.RemoveAll(filepath.Join(dir, "out")))
	}
}

// A label that cannot be the name of a folder is refused before anything is published.
func TestPartitionsRefused(t *testing.T) {
	long := strings.Repeat("x", 300)
	dir := peopleFolder(t, strings.Replace(inPartitions("tdr", "[city]"), "trees.yaml", "long.yaml",
		1), 300)
	write(t, filepath.Join(dir, "long.yaml"),
		"city:\n  "+long+": [Bonn, Köln, Paris, Lyon, Nice]\n")
	mustFail(t, tryJob(t, dir, t.Context(), RunOptions{}, "order", job.OrderReleased),
		fault.Usage, "longer than the name of a folder")
	if _, err := cutfile.Read(t.Context(), filepath.Join(dir, "out")); err == nil {
		t.Error("something was published")
	}
}

// Partitions with fewer rows than k are noted: partitions by columns of one set are never so
// small, partitions by columns of several sets may be.
func TestSmallPartitionsAreNoted(t *testing.T) {
	for _, columns := range []string{"job, city", "job, born"} {
		dir := people(rand.New(rand.NewPCG(3, 4)), 3000).folder(t,
			inPartitions("tdr", "["+columns+"]"), 50)
		report := mustRun(t, dir, nil, "order", job.OrderReleased)
		parts, err := fileset.Parts(t.Context(), filepath.Join(dir, "out"))
		must(t, err)
		rows, small := map[string]int{}, 0
		for _, part := range parts {
			rows[filepath.Dir(part)] += readReleased(t, part).rows
		}
		for _, n := range rows {
			if n < 5 {
				small++
			}
		}
		if want := columns == "job, born"; (small > 0) != want {
			t.Fatalf("%s: %d of %d partitions are small", columns, small, len(rows))
		}
		note := fmt.Sprintf("%d of %d partitions have fewer than k = 5 rows", small, len(rows))
		noted := slices.ContainsFunc(report.Notices, func(n string) bool {
			return strings.Contains(n, "partitions have fewer")
		})
		if noted != (small > 0) || noted && !slices.ContainsFunc(report.Notices,
			func(n string) bool { return strings.HasPrefix(n, note) }) {
			t.Errorf("%s: notices %q, want %q", columns, report.Notices, note)
		}
	}
}
