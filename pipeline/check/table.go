package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// Options say which table is measured, and on which columns.
type Options struct {
	Input     []string // files, directories, globs, URLs: one table
	Columns   []string // the columns whose values an attacker may know together
	Count     string   // the column with the number of records of a row; empty: one each
	Entity    string   // the column that says to whom a row belongs; empty: rows are counted
	Sensitive []string // the columns whose values are examined in every class
	Household string   // the column that identifies the household of a row; empty: none
	K         int      // the smallest class size to accept; 0: accept any
	// MaxAverageRisk bounds the number of classes, divided by the number of rows, or people: a
	// prosecutor's average risk. 0: it does not.
	MaxAverageRisk job.Share
	// PopulationSize is the number of people from whom those of the table were drawn, and whose
	// share of unique people is estimated; 0: none is.
	PopulationSize int64
	Weight         string // the column with the sampling weight of a row; empty: none
	// Subsets is the largest number of columns in which rows are searched that are unique in them
	// and in no part of them; 0: none are searched.
	Subsets int
	// Population are the files of a table of all people from whom those of the table come, with the
	// same columns. PopulationCount is its column with the number of people of a row; empty: one.
	Population      []string
	PopulationCount string
	KMap            int // the smallest number of people of the population in a class; 0: any
	// MinPresence and MaxPresence bound the share of the people of a class who are in the table; 0:
	// they do not.
	MinPresence, MaxPresence job.Share

	CSV job.CSV // how CSV is read
	// MissingNull makes a column null in files without it; otherwise such a file is an error.
	MissingNull bool
	Limits      job.Limits // without a SpillDir, data spill to a hidden folder in the current one
	Events      resources.Events

	Spill bool // for tests of this module: count in the store, whatever the budget is
}

// Table measures the class sizes of any table on some columns. If a limit of the options
// does not hold, Table returns the result together with an error of class Privacy.
func Table(ctx context.Context, opt Options) (*Result, error) {
	if err := opt.checkRoles(); err != nil {
		return nil, err
	}
	j := &job.Job{Input: opt.Input, Count: opt.Count, Limits: opt.Limits, CSV: opt.CSV}
	if opt.MissingNull {
		j.MissingColumns = job.MissingNull
	}
	for _, name := range opt.names() {
		j.Columns = append(j.Columns, job.Column{Name: name, Mask: job.MaskKeep})
	}
	r, err := resources.New(j, spill.Options{}, opt.Events)
	if err != nil {
		return nil, err
	}
	defer spill.LimitHeap(r.Budget.Limit())()
	result, err := opt.count(ctx, j, r)
	_, closed := r.Scratch.Close()
	if err = fault.Join(err, closed); err != nil {
		return nil, r.Advise(err, j.Output.Path)
	}
	if opt.PopulationSize > 0 && result.Population == nil {
		return nil, fault.Errorf(fault.Usage,
			"name the number of people from whom those of the table were drawn",
			"check people: the table has more than %d", opt.PopulationSize)
	}
	if !result.OK {
		err = fault.Errorf(fault.Privacy,
			"mask these columns before the table goes out: kcut init drafts a job, kcut run "+
				"does it",
			"check %s: %s", strings.Join(opt.Columns, ", "), strings.Join(result.broken, "; "))
	}
	return result, err
}

// mostUniqueSets is the largest number of sets of columns in which unique rows are searched: in
// each of them the search may look at all rows.
const mostUniqueSets = 10_000

// checkRoles refuses options that contradict each other.
func (o *Options) checkRoles() error {
	if o.Weight != "" && o.Entity != "" {
		return fault.Errorf(fault.Usage, "leave out one of them",
			"check sampling weights: they are weights of rows, and the entity counts people")
	}
	return o.checkSubsets()
}

// checkSubsets refuses a search for unique rows that takes too long, or that cannot be asked for.
func (o *Options) checkSubsets() error {
	sets := func(size int) (number int) {
		for part := 1; part <= size && number <= mostUniqueSets; part++ {
			entry := job.Set{Subsets: part, Of: o.Columns}
			number += entry.Number(mostUniqueSets)
		}
		return number
	}
	size := min(o.Subsets, len(o.Columns))
	switch {
	case o.Subsets > len(o.Columns):
		return fault.Errorf(fault.Usage, "name more columns, or a smaller number",
			"check subsets of %d columns: %d are named", o.Subsets, len(o.Columns))
	case o.Subsets > 0 && o.Entity != "":
		return fault.Errorf(fault.Usage, "leave out one of them",
			"check subsets of columns: unique rows are searched, and the entity counts people")
	case sets(size) <= mostUniqueSets:
		return nil
	}
	for sets(size) > mostUniqueSets {
		size--
	}
	hint := "name fewer columns"
	if size > 0 {
		hint += fmt.Sprintf(", or subsets of %d, the largest number that works here: these are %d "+
			"sets", size, sets(size))
	}
	return fault.Errorf(fault.Usage, hint,
		"check subsets of up to %d of %d columns: these are more than %d sets, and each may take "+
			"a look at all rows", o.Subsets, len(o.Columns), mostUniqueSets)
}

// names returns the names of all columns that are read.
func (o *Options) names() []string {
	names := slices.Concat(o.Columns, o.Sensitive)
	for _, name := range []string{o.Entity, o.Household, o.Weight} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// count opens the table and counts its rows.
func (o *Options) count(
	ctx context.Context, j *job.Job, r *resources.Run,
) (result *Result, err error) {
	in, err := openChecked(ctx, j, r)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	defer func() { err = fault.Join(err, in.Close()) }()
	binding.NoteInput(in, j, r.Noted)
	request, err := o.request(in)
	if err != nil {
		return nil, err
	}
	if len(o.Population) > 0 {
		of := *j
		of.Input, of.Count = o.Population, o.PopulationCount
		population, err := openChecked(ctx, &of, r)
		if err != nil {
			return nil, fmt.Errorf("open the population: %w", err)
		}
		defer func() { err = fault.Join(err, population.Close()) }()
		if err := o.addPopulation(request, population); err != nil {
			return nil, err
		}
	}
	r.Threads = binding.ThreadsWithin(r.Budget.Limit(), r.Threads, len(j.Columns))
	counting := count.ResourcesOf(r, resources.StageCheck, in.Rows())
	_, err = r.Stage(ctx, resources.StageCheck, func() error {
		result, err = Count(ctx, request, counting)
		if err == nil && o.Subsets > 0 {
			result.Uniques, err = CountUniques(ctx, request, o.Subsets, counting)
		}
		return err
	})
	return result, err
}

// openChecked opens the input of a job for a check.
func openChecked(ctx context.Context, j *job.Job, r *resources.Run) (*dataset.Dataset, error) {
	in, err := dataset.Open(ctx, j.Input, binding.ReadOptions(j, r))
	if errors.Is(err, formats.ErrEncoding) {
		err = &fault.Error{Class: fault.Input,
			Hint: "say with --encoding how it is written: windows-1252, latin-1 or utf-16",
			Err:  err}
	}
	return in, err
}

// addPopulation looks up the columns in the schema of the population.
func (o *Options) addPopulation(r *Request, population *dataset.Dataset) (err error) {
	r.Population, r.KMap = population, o.KMap
	r.MinPresence, r.MaxPresence = float64(o.MinPresence), float64(o.MaxPresence)
	r.PopulationColumns, err = binding.FindAlike(population.Schema(), r.Dataset.Schema(), r.Columns)
	return err
}

// request looks up the columns in the schema of the table.
func (o *Options) request(in *dataset.Dataset) (*Request, error) {
	r := &Request{Dataset: in, Entity: -1, Household: -1, Weight: -1, K: o.K,
		MaxAverageRisk: float64(o.MaxAverageRisk), PopulationSize: o.PopulationSize,
		Spill: o.Spill}
	schema, names := in.Schema(), o.names()
	var missing []string
	for i, name := range names {
		switch field := schema.Index(name); {
		case field < 0:
			missing = append(missing, name)
		case slices.Contains(names[:i], name):
			return nil, fault.Errorf(fault.Usage, "name every column once",
				"check column %s: it is named twice", name)
		case schema.Fields[field].Differs != nil:
			return nil, schema.Fields[field].Differs
		case schema.Fields[field].Type.Kind == formats.Nested:
			return nil, fault.Errorf(fault.Usage, "name columns of values",
				"check column %s: it is nested", name)
		case i < len(o.Columns):
			r.Columns = append(r.Columns, field)
		case i < len(o.Columns)+len(o.Sensitive):
			r.Sensitive = append(r.Sensitive, field)
		case name == o.Household:
			r.Household = field
		case name == o.Weight:
			if err := binding.CheckWeight(&schema.Fields[field]); err != nil {
				return nil, err
			}
			r.Weight = field
		default:
			r.Entity = field
		}
	}
	if len(missing) > 0 {
		return nil, fault.Errorf(fault.Usage, binding.HintOfNames(missing, len(names), schema),
			"find columns in the input: it lacks %s", strings.Join(missing, ", "))
	}
	return r, nil
}
