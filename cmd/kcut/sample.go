package main

import (
	"github.com/spf13/cobra"

	"github.com/kcut/kcut/cmd/kcut/internal/sample"
)

func newSample(u *ui) *cobra.Command {
	var opt sample.Options
	cmd := &cobra.Command{
		Use:   "sample --rows N OUT",
		Short: "Write synthetic census-like people, for trying and benchmarking",
		Long: `Writes synthetic people with correlated attributes, nulls, direct identifiers and an
income class as Parquet or CSV, whichever the name ends in. The same rows and seed
give the same file, on any machine.`,
		Example:           `  kcut sample --rows 1000000 people.parquet`,
		Args:              takes("one file to write", 1, 1),
		ValidArgsFunction: endingIn("parquet", "csv"),
	}
	flags := cmd.Flags()
	flags.Int64Var(&opt.Rows, "rows", 0, "make `N` people")
	flags.Uint64Var(&opt.Seed, "seed", 1, "make the people of seed `S`")
	flags.IntVar(&opt.RowGroupRows, "row-group-rows", 0,
		"put `N` rows in a Parquet row group (default 131072)")
	flags.BoolVar(&opt.Overwrite, "overwrite", false, "replace the file if it exists")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !flags.Changed("rows") {
			return usageError("kcut sample", "kcut sample needs --rows")
		}
		progress := u.follow()
		opt.Events = progress.events()
		err := sample.Write(cmd.Context(), args[0], opt)
		progress.close()
		if err != nil || !u.json {
			return err
		}
		return u.answer(map[string]any{"output": args[0], "rows": opt.Rows, "seed": opt.Seed})
	}
	return cmd
}
