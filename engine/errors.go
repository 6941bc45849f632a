package engine

import "errors"

// ErrInfeasible is returned when the table has fewer records than a set's K: not even
// with everything masked would it be met.
var ErrInfeasible = errors.New("the table has fewer records than k")

// ErrUnreached is returned when an algorithm whose k is its outcome ends with a smaller one
// than was asked for.
var ErrUnreached = errors.New("the k asked for is not reached")

// ErrBroken is returned when a cut that is given does not meet the requirement.
var ErrBroken = errors.New("the cut does not hold")
