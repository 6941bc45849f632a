package main

import (
	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newInit(u *ui) *cobra.Command {
	var opt kcut.InitOptions
	cmd := &cobra.Command{
		Use:   "init INPUT...",
		Short: "Look at an input and print a starter job for it",
		Long: `Looks at up to 200,000 rows from all over the input and prints a job file with a proposed
role for every column: what looks like an identifier or free text is dropped, a class is
kept, and the rest is masked, with taxonomies drafted for dates, zip codes and other codes.
Comments say why. It is a draft, to be read by somebody who knows the data.`,
		Example: `  kcut init people.parquet > people.yaml
  kcut init --k 50 --class income exports/*.csv > people.yaml`,
		Args: takes("at least one file, directory or glob", 1, -1),
	}
	cmd.Flags().IntVar(&opt.K, "k", 0, "ask for `N` records in every class of equals (default 10)")
	cmd.Flags().StringVar(&opt.Class, "class", "", "take column `NAME` as what a model is to predict")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("k") && opt.K < 1 {
			return usageError("kcut init", "k must be at least 1, not %d", opt.K)
		}
		opt.Input = args
		job, err := kcut.Init(cmd.Context(), opt)
		if err != nil {
			return err
		}
		return u.printf("%s", job)
	}
	return cmd
}
