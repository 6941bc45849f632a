package main

import (
	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newSQL(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sql count|mask|verify",
		Short: "Print the SQL that counts, masks and recounts a table where it is",
		Long: `For data that must not move: another engine counts the table, kcut searches the counts
for a cut, and the engine masks the table with it. See docs/sql.md.`,
		Args: takes("the name of a statement: count, mask or verify", 1, -1),
		RunE: noCommand,
	}
	cmd.AddCommand(newSQLCount(u), newSQLMask(u))
	return cmd
}

// sqlFlags are those of every statement.
type sqlFlags struct {
	kcut.SQLOptions
	overrides func() []kcut.Override
}

// addSQLFlags registers them.
func addSQLFlags(cmd *cobra.Command, table string) *sqlFlags {
	f := &sqlFlags{}
	addChoice(cmd, &f.Dialect, "dialect", "write it as `ENGINE` reads it: duckdb, spark, trino, bigquery, snowflake or postgres", kcut.SQLDialects()...)
	cmd.Flags().StringVar(&f.Table, "table", "", table)
	return f
}

func newSQLCount(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "count JOB --table TABLE",
		Short: "Print the statements that count a table for a search",
		Long: `Prints GROUP BY statements. The result of each, as a Parquet, Arrow or CSV file, is an
item of the job's input_counts: kcut run searches these counts and writes a cut.`,
		Example:           `  kcut sql count people.yaml --dialect trino --table census.people`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	f := addSQLFlags(cmd, "the `TABLE` to be counted, as people or census.people")
	f.overrides = addOverrides(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.Table == "" {
			return usageError(cmd.CommandPath(), "--table is missing: name the table to be counted")
		}
		job, err := kcut.LoadJob(args[0], f.overrides()...)
		if err != nil {
			return err
		}
		text, err := kcut.CountSQL(job, f.SQLOptions)
		if err != nil {
			return err
		}
		return u.printf("%s", text)
	}
	return cmd
}

func newSQLMask(u *ui) *cobra.Command {
	var cut string
	cmd := &cobra.Command{
		Use:   "mask JOB --cut FILE --table TABLE --into TABLE",
		Short: "Print the statement that masks a table with a cut",
		Long: `Prints a CREATE TABLE AS SELECT that makes of a table what kcut apply would make of its
rows. The types of the columns are those of the job's input_counts, or of its input.
What the dialect cannot say is refused.`,
		Example:           `  kcut sql mask people.yaml --cut cut.json --dialect trino --table census.people --into release.people`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	f := addSQLFlags(cmd, "the `TABLE` to be masked, as people or census.people")
	cmd.Flags().StringVar(&cut, "cut", "", "the cut as JSON, or a release that has it: `FILE`")
	offerFiles(cmd, "cut", "parquet", "json")
	cmd.Flags().StringVar(&f.Into, "into", "", "the `TABLE` to be made")
	f.overrides = addOverrides(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, missing := range []struct{ name, value string }{{"cut", cut}, {"table", f.Table}, {"into", f.Into}} {
			if missing.value == "" {
				return usageError(cmd.CommandPath(), "--%s is missing", missing.name)
			}
		}
		job, err := kcut.LoadJob(args[0], f.overrides()...)
		if err != nil {
			return err
		}
		text, err := kcut.MaskSQL(cmd.Context(), job, cut, f.SQLOptions)
		if err != nil {
			return err
		}
		return u.printf("%s", text)
	}
	return cmd
}
