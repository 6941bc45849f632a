package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
)

// maxStandingCut is the largest size of an existing cut that is compared with the new one, in
// bytes.
const maxStandingCut = math.MaxInt32

// findCut searches the counts of an input and writes the cut that it finds. It masks nothing:
// counts have no rows.
func (run *jobRun) findCut(ctx context.Context, res *runState) (err error) {
	path := run.job.Output.Path
	res.report.CutOnly = true
	if !strings.HasSuffix(path, ".json") {
		return run.job.LocatedKey("output.path", "name a file that ends in .json, as --output does",
			errors.New("a run of input_counts writes a cut, and no release"))
	}
	exists, err := output.Check(ctx, path)
	if err != nil {
		return err
	}
	if res.Scratch.Output, err = output.Local(run.job); err != nil {
		return err
	}
	var s *search.Search
	defer func() { err = fault.Join(err, s.Close()) }()
	err = res.stage(ctx, resources.StagePlan, func() error {
		t, err := binding.LoadTaxonomies(run.job, res.Budget)
		if err == nil {
			s, err = run.bind(ctx, t, res)
		}
		return run.markMissingInput(err)
	})
	if err != nil {
		return err
	}
	found, err := run.find(ctx, s, res)
	if err != nil {
		return err
	}
	if err := run.checkPrevious(ctx, s.Bound, found, res); err != nil {
		return err
	}
	var text []byte
	err = res.stage(ctx, resources.StageVerify, func() error {
		text, err = verifyCounts(ctx, s.Bound, found, res)
		return err
	})
	if err != nil {
		return err
	}
	return res.stage(ctx, resources.StagePublish, func() error {
		return run.writeCut(ctx, append(text, '\n'), exists, res)
	})
}

// writeCut writes a cut, unless the output has the same cut already. It replaces another cut only
// with the option Overwrite.
func (run *jobRun) writeCut(ctx context.Context, text []byte, exists bool, res *runState) error {
	path := output.Shown(run.job.Output.Path)
	if exists {
		existing, err := storage.ReadText(ctx, path, maxStandingCut)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("read the cut that stands: %w", err)
		case bytes.Equal(existing, text):
			res.report.AlreadyDone = true
			return res.report.save(run.opt.RunJSON)
		case !run.opt.Overwrite:
			return fault.Errorf(fault.Exists, "name another output, or replace it with --overwrite",
				"write cut %s: it exists, and is another one", path)
		}
	}
	if err := res.report.save(run.opt.RunJSON); err != nil {
		return err
	}
	if storage.IsRemote(path) {
		return storage.UploadText(ctx, text, path, !exists)
	}
	if err := publish.Replace(path, text); err != nil {
		return fmt.Errorf("write cut %s: %w", path, err)
	}
	return nil
}
