package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kcut/kcut"
)

func newConfig(u *ui) *cobra.Command {
	var schema bool
	var name string
	cmd := &cobra.Command{
		Use:   "config [JOB]",
		Short: "Print a job as it would run, and where every value comes from",
		Long: `Prints a job after flags and KCUT_ environment variables have replaced values of the
file, as a job file in which every value has a comment that says where it came from. With
--json it is one object with all settings; with --schema, the JSON Schema of job files,
for editors. With --table it is the job of one of several tables, for commands that take
one.`,
		Args:              takes("at most one job file", 0, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	overrides := addOverrides(cmd)
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of job files")
	cmd.Flags().StringVar(&name, "table", "", "of several tables, that with this `NAME`")
	addJSON(cmd, u)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case schema:
			return u.printf("%s\n", bytes.TrimSpace(kcut.JobSchema()))
		case len(args) == 0:
			return usageError("kcut config", "kcut config takes a job file, or --schema")
		}
		job, err := loadTable(args[0], name, overrides())
		if err != nil {
			return err
		}
		return u.reply(map[string][]kcut.Setting{"settings": job.Settings()}, job.YAML())
	}
	return cmd
}

// loadTable loads the job of a file, or of one of its tables.
func loadTable(path, name string, overrides []kcut.Override) (*kcut.Job, error) {
	if name == "" {
		return kcut.LoadJob(path, overrides...)
	}
	tables, err := kcut.LoadTables(path, overrides...)
	if err != nil {
		return nil, err
	}
	if job := tables.Job(name); job != nil {
		return job, nil
	}
	return nil, usageError("kcut config", "%s has no table %s", path, name)
}

func newAlgorithms(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "algorithms",
		Short: "List the algorithms that a job can name",
		Long: `Lists the algorithms that a job can name, what each needs besides the quasi-identifiers,
and when to use it. docs/algorithms.md describes them.`,
		Example: `  kcut algorithms
  kcut run people.yaml --algorithm mondrian`,
		Args:              takes("no arguments", 0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	addJSON(cmd, u)
	cmd.RunE = func(*cobra.Command, []string) error {
		t := newTable("algorithm", "needs", "when to use it")
		for _, a := range kcut.Algorithms() {
			t.add(a.Name, a.Needs, a.Use)
		}
		return u.reply(map[string][]kcut.AlgorithmInfo{"algorithms": kcut.Algorithms()},
			t.within(u.answerWidth()))
	}
	return cmd
}

// algorithmNames are the names of the algorithms that a job can have.
func algorithmNames() (names []string) {
	for _, a := range kcut.Algorithms() {
		names = append(names, a.Name)
	}
	return names
}

// jobFlag is a flag that replaces a value of the job file. It keeps the text of the flag unchanged:
// the rules of the job file check it.
type jobFlag struct {
	kcut.Flag
	values []string
}

func (f *jobFlag) String() string { return strings.Join(f.values, ",") }

// Type returns the name that help gives to the value of the flag.
func (f *jobFlag) Type() string { return "value" }

func (f *jobFlag) Set(value string) error {
	if !f.List {
		f.values = f.values[:0]
	}
	f.values = append(f.values, value)
	return nil
}

// addFlags registers flags that replace values of a job file. The returned function returns the
// overrides of the environment and of the flags.
func addFlags(cmd *cobra.Command, flags []kcut.Flag) func() []kcut.Override {
	jobFlags := make([]*jobFlag, len(flags))
	for i, f := range flags {
		jobFlags[i] = &jobFlag{Flag: f}
		name := strings.TrimPrefix(f.Name, "--")
		usage := strings.ReplaceAll(f.Doc, "`", "") // in help they name the value
		if f.Variable != "" {
			usage += " [" + f.Variable + "]"
		}
		cmd.Flags().Var(jobFlags[i], name, usage)
		if f.Words != nil {
			offer(cmd, name, f.Words...)
		}
		if slices.Contains(f.Words, "true") { // the flag without a value means true
			cmd.Flags().Lookup(name).NoOptDefVal = "true"
		}
	}
	return func() []kcut.Override {
		overrides := kcut.EnvironmentOverrides(os.LookupEnv)
		for _, flag := range jobFlags {
			for _, value := range flag.values {
				overrides = append(overrides,
					kcut.Override{Key: flag.Key, Value: value, Origin: flag.Name})
			}
		}
		return overrides
	}
}

// variables are the environment variables that the commands of a job read.
func variables() []string {
	names := []string{metricsVariable, lineageVariable}
	for _, f := range kcut.Flags() {
		names = append(names, f.Variable)
	}
	return names
}

// checkVariables warns of variables in the environment whose names are almost those of variables
// that a command reads. Others may be anything: a key, or the address of a service called kcut.
func (u *ui) checkVariables(cmd *cobra.Command, environment []string) {
	reads := false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flag, is := f.Value.(*jobFlag)
		reads = reads || is && flag.Variable != ""
	})
	if !reads {
		return
	}
	const prefix = "KCUT_"
	var words []string
	for _, name := range variables() {
		words = append(words, strings.TrimPrefix(name, prefix))
	}
	known := append(words, "LOG", "DEBUG") // too short to be taken for others
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		word, is := strings.CutPrefix(name, prefix)
		if !is || value == "" || slices.Contains(known, word) {
			continue
		}
		if near := nearest(word, words); near != "" {
			u.warn(fmt.Errorf("nothing reads the environment variable %s; did you mean %s%s?", name,
				prefix, near))
		}
	}
}

// addOverrides registers a flag for every value of a job file that the command line may replace,
// except the named flags.
func addOverrides(cmd *cobra.Command, but ...string) func() []kcut.Override {
	isOut := func(f kcut.Flag) bool { return slices.Contains(but, f.Name) }
	return addFlags(cmd, slices.DeleteFunc(kcut.Flags(), isOut))
}

// addLimits registers the flags of limits for a command without a job file: memory, threads, and
// others by their keys. The returned function returns the limits of the environment and of the
// flags.
func addLimits(cmd *cobra.Command, others ...string) func() (kcut.Limits, error) {
	keys := append(others, "limits.memory", "limits.threads")
	isOut := func(f kcut.Flag) bool { return !slices.Contains(keys, f.Key) }
	overrides := addFlags(cmd, slices.DeleteFunc(kcut.Flags(), isOut))
	return func() (kcut.Limits, error) { return kcut.LimitsOf(overrides()...) }
}

// addCSV registers the flags that say how CSV is read, for a command without a job file. The
// returned function returns the options of the flags.
func addCSV(cmd *cobra.Command) func() (kcut.CSV, error) {
	flags := kcut.CSVFlags()
	for i, f := range flags {
		flags[i].Doc = "of CSV, as " + f.Key + " of a job: " + f.Doc
	}
	overrides := addFlags(cmd, flags)
	return func() (kcut.CSV, error) { return kcut.CSVOf(overrides()...) }
}

// keepTo limits the processors of the process to the threads of a job. Garbage collection and
// writers count, work of the system for the process does not. 0 threads mean all processors.
func keepTo(threads int) {
	if threads > 0 {
		runtime.GOMAXPROCS(min(threads, runtime.GOMAXPROCS(0)))
	}
}
