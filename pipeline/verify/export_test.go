package verify

import (
	"context"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/spill"
)

// FewestSlots is how many groups of a table there is room for at the least.
const FewestSlots = fewestSlots

// Passes recounts with room for groups of so many bytes, and tells how often it read the release.
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
