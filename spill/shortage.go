package spill

import (
	"fmt"

	"github.com/kcut/kcut/internal/fault"
)

// Short gives an error of a draw the hint how large a budget would do when so many bytes are missing now, or what to do instead.
func (b *Budget) Short(err error, missing int64, instead string) error {
	whole := b
	for whole.whole != nil {
		whole = whole.whole
	}
	used := whole.Used()
	hint := func(missing int64) string {
		return fmt.Sprintf("give at least %d MiB with --memory, or %s", enough(used, missing, whole.limit), instead)
	}
	return &fault.Error{Class: fault.Resources, Hint: hint(missing), Err: err, Lacks: missing, Short: hint}
}

// enough returns how many MiB a budget has in which so many bytes more have room than those that are in use of one. What is in use may
// be a part of the budget, and be more of a larger one.
func enough(used, missing, limit int64) int64 {
	free := max(limit-used, limit/4*3)
	need := max(used+missing, int64(float64(missing)/float64(free)*float64(limit)))
	return (need+need/8)>>20 + 1
}
