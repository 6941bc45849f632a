package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// atOnce is a checkpoint time with which a run keeps every state.
const atOnce = time.Nanosecond

// stopAt cancels a run when a stage begins, and collects the notices and stages of the run.
type stopAt struct {
	stage  resources.Stage
	cancel context.CancelFunc
	notes  []string
	began  []resources.Stage
}

func (s *stopAt) events() resources.Events {
	return resources.Events{
		Start: func(stage resources.Stage) {
			s.began = append(s.began, stage)
			if stage == s.stage {
				s.cancel()
			}
		},
		Notice: func(text string) { s.notes = append(s.notes, text) },
	}
}

// runUntil runs the folder's job until a stage begins, or to its end.
func runUntil(
	t *testing.T, dir string, stage resources.Stage, opt RunOptions, overrides ...string,
) (*stopAt, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &stopAt{stage: stage, cancel: cancel}
	opt.Events = s.events()
	return s, tryJob(t, dir, ctx, opt, overrides...)
}

// runnerOf returns a function that runs the folder's job or, if onBreak is not empty, applies the
// folder's cut.json to the job's input.
func runnerOf(
	t *testing.T, dir string, onBreak search.OnBreak,
) func(context.Context, RunOptions, ...string) (*Report, error) {
	return func(ctx context.Context, opt RunOptions, overrides ...string) (*Report, error) {
		job, cut := mustLoad(t, dir, overrides...), filepath.Join(dir, "cut.json")
		if onBreak != "" {
			return Apply(ctx, job, ApplyOptions{
				RunOptions: opt, Cut: cut, OnBreak: onBreak, MaxSuppressed: Quota{Percent: 100},
			})
		}
		if opt.OnlyCoarsen != "" {
			opt.OnlyCoarsen = cut
		}
		return Run(ctx, job, opt)
	}
}

// resumption is a way to run or to apply, with the stages before which the run is stopped.
type resumption struct {
	name    string
	folder  func(*testing.T) string
	options RunOptions
	onBreak search.OnBreak // of kcut apply
	stops   []resources.Stage
}

// TestResume stops runs and kcut apply before every stage, and runs of every algorithm after
// their search, and starts them again: finished work is not done again; release, trace and report
// are those of an unstopped run; and no file stays behind.
func TestResume(t *testing.T) {
	folder := func(algorithm string) func(*testing.T) string {
		return func(t *testing.T) string {
			return storedAs(t, people(rand.New(rand.NewPCG(3, 4)), 1000),
				shape{files: 1, groupRows: 300}, algorithm)
		}
	}
	all, list := stages[1:5], []resumption{}
	for _, spill := range []bool{false, true} {
		opt := RunOptions{System: System{Spill: spill, Room: 50}}
		for _, algorithm := range searches() {
			list = append(list, resumption{algorithm, folder(algorithm), opt, "",
				[]resources.Stage{resources.StageMask}})
		}
		list = append(list,
			resumption{"coarsen", tonight, opt, search.BreakCoarsen, all},
			resumption{"suppress", tonight, opt, search.BreakSuppress, all},
			resumption{"above a cut", tonight,
				RunOptions{OnlyCoarsen: "cut.json", System: opt.System}, "", all})
	}
	list = append(list, resumption{"in memory", folder("tdr"), RunOptions{}, "", all}, resumption{
		"out of core", func(t *testing.T) string {
			return spillingRows(t, 3000)
		}, RunOptions{System: System{Spill: true, Room: 300}}, "", all,
	})
	for _, r := range list {
		for _, stop := range r.stops {
			t.Run(fmt.Sprint(searchName(r.name), " ", r.options.System.Spill, " ", stop),
				func(t *testing.T) {
					t.Parallel()
					mustResume(t, r, stop)
				})
		}
	}
}

func mustResume(t *testing.T, r resumption, stop resources.Stage) {
	t.Helper()
	dir, opt := r.folder(t), r.options
	run, before := runnerOf(t, dir, r.onBreak), listing(t, dir)
	var want, got bytes.Buffer
	opt.Trace = &want
	whole, err := run(t.Context(), opt, "output.path", dir+"/want.parquet")
	must(t, err)
	if r.onBreak != "" && whole.Applied.Undone == 0 && whole.Applied.Suppressed == 0 {
		t.Fatal("the cut holds as it is")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &stopAt{stage: stop, cancel: cancel}
	opt.Resume, opt.Checkpoint, opt.Trace, opt.Events = true, atOnce, &bytes.Buffer{}, s.events()
	_, err = run(ctx, opt)
	mustFail(t, err, fault.Cancelled)
	s = &stopAt{}
	opt.Trace, opt.Events = &got, s.events()
	report, err := run(t.Context(), opt)
	must(t, err)
	left := []resources.Stage{resources.StagePlan, resources.StageMask, resources.StageVerify,
		resources.StagePublish}
	cut := cutOf(t, dir)
	if stop == resources.StageCompress || stop == resources.StageSearch ||
		r.onBreak == search.BreakSuppress || cut.Kind == cutfile.KindRegions ||
		cut.Suppressed+cut.Dropped > 0 {
		left = stages // a cut of regions does not suffice, nor does one with suppressed records
	}
	if !slices.Equal(s.began, left) {
		t.Errorf("%v, want %v: %q", s.began, left, s.notes)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("another trace: %d bytes, want %d", got.Len(), want.Len())
	}
	if got, want := ofRelease(t, report), ofRelease(t, whole); got != want {
		t.Errorf("another report: %s, want %s", got, want)
	}
	mustBeWhole(t, dir, before)
}

// ofRelease returns the parts of a report about the release, without those about the run.
func ofRelease(t *testing.T, r *Report) string {
	t.Helper()
	of := *r
	if of.Auto != nil {
		auto := *of.Auto
		auto.Candidates = slices.Clone(auto.Candidates)
		for i := range auto.Candidates {
			auto.Candidates[i].Seconds = 0
		}
		of.Auto = &auto
	}
	of.Began = ""
	of.Output, of.Stages, of.PeakDraw, of.PeakRSS, of.Spilled, of.SpilledPeak, of.Notices = "",
		nil, 0, 0, 0, 0, nil
	text, err := json.Marshal(of)
	must(t, err)
	return string(text)
}

// tonight makes a folder with an earlier cut, cut.json, and an extract with values that are not
// in the cut.
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

// filesOf lists the files of a release out.parquet or out/, also under a temporary name.
func filesOf(t *testing.T, dir, name string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for path, text := range listing(t, dir) {
		if rest, ok := strings.CutPrefix(path, filepath.Join(dir, name)); ok &&
			(rest == ".parquet" || rest == "" || rest[0] == '/') {
			files[rest] = text
		}
	}
	return files
}

// mustBeWhole demands that the release out equals want, and that no other file is new.
func mustBeWhole(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	out, want := filesOf(t, dir, "out"), filesOf(t, dir, "want")
	if len(want) == 0 || !maps.Equal(out, want) {
		t.Errorf("another release: %d files, want %d", len(out), len(want))
	}
	for path, text := range listing(t, dir) {
		top, _, _ := strings.Cut(strings.TrimPrefix(path, dir+"/"), "/")
		if before[path] != text && !slices.Contains(
			[]string{"out", "want", "out.parquet", "want.parquet", "scratch"}, top) {
			t.Errorf("%s is left", path)
		}
	}
}

// TestEveryStateFaultIsSurvived lets each file operation fail, one after the other, in runs that
// keep states and are stopped, and then in runs that go on from states. A run fails with that
// error and releases nothing, or works without the state; the next run makes the release and
// leaves no other file. For a directory the test tries some of the operations.
func TestEveryStateFaultIsSurvived(t *testing.T) {
	for _, tt := range []struct {
		output     string
		kept, stop resources.Stage
		step       int
		err        error
	}{
		{"out.parquet", resources.StageMask, resources.StageMask, 1, syscall.ENOSPC},
		{"out.parquet", resources.StageMask, "", 1, syscall.EIO},
		{"out/", resources.StageVerify, resources.StageVerify, 11, syscall.EIO},
		{"out/", resources.StageVerify, "", 5, syscall.ENOSPC},
	} {
		stop, step := tt.stop, tt.step
		if long {
			step = 1
		}
		t.Run(fmt.Sprint(tt.output, " stopped at ", stop), func(t *testing.T) {
			t.Parallel()
			dir, few := spillingRows(t, 600), []string{"max_steps", "2"} // each step is a state
			if tt.output == "out/" {
				editJob(t, dir, "out.parquet", "{path: out/, row_group_rows: 12}")
			}
			before, want := listing(t, dir), dir+"/"+strings.Replace(tt.output, "out", "want", 1)
			options := RunOptions{System: System{
				Spill: true, Room: 300, Store: spill.Options{
					FS: spilltest.Healthy(), Share: 64 << 10,
				},
			}}
			must(t, tryJob(t, dir, t.Context(), options, append(few, "output.path", want)...))
			options.Resume, options.Checkpoint = true, atOnce
			kinds := make(map[string]bool)
			for n, failed := 0, true; failed; n += step {
				if stop == "" {
					_, err := runUntil(t, dir, tt.kept, options, few...)
					mustFail(t, err, fault.Cancelled)
				}
				files := newFaultyFiles(tt.err, n)
				faulty := options
				faulty.System.Files = files.FS
				_, err := runUntil(t, dir, stop, faulty, few...)
				failed = files.failed != ""
				maps.Copy(kinds, files.kinds)
				if err != nil && !errors.Is(err, tt.err) && fault.ClassOf(err) != fault.Cancelled {
					t.Errorf("operation %d, %s: %v", n, files.failed, err)
				}
				if out := filesOf(t, dir, "out"); len(out) > 0 && files.failed != "change mode" &&
					!maps.Equal(out, filesOf(t, dir, "want")) {
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
			for _, kind := range []string{"make directory", "open directory", "lock",
				"list", "stat", "create", "truncate", "write", "sync", "rename", "close"} {
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

// A run whose work folder disappears while it verifies leaves no file.
func TestWorkFolderTakenAway(t *testing.T) {
	for _, out := range []string{"out.parquet", "out/"} {
		dir := peopleFolder(t, outputIs(out), 300)
		before := listing(t, dir)
		takeAway := func(s resources.Stage) {
			if s == resources.StageVerify {
				must(t, os.RemoveAll(filepath.Join(dir, "."+filepath.Base(out)+".kcut")))
			}
		}
		err := tryJob(t, dir, t.Context(), RunOptions{
			Resume: true, Checkpoint: 1, Events: resources.Events{Start: takeAway},
		})
		mustFail(t, err, fault.Transient, "write the output's record")
		unchanged(t, dir, before)
	}
}
