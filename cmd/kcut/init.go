package main

import (
	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newInit(u *ui) *cobra.Command {
	var opt kcut.InitOptions
	cmd := &cobra.Command{
		Use:   "init INPUT...",
		Short: "Look at an input and draft a starter job for it",
		Long: `Reads up to 200,000 rows from all parts of the input and drafts a job file with a proposed
role for every column. Columns that look like identifiers or free text are dropped, a
class is kept, and the other columns are masked, with taxonomies or round steps for
dates, numbers and codes. One set has the columns that an acquaintance knows, and one set
has all masked columns, so that nobody is unique. kcut tries some algorithms on the rows,
and the draft names the algorithm that keeps most columns; with --for, the best algorithm
for a classifier, for counts, or for both. If there are more than 90 columns the draft
lists the most informative ones, and drops the others.
Comments give reasons. Somebody who knows the data has to read the draft. It is printed,
or written to the file that --output names.`,
		Example: `  kcut init people.parquet -o people.yaml
  kcut init --k 50 --class income exports/*.csv -o people.yaml`,
		Args: takes("at least one file, directory or glob", 1, -1),
	}
	cmd.Flags().IntVar(&opt.K, "k", 0, "ask for `N` records in every class of equals (default 10)")
	cmd.Flags().StringVar(&opt.Class, "class", "",
		"take column `NAME` as what a model is to predict")
	cmd.Flags().StringVar(&opt.For, "for", "",
		"choose the search for `PURPOSE`: classify, count or both")
	offer(cmd, "for", "classify", "count", "both")
	cmd.Flags().StringVarP(&opt.File, "output", "o", "",
		"write the job to `FILE`, from whose folder its paths start")
	offerFiles(cmd, "output", jobEndings...)
	cmd.Flags().BoolVar(&opt.Overwrite, "overwrite", false, "replace the job if it exists")
	csv := addCSV(cmd)
	limits := addLimits(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if cmd.Flags().Changed("k") && opt.K < 1 {
			return usageError("kcut init", "k must be at least 1, not %d", opt.K)
		}
		if opt.Limits, err = limits(); err != nil {
			return err
		}
		keepTo(opt.Limits.Threads)
		if opt.CSV, err = csv(); err != nil {
			return err
		}
		opt.Input = args
		job, err := kcut.Init(cmd.Context(), opt)
		if err != nil || opt.File != "" {
			return err
		}
		return u.printf("%s", job)
	}
	return cmd
}
