package kcut_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut"
)

// Every error of the library is an *Error of one class. errors.Is finds the class also if other
// errors wrap it.
func TestErrorClasses(t *testing.T) {
	path := people()
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
	stopped, stop := context.WithCancel(t.Context())
	stop()
	run := func(ctx context.Context, overrides ...kcut.Override) error {
		job, err := kcut.LoadJob(path, overrides...)
		if err != nil {
			return err
		}
		_, err = kcut.Run(ctx, job, kcut.RunOptions{})
		return err
	}
	k := func(k string) kcut.Override {
		return kcut.Override{Key: "quasi_identifiers[].k", Value: k, Origin: "test"}
	}
	noK, large, cancelled := run(t.Context(), k("0")), run(t.Context(), k("1001")), run(stopped)
	if err := run(t.Context()); err != nil {
		t.Fatal(err)
	}
	exists := run(t.Context())
	classes := []kcut.Class{
		kcut.ErrInternal, kcut.ErrUsage, kcut.ErrInput, kcut.ErrPrivacy, kcut.ErrExists,
		kcut.ErrTransient, kcut.ErrResources, kcut.ErrCancelled,
	}
	_, noJob := kcut.LoadJob(filepath.Join(t.TempDir(), "none.yaml"))
	_, noCut := kcut.ReadCut(t.Context(), path)
	_, panicked := kcut.Run(t.Context(), nil, kcut.RunOptions{})
	for _, tt := range []struct {
		err  error
		want kcut.Class
	}{
		{noJob, kcut.ErrUsage},
		{noCut, kcut.ErrInput},
		{panicked, kcut.ErrInternal},
		{noK, kcut.ErrUsage},
		{large, kcut.ErrPrivacy},
		{exists, kcut.ErrExists},
		{cancelled, kcut.ErrCancelled},
	} {
		var advised *kcut.Error
		if !errors.As(tt.err, &advised) || advised.Class != tt.want {
			t.Errorf("%v is %v, want %v", tt.err, advised, tt.want)
			continue
		}
		wrapped := fmt.Errorf("wrapped: %w", tt.err)
		for _, class := range classes {
			if got := errors.Is(wrapped, class); got != (class == tt.want) {
				t.Errorf("%v is %v: %t", tt.err, class, got)
			}
		}
		if got := kcut.ClassOf(wrapped); got != tt.want {
			t.Errorf("%v is %v, want %v", wrapped, got, tt.want)
		}
	}
}

// TestProgramsAreHeldToTheRules: kcut checks values that a program sets in a loaded job, as it
// checks values of the job file.
func TestProgramsAreHeldToTheRules(t *testing.T) {
	path := people()
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
	job, err := kcut.LoadJob(path)
	if err != nil {
		t.Fatal(err)
	}
	job.Output.Path, job.Order = filepath.Join(t.TempDir(), "out")+"/", "input"
	for i := range job.Columns {
		if c := &job.Columns[i]; c.Mask == kcut.MaskSuppress || c.Mask == kcut.MaskDiscretize ||
			c.Mask == kcut.MaskGeneralize {
			job.Output.PartitionBy = []string{c.Name}
		}
	}
	if job.Output.PartitionBy == nil {
		t.Fatal("no column is masked")
	}
	if _, err := kcut.Run(t.Context(), job, kcut.RunOptions{}); !errors.Is(err, kcut.ErrUsage) {
		t.Errorf("rows in the order of the input in partitions: %v", err)
	}
}

// TestVerifyFillsInTheJob: a release is held to the defaults of what a program leaves out.
func TestVerifyFillsInTheJob(t *testing.T) {
	path := people()
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
	job, err := kcut.LoadJob(path)
	if err != nil {
		t.Fatal(err)
	}
	report, err := kcut.Run(t.Context(), job, kcut.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	job.MaxUnique = nil
	opt := kcut.VerifyOptions{Job: job}
	if v, err := kcut.Verify(t.Context(), report.Output, opt); err != nil || !v.OK {
		t.Errorf("got %+v, %v", v, err)
	}
	job.Sets = nil
	if _, err := kcut.Verify(t.Context(), report.Output, opt); !errors.Is(err, kcut.ErrUsage) {
		t.Errorf("a job without sets: %v", err)
	}
}
