package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/binding"
)

// releaseForm is a part of every job's digest. It grows whenever the same job and input make
// other bytes than before.
const releaseForm = 3

// digests returns the digests of job and input. The digest of the job covers the cuts of the run,
// too: an earlier cut to apply or to stay above, and the labels of the previous release.
func (run *jobRun) digests(
	ctx context.Context, t *binding.Taxonomies, threads int,
) (*Digests, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "release %d\n", releaseForm)
	if err := run.job.Identity(hash, t.Of); err != nil {
		return nil, fmt.Errorf("digest job: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(run.keys)) {
		fmt.Fprintf(hash, "key of %q: %x\n", name, run.keys[name].Fingerprint())
	}
	if run.earlierCut != nil {
		if run.apply != nil {
			fmt.Fprintf(hash, "apply %s %+v ", run.apply.OnBreak, run.apply.MaxSuppressed)
		}
		if err := json.NewEncoder(hash).Encode(run.earlierCut.File); err != nil {
			return nil, fmt.Errorf("digest the earlier cut: %w", err)
		}
	}
	if run.previousCut != nil {
		fmt.Fprintf(hash, "previous, allow new: %t ", run.job.AllowNewCut)
		if err := json.NewEncoder(hash).Encode(
			[]any{run.previousCut.Columns, run.previousCut.Regions}); err != nil {
			return nil, fmt.Errorf("digest the previous cut: %w", err)
		}
	}
	if run.job.CountsPeople() != "" {
		population, err := dataset.Digest(ctx, run.job.Population.Input, threads)
		if err != nil {
			return nil, fmt.Errorf("open the population: %w", err)
		}
		fmt.Fprintf(hash, "population %s ", population)
	}
	input, err := dataset.Digest(ctx, run.job.Input, threads)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	return &Digests{Job: hex.EncodeToString(hash.Sum(nil)), Input: input.String()}, nil
}
