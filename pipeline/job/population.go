package job

import (
	"errors"
	"slices"

	"github.com/kcut/kcut/engine"
)

// OfPopulation returns the limits on the people of the population in every class of the set.
func (s *Set) OfPopulation() engine.Population {
	limits := engine.Population{KMap: uint64(s.KMap), MinPresence: float64(s.MinPresence)}
	if s.MaxPresence != nil {
		limits.MaxPresence = float64(*s.MaxPresence)
	}
	return limits
}

// populationKey returns the first key of the set that limits the people of the population; empty:
// none does.
func (s *Set) populationKey() string {
	switch {
	case s.KMap > 0:
		return "k_map"
	case s.MinPresence > 0:
		return "min_presence"
	case s.MaxPresence != nil:
		return "max_presence"
	}
	return ""
}

// CountsPeople returns the path of the job's first key that limits the people of the population in
// the classes of a set; empty: none does.
func (j *Job) CountsPeople() string {
	for i := range j.Sets {
		if key := j.Sets[i].populationKey(); key != "" {
			return itemPath("quasi_identifiers", i) + "." + key
		}
	}
	return ""
}

// OfPopulation returns the job for the table of the population, as if it were to be masked: with
// the columns of the sets whose people are counted. These are the sets with limits on the people of
// the population, or all if there are no such limits. No k is asked of the population.
func (j *Job) OfPopulation() *Job {
	p := &Job{
		Input: j.Population.Input, Count: j.Population.Count, CSV: j.CSV, Unlisted: UnlistedDrop,
		MissingColumns: j.MissingColumns, Limits: j.Limits, Algorithm: j.Algorithm, File: j.File,
		origins: j.origins,
	}
	limited := j.CountsPeople() != ""
	for _, set := range j.EverySet() {
		if set.populationKey() != "" || !limited {
			p.Sets = append(p.Sets, Set{Columns: set.Columns})
		}
	}
	for _, c := range j.Columns {
		in := func(s Set) bool { return slices.Contains(s.Columns, c.Name) }
		if slices.ContainsFunc(p.Sets, in) {
			p.Columns = append(p.Columns, c)
		}
	}
	return p
}

// WithoutPeople returns the job without limits on the people of the population.
func (j *Job) WithoutPeople() *Job {
	plain := *j
	plain.Sets = nil
	for _, set := range j.Sets {
		set.KMap, set.MinPresence, set.MaxPresence = 0, 0, nil
		plain.Sets = append(plain.Sets, set)
	}
	return &plain
}

// RefusePeople refuses limits on the people of a population where none are counted.
func (j *Job) RefusePeople(where string) error {
	key := j.CountsPeople()
	if key == "" {
		return nil
	}
	return j.LocatedKey(key, "leave it out, and count with kcut check --population",
		errors.New("no people of a population are counted "+where))
}

// populationRules checks that the people of the population can be counted.
func (r *reader) populationRules() {
	if len(r.Population.Input) == 0 && r.Population.Count != "" && !r.rejected("population.input") {
		r.add("population.count", "name it: population: {input: register.parquet, count: people}",
			"count is a column of a table of the population, and there is none")
	}
	for i := range r.Sets {
		r.peopleRules(itemPath("quasi_identifiers", i), &r.Sets[i])
	}
}

// peopleRules checks the limits of a set on the people of the population.
func (r *reader) peopleRules(path string, s *Set) {
	key := s.populationKey()
	if key == "" {
		return
	}
	at := path + "." + key
	if len(r.Population.Input) == 0 && !r.rejected("population.input") {
		r.add(at, "name it: population: register.parquet",
			"%s counts people of a population, and there is none", key)
	}
	for _, other := range []struct {
		given bool
		key   string
	}{
		{r.Entity != "", "entity"}, {r.MaxSuppressed != Quota{}, "max_suppressed"},
		{len(r.InputCounts) > 0, "input_counts"},
	} {
		if other.given {
			r.add(at, "leave out one of them", "%s and %s do not go together", key, other.key)
		}
	}
	if most := s.MaxPresence; most != nil && (*most == 0 || *most < s.MinPresence) {
		r.add(path+".max_presence", "a share above zero, and not below min_presence",
			"max_presence %s is met by no class", *most)
	}
}
