package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// TestApplyResumes stops kcut apply before every stage: a cut that was coarsened is not coarsened
// again, and release, trace and report are those of one that was not stopped. Records are
// suppressed again.
func TestApplyResumes(t *testing.T) {
	whole := []Stage{StagePlan, StageCompress, StageSearch, StageMask, StageVerify, StagePublish}
	found := []Stage{StagePlan, StageMask, StageVerify, StagePublish}
	for onBreak, left := range map[OnBreak]map[Stage][]Stage{
		BreakCoarsen:  {StageCompress: whole, StageSearch: whole, StageMask: found, StageVerify: found},
		BreakSuppress: {StageCompress: whole, StageSearch: whole, StageMask: whole, StageVerify: whole},
	} {
		for stop, want := range left {
			for _, spilled := range []bool{false, true} {
				t.Run(fmt.Sprint(onBreak, " ", stop, " ", spilled), func(t *testing.T) {
					t.Parallel()
					dir := tonight(t)
					before := listing(t, dir)
					apply := func(ctx context.Context, opt RunOptions, overrides ...string) *Report {
						t.Helper()
						job, err := loadJob(dir, overrides...)
						if err != nil {
							t.Fatal(err)
						}
						opt.Resume, opt.System.Spill, opt.System.Room = true, spilled, 30
						report, err := Apply(ctx, job, ApplyOptions{
							RunOptions: opt, Cut: filepath.Join(dir, "cut.json"), OnBreak: onBreak, MaxSuppressed: Quota{Percent: 100},
						})
						if stopped := ctx.Err() != nil; stopped != (fault.ClassOf(err) == fault.Cancelled) || !stopped && err != nil {
							t.Fatalf("got %v", err)
						}
						return report
					}
					var trace, again bytes.Buffer
					made := apply(t.Context(), RunOptions{Trace: &trace}, "output.path", dir+"/want.parquet")
					if made.Applied.Undone == 0 && made.Applied.Suppressed == 0 {
						t.Fatal("the cut holds as it is")
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					s := &stopAt{stage: stop, cancel: cancel}
					apply(ctx, RunOptions{Checkpoint: atOnce, Trace: &bytes.Buffer{}, Events: s.events()})
					s = &stopAt{}
					report := apply(t.Context(), RunOptions{Checkpoint: atOnce, Trace: &again, Events: s.events()})
					if !slices.Equal(s.began, want) {
						t.Errorf("%v, want %v: %q", s.began, want, s.notes)
					}
					if *report.Applied != *made.Applied || report.Steps != made.Steps || !reflect.DeepEqual(report.Sets, made.Sets) || again.String() != trace.String() {
						t.Errorf("another report or trace: %+v, want %+v", report, made)
					}
					mustBeWhole(t, dir, before)
				})
			}
		}
	}
}

// TestApplyResumesParts stops kcut apply when it has masked most of its input: the parts that
// were finished stay, and the whole release is that of a run that was not stopped.
func TestApplyResumesParts(t *testing.T) {
	dir := tonight(t)
	job := strings.Replace(nightlyJob, "output: out.parquet", "output: {path: out/, row_group_rows: 3}", 1)
	write(t, filepath.Join(dir, "job.yaml"), job)
	apply := func(ctx context.Context, opt RunOptions) error {
		job, err := loadJob(dir)
		if err != nil {
			t.Fatal(err)
		}
		opt.Resume, opt.Checkpoint = true, atOnce
		_, err = Apply(ctx, job, ApplyOptions{
			RunOptions: opt, Cut: filepath.Join(dir, "cut.json"), OnBreak: BreakSuppress, MaxSuppressed: Quota{Percent: 100},
		})
		return err
	}
	if err := apply(t.Context(), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	want := listing(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := apply(ctx, RunOptions{Events: Events{Progress: func(s Stage, p Progress) {
		if s == StageMask && p.Done*100 >= p.Total*90 {
			cancel()
		}
	}}})
	if fault.ClassOf(err) != fault.Cancelled {
		t.Fatalf("got %v", err)
	}
	kept := partFiles(t, filepath.Join(dir, ".out.kcut-tmp"))
	if len(kept) < 3 {
		t.Errorf("%d parts are kept", len(kept))
	}
	if err := apply(t.Context(), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(listing(t, dir), want) {
		t.Error("another release, or something is left")
	}
	for name, info := range partFiles(t, filepath.Join(dir, "out")) {
		if was, ok := kept[name]; ok && !os.SameFile(was, info) {
			t.Errorf("%s was masked again", name)
		}
	}
}
