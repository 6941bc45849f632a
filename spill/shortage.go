package spill

import (
	"errors"
	"fmt"

	"github.com/kcut/kcut/internal/fault"
)

// Short gives the error of a draw a hint: the size of a budget that suffices when missing bytes are
// missing now, or another remedy.
func (b *Budget) Short(err error, missing int64, instead string) error {
	return b.shortage(err, b.rest(), missing, enough, instead)
}

// Exceeded returns the error of a draw that would exceed a share of a budget. The share has used
// bytes in use.
func (b *Budget) Exceeded(what string, n, share, used int64) error {
	err := fmt.Errorf("draw %d bytes for %s from a share of %d with %d in use: %w", n, what, share,
		used, ErrBudget)
	whole := b.root().limit
	return b.refuse(err, int64(float64(used+n)/float64(max(1, share))*float64(whole))-whole)
}

// Advise gives an error of an exhausted budget the hint that a budget of twice the size may
// suffice, unless it has a hint.
func (b *Budget) Advise(err error) error {
	if errors.Is(err, ErrBudget) && fault.HintOf(err) == "" {
		return b.refuse(err, 2*b.root().limit-b.root().Used())
	}
	return err
}

// refuse gives the error of a draw the hint that a budget of twice the size may suffice, or a
// larger one if more bytes are missing. The refused draw may be one of many.
func (b *Budget) refuse(err error, missing int64) error {
	return b.Short(err, max(missing, b.root().limit), "")
}

// Instead adds another remedy to the hint of an error of an exhausted memory budget.
func Instead(err error, instead string) error {
	var short *fault.Error
	if !errors.As(err, &short) || short.Short == nil {
		return fault.Errorf(fault.Resources, "give more memory with --memory, or "+instead, "%w",
			err)
	}
	hint := func(missing int64) string { return short.Short(missing) + ", or " + instead }
	return &fault.Error{Class: fault.Resources, Err: err, Lacks: short.Lacks, Short: hint}
}

// shortage gives an error a hint with the size that enough returns for the whole budget. It counts
// rest bytes as used, since they may be in use again.
func (b *Budget) shortage(err error, rest, missing int64,
	enough func(used, missing, limit int64) int64, instead string) error {
	whole := b.root()
	used := whole.Used() + rest
	hint := func(missing int64) string {
		named := fmt.Sprintf("give at least %d MiB with --memory",
			enough(used, missing, whole.limit))
		if instead != "" {
			named += ", or " + instead
		}
		return named
	}
	return &fault.Error{Class: fault.Resources, Err: err, Lacks: missing, Short: hint}
}

// root returns the budget that contains b and that no other contains, or b.
func (b *Budget) root() *Budget {
	for b.whole != nil {
		b = b.whole
	}
	return b
}

// enough returns the size in MiB of a budget with room for missing bytes in addition to those in
// use. Up to a quarter of a budget may be shares, which grow with it.
func enough(used, missing, limit int64) int64 {
	free := max(limit-used, limit/4*3)
	need := max(used+missing, int64(float64(missing)/float64(free)*float64(limit)))
	return (need+need/8)>>20 + 1
}
