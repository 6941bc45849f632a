package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// atOnce is how long runs work that keep every state.
const atOnce = time.Nanosecond

// stopAt cancels a run when a stage begins, and collects what it notes and begins.
type stopAt struct {
	stage  Stage
	cancel context.CancelFunc
	notes  []string
	began  []Stage
}

func (s *stopAt) events() Events {
	return Events{
		Start: func(stage Stage) {
			s.began = append(s.began, stage)
			if stage == s.stage {
				s.cancel()
			}
		},
		Notice: func(text string) { s.notes = append(s.notes, text) },
	}
}

// runUntil runs the folder's job until a stage begins, or to its end.
func runUntil(t *testing.T, dir string, stage Stage, opt RunOptions, overrides ...string) (*stopAt, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &stopAt{stage: stage, cancel: cancel}
	opt.Events = s.events()
	return s, tryJob(t, dir, ctx, opt, overrides...)
}

// TestResume stops a run before every stage and starts it again: what was finished is not
// done again, release and trace are those of a run that was not stopped, and nothing is left.
func TestResume(t *testing.T) {
	for _, tt := range []struct {
		name    string
		folder  func(*testing.T) string
		options RunOptions
	}{
		{"in memory", func(t *testing.T) string {
			dir := jobFolder(t, peopleJob)
			peopleFile(t, dir)
			return dir
		}, RunOptions{}},
		{"out of core", func(t *testing.T) string { return spillingRows(t, 3000) }, RunOptions{System: System{Spill: true, Room: 300}}},
		{"above a cut", tonight, RunOptions{OnlyCoarsen: "cut.json"}},
		{"above a cut, out of core", tonight, RunOptions{OnlyCoarsen: "cut.json", System: System{Spill: true, Room: 30}}},
	} {
		for stop, left := range map[Stage][]Stage{
			StageCompress: {StagePlan, StageCompress, StageSearch, StageMask, StageVerify, StagePublish},
			StageSearch:   {StagePlan, StageCompress, StageSearch, StageMask, StageVerify, StagePublish},
			StageMask:     {StagePlan, StageMask, StageVerify, StagePublish},
			StageVerify:   {StagePlan, StageMask, StageVerify, StagePublish},
		} {
			t.Run(fmt.Sprint(tt.name, " ", stop), func(t *testing.T) {
				t.Parallel()
				dir := tt.folder(t)
				var want, got bytes.Buffer
				opt := tt.options
				if opt.Trace = &want; opt.OnlyCoarsen != "" {
					opt.OnlyCoarsen = filepath.Join(dir, opt.OnlyCoarsen)
				}
				before := listing(t, dir)
				if err := tryJob(t, dir, t.Context(), opt, "output.path", dir+"/want.parquet"); err != nil {
					t.Fatal(err)
				}
				opt.Resume, opt.Checkpoint = true, atOnce
				opt.Trace = &bytes.Buffer{}
				if _, err := runUntil(t, dir, stop, opt); fault.ClassOf(err) != fault.Cancelled {
					t.Fatalf("got %v", err)
				}
				opt.Trace = &got
				s, err := runUntil(t, dir, "", opt)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(s.began, left) {
					t.Errorf("after a stop before %s: %v, want %v: %q", stop, s.began, left, s.notes)
				}
				if masked := slices.Contains(s.notes, "going on from what an earlier run has masked"); masked != (stop == StageVerify) {
					t.Errorf("after a stop before %s the parts were kept: %t", stop, masked)
				}
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("another trace: %d bytes, want %d", got.Len(), want.Len())
				}
				mustBeWhole(t, dir, before)
			})
		}
	}
}

// TestResumeAlgorithms stops runs of every algorithm when their search has ended: a cut that says all
// is not searched for again.
func TestResumeAlgorithms(t *testing.T) {
	list, _ := searches()
	for _, algorithm := range list {
		for _, spills := range []bool{false, true} {
			t.Run(fmt.Sprint(searchName(algorithm), " ", spills), func(t *testing.T) {
				dir := jobFolder(t, withAlgorithm(peopleJob, algorithm))
				people(rand.New(rand.NewPCG(3, 4)), 1000).parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 1000, 300)
				var want, got bytes.Buffer
				before := listing(t, dir)
				opt := RunOptions{Trace: &want, System: System{Spill: spills, Room: 50}}
				if err := tryJob(t, dir, t.Context(), opt, "output.path", dir+"/want.parquet"); err != nil {
					t.Fatal(err)
				}
				opt.Resume, opt.Checkpoint, opt.Trace = true, atOnce, &bytes.Buffer{}
				if _, err := runUntil(t, dir, StageMask, opt); fault.ClassOf(err) != fault.Cancelled {
					t.Fatalf("got %v", err)
				}
				opt.Trace = &got
				job, err := loadJob(dir)
				if err != nil {
					t.Fatal(err)
				}
				s := &stopAt{}
				opt.Events = s.events()
				if _, err := Run(t.Context(), job, opt); err != nil {
					t.Fatal(err)
				}
				left := []Stage{StagePlan, StageMask, StageVerify, StagePublish}
				if auditFolder(t, dir).cut.Kind == cutfile.KindRegions {
					left = slices.Insert(left, 1, StageCompress, StageSearch)
				}
				if !slices.Equal(s.began, left) {
					t.Errorf("%v, want %v: %q", s.began, left, s.notes)
				}
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Error("another trace")
				}
				mustBeWhole(t, dir, before)
			})
		}
	}
}

// tonight makes a folder with an earlier cut, cut.json, and an extract that has values which
// that does not know.
func tonight(t *testing.T) string {
	t.Helper()
	dir := jobFolder(t, nightlyJob)
	write(t, filepath.Join(dir, "cut.json"), handmadeCut)
	r := newResidents(rand.New(rand.NewPCG(1, 2)), 600)
	for i := range r.table.rows {
		r.table.set(i, "city", []string{"Oslo", "Bonn", "Kiev", "Nice", "Turku"}[i%5])
		r.table.set(i, "income", []string{"low", "high"}[i%5%2])
	}
	r.night(t, filepath.Join(dir, "in", "a.parquet"))
	return dir
}

// filesOf lists what there is of a release out.parquet or out/, or of one with another such name.
func filesOf(t *testing.T, dir, name string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for path, text := range listing(t, dir) {
		if rest, ok := strings.CutPrefix(path, filepath.Join(dir, name)); ok && (rest == ".parquet" || rest == "" || rest[0] == '/') {
			files[rest] = text
		}
	}
	return files
}

// mustBeWhole demands that the release out is what want is, and that nothing else is there but
// what was before.
func mustBeWhole(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	out, want := filesOf(t, dir, "out"), filesOf(t, dir, "want")
	if len(want) == 0 || !maps.Equal(out, want) {
		t.Errorf("another release: %d files, want %d", len(out), len(want))
	}
	for path, text := range listing(t, dir) {
		top, _, _ := strings.Cut(strings.TrimPrefix(path, dir+"/"), "/")
		if before[path] != text && !slices.Contains([]string{"out", "want", "out.parquet", "want.parquet", "scratch"}, top) {
			t.Errorf("%s is left", path)
		}
	}
}

// TestEveryStateFaultIsSurvived fails every file operation of runs that keep states, in turn, and
// stops them: then of runs that go on from states. They fail with that error, having released
// nothing, or do without the state; and the next run makes the release, and leaves nothing. Of a
// directory some part files are finished by then; there, some of the operations will do.
func TestEveryStateFaultIsSurvived(t *testing.T) {
	for _, tt := range []struct {
		output     string
		kept, stop Stage
		step       int
	}{
		{"out.parquet", StageMask, StageMask, 1}, {"out.parquet", StageMask, "", 1},
		{"out/", StageVerify, StageVerify, 11}, {"out/", StageVerify, "", 5},
	} {
		stop, step := tt.stop, tt.step
		if long {
			step = 1
		}
		t.Run(fmt.Sprint(tt.output, " stopped at ", stop), func(t *testing.T) {
			t.Parallel()
			dir, few := spillingRows(t, 600), []string{"max_steps", "2"} // each step is a state
			if tt.output == "out/" {
				write(t, filepath.Join(dir, "job.yaml"), strings.Replace(spillingJob, "output: out.parquet", "output: {path: out/, row_group_rows: 12}", 1))
			}
			before, want := listing(t, dir), dir+"/"+strings.Replace(tt.output, "out", "want", 1)
			options := RunOptions{System: System{Spill: true, Room: 300, Store: spill.Options{FS: spilltest.Healthy(), Share: 64 << 10}}}
			if err := tryJob(t, dir, t.Context(), options, append(few, "output.path", want)...); err != nil {
				t.Fatal(err)
			}
			options.Resume, options.Checkpoint = true, atOnce
			kinds := make(map[string]bool)
			for n, failed := 0, true; failed; n += step {
				if stop == "" {
					if _, err := runUntil(t, dir, tt.kept, options, few...); fault.ClassOf(err) != fault.Cancelled {
						t.Fatalf("operation %d: the run that was to be stopped: %v", n, err)
					}
				}
				files := newFaultyFiles(syscall.EIO, n)
				faulty := options
				faulty.System.Files = files
				_, err := runUntil(t, dir, stop, faulty, few...)
				failed = files.failed != ""
				maps.Copy(kinds, files.kinds)
				if err != nil && !errors.Is(err, syscall.EIO) && fault.ClassOf(err) != fault.Cancelled {
					t.Errorf("operation %d, %s: %v", n, files.failed, err)
				}
				if out := filesOf(t, dir, "out"); len(out) > 0 && !maps.Equal(out, filesOf(t, dir, "want")) {
					t.Errorf("operation %d, %s: another release", n, files.failed)
				}
				if _, err := runUntil(t, dir, "", options, few...); err != nil {
					t.Errorf("operation %d, %s: the next run: %v", n, files.failed, err)
				}
				mustBeWhole(t, dir, before)
				if err := os.RemoveAll(filepath.Join(dir, tt.output)); err != nil || t.Failed() {
					t.Fatalf("operation %d, %s: %v", n, files.failed, err)
				}
			}
			t.Logf("kinds: %v", slices.Sorted(maps.Keys(kinds)))
			for _, kind := range []string{"make directory", "open directory", "lock", "list", "stat", "create", "truncate", "write", "sync", "rename", "close"} {
				if !kinds[kind] {
					t.Errorf("there was no %s", kind)
				}
			}
			if stop == "" && !kinds["read"] {
				t.Error("no state was read")
			}
		})
	}
}

// TestResumeParts stops a run when it has masked so much of its input: the parts that were
// finished are those of the release that the next run makes, the same files, and the whole
// release is that of a run that was not stopped. Of divided cells, too, whose rows have their
// labels by what came before.
func TestResumeParts(t *testing.T) {
	const relaxed = "{name: mondrian, partitioning: relaxed}"
	for _, tt := range []struct {
		output    string
		algorithm string
		threads   int
		percent   int64
		parts     int // that are kept, at least
	}{
		{"out/", "tdr", 2, 1, 0}, {"out/", "tdr", 2, 40, 1}, {"out/", "tdr", 2, 90, 4}, {"out.parquet", "tdr", 2, 90, 0},
		{"out/", relaxed, 1, 90, 4}, {"out/", relaxed, 3, 95, 4},
	} {
		t.Run(fmt.Sprint(tt.output, tt.algorithm, tt.percent), func(t *testing.T) {
			t.Parallel()
			dir := jobFolder(t, strings.Replace(withAlgorithm(peopleJob, tt.algorithm), "output: out.parquet", "output: {path: "+tt.output+", row_group_rows: 31}", 1))
			table := lookalikes(rand.New(rand.NewPCG(3, 4)), 3000)
			for i := range 6 {
				table.parquet(t, filepath.Join(dir, "in", fmt.Sprintf("%d.parquet", i)), 500*i, 500*(i+1), 500)
			}
			run := func(ctx context.Context, opt RunOptions) error {
				job, err := loadJob(dir, "limits.threads", fmt.Sprint(tt.threads))
				if err != nil {
					t.Fatal(err)
				}
				_, err = Run(ctx, job, opt)
				return err
			}
			if err := run(t.Context(), RunOptions{}); err != nil {
				t.Fatal(err)
			}
			want := listing(t, dir)
			if err := os.RemoveAll(filepath.Join(dir, tt.output)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stop := Events{Progress: func(s Stage, p Progress) {
				if s == StageMask && p.Done*100 >= p.Total*tt.percent {
					cancel()
				}
			}}
			if err := run(ctx, RunOptions{Resume: true, Checkpoint: atOnce, Events: stop}); fault.ClassOf(err) != fault.Cancelled {
				t.Fatalf("got %v", err)
			}
			kept := partFiles(t, filepath.Join(dir, ".out.kcut-tmp"))
			t.Logf("%d parts are kept", len(kept))
			if len(kept) < tt.parts {
				t.Errorf("at least %d should be", tt.parts)
			}
			s := &stopAt{}
			if err := run(t.Context(), RunOptions{Resume: true, Checkpoint: atOnce, Events: s.events()}); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(listing(t, dir), want) {
				t.Errorf("another release, or something is left: %q", s.notes)
			}
			for name, info := range partFiles(t, filepath.Join(dir, tt.output)) {
				if was, ok := kept[name]; ok && !os.SameFile(was, info) {
					t.Errorf("%s was masked again", name)
				}
			}
		})
	}
}

// partFiles returns the part files of a folder, if there is one, by name.
func partFiles(t *testing.T, dir string) map[string]os.FileInfo {
	t.Helper()
	entries, _ := os.ReadDir(dir)
	files := make(map[string]os.FileInfo)
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if fileset.IsPart(entry.Name()) {
			files[entry.Name()] = info
		}
	}
	return files
}
