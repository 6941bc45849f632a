package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/output"
)

// runRecords has the records of earlier runs that wrote the output of a job, and writes the
// record of this run.
type runRecords struct {
	job    *job.Job
	opt    *RunOptions
	res    *runState
	local  string // the path at which the run makes the release: see output.Local
	exists bool   // an output exists already

	work         *checkpoint.Folder // the claimed work folder
	remoteFolder string             // see remoteRecordFolder; empty: there is none
	announced    bool               // remoteFolder has a record of this run
	stored       []storedRecord     // records of the output, if the run may resume

	began  time.Time      // the start of the first stage that a kept cut saves
	target *output.Target // the release, until it is published or withdrawn
}

// newRunRecords finds out whether the output of a job exists, and where its records are.
func newRunRecords(
	ctx context.Context, job *job.Job, opt *RunOptions, res *runState,
) (records *runRecords, err error) {
	records = &runRecords{
		job: job, opt: opt, res: res, remoteFolder: remoteRecordFolder(job.Output.Path),
	}
	if records.exists, err = output.Check(ctx, job.Output.Path); err != nil {
		return nil, err
	}
	if records.local, err = output.Local(job); err != nil {
		return nil, err
	}
	res.Scratch.Output = records.local
	records.work = &checkpoint.Folder{FS: opt.System.Files, Path: workFolder(records.local)}
	return records, nil
}

// openRunRecords claims the work folder of an output, refuses an output that must not be
// replaced, and removes the spilled data of killed runs. The caller must call close.
func openRunRecords(
	ctx context.Context, job *job.Job, opt *RunOptions, res *runState,
) (*runRecords, error) {
	records, err := newRunRecords(ctx, job, opt, res)
	if err != nil {
		return nil, err
	}
	if err := records.work.Claim(); err != nil {
		return nil, err
	}
	if err = records.checkExisting(ctx); err == nil {
		err = res.Scratch.Sweep()
	}
	if err == nil && !opt.Resume {
		err = records.work.Sweep(recordFile, pendingFile)
	}
	if err != nil {
		return nil, errors.Join(err, records.work.Release())
	}
	return records, nil
}

// close gives the work folder back. It removes a kept cut unless another try may need it: the cut
// holds personal data.
func (r *runRecords) close(failure error) (err error) {
	if !mayRetry(failure) {
		err = r.work.Sweep(recordFile, pendingFile)
	}
	return errors.Join(err, r.work.Release())
}

// checkExisting refuses an existing output without a record, unless it is to be replaced.
func (r *runRecords) checkExisting(ctx context.Context) (err error) {
	if !r.exists {
		return nil
	}
	if r.opt.Resume {
		if r.stored, err = r.storedRecords(ctx); err != nil {
			return err
		}
	}
	if len(r.stored) == 0 && !r.opt.Overwrite {
		return existsError(r.job, "it exists",
			"name another output, or replace it with --overwrite")
	}
	return nil
}

// existsError is the error of an output that exists.
func existsError(job *job.Job, why, hint string) error {
	return fault.Errorf(fault.Exists, hint, "write output %s: %s",
		output.Shown(job.Output.Path), why)
}

// confirm turns the announced record into the record of the output, and removes all other files
// of the work folder. It needs no disk space: the disk may be full.
func (r *runRecords) confirm() error {
	if err := r.work.Rename(pendingFile, recordFile); err != nil {
		return fmt.Errorf("keep the output's record: %w", err)
	}
	return r.work.Sweep(recordFile)
}

// storedRecord is a record of the output, and the place where it was found.
type storedRecord struct {
	*runRecord
	remote  bool // found in the output's object store
	pending bool // announced, but not confirmed
}

// storedRecords returns the readable records of the output: those on this machine, and those next
// to a remote output.
func (r *runRecords) storedRecords(ctx context.Context) (records []storedRecord, err error) {
	for _, remote := range []bool{false, true} {
		for _, name := range []string{recordFile, pendingFile} {
			var text []byte
			if !remote {
				text, err = r.work.Get(name, maxRecord)
			} else if r.remoteFolder != "" {
				text, err = storage.ReadText(ctx, storage.Join(r.remoteFolder, name), maxRecord)
			}
			none := errors.Is(err, checkpoint.ErrNone) ||
				remote && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, storage.ErrDenied))
			if err != nil && !none {
				return records, fmt.Errorf("read the output's record: %w", err)
			}
			was := &runRecord{Report: &Report{}}
			if !none && json.Unmarshal(text, was) == nil && was.Digests != nil {
				records = append(records, storedRecord{was, remote, name == pendingFile})
			}
		}
	}
	return records, nil
}

// mayRetry reports whether another try may succeed after a failure.
func mayRetry(failure error) bool {
	switch fault.ClassOf(failure) {
	case fault.Cancelled, fault.Transient, fault.Resources:
		return true
	}
	return false
}
