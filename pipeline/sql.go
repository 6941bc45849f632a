package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/sql"
	"github.com/kcut/kcut/spill"
)

// SQLOptions say in which dialect a statement is written, and for which tables.
type SQLOptions struct {
	Dialect string
	Table   string // the table to read
	// Into is the table that the statement of CountSQL or MaskSQL makes. Empty: the statements
	// return rows.
	Into string
}

// parse reads the options.
func (o *SQLOptions) parse() (d *sql.Dialect, from sql.Table, err error) {
	if d, err = sql.DialectOf(o.Dialect); err == nil {
		from, err = sql.ParseTable(o.Table)
	}
	return d, from, err
}

// CountSQL writes the statements that make the tables of counts of a job. With Into that is one
// statement, which counts by all columns together. Else there is a statement for each list of
// columns whose combinations the job's search counts, except lists within a longer list. All tables
// have the class: the search counts the records of each of its values.
func CountSQL(j *job.Job, opt SQLOptions) (string, error) {
	d, from, err := opt.parse()
	if err == nil {
		err = refusePeople(j, "in SQL")
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
	if opt.Into == "" {
		return sql.Count(d, from, countedColumns(j), countColumnOf(j))
	}
	into, err := sql.ParseTable(opt.Into)
	if err != nil {
		return "", err
	}
	return sql.CountInto(d, from, into, countedColumns(j), countColumnOf(j))
}

// countColumnOf returns the name of the column of counts in the tables of CountSQL.
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

// VerifySQL writes the statements that recount a table that was masked with a cut.
func VerifySQL(ctx context.Context, cut string, opt SQLOptions) (string, error) {
	d, masked, err := opt.parse()
	if err != nil {
		return "", err
	}
	file, err := cutfile.Read(ctx, cut)
	if err != nil {
		return "", err
	}
	return sql.Verify(d, file, masked)
}

// MaskSQL writes the statement that masks a table with a cut. It reads the types of the columns
// from the job's counts, or from its input.
func MaskSQL(ctx context.Context, j *job.Job, cut string, opt SQLOptions) (text string, err error) {
	d, from, err := opt.parse()
	if err != nil {
		return "", err
	}
	var into sql.Table
	if opt.Into != "" {
		if into, err = sql.ParseTable(opt.Into); err != nil {
			return "", err
		}
	}
	err = bindMasked(ctx, j, cut, func(m *sql.Masked) error {
		m.From, m.Into = from, into
		text, err = sql.Mask(d, m)
		return err
	})
	return text, err
}

// DBTPackage writes a package of dbt with the statements of a job and a cut, by the names of its
// files. The package has a name, and its statements are of a dialect. Without a job it has none,
// without a cut the one that counts.
func DBTPackage(ctx context.Context, j *job.Job, cut, name, dialect string) (
	files map[string]string, err error) {
	d, err := sql.DialectOf(dialect)
	if err != nil {
		return nil, err
	}
	switch {
	case j == nil:
		return sql.DBT(d, name, nil, "", nil)
	case j.CountsPeople() != "":
		return nil, refusePeople(j, "in SQL")
	case cut == "":
		return sql.DBT(d, name, countedColumns(j), countColumnOf(j), nil)
	}
	err = bindMasked(ctx, j, cut, func(m *sql.Masked) error {
		files, err = sql.DBT(d, name, countedColumns(j), countColumnOf(j), m)
		return err
	})
	return files, err
}

// bindMasked calls a function with a cut that is bound to a job.
func bindMasked(ctx context.Context, j *job.Job, cut string,
	write func(*sql.Masked) error) (err error) {
	if err := refusePeople(j, "in SQL"); err != nil {
		return err
	}
	earlier, err := domain.ReadCut(ctx, cut)
	if err != nil {
		return err
	}
	res, err := newRunState(j, &Report{}, Events{}, spill.Options{})
	if err != nil {
		return err
	}
	defer spill.LimitHeap(res.Budget.Limit())()
	b, err := bindJob(ctx, j, res)
	if err != nil && fault.ClassOf(err) != fault.Privacy {
		return err
	}
	defer func() { err = joinClosed(err, b.Close()) }()
	if err := b.BindCut(earlier); err != nil {
		return err
	}
	if earlier.Kind == "" {
		// Labelers checks that the cut fits the types and taxonomies of the columns.
		if _, err := earlier.Labelers(res.Budget); err != nil {
			return err
		}
	}
	return write(&sql.Masked{Job: j, Cut: earlier})
}
