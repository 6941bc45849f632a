package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/text"
)

func newCheck(u *ui) *cobra.Command {
	var opt kcut.CheckOptions
	var missing string
	cmd := &cobra.Command{
		Use:   "check FILE... --columns NAMES",
		Short: "Count how anonymous any table is on some columns, without a job",
		Long: `Counts how many rows of a table share every combination of values of some columns: k, how
many rows are unique, and the risks of being found. With --sensitive it also reports what
the rows of such a class have in common in other columns. The files are one table, in
Parquet, Arrow or CSV, written by any program. Nothing is written.`,
		Example: `  kcut check people.parquet --columns birth-date,sex,zip
  kcut check exports/*.csv --columns age,zip --sensitive diagnosis --k 5 --json
  kcut check s3://bucket/stays.parquet --columns age,zip --entity patient`,
		Args: takes("at least one file, directory or glob", 1, -1),
	}
	set := cmd.Flags()
	set.StringSliceVar(&opt.Columns, "columns", nil,
		"`NAMES` of columns that somebody may know together, with commas between")
	set.StringArrayVar(&opt.Sensitive, "sensitive", nil,
		"measure column `NAME` in every class; may be given several times")
	set.StringVar(&opt.Count, "count", "", "take a row for as many records as column `NAME` says")
	set.StringVar(&opt.Entity, "entity", "",
		"count different values of column `NAME`, such as people, instead of rows")
	set.StringVar(&opt.Household, "household", "",
		"report the risk that somebody of a household is found, by column `NAME`")
	set.StringVar(&opt.Weight, "weight-of-row", "",
		"report risks by the sampling weights of rows in column `NAME`")
	set.IntVar(&opt.Subsets, "subsets", 0,
		"search rows that are unique in up to `N` of the columns, and in no part of these (SUDA)")
	set.IntVar(&opt.K, "k", 0, "end with exit code 4 unless every class has `N` rows, or people")
	set.TextVar(&opt.MaxAverageRisk, "max-average-risk", kcut.Share(0),
		"end with exit code 4 if the average risk, classes divided by rows, is above `SHARE`")
	set.Int64Var(&opt.PopulationSize, "population-size", 0,
		"estimate how many of `N` people, from whom those of the table were drawn, are unique")
	set.StringArrayVar(&opt.Population, "population", nil,
		"count the people of every class in `FILE`, a table of all people from whom those\n"+
			"of the table come; may be given several times")
	set.StringVar(&opt.PopulationCount, "population-count", "",
		"take a row of the population for as many people as column `NAME` says")
	set.IntVar(&opt.KMap, "k-map", 0,
		"end with exit code 4 unless every class has `N` people of the population")
	set.TextVar(&opt.MinPresence, "min-presence", kcut.Share(0),
		"end with exit code 4 if a smaller `SHARE` of the people of a class is in the table")
	set.TextVar(&opt.MaxPresence, "max-presence", kcut.Share(0),
		"end with exit code 4 if a larger `SHARE` of the people of a class is in the table")
	for _, limit := range []string{"max-average-risk", "min-presence", "max-presence"} {
		set.Lookup(limit).DefValue = "" // none, and not 0%
	}
	set.StringVar(&missing, "missing-columns", "error",
		"a column that some of the files lack: `error` (exit code 3), or null there")
	offer(cmd, "missing-columns", "error", "null")
	csv := addCSV(cmd)
	addJSON(cmd, u)
	limits := addLimits(cmd, "limits.spill_dir")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(opt.Columns) == 0:
			return usageError(cmd.CommandPath(), "--columns names no column")
		case set.Changed("k") && opt.K < 1:
			return usageError(cmd.CommandPath(), "k must be at least 1, not %d", opt.K)
		case set.Changed("population-size") && opt.PopulationSize < 1:
			return usageError(cmd.CommandPath(), "population-size must be at least 1, not %d",
				opt.PopulationSize)
		case set.Changed("subsets") && opt.Subsets < 1:
			return usageError(cmd.CommandPath(), "subsets must be at least 1, not %d", opt.Subsets)
		case set.Changed("k-map") && opt.KMap < 1:
			return usageError(cmd.CommandPath(), "k-map must be at least 1, not %d", opt.KMap)
		case set.Changed("max-average-risk") && opt.MaxAverageRisk == 0:
			return usageError(cmd.CommandPath(), "max-average-risk must be above 0%%")
		case set.Changed("max-presence") && opt.MaxPresence == 0:
			return usageError(cmd.CommandPath(), "max-presence must be above 0%%")
		case len(opt.Population) == 0 && (opt.KMap > 0 || opt.PopulationCount != "" ||
			opt.MinPresence > 0 || opt.MaxPresence > 0):
			return usageError(cmd.CommandPath(), "k-map, presence and population-count need "+
				"--population")
		case missing != "error" && missing != "null":
			return usageError(cmd.CommandPath(),
				"--missing-columns must be one of error, null, not %q", missing)
		}
		opt.MissingNull = missing == "null"
		var err error
		if opt.Limits, err = limits(); err != nil {
			return err
		}
		keepTo(opt.Limits.Threads)
		if opt.CSV, err = csv(); err != nil {
			return err
		}
		opt.Input = args
		progress := u.follow()
		opt.Events = progress.events()
		checked, err := kcut.Check(cmd.Context(), opt)
		progress.close()
		if checked == nil {
			return err
		}
		answer := struct {
			*kcut.Checked
			Error *exit.Failure `json:"error,omitempty"`
		}{checked, exit.FailureOf(cmd.Context(), err)}
		return errors.Join(err, u.reply(answer, u.checkedText(checked)))
	}
	return cmd
}

// checkedText returns the text that shows people the result of a check.
func (u *ui) checkedText(c *kcut.Checked) string {
	counted := ""
	if c.Entity != "" {
		counted = "; classes have as many people as values of " + text.Printable(c.Entity, "")
	}
	header, cells := []string{"columns"}, []string{""}
	if c.K > 0 {
		header, cells = append(header, "k", "below k"),
			append(cells, text.Grouped(int64(c.K)), text.Percent(c.Below))
	}
	sizes := newTable(append(header, "anonymity", "classes", "unique")...)
	cells = append(cells, text.Grouped(c.Anonymity), text.Grouped(c.Classes),
		text.Percent(c.Unique))
	for _, line := range fold(c.Columns, ",",
		u.room(len("  1,000,000  100.0 %  anonymity  1,000,000  100.0 %"))) {
		cells[0] = line
		sizes.add(cells...)
		cells = cells[:1]
	}
	risks := newTable("risk", "highest", "average")
	risks.add("prosecutor", text.Percent(c.Prosecutor.Highest), text.Percent(c.Prosecutor.Average))
	risks.add("journalist", text.Percent(c.Journalist.Highest), text.Percent(c.Journalist.Average))
	risks.add("marketer", "", text.Percent(c.Marketer))
	if w := c.Weighted; w != nil {
		counted += "; by their weights they stand for " + text.Grouped(int64(w.Population))
		risks.add("1 / weights", text.Percent(w.Simple.Highest), text.Percent(w.Simple.Average))
		risks.add("individual", text.Percent(w.Individual.Highest),
			text.Percent(w.Individual.Average))
	}
	if h := c.Households; h != nil {
		risks.add("household", text.Percent(h.Risk.Highest), text.Percent(h.Risk.Average))
	}
	words := fmt.Sprintf("%s%s\n\n%s\n%s", text.Count(c.Rows, "row"), counted, sizes, risks)
	if r := c.Register; r != nil {
		t := registerTable()
		addRegister(t, r)
		words += "\n" + t.String()
	}
	if c.Population != nil {
		words += "\n" + populationTable(c.Population).String()
	}
	if len(c.Sensitive) > 0 {
		words += "\n" + sensitiveTable(c.Sensitive).blocks(1, u.answerWidth())
	}
	if c.Uniques != nil {
		words += "\n" + u.uniquesText(c.Uniques)
	}
	return words
}

// populationTable has the estimates of the unique people of a population.
func populationTable(p *kcut.RiskPopulation) *table {
	t := newTable("estimator", "unique of "+text.Grouped(p.Size), "error")
	for _, name := range slices.Sorted(maps.Keys(p.Estimates)) {
		off := ""
		if name == p.Estimator {
			off = text.Percent(p.Error)
		}
		t.add(name, text.Percent(p.Estimates[name]), off)
	}
	return t
}

// mostUniqueLines is the largest number of sets with minimal uniques that are listed.
const mostUniqueLines = 20

// uniquesText returns the text about minimal sample uniques.
func (u *ui) uniquesText(of *kcut.CheckedUniques) string {
	words := fmt.Sprintf(
		"%s of up to %s, in %s of the rows; SUDA score %s at most, %s on average\n",
		text.Count(of.Minimal, "minimal sample unique"), text.Count(of.Subsets, "column"),
		text.Percent(of.Share), score(of.HighestScore), score(of.AverageScore))
	if of.Minimal == 0 {
		return words
	}
	sets := newTable("unique in", "minimal uniques")
	for i, set := range of.Sets {
		if i == mostUniqueLines {
			sets.add(fmt.Sprintf("... of %s", text.Count(len(of.Sets), "set")))
			break
		}
		minimal := text.Grouped(set.Minimal)
		for _, line := range fold(set.Columns, ",", u.room(len("  minimal uniques"))) {
			sets.add(line, minimal)
			minimal = ""
		}
	}
	columns := newTable("column", "part of the scores")
	for _, c := range of.Columns {
		columns.add(c.Column, text.Percent(c.Share))
	}
	return fmt.Sprintf("%s\n%s\n%s", words, sets, columns)
}

// score writes a SUDA score, which may be very large.
func score(of float64) string { return strconv.FormatFloat(of, 'g', 4, 64) }

// sensitiveTable has the measures of sensitive columns, each in the class where it is worst.
func sensitiveTable(columns []kcut.CheckedSensitive) *table {
	head := []string{"sensitive", "values"}
	for _, figure := range new(kcut.CheckedSensitive).List() {
		if !figure.Given {
			head = append(head, figure.Key)
		}
	}
	t := newTable(head...)
	for _, s := range columns {
		cells := []string{s.Column, text.Grouped(int64(s.Values))}
		for _, figure := range s.List() {
			if !figure.Given {
				cells = append(cells, cmp.Or(figure.String(), "none"))
			}
		}
		t.add(cells...)
	}
	return t
}
