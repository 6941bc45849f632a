package verify

import (
	"context"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/spill"
)

// FewestSlots is the smallest number of groups for which a table has room.
const FewestSlots = fewestSlots

// Passes recounts with the given bytes for groups, and returns the number of times that it read the
// release.
func Passes(ctx context.Context, path string, memory int64) (*Result, int, error) {
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	v, err := newVerifier(ctx, path, rulesOf(cut, false), 2, spill.NewBudget(memory), Watch{}, nil)
	if err != nil {
		return nil, 0, err
	}
	v.memory = memory
	if err := v.scan(ctx); err != nil {
		return nil, 0, err
	}
	result, err := v.result(path)
	return result, v.passes, err
}
