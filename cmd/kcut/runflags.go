package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

// runFlags are those of the commands that make a release.
type runFlags struct {
	*watchFlags
	ui     *ui
	opt    *kcut.RunOptions
	trace  string
	afresh bool
}

func addRunFlags(cmd *cobra.Command, u *ui, opt *kcut.RunOptions, trace string) *runFlags {
	set := cmd.Flags()
	f := &runFlags{watchFlags: addWatch(set), ui: u, opt: opt}
	set.BoolVar(&opt.Overwrite, "overwrite", false, "replace the output if it exists")
	set.DurationVar(&opt.Checkpoint, "checkpoint", 5*time.Second, "keep the state at the end of a stage or part file once `TIME` has passed since the last; 0s: never")
	set.BoolVar(&f.afresh, "no-resume", false, "start afresh, whatever an earlier run of the same job has left or released")
	set.StringVar(&f.trace, "trace", "", trace)
	set.StringVar(&opt.RunJSON, "run-json", "", "write how the run went, not for release, to `FILE`")
	addJSON(cmd, u)
	return f
}

// follow loads a job, makes its release, and tells everybody who is to know how that goes. An
// earlier release, or its cut, is read besides.
func (f *runFlags) follow(cmd *cobra.Command, path string, overrides func() []kcut.Override, earlier kcut.Place, do func(*kcut.Job) (*kcut.Report, error)) error {
	if err := f.checkFolders(); err != nil {
		return err
	}
	watch, err := f.open(f.ui, cmd.CommandPath(), path)
	if err != nil {
		return err
	}
	job, broken := kcut.LoadJob(path, overrides()...)
	if err := f.checkBeside(path, job, watch, earlier); err != nil {
		return err // and nobody is told: that would be written to one of these files
	}
	f.opt.Resume = !f.afresh
	report, err := watch.follow(cmd.Context(), job, func() (*kcut.Report, error) {
		if broken != nil {
			return nil, broken
		}
		keepTo(job.Limits.Threads)
		progress := f.ui.follow()
		defer progress.close()
		f.opt.Events = progress.events()
		f.opt.Events.Failed = watch.failed
		return f.traced(func() (*kcut.Report, error) { return do(job) })
	})
	if err != nil {
		return err
	}
	if f.ui.json {
		return f.ui.answer(report)
	}
	return f.ui.summarize(cmd.Context(), report)
}

// checkFolders refuses files whose folders are not there, before a run that takes hours.
func (f *runFlags) checkFolders() error {
	return errors.Join(kcut.CheckFolder("trace", f.trace), kcut.CheckFolder("report", f.opt.RunJSON))
}

// checkBeside refuses files that would replace each other, or what is read for a release. Of a
// job that could not be loaded only its file is known.
func (f *runFlags) checkBeside(path string, job *kcut.Job, w *watch, read ...kcut.Place) error {
	written := append(w.files(), kcut.Place{What: "trace", Path: f.trace}, kcut.Place{What: "report", Path: f.opt.RunJSON})
	if job == nil {
		read = append(read, kcut.Place{What: "job file", Path: path})
	}
	return kcut.CheckPlaces(job, written, read...)
}

// traced makes a release and writes its trace, if one is wanted. The trace file is not
// touched before the job is known to be sound.
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
	return report, errors.Join(err, file.close(err == nil && !report.AlreadyDone))
}
