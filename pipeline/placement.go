package pipeline

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/output"
)

// treeColumns returns the columns that are generalized by a tree in the job file.
func treeColumns(b *binding.Bound) (specs []*job.Column) {
	for _, spec := range b.MaskedSpecs() {
		if b.HasTree(spec) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// placements returns the placements of leaves in the trees of the job file, by column.
func placements(b *binding.Bound) map[string]domain.Placement {
	byColumn := make(map[string]domain.Placement)
	for _, spec := range treeColumns(b) {
		byColumn[spec.Name] = domain.PlacementOf(b.Taxonomies.Of[spec.Name])
	}
	return byColumn
}

// loadPlacements gives the cut of an earlier release the placements of its record, and notes if
// there is no record.
func loadPlacements(
	ctx context.Context, b *binding.Bound, earlier *domain.Cut, res *runState,
) (err error) {
	if earlier.Placements != nil || len(treeColumns(b)) == 0 {
		return nil
	}
	if earlier.Placements, err = readPlacements(ctx, earlier.Path(), res.Threads); err == nil &&
		earlier.Placements == nil {
		res.Noted(fmt.Sprintf("%s has no record, so values that were moved to other "+
			"nodes of a tree since cannot be seen", earlier.Path()))
	}
	return err
}

// readPlacements reads the placements of the record of a release; nil if no record has the digest
// of the present files.
func readPlacements(
	ctx context.Context, path string, threads int,
) (map[string]domain.Placement, error) {
	path = output.Shown(path)
	if storage.IsRemote(path) {
		return nil, nil // a remote record has no placements
	}
	work, sum := &checkpoint.Folder{Path: workFolder(path)}, ""
	for _, name := range []string{recordFile, pendingFile} {
		was := runRecord{}
		content, err := work.Get(name, maxRecord)
		if err != nil || json.Unmarshal(content, &was) != nil || was.Report == nil ||
			was.Digests == nil || was.Placements == nil {
			continue
		}
		if sum == "" {
			if sum, err = fileset.Digest(ctx, path, threads); err != nil {
				return nil, err
			}
		}
		if was.Digests.Output == sum {
			return was.Placements, nil
		}
	}
	return nil, nil
}

// movedColumns returns the columns in which labels of an earlier cut now have other leaves.
func movedColumns(b *binding.Bound, earlier *domain.Cut) (names []string) {
	for _, spec := range treeColumns(b) {
		if earlier.MovedLabels(spec.Name, b.Taxonomies.Of[spec.Name]) > 0 {
			names = append(names, spec.Name)
		}
	}
	return names
}

// noteMovedLabels notes the labels of the earlier cut that now stand for other values.
func (run *jobRun) noteMovedLabels(ctx context.Context, b *binding.Bound, res *runState) error {
	if err := loadPlacements(ctx, b, run.earlierCut, res); err != nil {
		return err
	}
	for _, name := range movedColumns(b, run.earlierCut) {
		labels := run.earlierCut.MovedLabels(name, b.Taxonomies.Of[name])
		res.Noted(fmt.Sprintf("%s of column %s stand for other values than in %s: its tree has "+
			"them under other nodes now, and both releases together reveal more than either",
			text.Count(labels, "label"), name, run.earlierCut.Path()))
	}
	return nil
}
