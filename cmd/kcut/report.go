package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/kcut/internal/report"
)

func newReport(u *ui) *cobra.Command {
	var trace, runJSON, evaluation string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "report RELEASE PAGE",
		Short: "Lay out what is known of a release on one HTML page, for reviewers",
		Long: `Recounts a released file or directory and writes one HTML page: its quasi-identifier sets
and their class sizes, the disclosure risk of kept columns and labels together, every
column's labels and how many records have them.
With the trace of the run, the page also has the gain and the cost of every step, and a
slider over the steps; with the report of the run, the risk before, why no label is finer,
and what the run took; with an evaluation of its job, how useful this and other releases are.

The page needs no network, and no script except its own, for the slider. It is for
reviewers, not for release. A release that does not hold gets no page.`,
		Example: `  kcut run people.yaml --trace trace.jsonl --run-json run.json
  kcut report release.parquet report.html --trace trace.jsonl \
    --run-json run.json

  kcut evaluate people.yaml --curve --folds 2 --json > evaluation.json
  kcut report release.parquet report.html --evaluation evaluation.json`,
		Args:              takes("a release and a page to write", 2, 2),
		ValidArgsFunction: endingIn("parquet", "html"),
	}
	cmd.Flags().StringVar(&trace, "trace", "",
		"`FILE` that kcut run --trace has written of the release")
	cmd.Flags().StringVar(&runJSON, "run-json", "",
		"`FILE` that kcut run --run-json has written of the release")
	cmd.Flags().StringVar(&evaluation, "evaluation", "",
		"`FILE` with what kcut evaluate --json has printed of the job")
	offerFiles(cmd, "trace", "jsonl")
	offerFiles(cmd, "run-json", "json")
	offerFiles(cmd, "evaluation", "json")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace the page if it exists")
	addJSON(cmd, u)
	limits := addLimits(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// This check comes first, since a recount takes long.
		if err := kcut.CheckFile("page", args[1], overwrite); err != nil {
			return err
		}
		read := []kcut.Place{
			{What: "release", Path: args[0]}, {What: "trace", Path: trace},
			{What: "report of the run", Path: runJSON}, {What: "evaluation", Path: evaluation},
		}
		err := kcut.CheckPlaces(nil, []kcut.Place{{What: "page", Path: args[1]}}, read...)
		if err != nil {
			return err
		}
		limits, err := limits()
		if err != nil {
			return err
		}
		keepTo(limits.Threads)
		source, runs, err := readInputs(trace, runJSON, evaluation)
		if err != nil {
			return err
		}
		progress := u.follow()
		source.Release, err = kcut.Inspect(cmd.Context(), args[0],
			kcut.VerifyOptions{Limits: limits, Events: progress.events()})
		progress.close()
		if err != nil {
			return err
		}
		source.Run = runOf(runs, source.Release.Digest)
		source.Rows, err = kcut.ReadRows(cmd.Context(), args[0], report.SampledRows)
		if err != nil {
			return err
		}
		if err := report.WriteFile(args[1], source, overwrite); err != nil || !u.json {
			return err
		}
		return u.answer(map[string]any{"output": args[1], "release": source.Release.Result})
	}
	return cmd
}

// runOf returns the report of the run that made the release of a digest, or else the first one,
// which the page refuses; nil if there is none.
func runOf(runs []*kcut.Report, release string) *kcut.Report {
	for _, run := range runs {
		if run.Digests != nil && run.Digests.Output == release {
			return run
		}
	}
	return append(runs, nil)[0]
}

// readInputs reads the files about a release that go into its page, and the reports of the run,
// which may have made other releases, too.
func readInputs(trace, runJSON, evaluation string) (s report.Source, runs []*kcut.Report,
	err error) {
	readTrace := func(text []byte) ([]kcut.TraceStep, error) {
		return kcut.ReadTrace(bytes.NewReader(text))
	}
	if s.Trace, err = readInput("trace", trace, readTrace); err != nil {
		return s, nil, err
	}
	if runs, err = readInput("report", runJSON, kcut.ReadReports); err != nil {
		return s, nil, err
	}
	s.Evaluation, err = readInput("evaluation", evaluation, kcut.ReadEvaluation)
	return s, runs, err
}

// readInput reads and parses a file, if path is not empty.
func readInput[T any](what, path string, parse func([]byte) (T, error)) (result T, err error) {
	if path == "" {
		return result, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return result,
			&kcut.Error{Class: kcut.ErrInput,
				Hint: "check the name of the file; kcut report --help says what it takes",
				Err:  fmt.Errorf("read %s: %w", what, err)}
	}
	return parse(text)
}
