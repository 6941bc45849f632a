package verify

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
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
		p := recountPass{recount: r, first: passes == 0}
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

// recountPass is one reading of the release.
type recountPass struct {
	*recount
	first bool
	rows  atomic.Int64
}

// run reads all parts, and the row groups of each, on workers that help each other. What is
// found is told in the order of the release, and so is the first of several errors.
func (p *recountPass) run(ctx context.Context) error {
	findings := make([][]string, len(p.parts))
	err := workers.Each(len(p.parts), len(p.workers), func(w workers.Worker, i int) (err error) {
		if findings[i], err = p.part(ctx, w, p.parts[i]); err != nil {
			return fmt.Errorf("verify %s: %w", p.parts[i], err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, part := range findings {
		for _, finding := range part {
			p.find("%s: %s", p.parts[i], finding)
		}
	}
	p.verifier.rows = p.rows.Load()
	return p.flush()
}

// part reads a part.
func (p *recountPass) part(ctx context.Context, w workers.Worker, path string) (findings []string, err error) {
	file, err := release.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	if p.first {
		if findings, err = p.footer(file); err != nil {
			return nil, err
		}
	}
	if lacking := p.lackingColumn(file); lacking != "" {
		return append(findings, fmt.Sprintf("the cut speaks of column %s, which is not there", lacking)), nil
	}
	groups := make([][]string, file.RowGroups())
	err = w.Each(len(groups), func(w workers.Worker, g int) (err error) {
		groups[g], err = p.rowGroup(ctx, w, file, g)
		return err
	})
	return append(findings, slices.Concat(groups...)...), err
}

// footer looks at what a part says of itself.
func (p *recountPass) footer(file *release.File) (findings []string, err error) {
	leaks, err := file.FooterLeaks()
	if text, _ := file.Metadata(cutfile.Key); text != string(p.cut.Raw) {
		findings = append(findings, "its cut differs from the first part's")
	}
	return appendTexts(findings, leaks), err
}

// rowGroup reads a row group.
func (p *recountPass) rowGroup(ctx context.Context, w workers.Worker, file *release.File, g int) (findings []string, err error) {
	scanner := p.workers[w.Number].scanner
	scanner.Share(w.Share)
	if p.first {
		leaks, err := scanner.Kept(ctx, file, g)
		if err != nil {
			return nil, err
		}
		findings = appendTexts(findings, leaks)
	}
	leaks, err := scanner.Rows(ctx, file, g, func(worker, rows int, numbers []release.Numbers) error {
		return p.count(p.workers[worker], rows, numbers)
	})
	p.watch.advanced(p.rows.Add(file.RowGroupRows(g)), p.cut.Rows)
	return appendTexts(findings, leaks), err
}

func appendTexts(texts []string, leaks []release.Finding) []string {
	for _, leak := range leaks {
		texts = append(texts, leak.String())
	}
	return texts
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
