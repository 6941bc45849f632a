// Package recheck checks the cut of an earlier release on another table: whether every set still
// has its k, and what happens if one does not.
//
//	table in the codes of the cut ──▶ classes of every set ──▶ all have k records: the cut
//	                                       │
//	                                       └─ smaller ones: fail, coarsen or suppress
//
// The domains of the table are the cut: every code is one of its released values. So the counted
// tuples are equivalence classes, and there are never more than before, except new ones.
//
// Coarsening rolls back steps of the search that made the cut: a node replaces its children, two
// neighbouring intervals become one, a disclosed value is suppressed again. A coarser cut only
// joins classes, so classes that hold continue to hold, whatever else is rolled back.
//
// Suppressing keeps the cut and takes records out of it: those of classes that are too small are
// released with only the marks. They are an equivalence class, too.
package recheck

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
)

// OnBreak selects the action when a set has classes with too few records.
type OnBreak string

// The actions. Any other one is like Fail.
const (
	Fail    OnBreak = "fail"    // return a *Broken
	Coarsen OnBreak = "coarsen" // undo the fewest steps of the cut
	// release the records of these classes with only the marks, or drop them
	Suppress OnBreak = "suppress"
)

// Engine finds no cut: it uses the one given by the table's domains. Each leaf of a tree, each
// interval and each value of a domain is a released value; the rest of a suppressed attribute is
// its mark.
type Engine struct {
	OnBreak       OnBreak
	MaxSuppressed uint64 // largest number of records for Suppress
	Drop          bool   // drop them, and release no marks
	Widest        bool   // the marks are the attributes' widest labels, not engine.Suppressed
}

var _ engine.Engine = Engine{}

// Plan asks for the classes of every set, or of all sets together for Suppress, which must know the
// classes of a record in several sets.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	kept, _ := requirement.Reduce()
	groupings := kept.Groupings()
	if e.OnBreak == Suppress {
		all := kept.United()
		groupings = []engine.Grouping{all.Grouping()}
	}
	return engine.Plan{Groupings: groupings, Histograms: true, Whole: true}
}

// Search returns the cut, a coarser *engine.Cut, or one with a Suppression. It returns a *Broken
// when a set has classes below its K and OnBreak is Fail or does not suffice. It reports every step
// that is rolled back to OnStep: Value replaces Children, and InfoGain is the lost information in
// bits for each record.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
	kept, _ := requirement.Reduce()
	c := &classes{table: table, sets: kept.Sets, space: options.Space}
	for a := range table.Attributes {
		c.rollbacks = append(c.rollbacks,
			newRollback(&table.Attributes[a], table.Histograms[a].Sizes()))
	}
	recoding, err := e.search(ctx, c, options)
	for _, grouping := range table.Groupings {
		err = errors.Join(err, grouping.Discard(options.Space))
	}
	if err != nil {
		return nil, fmt.Errorf("hold the cut against the table: %w", err)
	}
	return recoding, nil
}

func (e Engine) search(ctx context.Context, c *classes, options engine.Options) (*engine.Cut,
	error) {
	cut := c.cut(c.none())
	if e.OnBreak == Suppress {
		return c.suppress(ctx, cut, e)
	}
	broken, err := c.hold(ctx, cut)
	switch {
	case err != nil:
		return nil, err
	case len(broken.Breaches) == 0:
		return cut, nil
	case e.OnBreak != Coarsen:
		return nil, broken
	}
	if (engine.Requirement{Sets: c.sets}).CheckReach(c.table.Stats()) != nil {
		return nil, broken
	}
	found, err := c.coarsen(ctx)
	if err != nil {
		return nil, err
	}
	return c.report(ctx, found, options.OnStep)
}

// Broken is the error of a cut that does not hold. It wraps engine.ErrBroken.
type Broken struct {
	Breaches []Breach
	Strange  uint64 // number of records that are in no region of the cut
	Over     uint64 // number of records that would have to be suppressed, if they are too many
	Most     uint64 // largest number allowed
}

// Breach is a set with classes that do not hold.
type Breach struct {
	Columns   []string
	K         int
	Entities  bool   // K counts entities
	Sensitive bool   // sensitive values are protected, too
	Classes   int    // number of classes that do not hold
	Records   uint64 // number of records in them
	Least     uint64 // their smallest size
}

// String says which classes do not hold.
func (b *Breach) String() string {
	what := fmt.Sprintf("are smaller than k = %d", b.K)
	if b.Entities {
		what = fmt.Sprintf("are of fewer than k = %d entities, as far as is known", b.K)
	}
	if b.Sensitive {
		what += ", or do not protect their sensitive values"
	}
	return fmt.Sprintf("quasi-identifier set %s: %d equivalence classes of %d records %s, the "+
		"smallest has %d",
		strings.Join(b.Columns, ", "), b.Classes, b.Records, what, b.Least)
}

func (b *Broken) Error() string {
	var parts []string
	for _, breach := range b.Breaches {
		parts = append(parts, breach.String())
	}
	if b.Strange > 0 {
		parts = append(parts, fmt.Sprintf("%d records are in no region of the cut", b.Strange))
	}
	if b.Over > 0 {
		parts = append(parts, fmt.Sprintf("at least %d records would have to be suppressed, no "+
			"more than %d may be", b.Over, b.Most))
	}
	return fmt.Sprintf("%s: %s", engine.ErrBroken, strings.Join(parts, "; "))
}

// Unwrap returns engine.ErrBroken.
func (b *Broken) Unwrap() error { return engine.ErrBroken }

// add adds the breach of a set, if there is one.
func (b *Broken) add(breach Breach) {
	if breach.Classes > 0 {
		b.Breaches = append(b.Breaches, breach)
	}
}

func newBreach(table *engine.Table, set engine.Set) Breach {
	b := Breach{K: int(set.K), Entities: set.Entities, Sensitive: set.NeedsKinds()}
	for _, a := range set.Columns {
		b.Columns = append(b.Columns, table.Attributes[a].Name)
	}
	return b
}

// add adds a class with its size and number of records.
func (b *Breach) add(size, records uint64) {
	if b.Classes == 0 || size < b.Least {
		b.Least = size
	}
	b.Classes++
	b.Records += records
}
