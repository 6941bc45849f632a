package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// evaluateFlags are what the command line of kcut evaluate asks for.
type evaluateFlags struct {
	algorithms, ks []string
	folds, repeats int
	split          string
	rules          string
	testRows       string
	sample         uint64
	intervals      string
	roots          string
}

func newEvaluate(u *ui) *cobra.Command {
	var flags evaluateFlags
	cmd := &cobra.Command{
		Use:   "evaluate JOB",
		Short: "Tell how useful releases would be: train and test classifiers on them",
		Long: `Masks training rows as the job says, masks test rows by the same rules, and counts how
often classifiers that learn the class from the former are wrong about the latter: a
decision tree, naive Bayes and logistic regression. Beside it stand the errors on raw
values and without any quasi-identifier, and what masking costs. Writes nothing.`,
		Example: `  kcut evaluate people.yaml
  kcut evaluate people.yaml --algorithms tdr,mondrian --k 10,50,100 --folds 5
  kcut evaluate people.yaml --split set=train --json`,
		Args: takes("one job file", 1, 1),
	}
	overrides := addOverrides(cmd, "--k", "--algorithm", "--output", "--compression")
	cmd.Flags().StringSliceVar(&flags.algorithms, "algorithms", nil, "`NAMES` of algorithms, with commas between (default the job's)")
	cmd.Flags().StringSliceVar(&flags.ks, "k", nil, "`NUMBERS` for k of every set, with commas between (default the job's)")
	cmd.Flags().IntVar(&flags.folds, "folds", 10, "cross-validate on `N` parts of the rows")
	cmd.Flags().IntVar(&flags.repeats, "repeats", 1, "cross-validate `N` times, on other parts each time")
	cmd.Flags().StringVar(&flags.split, "split", "", "train on the rows that `COLUMN=VALUE` is true of, test on all others, once")
	cmd.Flags().StringVar(&flags.rules, "rules-from", "training", "make the masking rules from `ROWS`: training, or all")
	cmd.Flags().StringVar(&flags.testRows, "test-rows", "masked", "test on `ROWS` that are masked by the rules, or raw")
	cmd.Flags().Uint64Var(&flags.sample, "sample", 0, "take about `N` rows of the input (default all)")
	cmd.Flags().StringVar(&flags.intervals, "intervals", "midpoint", "show intervals to classifiers as `FORM`: midpoint, a number, or nominal")
	cmd.Flags().StringVar(&flags.roots, "roots", "missing", "show taxonomy roots and whole ranges to classifiers as `FORM`: missing, or values")
	offer(cmd, "rules-from", "training", "all")
	offer(cmd, "test-rows", "masked", "raw")
	offer(cmd, "intervals", "midpoint", "nominal")
	offer(cmd, "roots", "missing", "values")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		options, err := flags.options(cmd.CommandPath())
		if err != nil {
			return err
		}
		jobs, err := flags.variants(args[0], overrides())
		if err != nil {
			return err
		}
		if jobs[0].Class == "" {
			return usageError(cmd.CommandPath(), "the job has no class that classifiers could learn")
		}
		keepTo(jobs[0].Limits.Threads)
		progress := u.follow()
		options.Events = progress.events()
		report, err := kcut.Evaluate(cmd.Context(), jobs, options)
		progress.close()
		if err != nil {
			return err
		}
		return u.tell(report, evaluationText(report))
	}
	return cmd
}

// options checks the flags.
func (f *evaluateFlags) options(command string) (kcut.EvaluateOptions, error) {
	o := kcut.EvaluateOptions{
		Folds: f.folds, Repeats: f.repeats, RulesFromAll: f.rules == "all", RawTest: f.testRows == "raw", Sample: f.sample,
		Nominal: f.intervals == "nominal", RootsTell: f.roots == "values",
	}
	switch {
	case f.folds < 2:
		return o, usageError(command, "--folds is %d, the least is 2", f.folds)
	case f.repeats < 1:
		return o, usageError(command, "--repeats is %d, the least is 1", f.repeats)
	case !o.RulesFromAll && f.rules != "training":
		return o, usageError(command, "--rules-from is training or all, not %s", f.rules)
	case !o.RawTest && f.testRows != "masked":
		return o, usageError(command, "--test-rows is masked or raw, not %s", f.testRows)
	case o.RawTest && o.RulesFromAll:
		return o, usageError(command, "--test-rows raw needs test rows that the rules were not made from: leave out --rules-from all")
	case !o.RootsTell && f.roots != "missing":
		return o, usageError(command, "--roots is missing or values, not %s", f.roots)
	case !o.Nominal && f.intervals != "midpoint":
		return o, usageError(command, "--intervals is midpoint or nominal, not %s", f.intervals)
	}
	if f.split != "" {
		var ok bool
		if o.SplitColumn, o.SplitValue, ok = strings.Cut(f.split, "="); !ok || o.SplitColumn == "" {
			return o, usageError(command, "--split is COLUMN=VALUE, not %s", f.split)
		}
	}
	return o, nil
}

// variants loads the job once for every algorithm and k that were asked for.
func (f *evaluateFlags) variants(path string, overrides []kcut.Override) (jobs []*kcut.Job, err error) {
	each := func(key, origin string, values []string, override func([]kcut.Override) error) error {
		if len(values) == 0 {
			return override(overrides)
		}
		before := overrides
		for _, value := range values {
			overrides = append(before[:len(before):len(before)], kcut.Override{Key: key, Value: value, Origin: origin})
			if err := override(overrides); err != nil {
				return err
			}
		}
		overrides = before
		return nil
	}
	err = each("algorithm.name", "--algorithms", f.algorithms, func([]kcut.Override) error {
		return each("quasi_identifiers[].k", "--k", f.ks, func(all []kcut.Override) error {
			job, err := kcut.LoadJob(path, all...)
			jobs = append(jobs, job)
			return err
		})
	})
	return jobs, err
}

// evaluationText lays a report out for people. Errors are in percent.
func evaluationText(r *kcut.Evaluation) string {
	header := []string{"masked by", "k"}
	header = append(append(header, r.Learners...), "penalty", "class size", "misclassified", "discernibility", "dropped")
	t := newTable(header...)
	row := func(name, k string, errors map[string]kcut.Score, costs *kcut.Costs) {
		cells := []string{name, k}
		for _, l := range r.Learners {
			if score, ok := errors[l]; ok {
				cells = append(cells, percent(score))
			}
		}
		if costs != nil {
			cells = append(cells, fmt.Sprintf("%.3f", costs.Penalty.Mean), fmt.Sprintf("%.2f", costs.ClassSize.Mean),
				percent(costs.Misclassified), fmt.Sprintf("%.3g", costs.Discernibility.Mean), fmt.Sprintf("%.4g", costs.Dropped.Mean))
		}
		t.add(cells...)
	}
	row("nothing (BE)", "", r.Baseline, nil)
	row("removal (UE)", "", r.Upper, nil)
	failures := ""
	for _, result := range r.Results {
		row(result.Algorithm, kText(result.K), result.Errors, result.Release)
		if result.Failed != "" {
			failures += fmt.Sprintf("%s, k %s: %s\n", result.Algorithm, kText(result.K), result.Failed)
		}
	}
	return fmt.Sprintf("%s, %s; errors in percent\n\n%s%s", text.Count(r.Rows, "row"), text.Count(r.Rounds, "round"), t, failures)
}

// percent writes a share, and its standard deviation if there is one.
func percent(s kcut.Score) string {
	if s.Deviation == nil {
		return fmt.Sprintf("%.2f", 100*s.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", 100*s.Mean, 100**s.Deviation)
}

// kText writes the k of all sets: one if they agree.
func kText(ks []int) string {
	if slices.Min(ks) == slices.Max(ks) {
		ks = ks[:1]
	}
	texts := make([]string, len(ks))
	for i, k := range ks {
		texts[i] = strconv.Itoa(k)
	}
	return strings.Join(texts, ", ")
}
