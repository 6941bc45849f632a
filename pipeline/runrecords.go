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

// ledger knows what stands at the output of a job and what an earlier run has left there, and
// writes down what made the release.
type runRecords struct {
	job    *job.Job
	opt    *RunOptions
	res    *runState
	local  string // where the release is made: see output.Local
	exists bool   // there is an output already

	work         *checkpoint.Folder // claimed
	remoteFolder string             // folder of its record in an object store; empty: there is none
	announced    bool               // in that folder
	stored       []storedRecord     // records of the output, while they count

	began  time.Time      // the first stage that a kept cut saves
	target *output.Target // the release, until it is published or withdrawn
}

// newLedger looks at the output of a job.
func newRunRecords(
	ctx context.Context, job *job.Job, opt *RunOptions, res *runState,
) (records *runRecords, err error) {
	records = &runRecords{job: job, opt: opt,
		res: res, remoteFolder: remoteRecordFolder(job.Output.Path)}
	if records.exists, err = output.Check(ctx, job.Output.Path); err != nil {
		return nil, err
	}
	if records.local, err = output.Local(job); err != nil {
		return nil, err
	}
	res.Scratch.Beside = records.local
	records.work = &checkpoint.Folder{FS: opt.System.Files, Path: workFolder(records.local)}
	return records, nil
}

// openLedger claims the work folder of an output, refuses one that must not be replaced, and sweeps
// what a run that was killed has spilled. close is owed.
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

// close lets go of the work folder. A kept cut stays only where another try is worthwhile: it
// holds personal data.
func (r *runRecords) close(failure error) (err error) {
	if !mayRetry(failure) {
		err = r.work.Sweep(recordFile, pendingFile)
	}
	return errors.Join(err, r.work.Release())
}

// refuse refuses an output that exists and of which no record says what made it.
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

// standing is the error of an output that exists.
func existsError(job *job.Job, why, hint string) error {
	return fault.Errorf(fault.Exists, hint, "write output %s: %s",
		output.Shown(job.Output.Path), why)
}

// record writes down that what was announced stands now, and sweeps the rest of the work folder.
// That takes no space: the disk may be full.
func (r *runRecords) confirm() error {
	if err := r.work.Rename(pendingFile, recordFile); err != nil {
		return fmt.Errorf("keep the output's record: %w", err)
	}
	return r.work.Sweep(recordFile)
}

// known is a record of the output, and where it was found.
type storedRecord struct {
	*Report
	remote  bool // in the output's object store
	pending bool
}

// knownRecords returns those of the output that can be understood: this machine's, and those
// beside the output.
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
				return nil, fmt.Errorf("read the output's record: %w", err)
			}
			was := &Report{}
			if !none && json.Unmarshal(text, was) == nil && was.Digests != nil {
				records = append(records, storedRecord{was, remote, name == pendingFile})
			}
		}
	}
	return records, nil
}

// worthwhile reports whether another try may come further than one that failed, or did not.
func mayRetry(failure error) bool {
	switch fault.ClassOf(failure) {
	case fault.Cancelled, fault.Transient, fault.Resources:
		return true
	}
	return false
}
