package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/kcut/internal/lineage"
	"github.com/kcut/kcut/cmd/kcut/internal/metrics"
	"github.com/kcut/kcut/internal/workers"
)

// watchFlags say who else is told how a run goes.
type watchFlags struct{ metrics, lineage string }

func addWatch(flags *pflag.FlagSet) *watchFlags {
	f := &watchFlags{}
	flags.StringVar(&f.metrics, "metrics-file", "", "write how the run went to `FILE`, for Prometheus's textfile collector [KCUT_METRICS_FILE]")
	flags.StringVar(&f.lineage, "lineage", "", "send OpenLineage events to a `URL`, or append them to a file [KCUT_LINEAGE, OPENLINEAGE_URL]")
	return f
}

// watch tells metrics and lineage how a run goes. What they do not take is told to the user,
// and changes nothing else.
type watch struct {
	ui      *ui
	metrics string         // empty: none
	lineage string         // file that events are appended to; empty: none
	target  lineage.Target // nil: none
	options lineage.Options
	run     metrics.Run
	events  *lineage.Run
}

// open checks what the flags and the environment ask for.
func (f *watchFlags) open(u *ui, command, jobFile string) (*watch, error) {
	w := &watch{ui: u, metrics: cmp.Or(f.metrics, os.Getenv("KCUT_METRICS_FILE"))}
	w.run = metrics.Run{JobFile: filepath.Base(jobFile), Began: time.Now()}
	if err := kcut.CheckFolder("metrics file", w.metrics); err != nil {
		return nil, err
	}
	return w, w.openLineage(command, jobFile, cmp.Or(f.lineage, os.Getenv("KCUT_LINEAGE"), os.Getenv("OPENLINEAGE_URL")))
}

// openLineage prepares to send events, unless to is empty or the user wants none anywhere. The
// variables are those of OpenLineage's own clients.
func (w *watch) openLineage(command, jobFile, to string) (err error) {
	if to == "" || strings.EqualFold(os.Getenv("OPENLINEAGE_DISABLED"), "true") {
		return nil
	}
	if w.target, err = lineage.ParseTarget(to, os.Getenv("OPENLINEAGE_ENDPOINT"), os.Getenv("OPENLINEAGE_API_KEY")); err != nil {
		return usageError(command, "%w", err)
	}
	w.options = lineage.Options{Namespace: os.Getenv("OPENLINEAGE_NAMESPACE"), Job: jobName(jobFile), Version: versionText()}
	if parent := os.Getenv("OPENLINEAGE_PARENT_ID"); parent != "" {
		w.options.Parent, err = lineage.ParseParent(parent)
		w.told(err)
	}
	if strings.Contains(to, "://") {
		return nil
	}
	w.lineage = to
	return kcut.CheckFolder("lineage file", to)
}

// files are those that a watch writes.
func (w *watch) files() []kcut.Place {
	return []kcut.Place{{What: "metrics file", Path: w.metrics}, {What: "lineage file", Path: w.lineage}}
}

// jobName is what a job is called in catalogs: its file's name without what that ends in.
func jobName(jobFile string) string {
	base := filepath.Base(jobFile)
	return cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
}

// follow calls f, which runs a job, and tells how that went. Of a job that could not be loaded,
// which is nil, there is nothing to tell but that.
func (w *watch) follow(ctx context.Context, job *kcut.Job, f func() (*kcut.Report, error)) (*kcut.Report, error) {
	if w.target != nil && job != nil {
		w.events = lineage.Start(w.target, job, w.options)
	}
	var report *kcut.Report
	err := workers.Fence(func() (err error) {
		report, err = f()
		return err
	})
	w.end(ctx, report, err)
	return report, err
}

// failed keeps the report of a run that failed.
func (w *watch) failed(report *kcut.Report) { w.run.Report = report }

func (w *watch) end(ctx context.Context, report *kcut.Report, err error) {
	if err == nil {
		w.run.Report = report
	} else {
		w.run.Exit = failureOf(ctx, err).Exit
	}
	if w.metrics != "" {
		w.run.Ended = time.Now()
		w.told(metrics.Write(w.metrics, w.run))
	}
	if w.events != nil {
		w.told(w.events.End(w.run.Report, err))
	}
}

// told warns of what was not taken.
func (w *watch) told(err error) {
	if err != nil {
		w.ui.warn(fmt.Sprint(err))
	}
}
