package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func newRoot(u *ui) *cobra.Command {
	root := &cobra.Command{
		Use:   "kcut",
		Short: "Anonymize big tables, and prove it on the file that goes out",
		Long: `kcut finds a version of a table in which every combination of quasi-identifier
values is shared by at least k records, keeps it as useful as possible for training
a classifier, and writes it as Parquet with the rule it applied in the file's metadata.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          noCommand,

		SuggestionsMinimumDistance: 2,
	}
	root.PersistentFlags().BoolVar(&u.quiet, "quiet", false, "print errors only")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(cmd.CommandPath(), "%w", err)
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRun(u), newApply(u), newPlan(u), newInit(u), newVerify(u), newShow(u), newDiff(u), newReport(u), newEvaluate(u), newSample(u), newConfig(u), newAlgorithms(u), newVersion(u), newCompletion(u), newMan(u))
	root.SetHelpCommand(newHelp())
	return root
}

// noCommand answers a command line without a command, or with an unknown one.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError("kcut", "no command given")
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usageError("kcut", "no command is called %s; near are: %s", args[0], strings.Join(near, ", "))
	}
	return usageError("kcut", "no command is called %s", args[0])
}

// takes checks that a command has from least to most arguments (most < 0: any number).
func takes(what string, least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		return usageError(cmd.CommandPath(), "%s takes %s, got %d", cmd.CommandPath(), what, len(args))
	}
}

// addJSON registers --json.
func addJSON(cmd *cobra.Command, u *ui) {
	cmd.Flags().BoolVar(&u.json, "json", false, "print one JSON object on one line")
}
