package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/kcut/internal/report"
	"github.com/kcut/kcut/internal/text"
)

// evaluateFlags are the flags of kcut evaluate.
type evaluateFlags struct {
	kcut.EvaluateOptions
	algorithms, ks                           []string
	split, rules, testRows, intervals, roots string
	curve, quality, overwrite                bool
	page                                     string
}

// curveKs are the values of k of a curve, unless --k has others.
var curveKs = []string{"5", "10", "20", "50", "100", "200", "500", "1000"}

func newEvaluate(u *ui) *cobra.Command {
	var flags evaluateFlags
	cmd := &cobra.Command{
		Use:   "evaluate JOB",
		Short: "Measure how useful releases would be to classifiers and for counts",
		Long: `Masks training rows by the job, and test rows with the resulting labels, as kcut apply does.
Classifiers learn the class from the training rows: a decision tree, naive Bayes, logistic
regression and boosted trees. kcut counts how often they are wrong about the test rows.
It also prints their errors on raw values and without any quasi-identifier, the error of
counting queries, how well a classifier separates a release from its original rows, and
the costs of masking. Without a class it prints the last three only.

--curve evaluates every algorithm that the job allows, with k from 5 to 1000, unless
--algorithms or --k name others, and prints the choice of auto at every k. --html draws
the results on one page, error against k and against the error of queries. The page needs
no network and no script. Nothing else is written.`,
		Example: `  kcut evaluate people.yaml
  kcut evaluate people.yaml --algorithms tdr,mondrian --k 10,50,100 --folds 5
  kcut evaluate people.yaml --split set=train --json
  kcut evaluate people.yaml --curve --folds 2 --html curve.html`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	overrides := addOverrides(cmd, "--k", "--algorithm", "--output", "--compression", "--previous",
		"--allow-new-cut")
	set := cmd.Flags()
	set.StringSliceVar(&flags.algorithms, "algorithms", nil,
		"`NAMES` of algorithms, with commas between (default the job's)")
	offerSome(cmd, "algorithms", algorithmNames()...)
	set.StringSliceVar(&flags.ks, "k", nil,
		"`NUMBERS` for k of every set, with commas between (default the job's)")
	set.IntVar(&flags.Folds, "folds", 10, "cross-validate on `N` parts of the rows")
	set.IntVar(&flags.Repeats, "repeats", 1, "cross-validate `N` times, on other parts each time")
	set.StringVar(&flags.split, "split", "",
		"train on the rows that `COLUMN=VALUE` is true of, test on all others, once")
	set.Uint64Var(&flags.Sample, "sample", 0, "take about `N` rows of the input (default all)")
	addChoice(cmd, &flags.rules, "rules-from",
		"make the masking rules from `ROWS`: training, or all", "training", "all")
	addChoice(cmd, &flags.testRows, "test-rows",
		"test on `ROWS` that are masked by the rules, or raw, with words drawn from sets of words",
		"masked", "raw")
	addChoice(cmd, &flags.intervals, "intervals",
		"show intervals to classifiers as `FORM`: midpoint, a number, uniform, one drawn from "+
			"it, or nominal, a word", "midpoint", "uniform", "nominal")
	addChoice(cmd, &flags.roots, "roots",
		"show taxonomy roots, whole ranges and * to classifiers as `FORM`: missing, or values",
		"missing", "values")
	set.BoolVar(&flags.quality, "quality", false,
		"also print F1, balanced error and the error of every class (--json always does)")
	set.BoolVar(&flags.curve, "curve", false,
		"try every algorithm that the job allows, and k from 5 to 1000")
	set.StringVar(&flags.page, "html", "", "draw errors and k on an HTML page, written to `FILE`")
	set.BoolVar(&flags.overwrite, "overwrite", false, "replace the page if it exists")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.check(cmd.CommandPath()); err != nil {
			return err
		}
		if flags.page != "" {
			// This check comes first, since counting takes long.
			if err := kcut.CheckFile("page", flags.page, flags.overwrite); err != nil {
				return err
			}
		}
		jobs, err := flags.variants(u, args[0], overrides())
		if err != nil {
			return err
		}
		flags.fitTo(jobs, cmd.Flags().Changed)
		page := kcut.Place{What: "page", Path: flags.page}
		err = kcut.CheckPlaces(jobs[0], []kcut.Place{page},
			kcut.Place{What: "job file", Path: args[0]})
		if err != nil {
			return err
		}
		keepTo(jobs[0].Limits.Threads)
		progress := u.follow()
		flags.Events = progress.events()
		evaluation, err := kcut.Evaluate(cmd.Context(), jobs, flags.EvaluateOptions)
		progress.close()
		if err != nil {
			return err
		}
		if flags.page != "" {
			name := filepath.Base(args[0])
			err := report.WriteEvaluation(flags.page, name, evaluation, flags.overwrite)
			if err != nil {
				return err
			}
		}
		return u.reply(evaluation, u.evaluationText(evaluation, flags.quality))
	}
	return cmd
}

// fitTo sets what no flag set: few rows of another table are in a group with tight labels, so a
// model that is trained on these is tested on raw rows, and sees an interval as numbers in it.
func (f *evaluateFlags) fitTo(jobs []*kcut.Job, isSet func(flag string) bool) {
	for _, j := range jobs {
		if j.Algorithm.RegionLabels != "tight" {
			return
		}
	}
	if !isSet("test-rows") && !f.RulesFromAll {
		f.RawTest = true
	}
	if !isSet("intervals") && f.RawTest {
		f.Uniform = true
	}
}

// check checks the flags, and fills in the options of kcut.Evaluate.
func (f *evaluateFlags) check(command string) error {
	f.RulesFromAll, f.RawTest = f.rules == "all", f.testRows == "raw"
	f.Nominal, f.Uniform, f.RootsTell = f.intervals == "nominal", f.intervals == "uniform",
		f.roots == "values"
	found := false
	f.SplitColumn, f.SplitValue, found = strings.Cut(f.split, "=")
	switch {
	case f.Folds < 2:
		return usageError(command, "--folds is %d, the least is 2", f.Folds)
	case f.Repeats < 1:
		return usageError(command, "--repeats is %d, the least is 1", f.Repeats)
	case f.RawTest && f.RulesFromAll:
		return usageError(command,
			"--test-rows raw needs test rows that the rules were not made from: leave out "+
				"--rules-from all")
	case f.split != "" && (!found || f.SplitColumn == ""):
		return usageError(command, "--split is COLUMN=VALUE, not %s", f.split)
	}
	return nil
}

// variants loads the job once for every requested algorithm and k.
func (f *evaluateFlags) variants(u *ui, path string, overrides []kcut.Override) (jobs []*kcut.Job,
	err error) {
	if f.curve && len(f.algorithms) == 0 {
		if f.algorithms, err = allowed(u, path, overrides); err != nil {
			return nil, err
		}
	}
	if f.curve && len(f.ks) == 0 {
		f.ks = curveKs
	}
	lists := varied([][]kcut.Override{overrides}, "algorithm.name", "--algorithms", f.algorithms)
	for _, list := range varied(lists, "quasi_identifiers[].k", "--k", f.ks) {
		job, err := kcut.LoadJob(path, list...)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// allowed returns the names of the algorithms that the job allows. A job that is wrong with every
// algorithm is an error.
func allowed(u *ui, path string, overrides []kcut.Override) (names []string, err error) {
	if _, err := kcut.LoadJob(path, overrides...); err != nil {
		return nil, err
	}
	for _, a := range kcut.Algorithms() {
		_, err := kcut.LoadJob(path,
			varied([][]kcut.Override{overrides}, "algorithm.name", "--curve",
				[]string{a.Name})[0]...)
		if err != nil {
			u.note(fmt.Sprintf("algorithm %s is left out: the job does not allow it", a.Name))
		} else {
			names = append(names, a.Name)
		}
	}
	return names, nil
}

// varied returns every list of overrides once with each of some values. Without values it returns
// the lists unchanged.
func varied(lists [][]kcut.Override, key, origin string, values []string) (all [][]kcut.Override) {
	if len(values) == 0 {
		return lists
	}
	for _, list := range lists {
		for _, value := range values {
			all = append(all,
				append(slices.Clip(list), kcut.Override{Key: key, Value: value, Origin: origin}))
		}
	}
	return all
}

// evaluationText returns the text that shows people a report. Errors are in percent.
func (u *ui) evaluationText(r *kcut.Evaluation, quality bool) string {
	header := append([]string{"masked by", "k"}, r.Learners...)
	if len(r.Learners) > 0 {
		header = append(header, "AUC")
	}
	header = append(header, "queries", "propensity", "penalty", "class size")
	if len(r.Learners) > 0 {
		header = append(header, "misclassified")
	}
	header = append(header, "discernibility", "dropped")
	if slices.ContainsFunc(r.Results, hasNoRegion) {
		header = append(header, "no region")
	}
	t := newTable(header...)
	row := func(name, k string, errors map[string]kcut.Score, quality map[string]kcut.Quality,
		costs *kcut.Costs) {
		cells := []string{name, k}
		var areas []string
		for _, l := range r.Learners {
			if score, ok := errors[l]; ok {
				cells = append(cells, report.Score(score))
				areas = append(areas, fmt.Sprintf("%.3f", quality[l].AUC.Mean))
			}
		}
		if len(areas) > 0 {
			cells = append(cells, strings.Join(areas, " / "))
		}
		if costs != nil {
			cells = append(cells, report.Score(costs.QueryError),
				fmt.Sprintf("%.3f", costs.Propensity.Mean), fmt.Sprintf("%.3f", costs.Penalty.Mean),
				fmt.Sprintf("%.2f", costs.ClassSize.Mean))
			if len(r.Learners) > 0 {
				cells = append(cells, report.Score(costs.Misclassified))
			}
			cells = append(cells, fmt.Sprintf("%.3g", costs.Discernibility.Mean),
				fmt.Sprintf("%.4g", costs.Dropped.Mean))
			if costs.NoRegion != nil {
				cells = append(cells, report.Score(*costs.NoRegion))
			}
		}
		t.add(cells...)
	}
	if len(r.Learners) > 0 {
		row("nothing (BE)", "", r.Baseline, r.BaselineQuality, nil)
		row("removal (UE)", "", r.Upper, r.UpperQuality, nil)
	}
	notes := ""
	for _, result := range r.Results {
		row(result.Algorithm, kText(result.K), result.Errors, result.Quality, result.Release)
		if result.Failed != "" {
			notes += fmt.Sprintf("%s, k %s: %s\n", result.Algorithm, kText(result.K), result.Failed)
		}
		if len(result.Chosen) > 0 {
			notes += fmt.Sprintf("%s, k %s: takes %s\n", result.Algorithm, kText(result.K),
				report.Chosen(result.Chosen))
		}
		if result.Useless {
			notes += fmt.Sprintf("%s, k %s: of no use: no classifier does better than the most "+
				"frequent class, wrong about %s %%, as some do on raw rows\n",
				result.Algorithm, kText(result.K), report.Score(*r.Majority))
		}
	}
	more := ""
	if quality && len(r.Learners) > 0 {
		more = "\n" + qualityTable(r).String()
	}
	shown := ""
	if r.Intervals != "" {
		shown = "; intervals " + r.Intervals
	}
	if r.TestRows != "" {
		shown += "; test rows " + r.TestRows
	}
	rows := text.Count(r.Rows, "row")
	if r.Entities > 0 {
		rows += " of " + text.Grouped(int64(r.Entities)) + " entities"
	}
	return fmt.Sprintf("%s, %s%s; errors in percent\n\n%s%s%s%s", rows,
		text.Count(r.Rounds, "round"), shown, t.blocks(2, u.answerWidth()), notes, optimistic(r),
		more)
}

// optimistic names the figures that would be worse for new rows. It is empty if there are none.
func optimistic(r *kcut.Evaluation) string {
	if len(r.Optimistic) == 0 {
		return ""
	}
	figures := "propensity is"
	if len(r.Learners) > 0 {
		figures = "errors and AUC of masked rows, and propensity, are"
	}
	return figures + " optimistic: the rules were made from the test rows, too\n"
}

// hasNoRegion reports whether a result has the number of test rows in no region.
func hasNoRegion(r kcut.EvaluationResult) bool {
	return r.Release != nil && r.Release.NoRegion != nil
}

// qualityTable has a row for every classifier and every way to mask. Errors are in percent.
func qualityTable(r *kcut.Evaluation) *table {
	t := newTable("masked by", "k", "classifier", "AUC", "F1", "balanced error", "error by class")
	rows := func(name, k string, quality map[string]kcut.Quality) {
		for _, l := range r.Learners {
			q, ok := quality[l]
			if !ok {
				continue
			}
			var classes []string
			for _, score := range q.ClassErrors {
				if score == nil {
					classes = append(classes, "-")
				} else {
					classes = append(classes, fmt.Sprintf("%.2f", 100*score.Mean))
				}
			}
			t.add(name, k, l, fmt.Sprintf("%.3f", q.AUC.Mean), fmt.Sprintf("%.3f", q.F1.Mean),
				report.Score(q.BalancedError), strings.Join(classes, " "))
		}
	}
	rows("nothing (BE)", "", r.BaselineQuality)
	rows("removal (UE)", "", r.UpperQuality)
	for _, result := range r.Results {
		rows(result.Algorithm, kText(result.K), result.Quality)
	}
	return t
}

// kText writes the k of all sets: a single number if they agree.
func kText(ks []int) string {
	if slices.Min(ks) == slices.Max(ks) {
		ks = ks[:1]
	}
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(ks), "[]")), ", ")
}
