package search

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/job"
)

// bindProtections sets the parts of the requirement that depend on a table whose kinds are known:
// the shares of values, and how many records of how many entities may be taken away.
func (s *Search) bindProtections(t *engine.Table) {
	if t.Kinds == nil {
		return
	}
	BindLimits(s.requirement, s.Job, s.Taxonomies, t)
	if s.Entity < 0 {
		return
	}
	if !algorithm.TakesAway(s.algorithm) && s.applied == "" {
		return
	}
	s.requirement.MaxSuppressed = s.quota.Of(int64(t.Whole.Size))
	switch e := s.engine.(type) {
	case recheck.Engine:
		e.MaxSuppressed = s.requirement.MaxSuppressed
		s.engine = e
	case *recheck.Regions:
		e.MaxSuppressed = s.requirement.MaxSuppressed
	}
}

// BindLimits sets the parts of a job's limits on sensitive columns that depend on a table: the
// values, and how many of its records have them.
func BindLimits(of engine.Requirement, j *job.Job, taxonomies *binding.Taxonomies,
	t *engine.Table) {
	for _, p := range of.Sets[0].Others { // the same for all sets
		limit := p.(*engine.Limit)
		if limit.Measure == engine.HierarchicalCloseness {
			tree := taxonomies.Of[j.Sensitive[limit.Column].Column].Tree
			limit.Tree = engine.NewHierarchy(job.TreeOf(tree))
		}
		limit.Bind(&t.Kinds.Sensitive[limit.Column], t.Whole.Values[limit.Column])
	}
}

// CheckLimits refuses limits on sensitive columns, after they were bound to a table, if all its
// records together do not meet them, or if they do not fit its values. names reports whether an
// earlier table has had a value; nil: there is none.
func CheckLimits(of engine.Requirement, j *job.Job, t *engine.Table,
	names func(column, value string) bool) error {
	for _, p := range of.Sets[0].Others {
		limit := p.(*engine.Limit)
		column := j.Sensitive[limit.Column].Column
		values := t.Kinds.Sensitive[limit.Column].Values
		if err := cmp.Or(checkNamed(limit, column, values, names),
			checkLeaves(limit, column, values), checkWhole(limit, column, t)); err != nil {
			return err
		}
	}
	return nil
}

// CheckLost refuses the result of an algorithm that ends with groups which are too small, if these
// have more records of a table than may be taken away.
func CheckLost(quota job.Quota, by string, t *engine.Table, lost uint64) error {
	if quota == (job.Quota{}) || algorithm.TakesAway(by) {
		return nil
	}
	most := quota.Of(int64(t.Stats().Size))
	if lost <= most {
		return nil
	}
	return fault.Errorf(fault.Privacy, "allow more, lower k, or take algorithm tdr",
		"mask by %s: %s in groups that are too small, max_suppressed allows %d",
		by, text.Count(lost, "record"), most)
}

// require binds the requirement to a table, and refuses one that even all its records together do
// not meet.
func (s *Search) require(t *engine.Table) error {
	s.bindProtections(t)
	if t.Kinds == nil {
		return nil
	}
	for i, set := range s.Job.EverySet() {
		if t.Whole.Size < uint64(set.K) {
			return fault.Errorf(fault.Privacy, "lower k, or give the rows of more entities",
				"meet quasi-identifier set %d: %s, k is %d", i+1, entityWords(t), set.K)
		}
	}
	var names func(column, value string) bool
	if s.applied != "" {
		names = s.given.Names
	}
	return CheckLimits(s.requirement, s.Job, t, names)
}

// entityWords describes the number of entities of a table, and the number that k can count if that
// is smaller.
func entityWords(t *engine.Table) string {
	there := "the input has " + text.Grouped(int64(t.Kinds.Counted)) + " entities"
	if t.Kinds.Counted == 0 {
		there = "the input has more entities than are counted one by one"
	}
	if t.Whole.Size == t.Kinds.Counted {
		return there
	}
	return fmt.Sprintf("%s, which count for %s: weights of rows are rounded down, and who has "+
		"more than %d rows counts for nothing",
		there, text.Grouped(int64(t.Whole.Size)), t.Kinds.Unit)
}

// checkNamed refuses a limit of a value that no row has: usually it is misspelt, and then nobody is
// protected. A cut that is applied had rows with the values that it names.
func checkNamed(limit *engine.Limit, column string, values []engine.Label,
	names func(column, value string) bool) error {
	plain := func(text string) string {
		return strings.ToLower(strings.Join(strings.Fields(text), ""))
	}
	for _, named := range slices.Sorted(maps.Keys(limit.Of)) {
		is := func(v engine.Label) bool { return !v.Null && v.Text == named }
		if slices.ContainsFunc(values, is) || names != nil && names(column, named) {
			continue
		}
		what := "no row has a value that " + limit.Key + " names"
		if slices.ContainsFunc(values, func(v engine.Label) bool {
			return !v.Null && plain(v.Text) == plain(named)
		}) {
			what += "; one differs from it only by blanks or case"
		}
		return fault.Errorf(fault.Input, "write it as the rows have it, or leave it out",
			"protect sensitive column %s: %s", column, what)
	}
	return nil
}

// checkLeaves refuses values that the tree of a limit lacks.
func checkLeaves(limit *engine.Limit, column string, values []engine.Label) error {
	lacks := 0
	for _, value := range values {
		if limit.Tree == nil {
			break
		}
		if _, found := limit.Tree.Leaf(value); !found {
			lacks++
		}
	}
	if lacks == 0 {
		return nil
	}
	return fault.Errorf(fault.Input, "add them to the tree, as leaves",
		"protect sensitive column %s: its taxonomy lacks %s", column,
		text.Count(lacks, "value"))
}

// checkWhole refuses a limit that all records together do not meet, or that nearly no part of them
// could.
func checkWhole(limit *engine.Limit, column string, t *engine.Table) error {
	key, hint := limit.Key, "raise "
	if limit.Least {
		hint = "lower "
	}
	refuse := func(format string, args ...any) error {
		return fault.Errorf(fault.Privacy, hint+key, "protect sensitive column %s: %s", column,
			fmt.Sprintf(format, args...))
	}
	switch holds := limit.Holds(t.Whole); {
	case holds && limit.Relative && limit.Bound == 0 &&
		len(t.Kinds.Sensitive[limit.Column].Values) > 1:
		return refuse("%s is 0, which few classes meet but that of all records", key)
	case !holds && limit.Of != nil:
		return refuse("a value has a larger share of all records than %s allows it", key)
	case !holds:
		return refuse("%s is %g, all records together have %s", key, limit.Bound,
			limit.Figure(t.Whole))
	}
	return nil
}

// discardUnplanned discards the tuples that were counted for taking records away, if there are too
// few entities for that.
func (s *Search) discardUnplanned(t *engine.Table) (err error) {
	planned := min(len(s.Plan().Groupings), len(t.Groupings))
	for _, grouping := range t.Groupings[planned:] {
		err = errors.Join(err, grouping.Discard(partition.Space{
			Budget: s.Budget,
			Store:  s.Scratch.Opened(),
		}))
	}
	t.Groupings = t.Groupings[:planned]
	return err
}
