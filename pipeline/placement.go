package pipeline

import (
	"context"
	"fmt"
	"slices"

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
	local := &runRecords{work: &checkpoint.Folder{Path: workFolder(path)}}
	records, _ := local.storedRecords(ctx) // what cannot be read is no record
	records = slices.DeleteFunc(records, func(r storedRecord) bool { return r.Placements == nil })
	if len(records) == 0 {
		return nil, nil
	}
	sum, err := fileset.Digest(ctx, path, threads)
	for _, was := range records {
		if was.Digests.Output == sum {
			return was.Placements, err
		}
	}
	return nil, err
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
