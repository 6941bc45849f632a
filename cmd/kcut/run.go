package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/cmd/kcut/internal/family"
	"github.com/kcut/kcut/cmd/kcut/internal/lineage"
	"github.com/kcut/kcut/cmd/kcut/internal/metrics"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/internal/workers"
)

func newRun(u *ui) *cobra.Command {
	var opt kcut.RunOptions
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Do a whole job: compress, search, mask, verify, publish",
		Long: `Reads the job file's input, searches a cut that meets every quasi-identifier set,
masks the input with it, recounts every set from the written files, and only then
publishes the output. A run that fails leaves the old output, or none.

A job with several tables releases all of them or none.

The same command may be run again, whatever happened. When the output stands and was
made by the same job of the same input, nothing is done. After a stop or a kill, the next
run masks with the cut that the stopped run has kept, if there is one, and does not search.

Flags and KCUT_ environment variables replace values of the job file.`,
		Example: `  kcut run people.yaml
  kcut run people.yaml --k 100 --memory 2GiB --json`,
		Args:              takes("one job file", 1, 1),
		ValidArgsFunction: endingIn(jobEndings...),
	}
	flags := addRunFlags(cmd, u, &opt,
		"write one JSON object per performed specialization (bottom-up: generalization) to `FILE`")
	cmd.Flags().StringVar(&opt.OnlyCoarsen, "only-coarsen", "",
		"go below no node of the cut of an earlier release: `FILE`, as of kcut apply")
	offerFiles(cmd, "only-coarsen", "parquet", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		tables, broken := kcut.LoadTables(args[0], flags.overrides()...)
		var job *kcut.Job
		if broken == nil {
			if job = tables.Single(); job == nil {
				return flags.releaseTables(cmd, args[0], tables)
			}
		}
		return flags.release(cmd, args[0], job, broken,
			kcut.Place{What: "earlier release", Path: opt.OnlyCoarsen},
			func(job *kcut.Job) (*kcut.Report, error) {
				return kcut.Run(cmd.Context(), job, opt)
			})
	}
	return cmd
}

// runFlags are the flags of the commands that make a release: values that replace those of the job
// file, files to write, and receivers of events.
type runFlags struct {
	ui        *ui
	opt       *kcut.RunOptions
	overrides func() []kcut.Override
	afresh    bool
	trace     string
	metrics   string
	lineage   string           // a URL or a file
	catalog   *lineage.Catalog // receives events; nil: no events
}

// The variables that replace flags which no job file has.
const (
	metricsVariable = "KCUT_METRICS_FILE"
	lineageVariable = "KCUT_LINEAGE"
)

// addRunFlags registers the flags, except the flags of but.
func addRunFlags(cmd *cobra.Command, u *ui, opt *kcut.RunOptions, trace string,
	but ...string) *runFlags {
	set := cmd.Flags()
	f := &runFlags{ui: u, opt: opt, overrides: addOverrides(cmd, but...)}
	set.StringVar(&f.metrics, "metrics-file", "",
		"write metrics of the run to `FILE`, for Prometheus's textfile collector "+
			"["+metricsVariable+"]")
	set.StringVar(&f.lineage, "lineage", "",
		"send OpenLineage events to a `URL`, or append them to a file ["+lineageVariable+
			", OPENLINEAGE_URL]")
	set.BoolVar(&opt.Overwrite, "overwrite", false, "replace the output if it exists")
	set.DurationVar(&opt.Checkpoint, "checkpoint", 5*time.Second,
		"keep the cut for another try if the run finds it after `TIME` or later; 0s: never")
	set.BoolVar(&f.afresh, "no-resume", false,
		"start afresh, also if an earlier run of the same job has left a cut or a release")
	set.StringVar(&f.trace, "trace", "", trace)
	set.StringVar(&opt.RunJSON, "run-json", "",
		"write a report of the run, not for release, to `FILE`")
	addJSON(cmd, u)
	return f
}

// release makes the release of a job, and reports to the metrics file and to the catalog. If one of
// these fails, the user gets a warning and the release stays. broken says why the job could not be
// loaded. earlier is an earlier release, or its cut, that the release reads.
func (f *runFlags) release(cmd *cobra.Command, path string, job *kcut.Job, broken error,
	earlier kcut.Place, do func(*kcut.Job) (*kcut.Report, error)) error {
	if err := f.checkPlaces(cmd.CommandPath(), path); err != nil {
		return err
	}
	ran := metrics.Run{JobFile: filepath.Base(path), Began: time.Now()}
	if err := f.checkBeside(path, job, earlier); err != nil {
		return err // without any report: it would go to one of these files
	}
	var events *lineage.Run
	// If the job could not be loaded, the only event is the failure.
	if f.catalog != nil && job != nil {
		events = f.catalog.Start(job)
	}
	f.opt.Resume, f.opt.Version = !f.afresh, versionText()
	err := workers.Fence(func() error {
		if broken != nil {
			return broken
		}
		keepTo(job.Limits.Threads)
		progress := f.ui.follow()
		defer progress.close()
		f.opt.Events = progress.events()
		f.opt.Failed = func(report *kcut.Report) { ran.Report = report }
		report, err := f.traced(func() (*kcut.Report, error) { return do(job) })
		if err == nil {
			ran.Report = report
		}
		return err
	})
	if err != nil {
		ran.Exit = exit.FailureOf(cmd.Context(), err).Exit
	}
	if f.metrics != "" {
		ran.Ended = time.Now()
		f.ui.warn(metrics.Write(f.metrics, ran))
	}
	if events != nil {
		f.ui.warn(events.End(ran.Report, err))
	}
	switch {
	case err != nil:
		return err
	case f.ui.json:
		return f.ui.answer(ran.Report)
	}
	return f.ui.summarize(cmd.Context(), ran.Report)
}

// releaseTables makes the releases of several tables.
func (f *runFlags) releaseTables(cmd *cobra.Command, path string, tables *kcut.Tables) error {
	if err := f.checkPlaces(cmd.CommandPath(), path); err != nil {
		return err
	}
	for flag, given := range map[string]bool{"--metrics-file": f.metrics != "",
		"--lineage": f.catalog != nil, "--trace": f.trace != "",
		"--only-coarsen": f.opt.OnlyCoarsen != ""} {
		if given {
			return usageError(cmd.CommandPath(), "%s goes with the job of one table only", flag)
		}
	}
	for _, table := range tables.Tables {
		if err := f.checkBeside(path, table.Job); err != nil {
			return err
		}
	}
	f.opt.Resume, f.opt.Version = !f.afresh, versionText()
	keepTo(tables.Tables[0].Limits.Threads)
	progress := f.ui.follow()
	f.opt.Events = progress.events()
	report, err := kcut.RunTables(cmd.Context(), tables, *f.opt)
	progress.close()
	switch {
	case err != nil:
		return err
	case f.ui.json:
		return f.ui.answer(report)
	}
	for _, table := range report.Tables {
		err = errors.Join(err, f.ui.summarize(cmd.Context(), table.Report))
	}
	return err
}

// checkPlaces refuses files whose folders do not exist, before a run that takes hours. It prepares
// events, if the user wants them. The variables are those of OpenLineage's own clients.
func (f *runFlags) checkPlaces(command, jobFile string) error {
	f.metrics = cmp.Or(f.metrics, os.Getenv(metricsVariable))
	err := errors.Join(kcut.CheckFolder("trace", f.trace),
		kcut.CheckFolder("report", f.opt.RunJSON))
	if err != nil {
		return err
	}
	if err := kcut.CheckFolder("metrics file", f.metrics); err != nil {
		return err
	}
	f.lineage = cmp.Or(f.lineage, os.Getenv(lineageVariable), os.Getenv("OPENLINEAGE_URL"))
	if strings.EqualFold(os.Getenv("OPENLINEAGE_DISABLED"), "true") {
		f.lineage = ""
	}
	if f.lineage == "" {
		return nil
	}
	f.catalog, err = lineage.Open(f.lineage, os.Getenv("OPENLINEAGE_ENDPOINT"),
		os.Getenv("OPENLINEAGE_API_KEY"))
	if err != nil {
		return usageError(command, "%w", err)
	}
	base := filepath.Base(jobFile) // the name of the job in catalogs, with its ending
	f.catalog.Namespace = os.Getenv("OPENLINEAGE_NAMESPACE")
	f.catalog.Job = cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
	if parent := os.Getenv("OPENLINEAGE_PARENT_ID"); parent != "" {
		f.ui.warn(f.catalog.SetParent(parent))
	}
	if strings.Contains(f.lineage, "://") {
		f.lineage = "" // a URL is no file
	}
	return kcut.CheckFolder("lineage file", f.lineage)
}

// checkBeside refuses files that would replace each other, or a file that the release reads. If the
// job could not be loaded, only its file is known.
func (f *runFlags) checkBeside(path string, job *kcut.Job, read ...kcut.Place) error {
	written := []kcut.Place{
		{What: "metrics file", Path: f.metrics}, {What: "lineage file", Path: f.lineage},
		{What: "trace", Path: f.trace}, {What: "report", Path: f.opt.RunJSON},
	}
	if job == nil {
		read = append(read, kcut.Place{What: "job file", Path: path})
	}
	return kcut.CheckPlaces(job, written, read...)
}

// traced makes a release and writes its trace, if the user wants one. The trace file stays
// unchanged until the job is known to be correct.
func (f *runFlags) traced(do func() (*kcut.Report, error)) (*kcut.Report, error) {
	if f.trace == "" {
		return do()
	}
	file, err := openTrace(f.trace)
	if err != nil {
		return nil, err
	}
	f.opt.Trace = file
	report, err := do()
	return report, errors.Join(err, file.close(err == nil))
}

// traceFile is a file that is truncated when the first step is written to it. A run that fails
// before leaves the trace of an earlier run, or no file. The file is
// private: a trace may reveal more than the release.
type traceFile struct {
	file   *os.File
	made   bool          // the file did not exist before
	writer *bufio.Writer // nil: not truncated yet
}

func openTrace(path string) (*traceFile, error) {
	_, missing := os.Stat(path)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	return &traceFile{file: file, made: missing != nil}, nil
}

func (t *traceFile) Write(text []byte) (int, error) {
	if err := t.begin(); err != nil {
		return 0, err
	}
	return t.writer.Write(text)
}

func (t *traceFile) begin() error {
	if t.writer != nil {
		return nil
	}
	t.writer = bufio.NewWriter(t.file)
	info, err := t.file.Stat()
	if err != nil || !info.Mode().IsRegular() { // a pipe cannot be truncated
		return err
	}
	return t.file.Truncate(0)
}

// close closes the file. If there was no step it creates an empty file.
func (t *traceFile) close(wanted bool) (err error) {
	if wanted {
		err = t.begin()
	}
	if t.writer != nil {
		err = errors.Join(err, t.writer.Flush())
	}
	err = errors.Join(err, t.file.Close())
	if t.writer == nil && t.made {
		err = errors.Join(err, os.Remove(t.file.Name()))
	}
	if err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// summarize prints what a run has released: as text on a terminal, else as one log record.
func (u *ui) summarize(ctx context.Context, r *kcut.Report) error {
	if u.quiet || r.AlreadyDone {
		return nil
	}
	made := "released"
	if r.CutOnly {
		made = "wrote the cut"
	}
	if !u.terminal {
		facts := []any{"output", r.Output, "rows", r.Released, "dropped", r.Rows - r.Released,
			"suppressed", r.Suppressed, "quasi_identifiers", r.Sets, "steps", r.Steps}
		if most := kcut.MostHomogeneous(r.Homogeneous); len(most) > 0 {
			facts = append(facts, "homogeneous", most)
		}
		u.log.Info(made, facts...)
		return nil
	}
	outline, err := kcut.ReadOutline(ctx, r.Output)
	if err != nil {
		return fmt.Errorf("summarize release: %w", err)
	}
	cut := outline.Cut
	var limited []string
	for _, s := range cut.Sensitive {
		limited = append(limited, s.Column)
	}
	loss, live := "", ""
	if r.Suppressed > 0 {
		loss = fmt.Sprintf(" (%s of them suppressed)", text.Grouped(int64(r.Suppressed)))
	}
	if dropped := r.Rows - r.Released; dropped > 0 {
		loss += fmt.Sprintf(", %s dropped", text.Grouped(dropped))
	}
	columns := newTable("column", "mask", "labels")
	for _, c := range cut.Columns {
		columns.add(c.Name, c.Mask, text.Grouped(int64(len(labelTexts(c, outline.Unmarked)))))
	}
	if n := len(r.Live); n > 0 { // records that the search could still separate
		live = fmt.Sprintf("live records: %s after the first step, %s after the last\n",
			text.Grouped(int64(r.Live[0])), text.Grouped(int64(r.Live[n-1])))
	}
	var stages []string
	for _, stage := range r.Stages {
		stages = append(stages, fmt.Sprintf("%s %.1f s", stage.Stage, stage.Seconds))
	}
	fmt.Fprintf(u.err, "%s %s: %s%s, %s\n\n%s%s\n%s\n%s%s\n", made, r.Output,
		text.Count(r.Released, "row"), loss, extent(cut),
		u.setTable(r.Sets), u.unionText(r.Union, r.Sets, whoOf(cut))+
			u.homogeneousText(r.Homogeneous, r.Released, len(r.Sets), limited)+
			text.Printable(protectionText(cut), "\n"), columns, live, strings.Join(stages, ", "))
	return nil
}

// unionText reports the classes of rows, or of entities, on all labels together.
func (u *ui) unionText(union *kcut.Union, sets []kcut.CutSet, who string) string {
	if union == nil || len(sets) == 0 {
		return ""
	}
	k := slices.MinFunc(sets, func(a, b kcut.CutSet) int { return a.K - b.K }).K
	return u.sentence(fmt.Sprintf("on all labels together: %s of the %s alone, %s in classes of "+
		"fewer than %s", text.Percent(union.Unique), who, text.Percent(union.BelowK),
		text.Grouped(int64(k)))) + "\n"
}

// homogeneousText reports, for the class and each sensitive column, the rows in groups of one
// value, in the set whose groups disclose most of it. Whoever finds such a group learns the value,
// which k does not limit. The job limits some of the columns.
func (u *ui) homogeneousText(all []kcut.Homogeneity, rows int64, sets int,
	limited []string) (lines string) {
	for _, h := range kcut.MostHomogeneous(all) {
		line := "groups with one value of " + text.Printable(h.Column, "") + ": "
		if h.Records == 0 {
			lines += u.sentence(line+"none") + "\n"
			continue
		}
		line += text.Percent(float64(h.Records)/float64(rows)) + " of the rows"
		if sets > 1 {
			line += fmt.Sprintf(" (set %d)", h.Set)
		}
		switch {
		case !h.Surprises():
			line += "; the shares of all rows disclose about as much"
		case !slices.Contains(limited, h.Column):
			line += "; sensitive with l: 2 prevents them"
		}
		lines += u.sentence(line) + "\n"
	}
	return lines
}

// whoOf returns the word for the records that a cut counts.
func whoOf(cut *kcut.Cut) string {
	if cut.Entity {
		return "entities"
	}
	return "rows"
}

// setTable lists quasi-identifier sets and their anonymity, that of a family in its worst set.
func (u *ui) setTable(sets []kcut.CutSet) string {
	t := newTable("quasi-identifiers", "k", "anonymity")
	var listed []family.Set
	for _, set := range sets {
		listed = append(listed, family.Set{Columns: set.Columns, K: set.K})
	}
	for _, f := range family.Of(listed) {
		worst := slices.MinFunc(sets[f.From:f.To], func(a, b kcut.CutSet) int {
			return cmp.Compare(a.Anonymity, b.Anonymity)
		})
		k, anonymity := text.Grouped(int64(worst.K)), text.Grouped(int64(worst.Anonymity))
		for _, line := range fold(f.Words(nil), ",", u.room(len("  1,000,000  anonymity"))) {
			t.add(line, k, anonymity)
			k, anonymity = "", ""
		}
	}
	return t.String()
}
