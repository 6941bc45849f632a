package binding

import (
	"fmt"
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/job"
)

// Requirement returns a job's requirement of the attributes, which have numbers by their names, for
// a number of records, and the positions of its redundant sets.
func Requirement(j *job.Job, number map[string]int, records int64) (engine.Requirement, []int) {
	all := engine.Requirement{
		Drop:        j.Suppressed == job.SuppressedDrop,
		AverageRisk: float64(j.MaxRisk.Average),
	}
	if algorithm.TakesAway(j.Algorithm.Name) {
		all.MaxSuppressed = j.MaxSuppressed.Of(records)
	}
	others := protectionsOf(j)
	for _, set := range j.EverySet() {
		s := engine.Set{K: engine.KAnonymity(set.K), Population: set.OfPopulation(),
			Entities: j.Entity != "", Others: others}
		for _, name := range set.Columns {
			s.Columns = append(s.Columns, number[name])
		}
		all.Sets = append(all.Sets, s)
	}
	return all.Reduce()
}

// checkReach refuses a table with fewer records than may be suppressed, or than some k: with
// everything masked completely all records are one class, and none is larger.
func checkReach(job *job.Job, rows int64) error {
	if most := job.MaxSuppressed; most.Records > uint64(rows) {
		return job.LocatedKey("max_suppressed", "name fewer, or a share as 0.5%",
			fmt.Errorf("max_suppressed is %d records, the input has %d", most.Records, rows))
	}
	most := job.MaxRisk.Average
	if most > 0 && engine.MostClasses(float64(most), uint64(rows)) == 0 {
		return fault.Errorf(fault.Privacy,
			fmt.Sprintf("give %.0f rows or more, or raise max_risk.average",
				math.Ceil(1/float64(most)-engine.Slack)),
			"keep to max_risk: the input has %s, max_risk.average is %s: %w",
			text.Count(rows, "row"), most, engine.ErrRisk)
	}
	for i, set := range job.EverySet() {
		if rows < int64(set.K) {
			return fault.Errorf(fault.Privacy, "lower k, or give more rows",
				"meet quasi-identifier set %d: the input has %d rows, k is %d: %w", i+1, rows,
				set.K, engine.ErrInfeasible)
		}
	}
	return nil
}

// Protects returns the key of the job that demands more than records, or "".
func (b *Bound) Protects() string {
	switch {
	case b.Entity >= 0:
		return "entity"
	case len(b.Sensitive) > 0:
		return "sensitive"
	}
	return ""
}

// protectionsOf returns the job's protections of sensitive columns, for all sets at once. They are
// bound to the columns' values when these are known.
func protectionsOf(j *job.Job) (others []engine.Protection) {
	for i := range j.Sensitive {
		for _, limit := range j.Sensitive[i].Limits() {
			limit.Column = i
			others = append(others, &limit)
		}
	}
	return others
}
