package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// previousForSearch reads the cut of a job's previous release for a search; nil if the job names
// no release. Regions are refused: they cannot be compared with the cut that a search finds.
func previousForSearch(ctx context.Context, j *job.Job) (*domain.Cut, error) {
	const hint = "mask with the last cut: kcut apply --cut %s --on-break suppress; or set " +
		"allow_new_cut: true"
	if name := j.Algorithm.Name; j.Previous != "" && !j.AllowNewCut && job.MakesRegions(name) {
		return nil, fault.Errorf(fault.Usage, fmt.Sprintf(hint, j.Previous),
			"search after the previous release %s: algorithm %s cuts new regions for every input",
			j.Previous, name)
	}
	previous, err := readPreviousCut(ctx, j)
	if err == nil && previous != nil && !j.AllowNewCut && previous.Kind == cutfile.KindRegions {
		return nil, fault.Errorf(fault.Usage, fmt.Sprintf(hint, j.Previous),
			"search after the previous release %s: its cut has regions", j.Previous)
	}
	return previous, err
}

// readPreviousCut reads the cut of a job's previous release; nil if the job names no release.
func readPreviousCut(ctx context.Context, j *job.Job) (*domain.Cut, error) {
	if j.Previous == "" {
		return nil, nil
	}
	return domain.ReadCut(ctx, j.Previous)
}

// checkPrevious refuses a cut that is neither equal to the cut of the previous release nor
// coarser. If the job allows such a cut, checkPrevious notes the difference.
func (run *jobRun) checkPrevious(
	ctx context.Context, b *binding.Bound, found *search.Found, res *runState,
) error {
	if run.previousCut == nil {
		return nil
	}
	if err := loadPlacements(ctx, b, run.previousCut, res); err != nil {
		return err
	}
	finer, err := run.finerThanPrevious(b, found.Cut, res)
	if names := movedColumns(b, run.previousCut); err == nil && finer != "" && len(names) > 0 {
		finer += "; other leaves lie under nodes of " + strings.Join(names, ", ")
	}
	switch {
	case err != nil || finer == "":
		return err
	case run.job.AllowNewCut:
		res.Noted(fmt.Sprintf("the cut is a new one, which together with the previous release %s "+
			"reveals more than either: %s", run.job.Previous, finer))
		return nil
	}
	return fault.Errorf(fault.Privacy,
		"use kcut apply with the cut of that release, or kcut run --only-coarsen; "+
			"or set allow_new_cut: true",
		"compare the cut with that of the previous release %s: %s", run.job.Previous, finer)
}

// finerThanPrevious says in which way a cut is neither equal to the cut of the previous release
// nor coarser. The result is empty if the cut is equal or coarser.
func (run *jobRun) finerThanPrevious(
	b *binding.Bound, cut *cutfile.File, res *runState,
) (string, error) {
	switch regions := cut.Kind == cutfile.KindRegions; {
	case regions && run.previousCut.HasRegions(cut):
		return finerIn(movedColumns(b, run.previousCut)), nil
	case regions:
		return "it has regions that the other lacks", nil
	case run.previousCut.Kind == cutfile.KindRegions:
		return "the other one has regions", nil
	}
	found := &domain.Cut{File: cut}
	if err := b.BindCut(found); err != nil {
		return "", err
	}
	var columns []string
	for i, spec := range b.MaskedSpecs() {
		refined, err := run.previousCut.Refined(found.Column(i), res.Budget)
		if err != nil {
			return "", err
		}
		if refined {
			columns = append(columns, spec.Name)
		}
	}
	for _, spec := range b.Specs {
		masked := slices.ContainsFunc(run.previousCut.Columns, func(c cutfile.Column) bool {
			return c.Name == spec.Name
		})
		if spec.Keeps() && masked {
			columns = append(columns, spec.Name)
		}
	}
	return finerIn(columns), nil
}

// finerIn says in which columns a cut is neither equal to another cut nor coarser; empty without
// columns.
func finerIn(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return "neither equal nor coarser in " + strings.Join(columns, ", ")
}
