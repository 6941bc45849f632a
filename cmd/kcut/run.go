package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/jobfile"
)

func newRun(u *ui) *cobra.Command {
	var opt pipeline.RunOptions
	var trace string
	var afresh bool
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Do a whole job: compress, search, mask, verify, publish",
		Long: `Reads the job file's input, searches a cut that meets every quasi-identifier set,
masks the input with it, recounts every set from what was written, and only then
publishes the output. A run that fails leaves the old output, or none.

The same command may be run again, whatever happened. When the output stands and was
made by the same job of the same input, nothing is done.

Flags and KCUT_ environment variables replace values of the job file.`,
		Example: `  kcut run people.yaml
  kcut run people.yaml --k 100 --memory 2GiB --json`,
		Args: takes("one job file", 1, 1),
	}
	overrides := addOverrides(cmd.Flags())
	watched := addWatch(cmd.Flags())
	cmd.Flags().BoolVar(&opt.Overwrite, "overwrite", false, "replace the output if it exists")
	cmd.Flags().BoolVar(&afresh, "no-resume", false, "start afresh, whatever an earlier run of the same job has left or released")
	cmd.Flags().StringVar(&trace, "trace", "", "write one JSON object per performed specialization (bottom-up: generalization) to `FILE`")
	cmd.Flags().StringVar(&opt.RunJSON, "run-json", "", "write how the run went, not for release, to `FILE`")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		watch, err := watched.open(u, cmd.CommandPath(), args[0])
		if err != nil {
			return err
		}
		opt.Resume = !afresh
		report, err := watch.follow(cmd.Context(), func(started func(*jobfile.Job)) (*pipeline.Report, error) {
			job, err := jobfile.Load(args[0], overrides())
			if err != nil {
				return nil, err
			}
			started(job)
			progress := u.follow()
			defer progress.close()
			opt.Events = progress.events()
			opt.Events.Failed = watch.failed
			return runTraced(cmd.Context(), job, opt, trace)
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

// runTraced runs a job and writes its trace, if one is wanted. The trace file is not
// touched before the job is known to be sound.
func runTraced(ctx context.Context, job *jobfile.Job, opt pipeline.RunOptions, trace string) (*pipeline.Report, error) {
	if trace == "" {
		return pipeline.Run(ctx, job, opt)
	}
	file, err := openTrace(trace)
	if err != nil {
		return nil, err
	}
	opt.Trace = file
	report, err := pipeline.Run(ctx, job, opt)
	return report, errors.Join(err, file.close(err == nil && !report.AlreadyDone))
}
