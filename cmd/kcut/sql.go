package main

import (
	"maps"
	"slices"

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
	cmd.AddCommand(newSQLCount(u), newSQLMask(u), newSQLVerify(u))
	return cmd
}

// sqlFlags are the flags of every statement, and the names of required flags.
type sqlFlags struct {
	kcut.SQLOptions
	cut  string
	must map[string]*string // required flags by name
}

// addSQLFlags registers the flags of every statement.
func addSQLFlags(cmd *cobra.Command, table string) *sqlFlags {
	f := &sqlFlags{}
	addChoice(cmd, &f.Dialect, "dialect",
		"write it as `ENGINE` reads it: duckdb, spark, trino, bigquery, snowflake or postgres",
		kcut.SQLDialects()...)
	cmd.Flags().StringVar(&f.Table, "table", "", table)
	f.must = map[string]*string{"table": &f.Table}
	return f
}

// addCut registers the flag of the cut.
func (f *sqlFlags) addCut(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.cut, "cut", "", "the cut as JSON, or a release that has it: `FILE`")
	offerFiles(cmd, "cut", "parquet", "json")
	f.must["cut"] = &f.cut
}

// print prints a statement, if all required flags are set.
func (f *sqlFlags) print(u *ui, cmd *cobra.Command, statement func() (string, error)) error {
	for _, name := range slices.Sorted(maps.Keys(f.must)) {
		if *f.must[name] == "" {
			return usageError(cmd.CommandPath(), "--%s is missing", name)
		}
	}
	text, err := statement()
	if err != nil {
		return err
	}
	return u.printf("%s", text)
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
	overrides := addOverrides(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.print(u, cmd, func() (string, error) {
			job, err := kcut.LoadJob(args[0], overrides()...)
			if err != nil {
				return "", err
			}
			return kcut.CountSQL(job, f.SQLOptions)
		})
	}
	return cmd
}

func newSQLMask(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mask JOB --cut FILE --table TABLE --into TABLE",
		Short: "Print the statement that masks a table with a cut",
		Long: `Prints a CREATE TABLE AS SELECT with the same result as kcut apply on the rows of the
table. The types of the columns are those of the job's input_counts, or of its input.
A cut that the dialect cannot express is refused.`,
		Example: `  kcut sql mask people.yaml --cut cut.json --dialect trino \
    --table census.people --into release.people`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	f := addSQLFlags(cmd, "the `TABLE` to be masked, as people or census.people")
	f.addCut(cmd)
	cmd.Flags().StringVar(&f.Into, "into", "", "the `TABLE` to be made")
	f.must["into"] = &f.Into
	overrides := addOverrides(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.print(u, cmd, func() (string, error) {
			job, err := kcut.LoadJob(args[0], overrides()...)
			if err != nil {
				return "", err
			}
			return kcut.MaskSQL(cmd.Context(), job, f.cut, f.SQLOptions)
		})
	}
	return cmd
}

func newSQLVerify(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify --cut FILE --table TABLE",
		Short: "Print the statements that recount a masked table",
		Long: `Prints statements that count every quasi-identifier set of the cut again, in the masked
table, and look for labels that the cut lacks.`,
		Example:           `  kcut sql verify --cut cut.json --dialect trino --table release.people`,
		Args:              takes("no argument", 0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := addSQLFlags(cmd, "the masked `TABLE`, as people or release.people")
	f.addCut(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return f.print(u, cmd, func() (string, error) {
			return kcut.VerifySQL(cmd.Context(), f.cut, f.SQLOptions)
		})
	}
	return cmd
}
