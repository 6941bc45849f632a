package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newRestamp(u *ui) *cobra.Command {
	var opt kcut.RestampOptions
	var most string
	cmd := &cobra.Command{
		Use:   "restamp FILE... --cut CUT --output RELEASE",
		Short: "Make a release of files that another engine has masked",
		Long: `Reads files that another engine has written of a table it masked with a cut (kcut sql
mask), and writes them anew, in the order of what is released, with the cut in their
footers: nothing that those files tell beside their values is taken over. Every set is
recounted from what was written, and every label held against the cut, before it is
published. A file that does not hold is refused with exit code 4, and so is one of which
more rows are alone on all labels together than --max-unique allows, or one with kept
columns that tell rows apart, as kcut run refuses them, unless --accept names these.`,
		Example: `  kcut restamp masked/ --cut cut.json --output release.parquet
  kcut verify release.parquet`,
		Args:              takes("at least one file", 1, -1),
		ValidArgsFunction: endingIn("parquet", "arrow", "csv"),
	}
	cmd.Flags().StringVar(&opt.Cut, "cut", "", "the cut as JSON, or a release that has it: `CUT`")
	offerFiles(cmd, "cut", "parquet", "json")
	cmd.Flags().StringVar(&opt.Output, "output", "", "the `RELEASE`: a file, or a directory when it ends in /")
	cmd.Flags().BoolVar(&opt.Overwrite, "overwrite", false, "replace the output if it exists")
	cmd.Flags().StringVar(&most, "max-unique", "", "the `SHARE` of the rows that may be alone on all labels together (default 1%, or that of the cut)")
	cmd.Flags().StringSliceVar(&opt.Accept, "accept", nil, "kept `COLUMNS` that may tell rows apart")
	addJSON(cmd, u)
	limits := addLimits(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		for _, missing := range []struct{ name, value string }{{"cut", opt.Cut}, {"output", opt.Output}} {
			if missing.value == "" {
				return usageError(cmd.CommandPath(), "--%s is missing", missing.name)
			}
		}
		if opt.Limits, err = limits(); err != nil {
			return err
		}
		if most != "" {
			opt.MaxUnique = new(kcut.Share)
			if opt.MaxUnique.UnmarshalText([]byte(most)) != nil {
				return usageError(cmd.CommandPath(), "--max-unique is a share of the rows as 35%%, not %s", most)
			}
		}
		keepTo(opt.Limits.Threads)
		opt.Input, opt.Resume = args, true
		return u.restamp(cmd.Context(), opt)
	}
	return cmd
}

func (u *ui) restamp(ctx context.Context, opt kcut.RestampOptions) error {
	progress := u.follow()
	opt.Events = progress.events()
	report, err := kcut.Restamp(ctx, opt)
	progress.close()
	switch {
	case err != nil:
		return err
	case u.json:
		return u.answer(report)
	}
	return u.summarize(ctx, report)
}
