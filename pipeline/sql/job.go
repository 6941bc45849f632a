package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// Options say in which dialect a statement is written, and for which tables.
type Options struct {
	Dialect string
	Table   string // the table to read
	// Into is the table that the statement of CountJob or MaskJob makes. Empty: the statements
	// return rows.
	Into string
}

// parse reads the options. Without Into there is no such table.
func (o *Options) parse() (d *Dialect, from, into Table, err error) {
	if d, err = DialectOf(o.Dialect); err == nil {
		from, err = ParseTable(o.Table)
	}
	if err == nil && o.Into != "" {
		into, err = ParseTable(o.Into)
	}
	return d, from, into, err
}

// CountJob writes the statements that make the tables of counts of a job. With Into that is one
// statement, which counts by all columns together. Else there is a statement for each list of
// columns whose combinations the job's search counts, except lists within a longer list. All tables
// have the class: the search counts the records of each of its values.
func CountJob(j *job.Job, o Options) (string, error) {
	d, from, into, err := o.parse()
	if err == nil {
		err = j.RefusePeople("in SQL")
	}
	if err != nil {
		return "", err
	}
	for i := range j.Columns {
		if j.Columns[i].Name == countColumnOf(j) {
			return "", j.Located(j.Columns[i].Name, "mask",
				fmt.Errorf("a column of the table has the name of the counts: name another one "+
					"with count"))
		}
	}
	if into == nil {
		return Count(d, from, countedColumns(j), countColumnOf(j))
	}
	return CountInto(d, from, into, countedColumns(j), countColumnOf(j))
}

// countColumnOf returns the name of the column of counts in the tables of counts.
func countColumnOf(j *job.Job) string {
	counted := *j
	counted.InputCounts = []string{"."}
	return counted.CountColumn()
}

// countedColumns returns the columns of each table of counts.
func countedColumns(j *job.Job) (groupings [][]string) {
	var names, others []string
	number := make(map[string]int)
	for _, set := range j.Sets {
		for _, name := range set.Names() {
			if _, ok := number[name]; !ok {
				number[name] = len(names)
				names = append(names, name)
			}
		}
	}
	if j.Class != "" {
		others = append(others, j.Class)
	}
	for _, s := range j.Sensitive {
		if !slices.Contains(others, s.Column) {
			others = append(others, s.Column)
		}
	}
	if j.Entity != "" || len(j.Sensitive) > 0 {
		// Only one table with all columns has the entities and sensitive values of each record.
		if j.Entity != "" {
			others = append(others, j.Entity)
		}
		return [][]string{slices.Concat(names, others)}
	}
	// With the largest number of rows, the requirement allows suppression of any number.
	requirement, _ := binding.Requirement(j, number, formats.MostRecords)
	var columns [][]int
	for _, g := range algorithm.Engine(j).Plan(requirement).Groupings {
		// columns after the names are the class
		list := slices.DeleteFunc(slices.Clone(g.Columns), func(a int) bool {
			return a >= len(names)
		})
		columns = append(columns, list)
	}
	for i, list := range columns {
		within := func(other []int) bool {
			return !slices.ContainsFunc(list, func(a int) bool {
				return !slices.Contains(other, a)
			})
		}
		larger := func(other []int) bool { return len(other) > len(list) && within(other) }
		if slices.ContainsFunc(columns, larger) || slices.ContainsFunc(columns[:i], within) {
			continue
		}
		var grouping []string
		for _, a := range list {
			grouping = append(grouping, names[a])
		}
		groupings = append(groupings, append(grouping, others...))
	}
	return groupings
}

// VerifyCut writes the statements that recount a table that was masked with a cut.
func VerifyCut(ctx context.Context, cut string, o Options) (string, error) {
	d, masked, _, err := o.parse()
	if err != nil {
		return "", err
	}
	file, err := cutfile.Read(ctx, cut)
	if err != nil {
		return "", err
	}
	return Verify(d, file, masked)
}

// MaskJob writes the statement that masks a table with a cut. It reads the types of the columns
// from the job's counts, or from its input.
func MaskJob(
	ctx context.Context, j *job.Job, cut string, o Options,
) (text string, err error) {
	d, from, into, err := o.parse()
	if err != nil {
		return "", err
	}
	err = bindMasked(ctx, j, cut, func(m *Masked) error {
		m.From, m.Into = from, into
		text, err = Mask(d, m)
		return err
	})
	return text, err
}

// Package writes a package of dbt with the statements of a job and a cut, by the names of its
// files. The package has a name, and its statements are of a dialect. Without a job it has none,
// without a cut the one that counts.
func Package(ctx context.Context, j *job.Job, cut, name, dialect string) (
	files map[string]string, err error) {
	d, err := DialectOf(dialect)
	if err != nil {
		return nil, err
	}
	if j == nil {
		return DBT(d, name, nil, "", nil)
	}
	if err := j.RefusePeople("in SQL"); err != nil {
		return nil, err
	}
	if cut == "" {
		return DBT(d, name, countedColumns(j), countColumnOf(j), nil)
	}
	err = bindMasked(ctx, j, cut, func(m *Masked) error {
		files, err = DBT(d, name, countedColumns(j), countColumnOf(j), m)
		return err
	})
	return files, err
}

// bindMasked calls a function with a cut that is bound to a job.
func bindMasked(
	ctx context.Context, j *job.Job, cut string, write func(*Masked) error,
) (err error) {
	if err := j.RefusePeople("in SQL"); err != nil {
		return err
	}
	earlier, err := domain.ReadCut(ctx, cut)
	if err != nil {
		return err
	}
	r, err := resources.New(j, spill.Options{}, resources.Events{})
	if err != nil {
		return err
	}
	defer spill.LimitHeap(r.Budget.Limit())()
	taxonomies, err := binding.LoadTaxonomies(j, r.Budget)
	if err != nil {
		return err
	}
	b, err := binding.Open(ctx, j, taxonomies, r)
	if err != nil && fault.ClassOf(err) != fault.Privacy {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := b.BindCut(earlier); err != nil {
		return err
	}
	if earlier.Kind == "" {
		// Labelers checks that the cut fits the types and taxonomies of the columns.
		if _, err := earlier.Labelers(r.Budget); err != nil {
			return err
		}
	}
	return write(&Masked{Job: j, Cut: earlier})
}
