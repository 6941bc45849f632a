package verify

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/hands"
)

// recount counts the groups of a release. It reads the release once for everything but the
// groups that there is no room for, and once more for every part of those that fits.
type recount struct {
	*verifier
	memory  int64          // bytes that the counts of the open sets may take
	open    []int          // sets that are not counted to their end
	counts  []*labelCounts // of every set; nil for one that is counted in cells
	workers []*recountWorker
}

// recountWorker is what one goroutine at a time counts with.
type recountWorker struct {
	hand    hands.Hand
	scanner *release.Scanner
	tallies []*labelTally // of every set
}

func (v *verifier) newRecount() *recount {
	r := &recount{verifier: v, memory: v.memory, counts: make([]*labelCounts, len(v.keys))}
	words := 0 // of the keys that are gathered, a row
	for set := range v.keys {
		k := &v.keys[set]
		r.open = append(r.open, set)
		if k.size > 1 || k.cells > min(mostCells, uint64(v.memory)/uint64(16*v.threads*len(v.keys))) {
			r.counts[set] = newLabelCounts(k.size)
			words += k.size * v.threads
		} else {
			r.memory -= int64(8*k.cells) * int64(v.threads)
		}
	}
	masked := make([]release.Masked, len(v.checks))
	for i := range v.checks {
		masked[i] = release.Masked{Name: v.checks[i].name, Number: v.checks[i].number}
	}
	rows, bytes := gatheredRows(v.memory, words)
	r.memory = max(r.memory/2, r.memory-bytes)
	for _, scanner := range release.NewScanners(masked, v.threads) {
		w, keys := &recountWorker{scanner: scanner}, make([]uint64, release.BlockRows)
		for set := range v.keys {
			w.tallies = append(w.tallies, newLabelTally(&v.keys[set], r.counts[set], rows, keys))
		}
		r.workers = append(r.workers, w)
	}
	return r
}

// run passes over the release until every set is counted, and returns how often it did.
func (r *recount) run(ctx context.Context) (passes int, err error) {
	for len(r.open) > 0 || passes == 0 {
		r.share()
		p := recountPass{recount: r, first: passes == 0, free: make(chan *recountWorker, len(r.workers))}
		if err := p.run(ctx); err != nil {
			return passes, err
		}
		passes++
		r.open = slices.DeleteFunc(r.open, r.close)
	}
	return passes, nil
}

// share divides the memory between the open sets that are not counted in cells.
func (r *recount) share() {
	open := int64(0)
	for _, set := range r.open {
		if r.counts[set] != nil {
			open++
		}
	}
	for _, set := range r.open {
		if r.counts[set] != nil {
			r.counts[set].limit = r.memory / open
		}
	}
}

// close takes over what a pass counted of a set, and reports whether that was the rest of it.
func (r *recount) close(set int) bool {
	if counts := r.counts[set]; counts != nil {
		r.take(set, counts.each)
		return !counts.next()
	}
	var tallies []*labelTally
	for _, w := range r.workers {
		tallies = append(tallies, w.tallies[set])
	}
	r.take(set, func(visit func([]uint64, uint64)) { eachCell(tallies, visit) })
	return true
}

// take takes over groups of a set, which each hands out with their records.
func (r *recount) take(set int, each func(visit func(key []uint64, records uint64))) {
	if r.isRegions(set) {
		each(r.regions.add)
		return
	}
	each(func(_ []uint64, records uint64) { r.anonymity[set] = smaller(r.anonymity[set], records) })
	if r.groups != nil {
		each(func(key []uint64, records uint64) { r.groups.add(set, key, records) })
	}
}

// recountPass is one reading of the release. Row groups are begun in order, and those that
// were begun are read to their end, so that of several errors it is always the first in the
// order of the release that is returned.
type recountPass struct {
	*recount
	first  bool
	free   chan *recountWorker
	group  errgroup.Group
	tasks  []*recountTask
	failed atomic.Bool
	rows   atomic.Int64
}

// recountTask is the reading of one row group.
type recountTask struct {
	part     *recountPart
	rowGroup int
	findings []release.Finding
	err      error
}

// recountPart is a part that is read, and closed by its last reader.
type recountPart struct {
	*release.File
	path    string
	readers atomic.Int64
}

func (p *recountPart) leave() {
	if p.readers.Add(-1) == 0 {
		p.Close() // it was only read
	}
}

func (p *recountPass) run(ctx context.Context) (err error) {
	for i, hand := range hands.New(len(p.workers)) {
		w := p.workers[i]
		w.hand = hand
		w.scanner.Share(hand.Share)
		p.free <- w
	}
	for _, path := range p.parts {
		if err = p.part(ctx, path); err != nil || p.failed.Load() {
			break
		}
	}
	for range p.workers {
		w := <-p.free
		p.group.Go(func() error {
			w.hand.Lend()
			return nil
		})
	}
	p.group.Wait() // tasks keep their errors
	for _, t := range p.tasks {
		if t.err != nil {
			return fmt.Errorf("verify %s: %w", t.part.path, t.err)
		}
		for _, leak := range t.findings {
			p.find("%s: %s", t.part.path, leak)
		}
	}
	if err != nil {
		return err
	}
	p.verifier.rows = p.rows.Load()
	return p.flush()
}

// part begins to read the row groups of a part.
func (p *recountPass) part(ctx context.Context, path string) error {
	file, err := release.Open(ctx, path)
	if err != nil {
		return fmt.Errorf("verify %s: %w", path, err)
	}
	part := &recountPart{File: file, path: path}
	part.readers.Store(1)
	defer part.leave()
	if p.first {
		if err := p.footer(part); err != nil {
			return fmt.Errorf("verify %s: %w", path, err)
		}
	}
	if !p.hasColumns(path, file) {
		return nil
	}
	for g := range file.RowGroups() {
		if p.failed.Load() {
			break
		}
		t := &recountTask{part: part, rowGroup: g}
		p.tasks = append(p.tasks, t)
		part.readers.Add(1)
		w := <-p.free
		p.group.Go(func() error {
			defer part.leave()
			p.do(ctx, t, w)
			return nil
		})
	}
	return nil
}

// footer looks at what a part says of itself.
func (p *recountPass) footer(part *recountPart) error {
	if text, _ := part.Metadata(cutfile.Key); text != string(p.cut.Raw) {
		p.find("%s: its cut differs from the first part's", part.path)
	}
	leaks, err := part.FooterLeaks()
	for _, leak := range leaks {
		p.find("%s: %s", part.path, leak)
	}
	return err
}

// do reads the row group of a task.
func (p *recountPass) do(ctx context.Context, t *recountTask, w *recountWorker) {
	defer func() { p.free <- w }()
	t.err = fault.Fence(func() (err error) {
		if p.first {
			if t.findings, err = w.scanner.Kept(ctx, t.part.File, t.rowGroup); err != nil {
				return err
			}
		}
		leaks, err := w.scanner.Rows(ctx, t.part.File, t.rowGroup, func(hand, rows int, numbers []release.Numbers) error {
			return p.count(p.workers[hand], rows, numbers)
		})
		t.findings = append(t.findings, leaks...)
		return err
	})
	if t.err != nil {
		p.failed.Store(true)
	}
	done := p.rows.Add(t.part.RowGroupRows(t.rowGroup))
	p.watch.advanced(done, p.cut.Rows)
}

func (p *recountPass) count(w *recountWorker, rows int, numbers []release.Numbers) error {
	if p.first && p.marks != nil {
		p.marks.count(rows, numbers)
	}
	for _, set := range p.open {
		if err := w.tallies[set].add(rows, numbers); err != nil {
			return err
		}
	}
	return nil
}

// flush counts what the workers have gathered and not yet counted.
func (p *recountPass) flush() error {
	for _, w := range p.workers {
		for _, set := range p.open {
			if err := w.tallies[set].flush(); err != nil {
				return err
			}
		}
	}
	return nil
}
