package pipeline

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

func TestOutputExists(t *testing.T) {
	for _, output := range []string{"out.parquet", "out/"} {
		t.Run(output, func(t *testing.T) {
			dir := peopleFolder(t, outputIs(output), 300)
			if err := tryJob(t, dir, t.Context(), RunOptions{}); err != nil {
				t.Fatal(err)
			}
			first := listing(t, dir)
			if err := tryJob(t, dir, t.Context(), RunOptions{}); fault.ClassOf(err) != fault.Exists {
				t.Errorf("got %v of class %d", err, fault.ClassOf(err))
			}
			unchanged(t, dir, first)
			if err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}); err != nil {
				t.Fatal(err)
			}
			unchanged(t, dir, first) // the same job makes the same bytes
			people(rand.New(rand.NewPCG(5, 6)), 200).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 200, 100)
			if err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}); err != nil {
				t.Fatal(err)
			}
			second := listing(t, dir)
			if len(second) != len(first) || maps.Equal(first, second) {
				t.Errorf("another input left %d files, %d before", len(second), len(first))
			}
			auditFolder(t, dir)
		})
	}
}

// A run that cannot write its report has not published either.
func TestReportUnwritable(t *testing.T) {
	dir := peopleFolder(t, peopleJob, 300)
	before := listing(t, dir)
	if err := tryJob(t, dir, t.Context(), RunOptions{RunJSON: filepath.Join(dir, "none", "run.json")}); err == nil {
		t.Error("a report was written into a folder that does not exist")
	}
	unchanged(t, dir, before)
}

// A directory is not replaced by a file, nor the other way round.
func TestOutputOfTheOtherKind(t *testing.T) {
	for output, put := range map[string]func(string) error{
		"out.parquet": func(path string) error { return os.Mkdir(path, 0o700) },
		"out.parquet/": func(path string) error {
			return os.WriteFile(filepath.Clean(path), []byte("old"), 0o600)
		},
	} {
		dir := peopleFolder(t, outputIs(output), 300)
		if err := put(filepath.Join(dir, output)); err != nil {
			t.Fatal(err)
		}
		before := listing(t, dir)
		for _, overwrite := range []bool{false, true} {
			if err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: overwrite}); fault.ClassOf(err) != fault.Exists {
				t.Errorf("%s: got %v of class %d", output, err, fault.ClassOf(err))
			}
		}
		unchanged(t, dir, before)
	}
}

// A directory with files of others is not replaced: they would be gone.
func TestOutputWithOtherFiles(t *testing.T) {
	dir := peopleFolder(t, outputIs("out/"), 300)
	mustRun(t, dir, nil)
	write(t, filepath.Join(dir, "out", "notes.txt"), "mine")
	before := listing(t, dir)
	err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: true})
	if fault.ClassOf(err) != fault.Exists || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("got %v of class %v", err, fault.ClassOf(err))
	}
	unchanged(t, dir, before)
}

// An input is not replaced by its release, whatever links lead to it.
func TestOutputIsLinkedInput(t *testing.T) {
	for name, tt := range map[string]struct{ input, link, output string }{
		"a linked file":      {"real/x.parquet", "in/a.parquet", "real/x.parquet"},
		"a linked folder":    {"real/a.parquet", "in/sub", "real/a.parquet"},
		"an output in links": {"in/a.parquet", "out", "out/a.parquet"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := jobFolder(t, outputIs(tt.output))
			input := filepath.Join(dir, tt.input)
			if err := os.MkdirAll(filepath.Dir(input), 0o700); err != nil {
				t.Fatal(err)
			}
			people(rand.New(rand.NewPCG(3, 4)), 300).parquet(t, input, 0, 300, 100)
			before := mustRead(t, input)
			target := input
			if filepath.Ext(tt.link) == "" {
				target = filepath.Dir(input)
			}
			if err := os.Symlink(target, filepath.Join(dir, tt.link)); err != nil {
				t.Fatal(err)
			}
			if err := tryJob(t, dir, t.Context(), RunOptions{Overwrite: true}); fault.ClassOf(err) != fault.Usage {
				t.Errorf("got %v of class %v", err, fault.ClassOf(err))
			}
			if after, err := os.ReadFile(input); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the input was changed, or %v", err)
			}
		})
	}
}
