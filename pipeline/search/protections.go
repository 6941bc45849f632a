package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/job"
)

// bindProtections sets the parts of the requirement that depend on a table whose kinds are known:
// the shares of values, and how many records of how many entities may be taken away.
func (s *Search) bindProtections(t *engine.Table) {
	if t.Kinds == nil {
		return
	}
	for i, p := range s.requirement.Sets[0].Others { // the same for all sets
		switch p := p.(type) {
		case engine.DistinctValues:
			if s.Job.Sensitive[p.Column].Nulls != job.NullsCount {
				p.Null = 1 + slices.IndexFunc(t.Kinds.Sensitive[p.Column].Values,
					func(v engine.Label) bool {
						return v.Null
					})
				s.requirement.Sets[0].Others[i] = p
			}
		case *engine.Confidence:
			p.Most = mostOf(&s.Job.Sensitive[p.Column], t.Kinds.Sensitive[p.Column].Values)
		case *engine.Closeness:
			p.Whole = t.Whole.Values[p.Column]
		}
	}
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

// checkLost refuses the result of an algorithm that ends with groups which are too small, if these
// have more records than may be taken away.
func (s *Search) checkLost(t *engine.Table, lost uint64) error {
	if s.quota == (job.Quota{}) || algorithm.TakesAway(s.algorithm) || s.applied != "" {
		return nil
	}
	most := s.quota.Of(int64(t.Stats().Size))
	if lost <= most {
		return nil
	}
	return fault.Errorf(fault.Privacy, "allow more, lower k, or take algorithm tdr",
		"mask by %s: %s in groups that are too small, max_suppressed allows %d",
		s.algorithm, text.Count(lost, "record"), most)
}

// mostOf returns the largest shares of all values of a sensitive column.
func mostOf(s *job.Sensitive, values []engine.Label) []float64 {
	most := make([]float64, len(values))
	for code, value := range values {
		if most[code] = 1; s.MaxConfidence > 0 {
			most[code] = s.MaxConfidence
		}
		for _, c := range s.Confidences {
			if !value.Null && value.Text == c.Value {
				most[code] = c.Most
			}
		}
	}
	return most
}

// require binds the requirement to a table, and refuses one that even all its records together do
// not meet.
func (s *Search) require(t *engine.Table) error {
	s.bindProtections(t)
	if t.Kinds == nil {
		return nil
	}
	for i, set := range s.Job.Sets {
		if t.Whole.Size < uint64(set.K) {
			return fault.Errorf(fault.Privacy, "lower k, or give the rows of more entities",
				"meet quasi-identifier set %d: %s, k is %d", i+1, entityWords(t), set.K)
		}
	}
	for i := range s.Job.Sensitive {
		if err := s.checkNamed(&s.Job.Sensitive[i], t.Kinds.Sensitive[i].Values); err != nil {
			return err
		}
	}
	for _, p := range s.requirement.Sets[0].Others {
		if err := s.checkWhole(p, t); err != nil {
			return err
		}
	}
	return nil
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

// checkNamed refuses a share for a value of a sensitive column that no row has: usually it is
// misspelt, and then nobody is protected. A cut that is applied had rows with the values that it
// names.
func (s *Search) checkNamed(asked *job.Sensitive, values []engine.Label) error {
	plain := func(text string) string {
		return strings.ToLower(strings.Join(strings.Fields(text), ""))
	}
	for _, c := range asked.Confidences {
		is := func(v engine.Label) bool { return !v.Null && v.Text == c.Value }
		if slices.ContainsFunc(values, is) || s.applied != "" &&
			s.given.Names(asked.Column, c.Value) {
			continue
		}
		what := "no row has a value that max_confidence names"
		if slices.ContainsFunc(values, func(v engine.Label) bool {
			return !v.Null && plain(v.Text) == plain(c.Value)
		}) {
			what += "; one differs from it only by blanks or case"
		}
		return fault.Errorf(fault.Input, "write it as the rows have it, or leave it out",
			"protect sensitive column %s: %s", asked.Column, what)
	}
	return nil
}

// checkWhole refuses a protection of a sensitive column that all records together do not meet, or
// that only all of them could meet.
func (s *Search) checkWhole(asked engine.Protection, t *engine.Table) error {
	var column, values int
	refuse := func(hint, format string, args ...any) error {
		return fault.Errorf(fault.Privacy, hint, "protect sensitive column %s: %s",
			s.Job.Sensitive[column].Column, fmt.Sprintf(format, args...))
	}
	of := func(c int) { column, values = c, len(t.Kinds.Sensitive[c].Values) }
	holds := asked.Holds(t.Whole)
	switch p := asked.(type) {
	case engine.DistinctValues:
		if of(p.Column); p.Null > 0 {
			values--
		}
		if !holds {
			return refuse("lower l", "it has %s, l is %d", text.Count(values, "distinct value"),
				p.L)
		}
	case engine.EntropyOfValues:
		if of(p.Column); !holds {
			return refuse("lower entropy_l", "all records together have not the entropy of %g "+
				"values", p.L)
		}
	case *engine.Confidence:
		if of(p.Column); !holds {
			return refuse("raise max_confidence", "one of its values has a larger share of all "+
				"records than max_confidence")
		}
	case *engine.Closeness:
		if of(p.Column); p.T == 0 && values > 1 {
			return refuse("raise t", "t is 0, it has %s", text.Count(values, "distinct value"))
		}
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
