package binding

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
)

// OpenPopulation opens the table of a job's population, and binds the columns to it in which people
// are counted. CSV is read as that of the input: the entries of all columns name those by their
// position, although most are not read. The caller must close the result.
func OpenPopulation(
	ctx context.Context, j *job.Job, t *Taxonomies, r *resources.Run,
) (*Bound, error) {
	of := j.OfPopulation()
	options := ReadOptions(of, r)
	options.CSV = j.CSV.Read(j.Columns)
	in, err := dataset.Open(ctx, of.Input, options)
	if err != nil {
		return nil, fmt.Errorf("open the population: %w", err)
	}
	NoteInput(in, of, r.Noted)
	b, err := Of(in, of, t)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bind the population: %w", err), b.Close())
	}
	return b, nil
}

// JoinPopulation opens the table of the population of a job, which may be the bound one with limits
// on people, and whose columns must be of the types of the input.
func (b *Bound) JoinPopulation(
	ctx context.Context, j *job.Job, t *Taxonomies, r *resources.Run,
) (err error) {
	if b.Population, err = OpenPopulation(ctx, j, t, r); err != nil {
		return err
	}
	err = output.CheckDistinct(j, "population", j.Population.Input, b.Population.Dataset)
	if err != nil {
		return err
	}
	var same []int
	for _, name := range b.Population.Names(b.Population.Masked...) {
		same = append(same, b.Dataset.Schema().Index(name))
	}
	_, err = FindAlike(b.Population.Dataset.Schema(), b.Dataset.Schema(), same)
	return err
}

// CheckAllPeople refuses limits of a job that all people together do not meet: no classes meet them
// then.
func (b *Bound) CheckAllPeople(j *job.Job) error {
	rows, people := b.Dataset.Rows(), b.Population.Dataset.Rows()
	for i, set := range j.EverySet() {
		if !set.OfPopulation().Holds(uint64(rows), uint64(people)) {
			return fmt.Errorf("meet quasi-identifier set %d: %w: %s of %s people", i+1,
				engine.ErrPopulation, text.Count(rows, "row"), text.Grouped(people))
		}
	}
	return nil
}

// PopulationField returns the field of an attribute in the table of the population, or -1.
func (b *Bound) PopulationField(a int) int {
	return b.Population.Dataset.Schema().Index(b.Names(b.Masked[a])[0])
}

// FindAlike finds fields of a table in the schema of its population: with the same names, and with
// types whose equal values have the same bytes.
func FindAlike(population, table *formats.Schema, fields []int) (found []int, err error) {
	for _, field := range fields {
		name, want := table.Fields[field].Name, table.Fields[field].Type
		at := population.Index(name)
		if at < 0 {
			return nil, fault.Errorf(fault.Usage, HintOfNames([]string{name}, len(fields),
				population), "find columns in the population: it lacks %s", name)
		}
		if differs := population.Fields[at].Differs; differs != nil {
			return nil, differs
		}
		if of := population.Fields[at].Type; !alike(of, want) {
			return nil, fault.Errorf(fault.Input, "write the column with the same type in both",
				"compare column %s with the population: its type is %s there, and %s in the table",
				name, of, want)
		}
		found = append(found, at)
	}
	return found, nil
}

// alike reports whether equal values of two types have the same bytes.
func alike(a, b formats.Type) bool {
	for _, t := range []*formats.Type{&a, &b} {
		if t.Precision = 0; t.Kind != formats.Float {
			t.Bits = 0
		}
	}
	return a == b
}
