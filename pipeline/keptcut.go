package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"time"

	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/search"
)

// cutFile is the file in the work folder that keeps the result of a search for the next run. Only a
// run with the same head may use it:
//
//	head | report | cut | trace | hash of all before
const (
	cutFile = "cut"
	cutForm = "kcut found cut\x01"
	maxCut  = 1 << 30 // largest size of a kept cut that is read, in bytes
)

// cutHead returns the head of a kept cut. Runs have the same head if their job and input are the
// same, the input's files are unchanged, and the build of kcut is the same: another build may
// number values or take steps in another way.
func (r *runRecords) cutHead(b *binding.Bound) string {
	hash := sha256.New()
	fmt.Fprintln(hash, r.res.report.Digests.Job, r.res.report.Digests.Input, r.opt.Trace != nil)
	b.Fingerprint(hash)
	if build, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(hash, build.Main, build.Settings)
	}
	return cutForm + string(hash.Sum(nil))
}

// keepCut saves the result of the search, if the run has worked for the time of the options. It
// saves nothing if labels depend on more than the value of their own column: then the cut alone
// does not suffice for masking, and a later run searches again.
func (r *runRecords) keepCut(ctx context.Context, b *binding.Bound, f *search.Found) {
	if r.opt.Checkpoint <= 0 || time.Since(r.began) < r.opt.Checkpoint || !f.IsCut() {
		return
	}
	report, err := json.Marshal(r.res.report)
	var kept []byte
	if err == nil {
		kept, err = checkpoint.Encode(r.cutHead(b), nil, func(add func([]byte) error) error {
			return errors.Join(add(report), add(f.Cut.Raw), add(f.Trace.Bytes()))
		})
	}
	if err == nil {
		err = r.work.Put(cutFile, kept)
	}
	if err != nil && ctx.Err() == nil { // a run without a kept cut searches again
		r.res.Noted(fmt.Sprintf("going on without a checkpoint: save the cut in %s: %v",
			r.work.Path, err))
	}
}

// keptCut loads the result of an earlier run's search, or returns nil. If the file has an error
// of any kind, the run searches again.
func (r *runRecords) keptCut(b *binding.Bound) *search.Found {
	r.began = time.Now()
	if !r.opt.Resume {
		return nil
	}
	var was Report
	var blocks [][]byte
	found := &search.Found{}
	kept, err := r.work.Get(cutFile, maxCut)
	if err == nil {
		err = checkpoint.Decode(kept, r.cutHead(b), func(block []byte) error {
			blocks = append(blocks, block)
			return nil
		})
	}
	if err == nil && (len(blocks) != 3 || json.Unmarshal(blocks[0], &was) != nil) {
		err = checkpoint.ErrNone
	}
	if err == nil {
		found.Cut, err = cutfile.Parse(blocks[1])
		found.Trace.Write(blocks[2])
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && r.opt.Trace != nil {
		_, err = r.opt.Trace.Write(found.Trace.Bytes())
	}
	if err != nil {
		r.res.Noted(fmt.Sprintf("starting afresh: read the cut in %s: %v",
			r.work.Path, errors.Join(err, r.work.Remove(cutFile))))
		return nil
	}
	report := r.res.report
	was.Output, was.Stages = report.Output, report.Stages
	notices := was.Notices
	was.Notices = report.Notices
	*report = was
	for _, text := range notices {
		r.res.Noted(text)
	}
	r.res.Noted("going on from what an earlier run has found")
	return found
}
