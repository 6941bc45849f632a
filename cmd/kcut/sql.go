package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newSQL(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sql count|mask|verify|dbt",
		Short: "Print the SQL that counts, masks and recounts a table where it is",
		Long: `For data that must not move: another engine counts the table, kcut searches the counts
for a cut, and the engine masks the table with it. See docs/sql.md.`,
		Args: takes("the name of a statement: count, mask, verify or dbt", 1, -1),
		RunE: noCommand,

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newSQLCount(u), newSQLMask(u), newSQLVerify(u), newSQLDBT())
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
	f := addDialect(cmd)
	cmd.Flags().StringVar(&f.Table, "table", "", table)
	f.must["table"] = &f.Table
	return f
}

// addDialect registers the flag of the dialect.
func addDialect(cmd *cobra.Command) *sqlFlags {
	f := &sqlFlags{must: make(map[string]*string)}
	addChoice(cmd, &f.Dialect, "dialect",
		"write it as `ENGINE` reads it: duckdb, spark, trino, bigquery, snowflake or postgres",
		kcut.SQLDialects()...)
	return f
}

// addCut registers the flag of the cut.
func (f *sqlFlags) addCut(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.cut, "cut", "", "the cut as JSON, or a release that has it: `FILE`")
	offerFiles(cmd, "cut", "parquet", "json")
	f.must["cut"] = &f.cut
}

// check returns an error if a required flag is not set.
func (f *sqlFlags) check(cmd *cobra.Command) error {
	for _, name := range slices.Sorted(maps.Keys(f.must)) {
		if *f.must[name] == "" {
			return usageError(cmd.CommandPath(), "--%s is missing", name)
		}
	}
	return nil
}

// print prints a statement, if all required flags are set.
func (f *sqlFlags) print(u *ui, cmd *cobra.Command, statement func() (string, error)) error {
	if err := f.check(cmd); err != nil {
		return err
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
item of the job's input_counts: kcut run searches these counts and writes a cut. With --into it
is one statement, which makes a table of counts by all columns together.`,
		Example:           `  kcut sql count people.yaml --dialect trino --table census.people`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	f := addSQLFlags(cmd, "the `TABLE` to be counted, as people or census.people")
	cmd.Flags().StringVar(&f.Into, "into", "", "make this one `TABLE` of counts")
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
		Use:   "mask JOB --cut FILE --table TABLE --into TABLE | --select",
		Short: "Print the statement that masks a table with a cut",
		Long: `Prints a CREATE TABLE AS SELECT with the same result as kcut apply on the rows of the
table, or the SELECT alone, for a view or a part of another statement. The types of the columns are those of the job's input_counts, or of its input.
A cut that the dialect cannot express is refused.`,
		Example: `  kcut sql mask people.yaml --cut cut.json --dialect trino \
    --table census.people --into release.people`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	f := addSQLFlags(cmd, "the `TABLE` to be masked, as people or census.people")
	f.addCut(cmd)
	cmd.Flags().StringVar(&f.Into, "into", "", "the `TABLE` to be made")
	query := cmd.Flags().Bool("select", false, "print a SELECT, without CREATE TABLE and semicolon")
	overrides := addOverrides(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case *query && f.Into != "":
			return usageError(cmd.CommandPath(), "--select makes no table: --into is of no use")
		case !*query && f.Into == "":
			return usageError(cmd.CommandPath(), "--into or --select is missing")
		}
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

func newSQLDBT() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dbt [JOB [--cut FILE]] --output FOLDER",
		Short: "Write a package of dbt that counts, masks and recounts a table",
		Long: `Writes a folder with a package of dbt, of the folder's name: the macros counts and mask, which
return SELECTs of a relation, the test holds, which recounts a masked model, and the macro job,
which prints the job that is written in the meta of a model or source. Without a cut the package
has the macros counts and job, without a job the last one alone.`,
		Example:           `  kcut sql dbt people.yaml --cut cut.json --dialect duckdb --output kcut_people`,
		Args:              takes("one job file, or none", 0, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	f, output, overwrite := addDialect(cmd), "", false
	f.addCut(cmd)
	delete(f.must, "cut")
	cmd.Flags().StringVarP(&output, "output", "o", "", "the `FOLDER` to write")
	f.must["output"] = &output
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace the files of an existing folder")
	overrides := addOverrides(cmd, "--output")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		var job *kcut.Job
		if len(args) > 0 {
			if job, err = kcut.LoadJob(args[0], overrides()...); err != nil {
				return err
			}
		}
		if err := f.check(cmd); err != nil {
			return err
		}
		name := filepath.Base(filepath.Clean(output))
		files, err := kcut.DBTPackage(cmd.Context(), job, f.cut, name, f.Dialect)
		if err != nil {
			return err
		}
		return writePackage(output, files, overwrite)
	}
	return cmd
}

// withDBT returns a command line in which kcut sql --dbt, as people call it who think of an output
// of kcut sql, is kcut sql dbt.
func withDBT(args []string) []string {
	i := slices.Index(args, "--dbt")
	if i < 1 || args[i-1] != "sql" {
		return args
	}
	args = slices.Clone(args)
	args[i] = "dbt"
	return args
}

// writePackage writes the files of a package to a folder.
func writePackage(folder string, files map[string]string, overwrite bool) error {
	err := os.Mkdir(folder, 0o777)
	switch exists := errors.Is(err, fs.ErrExist); {
	case exists && !overwrite:
		return &kcut.Error{Class: kcut.ErrExists, Err: fmt.Errorf("write package: %w", err),
			Hint: "--overwrite replaces its files"}
	case err != nil && !exists:
		return fmt.Errorf("write package: %w", err)
	}
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o666)
		}
		if err != nil {
			return fmt.Errorf("write package: %w", err)
		}
	}
	return nil
}
