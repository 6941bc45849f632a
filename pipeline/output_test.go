package pipeline

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
)

// A release is the same table in any layout of files.
func TestOutputShapes(t *testing.T) {
	const rows = 1000
	table := people(rand.New(rand.NewPCG(7, 8)), rows)
	var want *testTable
	var cut []byte
	for _, output := range []string{
		"out.parquet", "out/", "{path: out.parquet, compression: none}",
		"{path: out.parquet, compression: snappy}",
		"{path: out.parquet, compression: gzip, level: 9}", "{path: out.parquet, level: 19}",
		"{path: out.parquet, row_group_rows: 7}", "{path: out/, row_group_rows: 9}",
		"{path: out/, row_group_rows: 1000000}",
	} {
		t.Run(output, func(t *testing.T) {
			a := mustRelease(t, table.folder(t, outputIs(output), 300), 0)
			got := readTable(t, a.job.Output.Path)
			if want == nil {
				want, cut = got, a.cut.Raw
			}
			if !slices.EqualFunc(got.rows, want.rows, slices.Equal) ||
				!bytes.Equal(a.cut.Raw, cut) {
				t.Error("another table")
			}
			if fileset.IsDirectory(a.job.Output.Path) {
				checkDirectory(t, a.job)
			}
		})
	}
}

// checkDirectory: a directory has its parts and the mark of success, and a second run replaces
// the first.
func checkDirectory(t *testing.T, job *job.Job) {
	t.Helper()
	rows := job.Output.RowGroupRows
	if rows == 0 {
		rows = masking.UsualGroup
	}
	groups := (1000 + rows - 1) / rows
	want := []string{"_SUCCESS", "_manifest.parquet"}
	for part := range (groups + output.GroupsPerPart - 1) / output.GroupsPerPart {
		want = append(want, fmt.Sprintf("part-%05d.parquet", part))
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(job.Output.Path)
		must(t, err)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	write(t, filepath.Join(job.Output.Path, "part-99999.parquet"), "of another run")
	if _, err := Run(t.Context(), job, RunOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("overwritten: got %v, want %v", got, want)
	}
}

// Partition columns of the input are masked like other columns, and are columns of the released
// file.
func TestHive(t *testing.T) {
	job := changed("columns: [born, city, weight]", "columns: [born, year, region]")
	dir := jobFolder(t, strings.Replace(job, "weight: discretize",
		"weight: drop\n  year: discretize\n  region: suppress\n  day: keep", 1))
	table := people(rand.New(rand.NewPCG(9, 9)), 1200)
	for part := range 12 {
		region := []string{"north", "so%2Futh", "__HIVE_DEFAULT_PARTITION__"}[part%3]
		folder := filepath.Join(dir, "in", fmt.Sprintf("year=%d", 2000+part/3), "region="+region,
			fmt.Sprintf("day=2020-01-%02d", part+1))
		must(t, os.MkdirAll(folder, 0o700))
		table.parquet(t, filepath.Join(folder, "a.parquet"), part*100, part*100+100, 1000)
	}
	for _, output := range []string{"out.parquet", "out/"} {
		mustRelease(t, dir, 3, "output.path", dir+"/"+output)
	}
}

func TestOutputExists(t *testing.T) {
	for _, output := range []string{"out.parquet", "out/"} {
		t.Run(output, func(t *testing.T) {
			dir := peopleFolder(t, outputIs(output), 300)
			must(t, tryJob(t, dir, t.Context(), RunOptions{}))
			first := listing(t, dir)
			mustRefuse(t, dir, RunOptions{}, fault.Exists)
			must(t, tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}))
			unchanged(t, dir, first) // the same job makes the same bytes
			people(rand.New(rand.NewPCG(5, 6)), 200).parquet(t,
				filepath.Join(dir, "in", "a.parquet"), 0, 200, 100)
			must(t, tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}))
			second := listing(t, dir)
			if len(second) != len(first) || maps.Equal(first, second) {
				t.Errorf("another input left %d files, %d before", len(second), len(first))
			}
			auditFolder(t, dir)
		})
	}
}

// A run that cannot write its report publishes nothing.
func TestReportUnwritable(t *testing.T) {
	dir := peopleFolder(t, peopleJob, 300)
	mustRefuse(t, dir, RunOptions{RunJSON: filepath.Join(dir, "none", "run.json")}, fault.Transient,
		"write report")
}

// A directory is not replaced by a file, and a file is not replaced by a directory.
func TestOutputOfTheOtherKind(t *testing.T) {
	for output, put := range map[string]func(string) error{
		"out.parquet": func(path string) error { return os.Mkdir(path, 0o700) },
		"out.parquet/": func(path string) error {
			return os.WriteFile(filepath.Clean(path), []byte("old"), 0o600)
		},
	} {
		dir := peopleFolder(t, outputIs(output), 300)
		must(t, put(filepath.Join(dir, output)))
		mustRefuse(t, dir, RunOptions{}, fault.Exists)
		mustRefuse(t, dir, RunOptions{Overwrite: true}, fault.Exists)
	}
}

// A directory with files of other programs is not replaced: they would be lost.
func TestOutputWithOtherFiles(t *testing.T) {
	dir := peopleFolder(t, outputIs("out/"), 300)
	mustRun(t, dir, nil)
	write(t, filepath.Join(dir, "out", "notes.txt"), "mine")
	mustRefuse(t, dir, RunOptions{Overwrite: true}, fault.Exists, "notes.txt")
}

// A release does not replace its input, whatever links lead to the input.
func TestOutputIsLinkedInput(t *testing.T) {
	for name, tt := range map[string]struct{ input, link, output string }{
		"a linked file":      {"real/x.parquet", "in/a.parquet", "real/x.parquet"},
		"a linked folder":    {"real/a.parquet", "in/sub", "real/a.parquet"},
		"an output in links": {"in/a.parquet", "out", "out/a.parquet"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := jobFolder(t, outputIs(tt.output))
			input := filepath.Join(dir, tt.input)
			must(t, os.MkdirAll(filepath.Dir(input), 0o700))
			people(rand.New(rand.NewPCG(3, 4)), 300).parquet(t, input, 0, 300, 100)
			target := input
			if filepath.Ext(tt.link) == "" {
				target = filepath.Dir(input)
			}
			must(t, os.Symlink(target, filepath.Join(dir, tt.link)))
			mustRefuse(t, dir, RunOptions{Overwrite: true}, fault.Usage)
		})
	}
}

// A link to a device, or to a file that a process has open, is refused like the device; a link to
// another file is replaced.
func TestOutputIsLinkedDevice(t *testing.T) {
	dir := peopleFolder(t, outputIs("out.parquet"), 300)
	out, open := filepath.Join(dir, "out.parquet"), filepath.Join(dir, "open")
	write(t, open, "old")
	file, err := os.Open(open)
	must(t, err)
	defer file.Close()
	for _, target := range []string{os.DevNull, "/dev/stdout",
		fmt.Sprintf("/proc/self/fd/%d", file.Fd()), fmt.Sprintf("/dev/fd/%d", file.Fd())} {
		must(t, os.Symlink(target, out))
		mustRefuse(t, dir, RunOptions{Overwrite: true}, fault.Usage,
			"it is a pipe or a device, or leads to one", "name a file")
		must(t, os.Remove(out))
	}
	must(t, os.Symlink("open", out))
	must(t, tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}))
	auditFolder(t, dir)
	if string(mustRead(t, open)) != "old" {
		t.Error("what the link led to was written")
	}
}
