package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	paths "path"
	"path/filepath"
	"slices"
	"time"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
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
const releaseForm = 3

// The files of a work folder that say what made the release.
const (
	recordFile  = "run.json"  // the report of the run that made the release that stands
	pendingFile = "next.json" // of the run that was about to publish
)

// maxRecord bounds a record that is read.
const maxRecord = 64 << 20

// ledger knows what stands at the output of a job and what an earlier run has left there, and
// writes down what made the release.
type ledger struct {
	job    *job.Job
	opt    *RunOptions
	res    *recorder
	local  string // where the release is made: see output.Local
	exists bool   // there is an output already

	work      *checkpoint.Folder // claimed
	beside    string             // folder of its record in an object store; empty: there is none
	announced bool               // in that folder
	known     []known            // records of the output, while they count

	began  time.Time      // the first stage that a kept cut saves
	target *output.Target // the release, until it is published or withdrawn
}

// newLedger looks at the output of a job.
func newLedger(ctx context.Context, job *job.Job, opt *RunOptions, res *recorder) (l *ledger, err error) {
	l = &ledger{job: job, opt: opt, res: res, beside: folderBeside(job.Output.Path)}
	if l.exists, err = output.Check(ctx, job.Output.Path); err != nil {
		return nil, err
	}
	if l.local, err = output.Local(job); err != nil {
		return nil, err
	}
	res.Scratch.Beside = l.local
	l.work = &checkpoint.Folder{FS: opt.System.Files, Path: workFolder(l.local)}
	return l, nil
}

// workFolder returns the path of the work folder of an output on a disk.
func workFolder(path string) string {
	path = filepath.Clean(path)
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".kcut")
}

// openLedger claims the work folder of an output, refuses one that must not be replaced, and sweeps
// what a run that was killed has spilled. close is owed.
func openLedger(ctx context.Context, job *job.Job, opt *RunOptions, res *recorder) (*ledger, error) {
	l, err := newLedger(ctx, job, opt, res)
	if err != nil {
		return nil, err
	}
	if err := l.work.Claim(); err != nil {
		return nil, err
	}
	if err = l.refuse(ctx); err == nil {
		err = res.Scratch.Sweep()
	}
	if err == nil && !opt.Resume {
		err = l.work.Sweep(recordFile, pendingFile)
	}
	if err != nil {
		return nil, errors.Join(err, l.work.Release())
	}
	return l, nil
}

// close lets go of the work folder. A kept cut stays only where another try is worthwhile: it
// holds personal data.
func (l *ledger) close(failure error) (err error) {
	if !worthwhile(failure) {
		err = l.work.Sweep(recordFile, pendingFile)
	}
	return errors.Join(err, l.work.Release())
}

// identify takes the digests of job and input: what was given beside the job bounds it, too, and so do
// the labels of the previous release.
func (a *assignment) identify(ctx context.Context, t *binding.Taxonomies, threads int) (*Digests, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "release %d\n", releaseForm)
	if err := a.job.Identity(hash, t.Of); err != nil {
		return nil, fmt.Errorf("digest job: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(a.keys)) {
		fmt.Fprintf(hash, "key of %q: %x\n", name, a.keys[name].Fingerprint())
	}
	if a.given != nil {
		if a.applied != nil {
			fmt.Fprintf(hash, "apply %s %+v ", a.applied.OnBreak, a.applied.MaxSuppressed)
		}
		if err := json.NewEncoder(hash).Encode(a.given.File); err != nil {
			return nil, fmt.Errorf("digest the earlier cut: %w", err)
		}
	}
	if a.previous != nil {
		fmt.Fprintf(hash, "previous, allow new: %t ", a.job.AllowNewCut)
		if err := json.NewEncoder(hash).Encode([]any{a.previous.Columns, a.previous.Regions}); err != nil {
			return nil, fmt.Errorf("digest the previous cut: %w", err)
		}
	}
	input, err := dataset.Digest(ctx, a.job.Input, threads)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	return &Digests{Job: hex.EncodeToString(hash.Sum(nil)), Input: input.String()}, nil
}

// refuse refuses an output that exists and of which no record says what made it.
func (l *ledger) refuse(ctx context.Context) (err error) {
	if !l.exists {
		return nil
	}
	if l.opt.Resume {
		if l.known, err = l.knownRecords(ctx); err != nil {
			return err
		}
	}
	if len(l.known) == 0 && !l.opt.Overwrite {
		return standing(l.job, "it exists", "name another output, or replace it with --overwrite")
	}
	return nil
}

// standing is the error of an output that exists.
func standing(job *job.Job, why, hint string) error {
	return fault.Errorf(fault.Exists, hint, "write output %s: %s", output.Shown(job.Output.Path), why)
}

// recall reports whether the release that stands was made by the same job of the same input.
// Then its report is the run's. Another release is refused, unless it is to be replaced. One
// that may be replaced is made again for the sake of a trace.
func (l *ledger) recall(ctx context.Context) (done bool, err error) {
	if !l.exists || !l.opt.Resume || l.opt.Overwrite && l.opt.Trace != nil {
		return false, nil
	}
	why, hint := "it exists", "name another output, or replace it with --overwrite"
	for _, was := range l.known {
		if was.Digests.Job != l.res.report.Digests.Job {
			why = "it exists, made by another job"
			continue
		}
		if was.Digests.Input != l.res.report.Digests.Input {
			why, hint = "it exists, made of another input", "the input has changed since: replace the output with --overwrite, or name another one"
			continue
		}
		stands, err := l.stands(ctx, was.Report)
		if err != nil {
			return false, err
		}
		if stands {
			return true, l.leave(ctx, was)
		}
		why = "it exists, and was changed since it was released"
	}
	if l.opt.Overwrite {
		return false, nil
	}
	return false, standing(l.job, why, hint)
}

// leave makes the record of what stands the run's report, and sweeps what is left of tries to
// replace it.
func (l *ledger) leave(ctx context.Context, was known) error {
	ended := func(k known) bool { return k.pending && !k.remote && k.Digests.Output == was.Digests.Output } // while it was published
	if slices.ContainsFunc(l.known, ended) && !storage.IsRemote(l.job.Output.Path) {
		if err := publish.Finish(l.work.FS, output.Shown(l.job.Output.Path)); err != nil {
			return err
		}
	}
	if was.pending && !was.remote {
		if err := l.record(); err != nil {
			return err
		}
	}
	l.res.Noted(fmt.Sprintf("already done: %s was made by the same job of the same input", l.job.Output.Path))
	was.Output, was.AlreadyDone = l.job.Output.Path, true
	*l.res.report = *was.Report
	l.announced = slices.ContainsFunc(l.known, func(k known) bool { return k.pending && k.remote })
	l.completeBeside(ctx)
	if err := l.res.report.save(l.opt.RunJSON); err != nil {
		return err
	}
	left, err := output.Open(l.work.FS, l.local, l.job.Output.Path, true)
	if err != nil {
		return err
	}
	return errors.Join(left.Discard(), l.work.Sweep(recordFile))
}

// stands reports whether the output is the one of a record.
func (l *ledger) stands(ctx context.Context, was *Report) (bool, error) {
	path := output.Shown(l.job.Output.Path)
	if fileset.IsDirectory(l.job.Output.Path) {
		if complete, _ := storage.Exists(ctx, storage.Join(path, publish.SuccessFile)); !complete {
			return false, nil
		}
	}
	sum, err := fileset.Digest(ctx, path, l.res.Threads)
	if fault.ClassOf(err) == fault.Input { // no parts
		return false, nil
	}
	return sum == was.Digests.Output, err
}

// record writes down that what was announced stands now, and sweeps the rest of the work folder.
// That takes no space: the disk may be full.
func (l *ledger) record() error {
	if err := l.work.Rename(pendingFile, recordFile); err != nil {
		return fmt.Errorf("keep the output's record: %w", err)
	}
	return l.work.Sweep(recordFile)
}

// known is a record of the output, and where it was found.
type known struct {
	*Report
	remote  bool // in the output's object store
	pending bool
}

// knownRecords returns those of the output that can be understood: this machine's, and those beside the output.
func (l *ledger) knownRecords(ctx context.Context) (records []known, err error) {
	for _, remote := range []bool{false, true} {
		for _, name := range []string{recordFile, pendingFile} {
			var text []byte
			if !remote {
				text, err = l.work.Get(name, maxRecord)
			} else if l.beside != "" {
				text, err = storage.ReadText(ctx, storage.Join(l.beside, name), maxRecord)
			}
			none := errors.Is(err, checkpoint.ErrNone) || remote && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, storage.ErrDenied))
			if err != nil && !none {
				return nil, fmt.Errorf("read the output's record: %w", err)
			}
			was := &Report{}
			if !none && json.Unmarshal(text, was) == nil && was.Digests != nil {
				records = append(records, known{was, remote, name == pendingFile})
			}
		}
	}
	return records, nil
}

// folderBeside returns where the record of a release in an object store lies for runs of other machines:
// beside the output, under the names that it has beside one on a disk, and no part of the release.
// Beside a directory that is all of a bucket there is no such place.
func folderBeside(path string) string {
	if !storage.IsRemote(path) {
		return ""
	}
	bucket, key := storage.Split(output.Shown(path))
	if key == "" {
		return ""
	}
	above, name := paths.Split(key)
	return bucket + "/" + above + "." + name + ".kcut"
}

// writeBeside writes what of the report lies beside a release: beyond its digests only what the
// release tells as well.
func (l *ledger) writeBeside(ctx context.Context, name string) error {
	r := l.res.report
	text, err := json.Marshal(struct {
		Rows     int64            `json:"rows"`
		Released int64            `json:"released"`
		Sets     []cutfile.Set    `json:"quasi_identifiers"`
		Steps    int              `json:"steps"`
		Applied  *cutfile.Applied `json:"applied,omitempty"`
		Bytes    int64            `json:"released_bytes"`
		Files    int              `json:"released_files"`
		Digests  *Digests         `json:"digests"`
	}{r.Rows, r.Released, r.Sets, r.Steps, r.Applied, r.Bytes, r.Files, r.Digests})
	if err != nil {
		return err
	}
	return storage.UploadText(ctx, append(text, '\n'), storage.Join(l.beside, name), false)
}

// announceBeside lets runs of other machines know what will stand. One that may not write beside its
// output does without.
func (l *ledger) announceBeside(ctx context.Context) error {
	if l.beside == "" {
		return nil
	}
	l.announced = true // whatever comes of it
	err := l.writeBeside(ctx, pendingFile)
	if errors.Is(err, storage.ErrDenied) {
		l.res.Noted(fmt.Sprintf("going on without a record beside the output, which runs of other machines would need: %v", err))
		l.announced = false
		return nil
	}
	return err
}

// completeBeside writes down beside the output that what was announced stands now, although the run
// may have been stopped. It is of no matter when it fails: what was announced is known for what stands.
func (l *ledger) completeBeside(ctx context.Context) {
	if !l.announced {
		return
	}
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	err := l.writeBeside(ctx, recordFile)
	if err == nil {
		err = l.revokeBeside(ctx)
	}
	if err != nil {
		l.res.Noted(fmt.Sprintf("the record beside the output stays as it was announced: %v", err))
	}
}

// revokeBeside removes what was announced.
func (l *ledger) revokeBeside(ctx context.Context) error {
	if !l.announced {
		return nil
	}
	l.announced = false
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	return storage.Remove(ctx, storage.Join(l.beside, pendingFile))
}
