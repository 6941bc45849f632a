package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
)

// Digests tell what made a release, and what it is (docs/operations.md says what they cover).
// Runs of the same job and input have the same, wherever the files lie.
type Digests struct {
	Job    string `json:"job"`
	Input  string `json:"input"`
	Output string `json:"output,omitempty"`
}

// releaseForm is a part of every job's digest. It grows when the same job makes other bytes of
// the same input than it did before.
const releaseForm = 1

// The files of a work folder that say what made the release.
const (
	recordFile  = "run.json"  // the report of the run that made the release that stands
	pendingFile = "next.json" // of the run that was about to publish
)

// maxRecord bounds a record that is read.
const maxRecord = 64 << 20

// workFolder returns the private folder of an output, beside it.
func workFolder(path string) string {
	path = filepath.Clean(path)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".kcut")
}

// identify takes the digests of job and input.
func (r *run) identify(ctx context.Context) error {
	hash := sha256.New()
	fmt.Fprintf(hash, "release %d\n", releaseForm)
	if err := r.job.Identity(hash, r.taxonomies); err != nil {
		return fmt.Errorf("digest job: %w", err)
	}
	if err := r.identifyGiven(hash); err != nil {
		return fmt.Errorf("digest the earlier cut: %w", err)
	}
	input, err := dataset.Digest(ctx, r.job.Input, r.threads)
	if err != nil {
		return fmt.Errorf("open input: %w", err)
	}
	r.report.Digests = &Digests{Job: hex.EncodeToString(hash.Sum(nil)), Input: input.String()}
	return nil
}

// refuse refuses an output that exists and of which no record says what made it.
func (r *run) refuse(ctx context.Context) (err error) {
	if !r.exists {
		return nil
	}
	if r.opt.Resume {
		if r.known, err = r.knownRecords(ctx); err != nil {
			return err
		}
	}
	if len(r.known) == 0 && !r.opt.Overwrite {
		return r.standing("it exists", "name another output, or replace it with --overwrite")
	}
	return nil
}

// standing is the error of an output that exists.
func (r *run) standing(why, hint string) error {
	return &fault.Error{Class: fault.Exists, Hint: hint, Err: fmt.Errorf("write output %s: %s", output.Shown(r.job.Output.Path), why)}
}

// recall reports whether the release that stands was made by the same job of the same input.
// Then its report is the run's. Another release is refused, unless it is to be replaced. One
// that may be replaced is made again for the sake of a trace.
func (r *run) recall(ctx context.Context) (done bool, err error) {
	if !r.exists || !r.opt.Resume || r.opt.Overwrite && r.opt.Trace != nil {
		return false, nil
	}
	why, hint := "it exists", "name another output, or replace it with --overwrite"
	for _, was := range r.known {
		if was.Digests.Job != r.report.Digests.Job {
			why = "it exists, made by another job"
			continue
		}
		if was.Digests.Input != r.report.Digests.Input {
			why, hint = "it exists, made of another input", "the input has changed since: replace the output with --overwrite, or name another one"
			continue
		}
		stands, err := r.stands(ctx, was.Report)
		if err != nil {
			return false, err
		}
		if stands {
			return true, r.leave(ctx, was)
		}
		why = "it exists, and was changed since it was released"
	}
	if r.opt.Overwrite {
		return false, nil
	}
	return false, r.standing(why, hint)
}

// leave makes the record of what stands the run's report, and sweeps what is left of tries to
// replace it.
func (r *run) leave(ctx context.Context, was known) error {
	if was.pending && !was.beside {
		if err := r.record(); err != nil {
			return err
		}
	}
	r.events.Noted(fmt.Sprintf("already done: %s was made by the same job of the same input", r.job.Output.Path))
	was.Output, was.AlreadyDone = r.job.Output.Path, true
	r.report = was.Report
	if slices.ContainsFunc(r.known, func(k known) bool { return k.pending && k.beside }) {
		r.beside.announced = true
		r.settleBeside(ctx)
	}
	if err := r.saveReport(); err != nil {
		return err
	}
	left, err := output.Open(r.files(), r.local, r.job.Output.Path, true, nil)
	if err != nil {
		return err
	}
	return errors.Join(left.Discard(), r.work.Sweep(recordFile))
}

// stands reports whether the output is the one of a record.
func (r *run) stands(ctx context.Context, was *Report) (bool, error) {
	path := output.Shown(r.job.Output.Path)
	if fileset.IsDirectory(r.job.Output.Path) {
		if complete, _ := storage.Exists(ctx, storage.Join(path, publish.SuccessFile)); !complete {
			return false, nil
		}
	}
	sum, err := fileset.Digest(ctx, path, r.threads)
	if fault.ClassOf(err) == fault.Input { // no parts
		return false, nil
	}
	return sum == was.Digests.Output, err
}

// announce writes down what will stand once it is published. A run that cannot do that
// publishes nothing: the next one would not know whose the output is.
func (r *run) announce(ctx context.Context, path string) (err error) {
	if r.report.Digests.Output, err = fileset.Digest(ctx, path, r.threads); err != nil {
		return err
	}
	text, err := r.report.text()
	if err == nil {
		err = r.work.Put(pendingFile, text)
	}
	if err == nil {
		err = r.announceBeside(ctx)
	}
	if err != nil {
		return fmt.Errorf("write the output's record: %w", err)
	}
	return nil
}

// withdraw removes an output that is not published, but for the parts that a later try may go
// on from, and what announced it.
func (r *run) withdraw(ctx context.Context, target *output.Target, failure error) error {
	var err error
	if worthwhile(failure) && len(r.masked) > 0 {
		err = target.Suspend(r.keeps)
	} else {
		err = target.Discard()
	}
	if !target.Done() {
		err = errors.Join(err, r.work.Remove(pendingFile), r.beside.revoke(ctx))
	}
	return err
}

// record writes down that what was announced stands now, and sweeps the rest of the work folder.
// That takes no space: the disk may be full.
func (r *run) record() error {
	if err := r.work.Rename(pendingFile, recordFile); err != nil {
		return fmt.Errorf("keep the output's record: %w", err)
	}
	return r.work.Sweep(recordFile)
}
