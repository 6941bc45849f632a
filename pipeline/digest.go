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

// releaseForm is a part of every job's digest. It grows when the same job makes other bytes of
// the same input than it did before.
const releaseForm = 3

// identify takes the digests of job and input: what was given beside the job bounds it, too, and so do
// the labels of the previous release.
func (a *assignment) identify(ctx context.Context, t *binding.Taxonomies, threads int) (*Digests, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "release %d\n", releaseForm)
	if err := a.job.Identity(hash, t.Of); err != nil {
		return nil, fmt.Errorf("digest job: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(a.keys)) {
		fmt.Fprintf(hash, "key of %q: %x\n", name, a.keys[name].Fingerprint())
	}
	if a.given != nil {
		if a.applied != nil {
			fmt.Fprintf(hash, "apply %s %+v ", a.applied.OnBreak, a.applied.MaxSuppressed)
		}
		if err := json.NewEncoder(hash).Encode(a.given.File); err != nil {
			return nil, fmt.Errorf("digest the earlier cut: %w", err)
		}
	}
	if a.previous != nil {
		fmt.Fprintf(hash, "previous, allow new: %t ", a.job.AllowNewCut)
		if err := json.NewEncoder(hash).Encode([]any{a.previous.Columns, a.previous.Regions}); err != nil {
			return nil, fmt.Errorf("digest the previous cut: %w", err)
		}
	}
	input, err := dataset.Digest(ctx, a.job.Input, threads)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	return &Digests{Job: hex.EncodeToString(hash.Sum(nil)), Input: input.String()}, nil
}
