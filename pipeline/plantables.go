package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/planning"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// TablesForecast says what a run of several tables would do.
type TablesForecast struct {
	Tables []TableForecast `json:"tables"`
	// Joined has the people of tables with the same pseudonyms, by the key that makes these, of
	// groups whose rows were all read.
	Joined  []*verify.Joined `json:"joined,omitempty"`
	Notices []string         `json:"notices,omitempty"`
}

// TableForecast is the forecast of one of several tables. Err is the error that a run would end
// with; without a forecast, the table could not be planned.
type TableForecast struct {
	Name string `json:"table"`
	*forecast.Forecast
	Err error `json:"-"`
}

// PlanTables predicts what a run of several tables would do, table by table, also after a failure.
// If the plan reads all rows of tables with pseudonyms of one key, it counts their people as a run
// does. The error is the first one that a run would end with, as far as it can be predicted.
func PlanTables(ctx context.Context, t *job.Tables, opt PlanOptions) (*TablesForecast, error) {
	f, first := &TablesForecast{}, checkTables(t, RunOptions{})
	people, groups := linkedPeople(t)
	for i, table := range t.Tables {
		of := people[i]
		switch {
		case of == nil:
		case table.Previous != "":
			of.Missing, of = "a plan does not count the previous release", nil
		case !opt.Sample:
			of = nil
		}
		planned, err := plan(ctx, table.Job, opt, of)
		if err != nil {
			err = inTable(table.Name, err)
		}
		f.Tables = append(f.Tables, TableForecast{table.Name, planned, err})
		if first == nil {
			first = err
		}
	}
	for _, g := range groups {
		if slices.ContainsFunc(g.of, func(i int) bool { return f.Tables[i].Forecast == nil }) {
			continue // an error says why
		}
		if err := f.join(g, t, people, opt); first == nil {
			first = err
		}
	}
	return f, first
}

// linkedPeople returns the groups of tables that are joined by pseudonyms, and for each table the
// people to count; nil: it is not joined, or a key cannot be read, which its plan says.
func linkedPeople(t *job.Tables) ([]*planning.People, []*linkedGroup) {
	var tables []keyedTable
	for _, table := range t.Tables {
		keys, err := binding.LoadKeys(table.Job)
		if err != nil {
			return make([]*planning.People, len(t.Tables)), nil
		}
		tables = append(tables, keyedTable{table.Name, table.Job, keys, table.Output.Path})
	}
	people, groups := make([]*planning.People, len(t.Tables)), linkedTables(tables)
	for _, g := range groups {
		for i, number := range g.of {
			if people[number] == nil {
				limit := cmp.Or(t.Tables[0].Limits.Memory, spill.DefaultLimit())
				people[number] = &planning.People{Keys: tables[number].keys,
					Room: limit / 8 / int64(len(tables))}
			}
			people[number].Columns = append(people[number].Columns, g.releases[i].Column)
		}
	}
	return people, groups
}

// join predicts how many people of joined tables are alone, or notes why that is not known.
func (f *TablesForecast) join(
	g *linkedGroup, t *job.Tables, people []*planning.People, opt PlanOptions,
) error {
	unknown := func(why string) {
		f.Notices = append(f.Notices, fmt.Sprintf("how many people are alone for somebody who "+
			"joins tables %s is not predicted: %s", g.names, why))
	}
	if !opt.Sample {
		unknown("--sample counts them, if it takes all rows of these tables")
		return nil
	}
	var pairs [][][2]uint64
	k := math.MaxInt
	for i, number := range g.of {
		p := people[number]
		if p.Pairs == nil {
			unknown(fmt.Sprintf("table %s: %s", t.Tables[number].Name,
				cmp.Or(p.Missing, "the plan does not find its cut in all of its rows")))
			return nil
		}
		pairs, k = append(pairs, p.Of(g.releases[i].Column)), min(k, p.K)
	}
	budget := spill.NewBudget(cmp.Or(t.Tables[0].Limits.Memory, spill.DefaultLimit()))
	j, err := verify.JoinPairs(g.releases, pairs, k, budget)
	if errors.Is(err, spill.ErrBudget) {
		unknown("the memory has no room for their people")
		return nil
	}
	if err != nil {
		return fmt.Errorf("join tables %s: %w", g.names, err)
	}
	j.Paths = g.outputs
	f.Joined, f.Notices = append(f.Joined, j), append(f.Notices, g.describe(j))
	return g.check(j, t.MaxUnique)
}
