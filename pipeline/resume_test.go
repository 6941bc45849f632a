package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
		{"out of core", func(t *testing.T) string { return spillingRows(t, 3000) }, RunOptions{spill: true, room: 300}},
	} {
		for stop, left := range map[Stage][]Stage{
			StageCompress: {StagePlan, StageCompress, StageSearch, StageMask, StageVerify, StagePublish},
			StageSearch:   {StagePlan, StageSearch, StageMask, StageVerify, StagePublish},
			StageMask:     {StagePlan, StageMask, StageVerify, StagePublish},
			StageVerify:   {StagePlan, StageMask, StageVerify, StagePublish},
		} {
			t.Run(fmt.Sprint(tt.name, " ", stop), func(t *testing.T) {
				t.Parallel()
				dir := tt.folder(t)
				var want, got bytes.Buffer
				opt := tt.options
				opt.Trace = &want
				before := listing(t, dir)
				if err := tryJob(t, dir, t.Context(), opt, "output.path", dir+"/want.parquet"); err != nil {
					t.Fatal(err)
				}
				opt.Resume, opt.Checkpoint = true, atOnce
				opt.Trace = &bytes.Buffer{}
				if _, err := runUntil(t, dir, stop, opt); ClassOf(err) != ClassCancelled {
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
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("another trace: %d bytes, want %d", got.Len(), want.Len())
				}
				after := listing(t, dir)
				if after[dir+"/out.parquet"] != after[dir+"/want.parquet"] {
					t.Error("another release")
				}
				maps.DeleteFunc(after, func(path, _ string) bool {
					return strings.HasSuffix(path, "out.parquet") || strings.HasSuffix(path, "want.parquet") || filepath.Base(path) == "scratch"
				})
				for path := range after {
					if before[path] != after[path] {
						t.Errorf("%s is left", path)
					}
				}
			})
		}
	}
}
