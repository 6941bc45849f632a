package recheck

import (
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
)

// Broken is the error of a cut that does not hold. It wraps engine.ErrBroken.
type Broken struct {
	Breaches []Breach
	Strange  uint64 // records that are in no region of the cut
	Over     uint64 // records that would have to be suppressed, when they are too many
	Most     uint64 // that may be
}

// Breach is a set that has classes below its K.
type Breach struct {
	Columns []string
	K       int
	Classes int    // below K
	Records uint64 // in them
	Least   uint64 // in the smallest
}

func (b *Broken) Error() string {
	var parts []string
	for _, breach := range b.Breaches {
		parts = append(parts, fmt.Sprintf("quasi-identifier set %s: %d equivalence classes of %d records are smaller than k = %d, the smallest has %d",
			strings.Join(breach.Columns, ", "), breach.Classes, breach.Records, breach.K, breach.Least))
	}
	if b.Strange > 0 {
		parts = append(parts, fmt.Sprintf("%d records are in no region of the cut", b.Strange))
	}
	if b.Over > 0 {
		parts = append(parts, fmt.Sprintf("at least %d records would have to be suppressed, no more than %d may be", b.Over, b.Most))
	}
	return fmt.Sprintf("%s: %s", engine.ErrBroken, strings.Join(parts, "; "))
}

// Unwrap returns engine.ErrBroken.
func (b *Broken) Unwrap() error { return engine.ErrBroken }

// add takes over what is broken of a set, if anything is.
func (b *Broken) add(breach Breach) {
	if breach.Classes > 0 {
		b.Breaches = append(b.Breaches, breach)
	}
}

func newBreach(table *engine.Table, set engine.Set) Breach {
	b := Breach{K: int(set.K)}
	for _, a := range set.Columns {
		b.Columns = append(b.Columns, table.Attributes[a].Name)
	}
	return b
}

// add takes over a class of so many records.
func (b *Breach) add(records uint64) {
	if b.Classes == 0 || records < b.Least {
		b.Least = records
	}
	b.Classes++
	b.Records += records
}
