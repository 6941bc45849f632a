package verify

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Release recounts a released file or directory from itself alone: every quasi-identifier set
// against its k and the anonymity it claims, every label against the embedded cut, and the
// files for what they must not give away. When something is wrong it returns what it found
// together with a *fault.Error of class Privacy. It keeps to the limits, absent ones are the
// machine's; it needs no folder to spill to, but reads the release again for what does not fit.
func Release(ctx context.Context, path string, limits job.Limits, watch Watch) (*Result, error) {
	v, undo, err := open(ctx, path, limits, watch)
	if err != nil {
		return nil, fileset.Advise(err)
	}
	defer undo()
	result, err := v.run(ctx)
	return result, fileset.Advise(err)
}

// open begins to verify a release within limits, until undo is called.
func open(ctx context.Context, path string, limits job.Limits, watch Watch) (v *verifier, undo func(), err error) {
	path, err = fileset.Resolve(path)
	if err != nil {
		return nil, nil, err
	}
	memory := cmp.Or(limits.Memory, spill.DefaultLimit())
	v, err = newVerifier(ctx, path, cmp.Or(limits.Threads, runtime.GOMAXPROCS(0)), spill.Recount.Part(memory), watch)
	if err != nil {
		return nil, nil, err
	}
	return v, spill.LimitHeap(memory), nil
}

// Unpublished is Release for a release that is not published yet: it may lack what completes it,
// and lies under another name. The groups take a part of so many bytes of memory. The caller
// tells of the stage, so that only the watch's Progress is called.
func Unpublished(ctx context.Context, path string, threads int, memory int64, watch Watch) error {
	v, err := newVerifier(ctx, path, threads, spill.Recount.Part(memory), watch)
	if err != nil {
		return err
	}
	if err := v.scan(ctx); err != nil {
		return err
	}
	_, err = v.result(v.path)
	return err
}

// Watch is told how a recount goes on. Every function may be nil; Progress may be called from
// several goroutines at a time.
type Watch struct {
	Start    func()
	Progress func(done, total int64) // rows
	End      func(took time.Duration)
}

// verifier is a recount in progress, of a release on this machine. It does what Tally and Judge
// do, but reads the release once more for every part of the groups that there was no room for.
type verifier struct {
	*judge
	path    string
	parts   []string
	threads int
	memory  int64 // bytes that the counts of all sets may take
	watch   Watch
	passes  int // readings of the release
}

func newVerifier(ctx context.Context, path string, threads int, memory int64, watch Watch) (*verifier, error) {
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	v := &verifier{judge: newJudge(rulesOf(cut)), path: path, parts: parts, threads: threads, memory: memory, watch: watch}
	if v.judge.regions != nil {
		v.memory = max(memory-8*int64(len(v.judge.regions.slots)), memory/2)
	}
	return v, nil
}

// run verifies the whole release.
func (v *verifier) run(ctx context.Context) (*Result, error) {
	if err := v.checkFolder(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	if v.watch.Start != nil {
		v.watch.Start()
	}
	if err := v.scan(ctx); err != nil {
		return nil, err
	}
	if v.watch.End != nil {
		v.watch.End(time.Since(began))
	}
	return v.result(v.path)
}

// scan passes over the release until every set is counted.
func (v *verifier) scan(ctx context.Context) error {
	spans, memory := v.spans()
	p := v.newReading(spans, v.threads)
	if v.watch.Progress != nil {
		p.progress = func(rows int64) { v.watch.Progress(rows, v.cut.Rows) }
	}
	for ; len(p.open) > 0; p.again = true {
		for _, key := range p.open {
			if spans[key] != nil {
				spans[key].limit = memory / int64(len(p.open))
			}
		}
		p.rows.Store(0)
		if err := v.pass(ctx, p); err != nil {
			return err
		}
		v.passes++
		v.rows, v.marked = p.rows.Load(), p.marked()
		var open []int
		for _, key := range p.open {
			if err := v.finish(p, key); err != nil {
				return err
			}
			if spans[key] != nil && spans[key].next() {
				open = append(open, key)
			}
		}
		p.open = open
	}
	return nil
}

// spans returns those of the keys that are not counted in cells, and the memory for them. A
// third of it is for tables that are being moved.
func (v *verifier) spans() (spans []*span, memory int64) {
	memory = v.memory
	spans = make([]*span, len(v.keys))
	for key := range v.keys {
		if v.inCells(key, v.memory, v.threads) {
			memory -= 8 * int64(v.keys[key].cells) * int64(v.threads)
		} else {
			spans[key] = newSpan()
		}
	}
	return spans, memory / 3 * 2
}

// pass reads all parts, and the row groups of each, on workers that help each other. What is
// found is reported in the order of the release, and so is the first of several errors.
func (v *verifier) pass(ctx context.Context, p *reading) error {
	findings := make([][]string, len(v.parts))
	err := workers.Each(len(v.parts), v.threads, func(w workers.Worker, i int) (err error) {
		findings[i], err = p.part(ctx, w, v.parts[i], 0, -1)
		return err
	})
	for _, finding := range slices.Concat(findings...) {
		v.find("%s", finding)
	}
	return err
}

// finish judges what a pass counted by a key.
func (v *verifier) finish(p *reading, key int) error {
	sum := p.counters[0].tables[key]
	for _, c := range p.counters[1:] {
		for group, records := range c.tables[key].all() {
			if err := sum.add(group, records); err != nil {
				return err
			}
		}
		c.tables[key].clear()
	}
	for group, records := range sum.all() {
		v.add(key, group, records)
	}
	sum.clear()
	return nil
}
