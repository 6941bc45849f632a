package engine

import "github.com/kcut/kcut/internal/fault"

// ErrInfeasible is returned when the table has fewer records than a set's K: not even
// with everything masked would it be met.
var ErrInfeasible = fault.New(fault.Privacy, "the table has fewer records than k")

// ErrUnreached is returned when an algorithm whose k is its outcome ends with a smaller one
// than was asked for.
var ErrUnreached = fault.New(fault.Privacy, "the k asked for is not reached")

// ErrBroken is returned when a cut that is given does not meet the requirement.
var ErrBroken = fault.New(fault.Privacy, "the cut does not hold")
