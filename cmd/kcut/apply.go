package main

import (
	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

// applyFlags are the flags of kcut apply.
type applyFlags struct {
	kcut.ApplyOptions
	onBreak, most string
}

func newApply(u *ui) *cobra.Command {
	var flags applyFlags
	cmd := &cobra.Command{
		Use:   "apply JOB --cut FILE",
		Short: "Mask another extract with the cut of an earlier release",
		Long: `Masks the job's input with the cut of an earlier release instead of searching one, so
that labels stay what they were. FILE is a released file or directory, or the JSON that
kcut show --json prints. Every set is counted anew; if one has too few records somewhere,
--on-break says what to do:

  fail      publish nothing (the default)
  refuse    publish nothing, nor if more than half of the rows are outside the
            cut in some column, or all of them get one label there
  coarsen   undo the fewest steps of the cut until every set holds
  suppress  release the records that are too few with * in every masked column,
            as far as --max-suppressed allows

A run that fails leaves nothing new behind. The same command may be run again.`,
		Example: `  kcut apply people.yaml --cut release/2026-01-30.parquet \
    --output release/2026-01-31.parquet
  kcut apply people.yaml --cut cut.json --on-break coarsen --json
  kcut apply people.yaml --cut cut.json --on-break suppress \
    --max-suppressed 0.5%`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	cmd.Flags().StringVar(&flags.Cut, "cut", "", "the earlier release, or its cut as JSON: `FILE`")
	offerFiles(cmd, "cut", "parquet", "json")
	addChoice(cmd, &flags.onBreak, "on-break",
		"`WHAT` to do when a set does not hold: fail, refuse, coarsen or suppress", "fail",
		"refuse", "coarsen", "suppress")
	cmd.Flags().StringVar(&flags.most, "max-suppressed", "",
		"the most records that --on-break suppress may take: `ROWS`, or a share of all as 1%")
	common := addRunFlags(cmd, u, &flags.RunOptions,
		"write one JSON object per step that is undone to `FILE`", "--algorithm", "--score",
		"--max-steps")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("on-break") {
			flags.onBreak = "" // the job has it
		}
		if err := flags.check(cmd.CommandPath()); err != nil {
			return err
		}
		job, broken := kcut.LoadJob(args[0], common.overrides()...)
		return common.release(cmd, args[0], job, broken,
			kcut.Place{What: "cut", Path: flags.Cut},
			func(job *kcut.Job) (*kcut.Report, error) {
				return kcut.Apply(cmd.Context(), job, flags.ApplyOptions)
			})
	}
	return cmd
}

// check checks the flags, and fills in the options of kcut.Apply.
func (f *applyFlags) check(command string) error {
	f.OnBreak = kcut.OnBreak(f.onBreak)
	switch suppresses := f.OnBreak == kcut.BreakSuppress; {
	case f.Cut == "":
		return usageError(command, "--cut is missing: name an earlier release")
	case suppresses && f.most == "":
		return usageError(command,
			"--on-break suppress needs --max-suppressed, as in --max-suppressed 1%%")
	case !suppresses && f.most != "":
		return usageError(command, "--max-suppressed goes with --on-break suppress only")
	case !suppresses:
		return nil
	}
	if f.MaxSuppressed.UnmarshalText([]byte(f.most)) != nil {
		return usageError(command,
			"--max-suppressed is a number of rows or a share of all as 1%%, not %s", f.most)
	}
	return nil
}
