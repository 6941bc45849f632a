package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/jobfile"
)

func newRun(u *ui) *cobra.Command {
	var opt pipeline.RunOptions
	var trace string
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Do a whole job: compress, search, mask, verify, publish",
		Long: `Reads the job file's input, searches a cut that meets every quasi-identifier set,
masks the input with it, recounts every set from what was written, and only then
publishes the output. A run that fails leaves nothing new behind.

Flags and KCUT_ environment variables replace values of the job file.`,
		Example: `  kcut run people.yaml
  kcut run people.yaml --k 100 --memory 2GiB --json`,
		Args: takes("one job file", 1, 1),
	}
	overrides := addOverrides(cmd.Flags())
	cmd.Flags().BoolVar(&opt.Overwrite, "overwrite", false, "replace the output if it exists")
	cmd.Flags().StringVar(&trace, "trace", "", "write one JSON object per performed specialization (bottom-up: generalization) to `FILE`")
	cmd.Flags().StringVar(&opt.OnlyCoarsen, "only-coarsen", "", "go below no node of the cut of an earlier release: `FILE`, as of kcut apply")
	cmd.Flags().StringVar(&opt.RunJSON, "run-json", "", "write how the run went, not for release, to `FILE`")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		job, err := jobfile.Load(args[0], overrides())
		if err != nil {
			return err
		}
		report, err := traced(u, &opt, trace, func() (*pipeline.Report, error) {
			return pipeline.Run(cmd.Context(), job, opt)
		})
		if err != nil {
			return err
		}
		if u.json {
			return u.answer(report)
		}
		return u.summarize(report)
	}
	return cmd
}

// traced does a run and writes its trace, if one is wanted. The trace file is not touched
// before the job is known to be sound.
func traced(u *ui, opt *pipeline.RunOptions, trace string, do func() (*pipeline.Report, error)) (report *pipeline.Report, err error) {
	progress := u.follow()
	defer progress.close()
	opt.Events = progress.events()
	if trace == "" {
		return do()
	}
	err = writeTrace(trace, func(w io.Writer) (err error) {
		opt.Trace = w
		report, err = do()
		return err
	})
	return report, err
}

// writeTrace calls f with a buffered file. The file is private: a trace may tell more than
// the release.
func writeTrace(path string, f func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("create trace: %w", err)
	}
	w := bufio.NewWriter(file)
	failed := f(w)
	if err := errors.Join(w.Flush(), file.Close()); err != nil && failed == nil {
		return fmt.Errorf("write trace %s: %w", path, err)
	}
	return failed
}
