package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/cmd/kcut/internal/family"
	"github.com/kcut/kcut/internal/text"
)

func newPlan(u *ui) *cobra.Command {
	var opt kcut.PlanOptions
	cmd := &cobra.Command{
		Use:   "plan JOB",
		Short: "Predict what a run would do and take, from schemas and statistics",
		Long: `Checks a job against its input as a run does, and predicts whether every k can be met,
how many distinct combinations of values there are, whether they fit the memory, what goes
to disk and about how long a run takes. It reads schemas and statistics only, and writes
nothing. It ends with the exit code that a run would end with, as far as that is known.

With --sample it also reads some of the rows, up to half a million, which makes the ranges
narrow. It then reports how many of these rows share the kept columns, and the labels that
a run of the sample would release.`,
		Example: `  kcut plan people.yaml
  kcut plan people.yaml --memory 2GiB --sample --json`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	overrides := addOverrides(cmd)
	cmd.Flags().BoolVar(&opt.Overwrite, "overwrite", false,
		"plan a run that replaces the output if it exists")
	cmd.Flags().BoolVar(&opt.Sample, "sample", false, "read some of the rows, too")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		tables, err := kcut.LoadTables(args[0], overrides()...)
		if err != nil {
			return err
		}
		job := tables.Single()
		if job == nil {
			return u.planTables(cmd.Context(), tables, opt)
		}
		keepTo(job.Limits.Threads)
		plan, err := kcut.Plan(cmd.Context(), job, opt)
		if plan == nil {
			return err
		}
		if !u.json {
			return errors.Join(u.printPlan(plan), err)
		}
		return errors.Join(err, u.answer(forecast{"", plan, exit.FailureOf(cmd.Context(), err)}))
	}
	return cmd
}

// forecast is the JSON answer of kcut plan, for one table.
type forecast struct {
	Table string `json:"table,omitempty"`
	*kcut.Forecast
	Error *exit.Failure `json:"error,omitempty"`
}

// planTables plans several tables. After a failure it prints the plans of the other tables, too.
func (u *ui) planTables(ctx context.Context, tables *kcut.Tables, opt kcut.PlanOptions) error {
	keepTo(tables.Tables[0].Limits.Threads)
	plan, first := kcut.PlanTables(ctx, tables, opt)
	if plan == nil {
		return first
	}
	answer := struct {
		Tables  []forecast     `json:"tables"`
		Joined  []*kcut.Joined `json:"joined,omitempty"`
		Notices []string       `json:"notices,omitempty"`
		Error   *exit.Failure  `json:"error,omitempty"`
	}{[]forecast{}, plan.Joined, plan.Notices, exit.FailureOf(ctx, first)}
	for _, table := range plan.Tables {
		if table.Forecast == nil {
			continue
		}
		answer.Tables = append(answer.Tables,
			forecast{table.Name, table.Forecast, exit.FailureOf(ctx, table.Err)})
		if !u.json {
			first = errors.Join(first, u.printf("table %s\n", text.Printable(table.Name, "")),
				u.printPlan(table.Forecast))
		}
	}
	if u.json {
		return errors.Join(first, u.answer(answer))
	}
	for _, notice := range plan.Notices {
		u.note(notice)
	}
	return first
}

func (u *ui) printPlan(f *kcut.Forecast) error {
	for _, notice := range f.Notices {
		u.note(notice)
	}
	if f.AlreadyDone {
		u.note("already done: the output was made by the same job of the same input")
	}
	if (f.Memory.Spills == kcut.Maybe || f.Memory.Ordering == kcut.Maybe) && f.Sampled == 0 {
		u.note("--sample predicts more exactly what is spilled")
	}
	columns := newTable("column", "type", "mask", "distinct values")
	for _, c := range f.Columns {
		columns.add(c.Name, c.Type, c.Mask, between(c.Distinct, text.Grouped))
	}
	threads := "1 thread"
	if f.Threads != 1 {
		threads = fmt.Sprintf("%d threads", f.Threads)
	}
	return u.printf("%s in %s, %s; %s on %s\n\n%s\n%s\n%s\n%s%s%s", text.Count(f.Rows, "row"),
		text.Count(f.Files, "file"), size(f.Bytes),
		f.Algorithm, threads, u.reachTable(f.Sets), columns, u.groupingTable(f.Groupings),
		riskTable(f), u.choiceTable(f), u.needTable(f))
}

// choiceTable has the searches that algorithm auto may choose and their times. It is empty if the
// job names an algorithm.
func (u *ui) choiceTable(f *kcut.Forecast) string {
	if len(f.Auto) == 0 {
		return ""
	}
	t := newTable("may be chosen", "judging and searching")
	for _, c := range f.Auto {
		name, takes := c.Algorithm, duration(c.Seconds.AtLeast)+" to "+duration(c.Seconds.AtMost)
		if c.Suppresses {
			name += " with max_suppressed"
		}
		if c.LeftOut != "" {
			takes = "left out: " + c.LeftOut
		}
		t.add(name, takes)
	}
	return t.within(u.answerWidth()) + "\n"
}

// riskTable has the class sizes of sampled rows. It is empty without a sample.
func riskTable(f *kcut.Forecast) string {
	if f.Risk == nil {
		return ""
	}
	t := newTable(fmt.Sprintf("of %s", text.Count(f.Sampled, "row")), "unique",
		"in classes below "+text.Grouped(int64(f.Risk.K)), "average risk")
	if r := f.Risk.Kept; r != nil {
		t.add("kept columns", text.Percent(r.Unique), text.Percent(r.Below),
			text.Percent(r.Marketer))
	}
	r := f.Risk.Raw
	t.add("quasi-identifiers before they are masked", text.Percent(r.Unique), text.Percent(r.Below),
		text.Percent(r.Marketer))
	if l := f.Union; l != nil {
		t.add("labels of all masked columns", text.Percent(l.Unique), text.Percent(l.BelowK), "")
	}
	return t.String() + "\n"
}

// reachTable lists the sets and whether their k can be met.
func (u *ui) reachTable(sets []kcut.ForecastSet) string {
	t, others := newTable("quasi-identifiers", "k", "can be met"), len("  1,000,000  can be met")
	var listed []family.Set
	for _, set := range sets {
		others = max(others, len("  1,000,000  "+reach(set)))
		listed = append(listed, family.Set{Columns: set.Columns, K: set.K})
	}
	for _, f := range family.Of(listed) {
		set := sets[f.From]
		k, verdict := text.Grouped(int64(set.K)), reach(set)
		for _, line := range fold(f.Words(nil), ",", u.room(others)) {
			t.add(line, k, verdict)
			k, verdict = "", ""
		}
	}
	return t.String()
}

// reach says whether the k of a set can be met.
func reach(set kcut.ForecastSet) string {
	switch {
	case set.Redundant:
		return "yes, with another set"
	case set.Reachable:
		return "yes"
	}
	return "no: fewer rows"
}

// groupingTable lists the columns that are counted together. A family has the least and the most
// combinations of its sets.
func (u *ui) groupingTable(groupings []kcut.ForecastGrouping) string {
	t := newTable("counted together", "distinct combinations")
	with := sharedEnd(groupings)
	var listed []family.Set
	for _, g := range groupings {
		listed = append(listed, family.Set{Columns: g.Columns[:len(g.Columns)-len(with)]})
	}
	for _, f := range family.Of(listed) {
		tuples := groupings[f.From].Tuples
		for _, g := range groupings[f.From:f.To] {
			tuples.AtLeast = min(tuples.AtLeast, g.Tuples.AtLeast)
			tuples.AtMost = max(tuples.AtMost, g.Tuples.AtMost)
		}
		words := between(tuples, text.Grouped)
		others := max(len("  distinct combinations"), len("  "+words))
		for _, line := range fold(f.Words(with), ",", u.room(others)) {
			t.add(line, words)
			words = ""
		}
	}
	return t.String()
}

// sharedEnd returns the columns with which all groupings end, and which are not all columns of one.
func sharedEnd(groupings []kcut.ForecastGrouping) (with []string) {
	for i, g := range groupings {
		if with = with[max(0, len(with)-len(g.Columns)+1):]; i == 0 {
			with = g.Columns[1:]
		}
		for len(with) > 0 && !slices.Equal(with, g.Columns[len(g.Columns)-len(with):]) {
			with = with[1:]
		}
	}
	return with
}

// needTable lists the resources that the run takes.
func (u *ui) needTable(f *kcut.Forecast) string {
	t := newTable("a run takes", "")
	freeIn := func(room *kcut.Room) string {
		if room == nil {
			return ""
		}
		return fmt.Sprintf(" of %s free in %s", size(room.Free), room.Folder)
	}
	t.add("memory", fmt.Sprintf("at most %s, and %s of overhead",
		size(f.Memory.Budget), size(f.Memory.Overhead)))
	t.add("to count", between(f.Memory.Counting, size)+spillWords[f.Memory.Spills])
	if words := orderWords[f.Memory.Ordering]; words != "" {
		t.add("rows in order", words)
	}
	t.add("disk to spill", between(f.Disk.Spill, size)+freeIn(f.Disk.SpillRoom))
	t.add("disk for the output", "at most "+size(f.Disk.Output)+freeIn(f.Disk.OutputRoom))
	t.add("time", fmt.Sprintf("%s to %s", duration(f.Seconds.AtLeast), duration(f.Seconds.AtMost)))
	return t.within(u.answerWidth())
}

var spillWords = map[kcut.Verdict]string{
	kcut.No:    ", which fits half of the memory: nothing is spilled",
	kcut.Maybe: ": it may exceed half of the memory and spill",
	kcut.Yes:   ", which exceeds half of the memory: it spills",
}

// orderWords describe the memory of rows that a run sorts.
var orderWords = map[kcut.Verdict]string{
	kcut.No:    "fit a quarter of the memory: nothing is spilled",
	kcut.Maybe: "may exceed a quarter of the memory and spill",
	kcut.Yes:   "exceed a quarter of the memory: they spill",
}

// between writes a range with a function for its ends.
func between(r kcut.Range, write func(int64) string) string {
	low, high := write(r.AtLeast), write(r.AtMost)
	if low == high {
		return low
	}
	return low + " to " + high
}

// size writes a number of bytes with two or three digits.
func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	unit, n := 0, float64(bytes)
	for n >= 1000 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	if unit > 0 && n < 10 {
		return fmt.Sprintf("%.1f %s", n, units[unit])
	}
	return fmt.Sprintf("%.0f %s", n, units[unit])
}

// duration writes seconds with about two digits.
func duration(seconds float64) string {
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
