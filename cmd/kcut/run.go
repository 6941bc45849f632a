package main

import (
	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newRun(u *ui) *cobra.Command {
	var opt kcut.RunOptions
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Do a whole job: compress, search, mask, verify, publish",
		Long: `Reads the job file's input, searches a cut that meets every quasi-identifier set,
masks the input with it, recounts every set from what was written, and only then
publishes the output. A run that fails leaves the old output, or none.

The same command may be run again, whatever happened. When the output stands and was
made by the same job of the same input, nothing is done. When it was stopped or killed,
it goes on from the last stage or part file whose end it has kept.

Flags and KCUT_ environment variables replace values of the job file.`,
		Example: `  kcut run people.yaml
  kcut run people.yaml --k 100 --memory 2GiB --json`,
		Args: takes("one job file", 1, 1),
	}
	overrides := addOverrides(cmd)
	flags := addRunFlags(cmd, u, &opt, "write one JSON object per performed specialization (bottom-up: generalization) to `FILE`")
	cmd.Flags().StringVar(&opt.OnlyCoarsen, "only-coarsen", "", "go below no node of the cut of an earlier release: `FILE`, as of kcut apply")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return flags.follow(cmd, args[0], overrides, kcut.Place{What: "earlier release", Path: opt.OnlyCoarsen}, func(job *kcut.Job) (*kcut.Report, error) {
			return kcut.Run(cmd.Context(), job, opt)
		})
	}
	return cmd
}
