// Package mondrian is multidimensional recoding: Mondrian (LeFevre, DeWitt and Ramakrishnan, ICDE
// 2006) and InfoGain Mondrian (KDD 2006; TODS 33(3), 2008).
//
//	all records ──cut──▶ parts ──cut──▶ … ──▶ regions ──▶ engine.Regions
//	               widest dimension, median;          labels of the values of a region;
//	               or the split of least entropy      the tree of cuts locates records
//
// A part is cut as long as a cut leaves every side k records. Several quasi-identifier sets are
// reduced to one: the union of their columns with the largest k. That is sound, since a region's
// records agree on every set, but it demands more than the sets do. Where they are kept apart, the
// regions are cut further, as demand says: where k = 10 on a few columns and k = 2 on all, until
// ten records have the same labels in the few, and two in all.
//
// Where the papers are open, the engine decides:
//   - Ties: among candidates within 1e-9 of the best, it takes the first in the attributes' order.
//   - Nulls: if a part has nulls and values of a discretized attribute, it cuts between them first.
//     Where they are too few for that, the nulls go with the larger values, and relaxed cuts share
//     no records; InfoGain that is neither guided nor balanced makes no cut of the attribute then.
//     Everywhere else a null is a value, the last one.
//   - A relaxed cut shares the records of the median among both sides. Keys select the records that
//     go left. They depend only on the seed, the part and the record.
//
// Labels. Discretized: the interval that the cuts leave; for nulls together with values, the full
// interval. Generalized: the node that the cuts leave or, for cuts by rank, the lowest one above
// the leaves that they leave; the root when a null is among them. Suppressed: the value that the
// cuts leave; several values as {a|b}, in domain order, where \ escapes \, |, { and } and the null
// is \N; the whole domain as *. A single value that starts with { is written as a set of one. The
// rest of a domain, which Plan asks for, is one value in the search. A label that contains it is *,
// whatever else it contains: so no label names a value of too few records, and * is true for all.
// More values than the largest K of the sets with the attribute are *, too.
//
// Tight labels are those of the values present instead, as in the papers: with Ordered also sets of
// nodes, {a|b} like those of values. They are the lowest nodes with as many records as the largest
// K of the sets with the attribute, and no more of them than that. Intervals around numbers end at
// cuts or at few other bounds, of which no two have fewer records between them than the sets ask
// for. With Ordered they may be in a set with the null, {[17,37)|\N}, which as many records have.
package mondrian

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// Engine is Mondrian. It ignores MaxSteps and Score of the search's options.
type Engine struct {
	// InfoGain chooses the split with the least entropy of classes, not the widest dimension.
	// Relaxed then has no effect.
	InfoGain bool
	// Balanced makes InfoGain that is not guided weigh what a split leaves of the classes' entropy
	// against what it says of its own column, as for several target attributes (TODS 2008), so that
	// columns that say little of the class are cut, too.
	Balanced bool
	// Guided uses the probabilities that a model gives to the classes, not the classes themselves,
	// pools children that are too small, and prunes by logarithmic loss. It cuts all records twice:
	// by the gain relative to the sizes of the sides, where it tries several splits in small
	// tables, and by the gain itself. It releases the result with less loss. Guided needs InfoGain.
	Guided bool
	// Brief fits models with far fewer trees, and tries no splits: the result is nearly as good, or
	// in small tables somewhat worse, and found much sooner.
	Brief bool
	// Relaxed shares the records at the median among both sides.
	Relaxed bool
	// Ordered makes the engine cut generalized attributes by the order of their leaves, too, not
	// into the children of a node, where InfoGain is not set. Tight labels are sets of nodes then,
	// or of an interval and the null.
	Ordered bool
	// Tight labels regions by the values present, where Guided is not set.
	Tight bool
	// Apart keeps several sets apart, where Guided is not set: it cuts as long as every set holds,
	// first the columns of the sets with the largest k. Where not all sets hold on both sides of a
	// cut these are the widest ones also with InfoGain, since the classes of so few records say
	// little of others.
	Apart bool
	// Tightest cuts parts that have few times k records where both sides are narrowest in all
	// dimensions, and larger ones at the median of the widest. It is for strict cuts of ordered
	// dimensions, so Ordered is set where there are taxonomies.
	Tightest bool
	// Seed is the seed of the keys for the records that relaxed cuts share.
	Seed uint64
}

var _ engine.Engine = Engine{}

// Plan asks for one table of all columns, with the class if the search needs it, or with the kinds
// of records.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	grouping := all.Grouping()
	grouping.Kind = grouping.Kind || e.InfoGain || e.relaxed()
	return engine.Plan{Groupings: []engine.Grouping{grouping}, Whole: true, Pool: true}
}

func (e Engine) relaxed() bool { return e.Relaxed && !e.InfoGain }

// Search returns a *engine.Regions. Every attribute must be in a set. Relaxed cuts divide records
// of one tuple and class by their order, whatever their kinds are: with kinds it returns
// engine.ErrKinds.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement,
	options engine.Options) (engine.Recoding, error) {
	set, err := requirement.UnitedOver(table)
	if err == nil && e.relaxed() && table.Kinds != nil {
		err = engine.ErrKinds
	}
	if err != nil {
		return nil, fmt.Errorf("search regions: %w", err)
	}
	s := newSearch(e, table, requirement, set, options)
	defer s.account.Close()
	if err := s.start(ctx, table, options.Space); err != nil {
		return nil, fmt.Errorf("search regions: %w", err)
	}
	return s.release(), nil
}

// start cuts the table's records and consumes them.
func (s *search) start(ctx context.Context, table *engine.Table, space partition.Space) error {
	classes := 0
	switch {
	case table.Kinds != nil:
		classes = table.KindsLen()
	case s.engine.InfoGain:
		classes = table.Classes
	}
	if s.guide != nil {
		if err := s.guide.estimate(ctx, table, space); err != nil {
			return errors.Join(err, table.Groupings[0].Discard(space))
		}
		s.guide.tries = s.engine.Tries(table.Groupings[0].Len(), len(s.dimensions))
	}
	cells, err := cells.NewProbable(table.Groupings[0], classes, s.guide.probabilities(), space)
	if err != nil {
		return err
	}
	return errors.Join(s.run(ctx, cells), cells.Close())
}
