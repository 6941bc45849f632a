// Package mondrian is multidimensional recoding: Mondrian (LeFevre, DeWitt and
// Ramakrishnan, ICDE 2006) and InfoGain Mondrian (KDD 2006; TODS 33(3), 2008).
//
//	all records ──cut──▶ parts ──cut──▶ … ──▶ regions ──▶ engine.Regions
//	               widest dimension, median;          labels of the values of a region;
//	               or the split of least entropy      the tree of cuts locates records
//
// A part is cut as long as a cut leaves every side k records. Several quasi-identifier sets
// are reduced to one: the union of their columns and the largest k. That is sound, since a
// region's records agree on every set, and asks for more than was required.
//
// What the papers leave open:
//   - Ties: of candidates within 1e-9 of the best, the first in the attributes' order.
//   - Nulls: a discretized attribute with nulls and values in a part is cut between them
//     before anything else. Everywhere else a null is a value, the last one.
//   - A relaxed cut shares the records of the median among both sides. Which of them go
//     left is drawn by keys that depend on the seed, the part and the record alone.
//
// Labels. Discretized: the interval that the cuts have left; of relaxed regions, which may
// overlap, the values present, up to the next value of the domain; nulls beside values: the
// full interval. Generalized: the lowest node above the values present, the root when a
// null is among them. Suppressed: the value; several as {a|b}, in domain order, in which \,
// |, { and } are escaped by \ and the null is \N; all of the domain as *. A single value
// that starts with { is written as a set of one. The rest of a domain, which Plan asks for, is
// one value in the search, and * in labels, whatever is beside it: so no label names a value
// of too few records, and * is true of all. More values than the largest K of the sets with
// the attribute are *, too.
package mondrian

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// Median says where strict Mondrian cuts an ordered dimension.
type Median uint8

// The medians.
const (
	// Nearest is the allowable cut that makes the two sides most alike in size, so that a
	// part that has an allowable cut is cut. The smaller of two.
	Nearest Median = iota
	// Exact is the cut after the smallest value with half of the records at or below it,
	// allowable or not.
	Exact
)

// Engine is Mondrian. MaxSteps of the search's options is not looked at, nor is the score.
type Engine struct {
	// InfoGain chooses the split after which the classes' entropy is least, instead of the
	// widest dimension. The fields below, which are about the median, have no meaning then.
	InfoGain bool
	// Guided goes by the probabilities that a model gives to the classes instead of by the classes
	// themselves, pools children that are too small, and prunes by logarithmic loss. It cuts all
	// records twice: by what a split gains for the sizes of its sides, where it tries several
	// splits in small tables, and by what it gains. What has less loss is released. It is a way to
	// gain information: InfoGain must be set, too.
	Guided bool
	// Brief fits models of far fewer trees, and tries no splits: what is found is nearly as good, or in small tables somewhat
	// worse, and found much sooner.
	Brief bool
	// Relaxed shares the records at the median among both sides.
	Relaxed bool
	// Median is that of strict cuts.
	Median Median
	// Ordered cuts generalized attributes by the order of their leaves, too, instead of
	// into the children of a node.
	Ordered bool
	// Seed draws the records that relaxed cuts share.
	Seed uint64
}

var _ engine.Engine = Engine{}

// Plan asks for one table of all columns, with the class when records are told apart by it, or their kinds.
func (e Engine) Plan(requirement engine.Requirement) engine.Plan {
	all := requirement.United()
	grouping := all.Grouping()
	grouping.Kind = grouping.Kind || e.InfoGain || e.relaxed()
	return engine.Plan{Groupings: []engine.Grouping{grouping}, Whole: true, Pool: true}
}

func (e Engine) relaxed() bool { return e.Relaxed && !e.InfoGain }

// Search returns a *engine.Regions. Every attribute must be in a set. Relaxed cuts part records of one tuple
// and class by their order, whatever their kinds are: with kinds it returns engine.ErrKinds.
func (e Engine) Search(ctx context.Context, table *engine.Table, requirement engine.Requirement, options engine.Options) (engine.Recoding, error) {
	set, err := requirement.UnitedOver(table)
	if err == nil && e.relaxed() && table.Kinds != nil {
		err = engine.ErrKinds
	}
	if err != nil {
		return nil, fmt.Errorf("search regions: %w", err)
	}
	s := newSearch(e, table, requirement, set, options.Space.Budget)
	defer s.ledger.Close()
	if err := s.start(ctx, table, options.Space); err != nil {
		return nil, fmt.Errorf("search regions: %w", err)
	}
	return s.release(), nil
}

// start cuts the table's records, which are consumed.
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
		s.guide.tries = s.guide.triesFor(table.Groupings[0].Len())
	}
	cells, err := cells.NewProbable(table.Groupings[0], classes, s.guide.probabilities(), space)
	if err != nil {
		return err
	}
	return errors.Join(s.run(ctx, cells), cells.Close())
}
