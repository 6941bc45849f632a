package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/pseudonym"
	"github.com/kcut/kcut/pipeline/verify"
)

// TablesReport says what a run of several tables did. It is not for release.
type TablesReport struct {
	Tables []TableReport `json:"tables"`
	// Joined has the people of tables with the same pseudonyms, by the key that makes these.
	Joined []*verify.Joined `json:"joined,omitempty"`
	Error  *ErrorReport     `json:"error,omitempty"` // of a run that failed
}

// TableReport is the report of one of several tables.
type TableReport struct {
	Table string `json:"table"`
	*Report
}

// tableRun is the run of one of several tables.
type tableRun struct {
	jobRun
	name string
	made *runRecords // of the verified release
}

// RunTables carries out the jobs of several tables, each with all of the memory. It publishes all
// releases after the last one is verified, and the people of tables with the same pseudonyms are
// counted together. On an error before that, nothing is published.
func RunTables(ctx context.Context, t *job.Tables, opt RunOptions) (*TablesReport, error) {
	if err := checkTables(t, opt); err != nil {
		return nil, err
	}
	report := &TablesReport{}
	runs, err := prepareTables(ctx, t, opt, report)
	if err == nil {
		report.Joined, err = joinTables(ctx, runs, t, &opt)
	}
	if err == nil {
		err = saveReport(opt.RunJSON, report)
	}
	var published []string
	for i, run := range runs {
		if err != nil {
			err = errors.Join(err, run.made.giveUp(ctx, err))
			continue
		}
		if err = run.made.publish(ctx); err == nil {
			report.Tables[i].Report = run.made.res.report
			published = append(published, run.name)
		} else if err = inTable(run.name, err); len(published) > 0 {
			err = fmt.Errorf("%w; published before: %s; the same command publishes the rest", err,
				strings.Join(published, ", "))
		}
	}
	if err != nil {
		report.Error = reportOf(err)
		_ = saveReport(opt.RunJSON, report) // the first error matters more
		return nil, err
	}
	return report, nil
}

// checkTables refuses options that are for a single table, tables of counts, and outputs that
// replace another table's input or output.
func checkTables(t *job.Tables, opt RunOptions) error {
	for _, option := range []struct {
		given bool
		name  string
	}{
		{opt.Trace != nil, "a trace"}, {opt.OnlyCoarsen != "", "an earlier cut"},
		{opt.Runner != nil, "a runner"},
	} {
		if option.given {
			return fault.Errorf(fault.Usage, "leave it out, or run the job of one table",
				"run several tables with %s", option.name)
		}
	}
	for i, table := range t.Tables {
		if table.Name == "" {
			return fault.Errorf(fault.Usage, "run its job alone, or give it a name",
				"run several tables: one has no name")
		}
		if len(table.InputCounts) > 0 {
			return fault.Errorf(fault.Usage, "run a job of its own for them",
				"run table %s: several tables take rows, and it has counts", table.Name)
		}
		place := fileset.Place{What: "output of table " + table.Name, Path: table.Output.Path}
		for k, other := range t.Tables {
			if i == k {
				continue
			}
			if table.Output.Path == other.Output.Path { // CheckSideFiles skips URLs
				return fault.Errorf(fault.Usage, "name another output for one of them",
					"run tables %s and %s: they have one output", table.Name, other.Name)
			}
			if err := output.CheckSideFiles(other.Job, []fileset.Place{place}); err != nil {
				return inTable(other.Name, err)
			}
		}
	}
	return nil
}

// inTable adds the name of a table to an error, unless it has a place in the job file.
func inTable(name string, err error) error {
	if wrong := (*job.Error)(nil); errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("table %s: %w", name, err)
}

// prepareTables makes and verifies the releases of all tables, up to the first error.
func prepareTables(
	ctx context.Context, t *job.Tables, opt RunOptions, report *TablesReport,
) (runs []*tableRun, err error) {
	opt.RunJSON = "" // it has the report of all tables
	noted := opt.Events.Noted
	for _, table := range t.Tables {
		of := opt
		of.Events.Notice = func(text string) { noted("table " + table.Name + ": " + text) }
		run := &tableRun{jobRun: jobRun{job: table.Job, opt: &of}, name: table.Name}
		if run.previousCut, err = previousForSearch(ctx, table.Job); err != nil {
			return runs, inTable(table.Name, err)
		}
		of.Failed = nil
		made, err := run.provided(func(res *runState) (err error) {
			run.made, err = run.prepare(ctx, res)
			return err
		})
		if run.made != nil {
			runs = append(runs, run)
		}
		if err != nil {
			return runs, inTable(table.Name, err)
		}
		report.Tables = append(report.Tables, TableReport{table.Name, made})
	}
	return runs, nil
}

// joinTables counts the people of tables with pseudonyms of one key and form, and refuses a release
// in which more of them are alone than the job allows.
func joinTables(
	ctx context.Context, runs []*tableRun, t *job.Tables, opt *RunOptions,
) (joined []*verify.Joined, err error) {
	var tables []keyedTable
	for _, run := range runs {
		tables = append(tables, keyedTable{run.name, run.job, run.keys, run.made.path()})
	}
	for _, group := range linkedTables(tables) {
		j, err := verify.Join(ctx, group.releases, t.Tables[0].Limits, opt.Events)
		if err != nil {
			return joined, fmt.Errorf("join tables %s: %w", group.names, err)
		}
		j.Paths = group.outputs
		joined = append(joined, j)
		opt.Events.Noted(group.describe(j))
		if err := group.check(j, t.MaxUnique); err != nil {
			return joined, err
		}
	}
	return joined, nil
}

// describe says how well people hide from somebody who joins the tables.
func (g *linkedGroup) describe(j *verify.Joined) string {
	return fmt.Sprintf("tables %s, joined by %s: %s people, %s of them in several "+
		"tables; %s of the people are alone on the labels of all their rows, %s are in "+
		"classes of fewer than %d", g.names, j.Column, text.Grouped(j.People),
		text.Grouped(j.Several), text.Percent(j.Unique), text.Percent(j.BelowK), j.K)
}

// check refuses tables in which more people are alone than the job allows.
func (g *linkedGroup) check(j *verify.Joined, most job.Share) error {
	if !verify.IsAbove(j.Unique, float64(most)) {
		return nil
	}
	return fault.Errorf(fault.Privacy, fmt.Sprintf("make labels coarser with "+
		"at_most, or give tables that nobody has to join keys of their own. max_unique: "+
		"%s at the top accepts it: it is your word that nobody knows all of a person's "+
		"rows", job.Share(math.Ceil(100*j.Unique)/100)),
		"publish tables %s: %s of the people are alone on the labels of all their rows, "+
			"joined by %s; max_unique is %s", g.names, text.Percent(j.Unique), j.Column, most)
}

// keyedTable is a table, the keys of its pseudonyms by column, and the path of its release.
type keyedTable struct {
	name string
	job  *job.Job
	keys map[string]*pseudonym.Key
	path string
}

// linkedGroup is columns of several tables that have pseudonyms of one key and form.
type linkedGroup struct {
	by       []byte // fingerprint of the key, and the form
	names    string // of the tables
	tables   int
	releases []verify.Linked // of each column
	of       []int           // numbers of their tables
	outputs  []string
}

// linkedTables returns the groups of at least two tables.
func linkedTables(tables []keyedTable) (groups []*linkedGroup) {
	for number, table := range tables {
		for _, c := range table.job.Columns {
			if c.Mask != job.MaskPseudonym {
				continue
			}
			by := append(table.keys[c.Name].Fingerprint(), c.With...)
			at := -1
			for i, g := range groups {
				if bytes.Equal(g.by, by) {
					at = i
				}
			}
			if at < 0 {
				at, groups = len(groups), append(groups, &linkedGroup{by: by})
			}
			g := groups[at]
			if g.tables == 0 || g.of[len(g.of)-1] != number {
				g.names = strings.TrimPrefix(g.names+", "+table.name, ", ")
				g.tables++
			}
			g.releases = append(g.releases, verify.Linked{Path: table.path, Column: c.Name})
			g.of, g.outputs = append(g.of, number), append(g.outputs, table.job.Output.Path)
		}
	}
	several := groups[:0]
	for _, g := range groups {
		if g.tables > 1 {
			several = append(several, g)
		}
	}
	return several
}
