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

// SQLOptions say in which dialect a statement is, and of which tables.
type SQLOptions struct {
	Dialect string
	Table   string // that is read
	Into    string // of MaskSQL: that is made
}

// parse reads the options.
func (o *SQLOptions) parse() (d *sql.Dialect, from sql.Table, err error) {
	if d, err = sql.DialectOf(o.Dialect); err == nil {
		from, err = sql.ParseTable(o.Table)
	}
	return d, from, err
}

// CountSQL writes the statements that make the tables of counts of a job. They are one for every
// list of columns whose combinations its search counts, but for those that are within another
// one, all of them with the class, of which it counts every value's records.
func CountSQL(j *job.Job, opt SQLOptions) (string, error) {
	d, from, err := opt.parse()
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
	return sql.Count(d, from, countedColumns(j), countColumnOf(j))
}

// countColumnOf returns the column of counts in tables that are to be made.
func countColumnOf(j *job.Job) string {
	counted := *j
	counted.InputCounts = []string{"."}
	return counted.CountColumn()
}

// countedColumns returns the columns of every table of counts.
func countedColumns(j *job.Job) (groupings [][]string) {
	var names, beside []string
	number := make(map[string]int)
	for _, set := range j.Sets {
		for _, name := range set.Columns {
			if _, ok := number[name]; !ok {
				number[name] = len(names)
				names = append(names, name)
			}
		}
	}
	if j.Class != "" {
		beside = append(beside, j.Class)
	}
	for _, s := range j.Sensitive {
		if !slices.Contains(beside, s.Column) {
			beside = append(beside, s.Column)
		}
	}
	if j.Entity != "" || len(j.Sensitive) > 0 {
		// what kinds of records there are is known of one table alone
		if j.Entity != "" {
			beside = append(beside, j.Entity)
		}
		return [][]string{slices.Concat(names, beside)}
	}
	// rows: as many as may be suppressed
	requirement, _ := binding.Requirement(j, number, formats.MostRecords)
	var columns [][]int
	for _, g := range algorithm.Engine(j).Plan(requirement).Groupings {
		// the kind is the class
		of := slices.DeleteFunc(slices.Clone(g.Columns), func(a int) bool {
			return a >= len(names)
		})
		columns = append(columns, of)
	}
	for i, of := range columns {
		within := func(other []int) bool {
			return !slices.ContainsFunc(of, func(a int) bool { return !slices.Contains(other, a) })
		}
		larger := func(other []int) bool { return len(other) > len(of) && within(other) }
		if slices.ContainsFunc(columns, larger) || slices.ContainsFunc(columns[:i], within) {
			continue
		}
		var grouping []string
		for _, a := range of {
			grouping = append(grouping, names[a])
		}
		groupings = append(groupings, append(grouping, beside...))
	}
	return groupings
}

// VerifySQL writes the statements that recount a table that was masked with a cut.
func VerifySQL(ctx context.Context, cut string, opt SQLOptions) (string, error) {
	d, of, err := opt.parse()
	if err != nil {
		return "", err
	}
	file, err := cutfile.Read(ctx, cut)
	if err != nil {
		return "", err
	}
	return sql.Verify(d, file, of)
}

// MaskSQL writes the statement that masks a table with a cut. Of the job's counts, or of its
// input, it reads the types of the columns.
func MaskSQL(ctx context.Context, j *job.Job, cut string, opt SQLOptions) (text string, err error) {
	d, from, err := opt.parse()
	if err != nil {
		return "", err
	}
	into, err := sql.ParseTable(opt.Into)
	if err != nil {
		return "", err
	}
	given, err := domain.ReadCut(ctx, cut)
	if err != nil {
		return "", err
	}
	res, err := newRunState(j, &Report{}, Events{}, spill.Options{})
	if err != nil {
		return "", err
	}
	defer spill.LimitHeap(res.Budget.Limit())()
	b, err := bindJob(ctx, j, res)
	if err != nil && fault.ClassOf(err) != fault.Privacy {
		return "", err
	}
	defer func() { err = joinClosed(err, b.Close()) }()
	if err := b.BindCut(given); err != nil {
		return "", err
	}
	if given.Kind == "" {
		// the cut fits the columns' types and taxonomies
		if _, err := given.Labelers(res.Budget); err != nil {
			return "", err
		}
	}
	return sql.Mask(d, &sql.Masked{Job: j, Cut: given, From: from, Into: into})
}
