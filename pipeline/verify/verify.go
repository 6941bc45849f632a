package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Release recounts a released file or directory from itself alone: every quasi-identifier set
// against its k and the anonymity it claims, every label against the embedded cut, and the
// files for what they must not give away. When something is wrong it returns what it found
// together with a *fault.Error of class Privacy. It keeps to the limits, absent ones are the
// machine's; it needs no folder to spill to, but reads the release again for what does not fit.
func Release(ctx context.Context, path string, limits job.Limits, watch Watch) (*Result, error) {
	_, result, err := verify(ctx, path, "", limits, watch, false)
	return result, err
}

// Against is Release for files that another engine has masked, with the cut of a release or of a file that has its JSON alone: theirs
// have none. What such an engine writes beside values, and a release does not have, is found as in any file.
func Against(ctx context.Context, path, cut string, limits job.Limits, watch Watch) (*Result, error) {
	_, result, err := verify(ctx, path, cut, limits, watch, false)
	return result, err
}

// verify verifies a release by its own cut, or the one at a path, and counts what an inspection tells if there is one.
func verify(ctx context.Context, path, given string, limits job.Limits, watch Watch, inspects bool) (v *verifier, r *Result, err error) {
	memory := cmp.Or(limits.Memory, spill.DefaultLimit())
	budget := spill.NewBudget(memory)
	defer func() { err = budget.Advise(fileset.Advise(err)) }()
	if path, err = fileset.Resolve(path); err != nil {
		return nil, nil, err
	}
	cut, err := cutfile.Read(ctx, cmp.Or(given, path))
	if err != nil {
		return nil, nil, err
	}
	rules := rulesOf(cut, inspects)
	rules.unstamped = given != "" && given != path
	ask := &Exposure{Labels: !inspects}
	threads := cmp.Or(limits.Threads, runtime.GOMAXPROCS(0))
	if v, err = newVerifier(ctx, path, rules, threads, budget, watch, ask); err != nil {
		return nil, nil, err
	}
	defer spill.LimitHeap(memory)()
	if inspects {
		v.groups = newGroups(rules)
	}
	if err := v.checkFolder(ctx); err != nil {
		return nil, nil, err
	}
	began := time.Now()
	if v.watch.Start != nil {
		v.watch.Start()
	}
	if err := v.scan(ctx); err != nil {
		return nil, nil, err
	}
	if v.watch.End != nil {
		v.watch.End(time.Since(began))
	}
	v.union = v.exposed.report.Labels.Union()
	r, err = v.result(v.path)
	return v, r, err
}

// Unpublished is Release for a release that is not published yet: it may lack what completes it,
// and lies under another name. The groups take a part of what is left of a budget. The caller
// reports the stage, so that only the watch's Progress is called. When it asks, which rows are alike is
// counted.
func Unpublished(
	ctx context.Context, path string, threads int, budget *spill.Budget, watch Watch, ask *Exposure,
) (_ *risk.Report, err error) {
	defer func() {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, formats.ErrNoInput) { // it was there a moment ago
			err = fault.Errorf(fault.Transient, "run again, and let nobody take away what a run is writing", "%w", err)
		}
	}()
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	v, err := newVerifier(ctx, path, rulesOf(cut, false), threads, budget, watch, ask)
	if err != nil {
		return nil, err
	}
	if err := v.scan(ctx); err != nil {
		return nil, err
	}
	if _, err = v.result(v.path); ask == nil {
		return nil, err
	}
	return v.exposed.report, err
}

// Watch is told how a recount goes on. Every function may be nil; Progress may be called from
// several goroutines at a time.
type Watch struct {
	Start    func()
	Progress func(done, total int64) // rows
	End      func(took time.Duration)
}

// verifier compares a release with its cut. It reads the release once more for every part of the
// groups that there was no room for.
type verifier struct {
	*rules
	path    string
	parts   []string
	threads int
	memory  int64 // bytes that the counts of all sets may take
	watch   Watch
	passes  int // readings of the release

	rows      int64
	marked    uint64
	anonymity []uint64     // of every set
	regions   *table       // of a cut of regions, else nil
	found     int          // regions that have records
	strange   uint64       // records that belong to no region
	released  [][]released // of every set
	groups    *groups      // nil: the sizes of groups are not asked for
	measures  []measures   // of every claim
	whole     []*table     // of every sensitive column, the records that have a value, by its hash

	exposed *exposure   // nil: which rows are alike is not counted
	kept    []string    // columns, if it is
	union   *risk.Union // the share of rows alike that the cut must claim; nil: any

	findings []string
	has      map[string]bool // findings
}

// newVerifier returns a verifier of a release that takes its part of what is left of a budget.
func newVerifier(
	ctx context.Context, path string, r *rules, threads int, budget *spill.Budget, watch Watch, ask *Exposure,
) (*verifier, error) {
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	v := &verifier{
		rules: r, path: path, parts: parts, threads: threads, memory: budget.Grant(&spill.Recount), watch: watch,
		anonymity: make([]uint64, len(r.cut.Sets)), measures: r.newMeasures(), has: make(map[string]bool),
	}
	for i := range r.cut.Sets {
		v.released = append(v.released, r.releasedIn(i))
	}
	if r.hasRegions() {
		v.regions = r.regions()
		v.memory = max(v.memory-8*int64(len(v.regions.slots)), v.memory/2)
	}
	if ask != nil {
		v.memory = max(v.memory-risk.SumBytes, v.memory/2)
		if !ask.Labels {
			v.kept, err = r.keptColumns(ctx, parts[0])
		}
		v.exposed = r.newExposure(ask, v.kept, budget)
	}
	return v, err
}

// scan passes over the release until every set is counted.
func (v *verifier) scan(ctx context.Context) error {
	memory := v.memory / 3 * 2 // the rest is for tables that are being moved
	p := v.newReading(v.kept, v.threads)
	if len(v.measures) > 0 {
		memory -= memory / 4
		for i, whole := range v.newWhole(v.threads, memory/3) {
			p.counters[i].whole = whole
		}
	}
	var all []*alike
	if e := v.exposed; e != nil {
		defer func() { e.budget.Return(e.budget.Used()) }()
	}
	for _, c := range p.counters {
		if v.unstamped {
			c.turns = make([]uint64, len(v.checks))
		}
		if v.exposed != nil {
			c.alike = v.exposed.newAlike(len(v.cut.Sets), p.shown, v.threads)
			all = append(all, c.alike)
		}
	}
	if v.watch.Progress != nil {
		p.progress = func(rows int64) { v.watch.Progress(rows, v.cut.Rows) }
	}
	for ; len(p.open) > 0; p.again = true {
		for key, share := range v.share(memory, p.open, v.threads) {
			p.spans[key].limit = share
		}
		p.rows.Store(0)
		if err := v.pass(ctx, p); err != nil {
			return err
		}
		v.passes++
		v.rows, v.marked = p.rows.Load(), p.marked()
		if !p.again {
			if err := v.joinWhole(p.counters); err != nil {
				return err
			}
			v.checkOrder(p)
		}
		if v.exposed != nil && !p.again {
			if err := v.exposed.join(all, v.rows); err != nil {
				return err
			}
			p.tellNothing()
		}
		var open []int
		for _, key := range p.open {
			if err := v.finish(p, key); err != nil {
				return err
			}
			if p.spans[key].next() {
				open = append(open, key)
			}
		}
		p.open = open
	}
	return nil
}

// checkOrder looks whether rows that another engine has written lie in the order of the labels of some column: if they do, labels
// change no more often than there are some, in each part. Rows in no such order may lie in the order of the source.
func (v *verifier) checkOrder(p *reading) {
	sorted, varies := false, false
	for check := range v.checks {
		turns := uint64(0)
		for _, c := range p.counters {
			if c.turns != nil {
				turns += c.turns[check]
			}
		}
		varies = varies || turns > 0
		sorted = sorted || turns > 0 && turns <= uint64(v.checks[check].below())*uint64(len(v.parts))
	}
	if varies && !sorted {
		v.find("rows are in the order of no column's labels, and so may be in that of the table that was masked")
	}
	for _, c := range p.counters {
		c.turns = nil
	}
}

// pass reads all parts, and the row groups of each, on workers that help each other. What is
// found is reported in the order of the release, and so is the first of several errors.
func (v *verifier) pass(ctx context.Context, p *reading) error {
	findings := make([][]string, len(v.parts))
	err := workers.Each(len(v.parts), v.threads, func(w workers.Worker, i int) (err error) {
		findings[i], err = p.part(ctx, w, v.parts[i])
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
	if claim := v.claimOf(key); claim >= 0 {
		v.addTable(claim, sum)
	} else {
		for group, records := range sum.all() {
			v.add(key, group, records)
		}
	}
	sum.clear()
	return nil
}

// checkFolder looks for what a released directory lacks, or holds beside its parts.
func (v *verifier) checkFolder(ctx context.Context) error {
	if len(v.parts) == 1 && v.parts[0] == v.path {
		return nil
	}
	names, err := fileset.Names(ctx, v.path)
	if err != nil {
		return fmt.Errorf("list release %s: %w", v.path, err)
	}
	complete := false
	for _, name := range names {
		complete = complete || name == publish.SuccessFile
		if strings.HasSuffix(name, "/") {
			v.find("%s has a folder without parts", v.path)
		} else if !fileset.Belongs(name) {
			v.find("%s holds %s, which is no part of a release", v.path, name)
		} else if !v.isFolder(name) {
			v.find("%s has a part in a folder that is named by no label of the cut", v.path)
		}
	}
	if !complete {
		v.find("%s has no _SUCCESS: it was not written to its end", v.path)
	}
	if err := v.checkPlain(ctx, complete); err != nil {
		return err
	}
	return v.checkManifest(ctx)
}

// checkPlain looks for what names and an empty file could tell: parts are numbered from 0 on, as kcut does. Other engines name
// theirs in other ways.
func (v *verifier) checkPlain(ctx context.Context, complete bool) error {
	if v.unstamped {
		return nil
	}
	named := make(map[string]bool, len(v.parts))
	for _, part := range v.parts {
		named[path.Base(filepath.ToSlash(part))] = true
	}
	for number := range v.parts {
		if !named[fileset.PartName(number)] {
			v.find("%s has parts that are not numbered one after the other, from %s on", v.path, fileset.PartName(0))
			break
		}
	}
	if !complete {
		return nil
	}
	info, err := storage.Stat(ctx, storage.Join(v.path, publish.SuccessFile))
	if err == nil && info.Size() > 0 {
		v.find("%s has a _SUCCESS that is not empty", v.path)
	}
	return err
}

// checkManifest compares a directory's manifest, if it has one, with its parts: their rows and
// all their bytes.
func (v *verifier) checkManifest(ctx context.Context) error {
	m, err := fileset.ReadManifest(ctx, v.path)
	switch {
	case fault.ClassOf(err) == fault.Input:
		v.find("%s: its manifest is not of the form that kcut writes", v.path)
		return nil
	case err != nil || m == nil:
		return err
	case !slices.EqualFunc(m.Parts, v.parts, func(p fileset.Part, path string) bool { return p.Name == fileset.NameIn(v.path, path) }):
		v.find("%s: its manifest lists other parts", v.path)
		return nil
	}
	rows := int64(0)
	for _, part := range m.Parts {
		rows += part.Rows
	}
	if rows != m.Rows || rows != v.cut.Rows {
		v.find("%s: its manifest has another number of rows than its cut", v.path)
	}
	return v.checkSums(ctx, m.Parts)
}

// checkSums compares the sizes and hashes of parts with what the manifest says.
func (v *verifier) checkSums(ctx context.Context, parts []fileset.Part) error {
	other := make([]string, len(parts)) // what is another than the manifest claims
	err := workers.Each(len(parts), v.threads, func(_ workers.Worker, i int) error {
		info, err := storage.Stat(ctx, v.parts[i])
		switch {
		case err != nil:
			return err
		case info.Size() != parts[i].Bytes:
			other[i] = "another size"
			return nil
		}
		_, sum, err := fileset.Sum(ctx, v.parts[i])
		if err == nil && sum != parts[i].SHA256 {
			other[i] = "other bytes"
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, what := range other {
		if what != "" {
			v.find("%s: its manifest claims %s", v.parts[i], what)
		}
	}
	return nil
}

// reading reads row groups of a release on workers, each with a scanner and a counter.
type reading struct {
	*rules
	shown    []release.Kept // kept columns
	scanners []*release.Scanner
	counters []*counter
	spans    []*span // of every key
	open     []int   // keys that are counted
	again    bool    // footers, kept columns and marks have been read before
	rows     atomic.Int64
	progress func(rows int64)
}

// newReading returns a reading by so many workers, which are shown sensitive columns first, then some other kept ones.
func (r *rules) newReading(kept []string, workers int) *reading {
	shown := r.sensitive()
	for _, name := range kept {
		if !slices.ContainsFunc(shown, func(k release.Kept) bool { return k.Name == name }) {
			shown = append(shown, release.Kept{Name: name, Hash: risk.HashValue, Null: risk.Null})
		}
	}
	p := &reading{rules: r, shown: shown, scanners: release.NewScanners(r.masked(), shown, workers), progress: func(int64) {}}
	for key := range r.keys {
		p.spans, p.open = append(p.spans, newSpan(0)), append(p.open, key)
	}
	for range workers {
		p.counters = append(p.counters, newCounter(r, p.spans))
	}
	return p
}

// part reads the footer and all row groups of a part.
func (p *reading) part(ctx context.Context, w workers.Worker, path string) (findings []string, err error) {
	file, err := release.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	defer file.Close() // it was only read
	p.readFolders(path, file)
	findings, err = p.rowGroups(ctx, w, file)
	for i, finding := range findings {
		findings[i] = path + ": " + finding
	}
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	return findings, nil
}

func (p *reading) rowGroups(ctx context.Context, w workers.Worker, file *release.File) (findings []string, err error) {
	if !p.again {
		if findings, err = p.footer(file); err != nil {
			return nil, err
		}
	}
	if lacking := p.lackingColumn(file); lacking != "" {
		return append(findings, fmt.Sprintf("the cut speaks of column %s, which is not there", lacking)), nil
	}
	groups := make([][]string, file.RowGroups())
	err = w.Each(len(groups), func(w workers.Worker, i int) (err error) {
		groups[i], err = p.rowGroup(ctx, w, file, i)
		return err
	})
	return append(findings, slices.Concat(groups...)...), err
}

// footer looks at what a part says of itself.
func (p *reading) footer(file *release.File) (findings []string, err error) {
	leaks, err := file.FooterLeaks()
	if text, stamped := file.Metadata(cutfile.Key); (stamped || !p.unstamped) && text != string(p.cut.Raw) {
		findings = append(findings, "its cut differs from the first part's")
	}
	for _, name := range p.namesakes(file) {
		findings = append(findings, fmt.Sprintf("column %s has the name of a masked column that was released under others", name))
	}
	for _, name := range p.otherParts(file) {
		findings = append(findings, fmt.Sprintf("column %s has other fields than intervals have", name))
	}
	return appendTexts(findings, leaks), err
}

// rowGroup reads a row group.
func (p *reading) rowGroup(ctx context.Context, w workers.Worker, file *release.File, g int) (findings []string, err error) {
	scanner := p.scanners[w.Number]
	scanner.Share(w.Share)
	if !p.again {
		leaks, err := scanner.Kept(ctx, file, g)
		if err != nil {
			return nil, err
		}
		findings = appendTexts(findings, leaks)
	}
	leaks, err := scanner.Rows(ctx, file, g, func(worker, rows int, numbers []release.Numbers, kept []release.Hashes) error {
		return p.count(p.counters[worker], rows, numbers, kept)
	})
	p.progress(p.rows.Add(file.RowGroupRows(g)))
	return appendTexts(findings, leaks), err
}

func appendTexts(texts []string, leaks []release.Finding) []string {
	for _, leak := range leaks {
		texts = append(texts, leak.String())
	}
	return texts
}

func (p *reading) count(c *counter, rows int, numbers []release.Numbers, kept []release.Hashes) error {
	if p.marks != nil && !p.again {
		c.countMarked(rows, numbers)
	}
	if c.turns != nil {
		c.countTurns(rows, numbers)
	}
	for _, key := range p.open {
		if err := c.count(key, rows, numbers, kept); err != nil {
			return err
		}
	}
	if err := c.countWhole(rows, kept); err != nil {
		return err
	}
	if c.alike != nil {
		c.alike.count(rows, kept)
	}
	return nil
}

// tellNothing has later passes count groups alone, and see no kept columns but the sensitive ones.
func (p *reading) tellNothing() {
	for i, c := range p.counters {
		c.alike, c.turns = nil, nil
		p.scanners[i].ShowKept(len(p.values))
	}
}

// marked returns how many rows with marks alone were read.
func (p *reading) marked() (rows uint64) {
	for _, c := range p.counters {
		rows += c.marked
	}
	return rows
}
