package pipeline

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
)

// look plans the job with its rows, checks the rows of the input, and drafts another job for
// them.
func (c *truthCase) look(t *testing.T, dir string, first night) {
	t.Helper()
	if _, err := Plan(t.Context(), first.job,
		PlanOptions{Overwrite: true, Sample: true}); err != nil {
		t.Errorf("the job was done, and a plan says class %v: %v", fault.ClassOf(err), err)
	}
	if c.stored.Writer == byCSV { // of which the job declares types
		return
	}
	c.count(t, first)
	if c.rng.IntN(4) == 0 {
		c.draft(t, dir, first)
	}
}

// count compares the result of a check of the input with plain counts.
func (c *truthCase) count(t *testing.T, first night) {
	t.Helper()
	opt := check.Options{Input: first.job.Input, Count: first.job.Count, Limits: first.job.Limits,
		MissingNull: first.job.MissingColumns == job.MissingNull}
	source := c.grid(t)
	var codes [][]uint32
	for i := range c.masked {
		if c.columns[i].Type.Kind != formats.Float { // some of which are one value in two forms
			opt.Columns = append(opt.Columns, c.columns[i].Name)
			codes = append(codes, source.column(c.columns[i].Name).codes)
		}
	}
	if len(codes) == 0 {
		return
	}
	sizes := make(map[string]int64)
	for row := range source.rows {
		sizes[keyOf(codes, row)]++
	}
	found, err := check.Table(t.Context(), opt)
	if err != nil {
		t.Errorf("check, class %v: %v", fault.ClassOf(err), err)
	} else if least := slices.Min(slices.Collect(maps.Values(sizes))); found.Classes != int64(
		len(sizes)) || found.Anonymity != least {
		t.Errorf("check finds %d classes, the smallest of %d, want %d and %d",
			found.Classes, found.Anonymity, len(sizes), least)
	}
}

// draft drafts a job for the input and runs it: its release holds, or some privacy is out of
// reach.
func (c *truthCase) draft(t *testing.T, dir string, first night) {
	t.Helper()
	options := draft.Options{Input: first.job.Input, K: 2 + c.rng.IntN(4), Class: first.job.Class,
		Limits: first.job.Limits, File: filepath.Join(dir, "draft.yaml")}
	text, err := draft.Job(t.Context(), options, planning.Try)
	if err != nil {
		if class := fault.ClassOf(err); class != fault.Usage && class != fault.Input {
			t.Errorf("a draft, class %v: %v", class, err)
		}
		return
	}
	write(t, options.File, text)
	out := filepath.Join(dir, "drafted.parquet")
	drafted, err := job.Load(options.File, []job.Override{
		{Key: "output.path", Value: out, Origin: "test"},
		{Key: "limits.memory", Value: c.memory, Origin: "test"},
	})
	if err == nil {
		_, err = Run(t.Context(), drafted, RunOptions{})
	}
	if err != nil && fault.ClassOf(err) != fault.Privacy {
		t.Errorf("the draft cannot be run, class %v: %v\n%s", fault.ClassOf(err), err, text)
	}
	if err == nil {
		mustFind(t, out)
	}
}
