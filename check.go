package kcut

import (
	"context"

	"github.com/kcut/kcut/pipeline/check"
	"github.com/kcut/kcut/pipeline/risk"
)

// CheckOptions say which columns of which table Check examines. Absent limits are those of the
// machine.
type CheckOptions = check.Options

// Checked is the result of a check. The other types are its parts.
type (
	Checked          = check.Result
	CheckedSensitive = check.Sensitive // a sensitive column, in the classes where it is worst
	CheckedUniques   = check.Uniques   // rows that are unique in few columns
	CheckedRegister  = risk.Register   // the classes in a table of the population
)

// Check counts how many rows of a table share each combination of values of some columns. The
// table may be a release, an input or the output of another program. Check needs no job and writes
// nothing but spilled data. If K does not hold it returns its result and an error of ErrPrivacy.
func Check(ctx context.Context, opt CheckOptions) (*Checked, error) {
	return guarded(func() (*Checked, error) {
		return check.Table(ctx, opt)
	})
}
