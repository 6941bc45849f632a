package spill

import (
	"errors"
	"fmt"

	"github.com/kcut/kcut/internal/fault"
)

// Short gives an error of a draw the hint how large a budget would do when so many bytes are missing now, or what to do instead.
func (b *Budget) Short(err error, missing int64, instead string) error {
	return b.shortage(err, b.rest(), missing, enough, instead)
}

// Exceeded returns the error of a draw that would exceed a share of a budget, of which so many bytes are in use.
func (b *Budget) Exceeded(what string, n, share, used int64) error {
	err := fmt.Errorf("draw %d bytes for %s from a share of %d with %d in use: %w", n, what, share, used, ErrBudget)
	whole := b.root().limit
	return b.refuse(err, int64(float64(used+n)/float64(max(1, share))*float64(whole))-whole)
}

// Advise gives an error that the budget ran out the hint that one twice as large may do, unless it has a hint.
func (b *Budget) Advise(err error) error {
	if errors.Is(err, ErrBudget) && fault.HintOf(err) == "" {
		return b.refuse(err, 2*b.root().limit-b.root().Used())
	}
	return err
}

// refuse gives the error of a draw the hint that a budget twice as large may do, or a larger one where more is missing. What
// was refused may be one of many draws.
func (b *Budget) refuse(err error, missing int64) error {
	return b.Short(err, max(missing, b.root().limit), "")
}

// Instead adds what else may be done to the hint of an error that a memory budget ran out.
func Instead(err error, instead string) error {
	var short *fault.Error
	if !errors.As(err, &short) || short.Short == nil {
		return fault.Errorf(fault.Resources, "give more memory with --memory, or "+instead, "%w", err)
	}
	hint := func(missing int64) string { return short.Short(missing) + ", or " + instead }
	return &fault.Error{Class: fault.Resources, Err: err, Lacks: short.Lacks, Short: hint}
}

// shortage gives an error a hint that names what enough returns of the whole budget, while so many bytes rest that may be in use again.
func (b *Budget) shortage(err error, rest, missing int64, enough func(used, missing, limit int64) int64, instead string) error {
	whole := b.root()
	used := whole.Used() + rest
	hint := func(missing int64) string {
		named := fmt.Sprintf("give at least %d MiB with --memory", enough(used, missing, whole.limit))
		if instead != "" {
			named += ", or " + instead
		}
		return named
	}
	return &fault.Error{Class: fault.Resources, Err: err, Lacks: missing, Short: hint}
}

// root returns the budget that b is a part of, or b.
func (b *Budget) root() *Budget {
	for b.whole != nil {
		b = b.whole
	}
	return b
}

// enough returns how many MiB a budget has in which so many bytes more have room than those that are in use of one. What is in use may
// be a part of the budget, and be more of a larger one.
func enough(used, missing, limit int64) int64 {
	free := max(limit-used, limit/4*3)
	need := max(used+missing, int64(float64(missing)/float64(free)*float64(limit)))
	return (need+need/8)>>20 + 1
}
