package search

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/job"
)

// otherEndings are the endings of names of files that are not Parquet.
var otherEndings = []string{".csv", ".tsv", ".arrow", ".feather", ".json"}

// NoteJob notes settings of the job that its author may not have meant.
func (s *Search) NoteJob() {
	for _, set := range s.Redundant {
		s.Noted(fmt.Sprintf("quasi-identifier set %d is redundant: its columns are in another "+
			"set whose k is not smaller", set+1))
	}
	for i, entry := range s.Job.Sets {
		if entry.K == 1 && !entry.OfPopulation().Asked() {
			which := fmt.Sprintf("set %d has", i+1)
			if entry.Subsets > 0 {
				which = fmt.Sprintf("sets of every %d of %d columns have", entry.Subsets,
					len(entry.Of))
			}
			s.Noted(fmt.Sprintf("quasi-identifier %s k = 1, which every table meets: it "+
				"protects nobody", which))
		}
	}
	if len(s.Job.InputCounts) > 0 {
		s.Noted("counts do not have the kept columns: kcut does not check whether these " +
			"columns, or the class, identify people")
	}
	if output := s.Job.Output.Path; len(s.Job.InputCounts) == 0 &&
		slices.Contains(otherEndings, strings.ToLower(path.Ext(output))) {
		s.Noted(fmt.Sprintf("the release is a Parquet file, though its name ends in %s",
			path.Ext(output)))
	}
	if s.applied == "" {
		s.noteUnion()
		if s.Entity < 0 {
			s.noteSuppressible()
		}
	}
	if s.Job.Order == job.OrderInput {
		s.Noted("rows leave in the order of the input: whoever knows this order, or has " +
			"another release in it, can find out whose row is whose; order: released prevents this")
		if s.Job.Previous != "" {
			s.Noted("previous is worth little with order: input: two releases in one order are " +
				"joined row by row, whatever their cuts are")
		}
	}
}

// noteUnion notes that several sets are treated as one.
func (s *Search) noteUnion() {
	if len(s.requirement.Sets) < 2 || !algorithm.Unites(s.algorithm) ||
		s.Job.Algorithm.Sets == job.SetsApart {
		return
	}
	all := s.requirement.United()
	text := fmt.Sprintf("algorithm %s: the quasi-identifier sets are treated as one set of %d "+
		"columns", s.algorithm, len(all.Columns))
	if all.K > 1 {
		text += fmt.Sprintf(" with k = %d", all.K)
	}
	s.Noted(text)
}

// noteSuppressible notes the number of records that may be taken away.
func (s *Search) noteSuppressible() {
	switch most, able := s.requirement.MaxSuppressed, s.requirement.Suppressible(); {
	case most == 0, s.algorithm == job.AlgorithmAuto: // it is not known yet
	case able == 0:
		s.Noted(fmt.Sprintf("max_suppressed of %s is too small for any to be suppressed: those "+
			"that are must be as many as the largest k", text.Count(most, "record")))
	default:
		s.Noted(
			fmt.Sprintf("%s may be taken away so that all others meet the quasi-identifier sets",
				text.Count(most, "record")))
	}
}
