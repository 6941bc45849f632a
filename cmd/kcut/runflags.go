package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/output"
)

// runFlags are those of the commands that make a release.
type runFlags struct {
	*watchFlags
	ui     *ui
	opt    *pipeline.RunOptions
	trace  string
	afresh bool
}

func addRunFlags(cmd *cobra.Command, u *ui, opt *pipeline.RunOptions, trace string) *runFlags {
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
func (f *runFlags) follow(cmd *cobra.Command, path string, overrides func() []jobfile.Override, earlier fileset.Place, do func(*jobfile.Job) (*pipeline.Report, error)) error {
	if err := f.checkFolders(); err != nil {
		return err
	}
	watch, err := f.open(f.ui, cmd.CommandPath(), path)
	if err != nil {
		return err
	}
	job, broken := jobfile.Load(path, overrides())
	if err := f.checkBeside(path, job, watch, earlier); err != nil {
		return err // and nobody is told: that would be written to one of these files
	}
	f.opt.Resume = !f.afresh
	report, err := watch.follow(cmd.Context(), job, func() (*pipeline.Report, error) {
		if broken != nil {
			return nil, broken
		}
		keepTo(job.Limits.Threads)
		progress := f.ui.follow()
		defer progress.close()
		f.opt.Events = progress.events()
		f.opt.Events.Failed = watch.failed
		return f.traced(func() (*pipeline.Report, error) { return do(job) })
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
	return errors.Join(fileset.CheckFolder("trace", f.trace), fileset.CheckFolder("report", f.opt.RunJSON))
}

// checkBeside refuses files that would replace each other, or what is read for a release. Of a
// job that could not be loaded only its file is known.
func (f *runFlags) checkBeside(path string, job *jobfile.Job, w *watch, read ...fileset.Place) error {
	written := append(w.files(), fileset.Place{What: "trace", Path: f.trace}, fileset.Place{What: "report", Path: f.opt.RunJSON})
	if job == nil {
		return fileset.CheckApart(written, append(read, fileset.Place{What: "job file", Path: path})...)
	}
	return output.CheckBeside(job, written, read...)
}

// traced makes a release and writes its trace, if one is wanted. The trace file is not
// touched before the job is known to be sound.
func (f *runFlags) traced(do func() (*pipeline.Report, error)) (*pipeline.Report, error) {
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
