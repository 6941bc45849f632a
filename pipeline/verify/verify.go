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

// Options say how a release is verified.
type Options struct {
	Limits job.Limits // missing ones are the machine's
	Watch  Watch
	// Cut is the path of the cut of files that another engine has masked, which contain none: a
	// release, or a file with the cut's JSON. Metadata that such an engine adds, and a release does
	// not have, is a finding as in any file. Empty: the release has its cut.
	Cut string
	// Population counts people in the classes; nil: nobody does.
	Population Population
	Budget     *spill.Budget // of the limits, if others use it, too; nil: nobody else does
}

// Release recounts a released file or directory from itself alone: it compares every
// quasi-identifier set with its k and the claimed anonymity, every label with the embedded cut, and
// searches the files for information that must not be released. If something is wrong, it returns
// the findings together with a *fault.Error of class Privacy. It keeps to the limits. It needs no
// folder to spill to: it reads the release again for groups that do not fit.
func Release(ctx context.Context, path string, opt Options) (*Result, error) {
	_, result, err := verify(ctx, path, opt, false)
	return result, err
}

// verify verifies a release by its own cut, or by the given one. It also counts the figures of an
// inspection, if requested.
func verify(
	ctx context.Context, path string, opt Options, inspects bool,
) (v *verifier, r *Result, err error) {
	budget, given := opt.Budget, opt.Cut
	if budget == nil {
		budget = spill.NewBudget(cmp.Or(opt.Limits.Memory, spill.DefaultLimit()))
	}
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
	request := &RiskRequest{Labels: !inspects, AllPairs: inspects}
	threads := cmp.Or(opt.Limits.Threads, runtime.GOMAXPROCS(0))
	if v, err = newVerifier(ctx, path, rules, threads, budget, opt.Watch, request); err != nil {
		return nil, nil, err
	}
	v.population = opt.Population
	defer spill.LimitHeap(budget.Limit())()
	if inspects {
		v.groups = newGroups(rules)
	}
	if err := v.checkFolder(ctx); err != nil {
		return nil, nil, err
	}
	if err := v.watch.during(func() error { return v.scan(ctx) }); err != nil {
		return nil, nil, err
	}
	v.union = v.classSizes.report.Labels.Union()
	r, err = v.result(v.path)
	return v, r, err
}

// Unpublished is Release for a release that is not published yet: it may lack _SUCCESS and the
// manifest, and has another name. The groups take a part of the rest of a budget. The caller
// reports the stage, so only the watch's Progress is called. If there is a request, the disclosure
// risk is counted; and if there is a population, its people in the classes.
func Unpublished(
	ctx context.Context, path string, threads int, budget *spill.Budget, watch Watch,
	request *RiskRequest, population Population,
) (r *Result, risks *risk.Report, err error) {
	defer func() {
		// The files existed a moment ago.
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, formats.ErrNoInput) {
			err = fault.Errorf(fault.Transient,
				"run again, and let nobody take away what a run is writing", "%w", err)
		}
	}()
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	v, err := newVerifier(ctx, path, rulesOf(cut, false), threads, budget, watch, request)
	if err != nil {
		return nil, nil, err
	}
	v.population = population
	if err := v.scan(ctx); err != nil {
		return nil, nil, err
	}
	if r, err = v.result(v.path); request == nil {
		return r, nil, err
	}
	return r, v.classSizes.report, err
}

// Watch is called with the progress of a recount. Every function may be nil. Progress may be called
// from several goroutines at a time.
type Watch struct {
	Start    func()
	Progress func(done, total int64) // rows
	End      func(took time.Duration)
}

// during reports the begin of a recount, and its end unless it fails.
func (w *Watch) during(recount func() error) error {
	began := time.Now()
	if w.Start != nil {
		w.Start()
	}
	err := recount()
	if err == nil && w.End != nil {
		w.End(time.Since(began))
	}
	return err
}

// verifier compares a release with its cut. It reads the release once more for each part of the
// groups that had no room.
type verifier struct {
	*rules
	path    string
	parts   []string
	threads int
	memory  int64 // largest size in bytes of the counts of all sets
	watch   Watch

	rows      int64
	marked    uint64
	anonymity []uint64           // by set
	classes   []uint64           // by set
	regions   *table             // regions of the cut; nil: it has none
	found     int                // number of regions with records
	outside   uint64             // number of records that belong to no region
	released  [][]releasedColumn // by set
	groups    *groups            // nil: not requested
	measures  []measures         // by claim
	whole     []*table           // by sensitive column: number of records by hash of the value

	population Population       // counts the people in the groups; nil: nobody does
	registers  []*risk.Register // by set: what it has found; nil: nothing was counted
	labels     []uint32         // scratch of addClass

	classSizes *classSizes // nil: class sizes are not counted
	kept       []string    // kept columns, if class sizes are counted
	union      *risk.Union // the disclosure risk that the cut must claim; nil: any

	findings []string
	has      map[string]bool // findings that were added
}

// newVerifier returns a verifier of a release that takes its part of the rest of a budget.
func newVerifier(
	ctx context.Context, path string, r *rules, threads int, budget *spill.Budget, watch Watch,
	request *RiskRequest,
) (*verifier, error) {
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	v := &verifier{
		rules: r, path: path, parts: parts, threads: threads, memory: budget.Grant(&spill.Recount),
		watch:     watch,
		anonymity: make([]uint64, len(r.cut.Sets)), classes: make([]uint64, len(r.cut.Sets)),
		measures: r.newMeasures(),
		has:      make(map[string]bool),
	}
	for i := range r.cut.Sets {
		v.released = append(v.released, r.releasedIn(i))
	}
	if r.hasRegions() {
		v.regions = r.regions()
		v.memory = max(v.memory-8*int64(len(v.regions.slots)), v.memory/2)
	}
	if request != nil {
		v.memory = max(v.memory-risk.SumBytes, v.memory/2)
		if !request.Labels {
			v.kept, err = r.keptColumns(ctx, parts[0])
		}
		v.classSizes = r.newClassSizes(request, v.kept, budget)
	}
	return v, err
}

// scan reads the release until every set is counted, and counts the people in the classes.
func (v *verifier) scan(ctx context.Context) (err error) {
	memory := v.memory / 3 * 2 // the rest is for tables that are moved
	p := v.newReading(v.kept, v.threads)
	if len(v.measures) > 0 {
		memory -= memory / 4
		for i, whole := range v.newWhole(v.threads, memory/3) {
			p.counters[i].whole = whole
		}
	}
	var all []*classCounter
	if e := v.classSizes; e != nil {
		defer func() { e.budget.Return(e.budget.Used()) }()
	}
	for _, c := range p.counters {
		if v.unstamped {
			c.labelChanges = make([]uint64, len(v.checks))
		}
		if v.classSizes != nil {
			c.classes = v.classSizes.newCounter(len(v.cut.Sets), p.shown, v.threads)
			all = append(all, c.classes)
		}
	}
	if v.watch.Progress != nil {
		p.progress = func(rows int64) { v.watch.Progress(rows, v.cut.Rows) }
	}
	for ; len(p.open) > 0; p.again = true {
		for key, share := range v.share(memory, p.open, v.threads) {
			p.shares[key].limit = share
		}
		p.rows.Store(0)
		if err := v.pass(ctx, p); err != nil {
			return err
		}
		v.rows, v.marked = p.rows.Load(), p.marked()
		if !p.again {
			if err := v.joinWhole(p.counters); err != nil {
				return err
			}
			v.checkOrder(p)
		}
		if v.classSizes != nil && !p.again {
			if err := v.classSizes.join(all, v.rows); err != nil {
				return err
			}
			p.countGroupsOnly()
		}
		var open []int
		for _, key := range p.open {
			if err := v.finish(p, key); err != nil {
				return err
			}
			if p.shares[key].next() {
				open = append(open, key)
			}
		}
		p.open = open
	}
	if v.population != nil {
		v.registers, err = v.population.Registers(ctx)
	}
	return err
}

// checkOrder checks whether the rows that another engine has written are sorted by the labels of
// some column: if they are, the number of label changes in each part is at most the number of
// labels. Rows in no such order may be in the order of the source.
func (v *verifier) checkOrder(p *reading) {
	sorted, varies := false, false
	for check := range v.checks {
		changes := uint64(0)
		for _, c := range p.counters {
			if c.labelChanges != nil {
				changes += c.labelChanges[check]
			}
		}
		varies = varies || changes > 0
		sorted = sorted ||
			changes > 0 && changes <= uint64(v.checks[check].below())*uint64(len(v.parts))
	}
	if varies && !sorted {
		v.find("rows are in the order of no column's labels, and so may be in that of the table " +
			"that was masked")
	}
	for _, c := range p.counters {
		c.labelChanges = nil
	}
}

// pass reads all parts, and the row groups of each, on workers that help each other. Findings are
// in the order of the release, and so is the first of several errors.
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

// finish judges the groups that a pass counted by a key.
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
			if err := v.add(key, group, records); err != nil {
				return err
			}
		}
	}
	sum.clear()
	return nil
}

// checkFolder finds missing files of a released directory, and files that do not belong there.
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

// checkPlain checks names and the empty _SUCCESS for hidden information: parts must be numbered
// from 0 on, as kcut does. Other engines name parts in other ways.
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
			v.find("%s has parts that are not numbered one after the other, from %s on", v.path,
				fileset.PartName(0))
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

// checkManifest compares a directory's manifest, if it has one, with the parts: their rows and all
// their bytes.
func (v *verifier) checkManifest(ctx context.Context) error {
	m, err := fileset.ReadManifest(ctx, v.path)
	switch {
	case fault.ClassOf(err) == fault.Input:
		v.find("%s: its manifest is not of the form that kcut writes", v.path)
		return nil
	case err != nil || m == nil:
		return err
	case !slices.EqualFunc(m.Parts, v.parts,
		func(p fileset.Part, path string) bool { return p.Name == fileset.NameIn(v.path, path) }):
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

// checkSums compares the sizes and hashes of parts with the manifest.
func (v *verifier) checkSums(ctx context.Context, parts []fileset.Part) error {
	other := make([]string, len(parts)) // the difference from the manifest's claim
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
	shown    []release.Kept // shown kept columns
	scanners []*release.Scanner
	counters []*counter
	shares   []*shareRange // by key
	open     []int         // keys that still must be counted
	again    bool          // footers, kept columns and marks have been read
	rows     atomic.Int64
	progress func(rows int64)
}

// newReading returns a reading by the given number of workers, which see the sensitive columns
// first, then other kept columns.
func (r *rules) newReading(kept []string, workers int) *reading {
	shown := r.sensitive()
	for _, name := range kept {
		if !slices.ContainsFunc(shown, func(k release.Kept) bool { return k.Name == name }) {
			shown = append(shown, release.Kept{Name: name, Hash: risk.HashValue, Null: risk.Null})
		}
	}
	p := &reading{rules: r, shown: shown, scanners: release.NewScanners(r.masked(), shown, workers),
		progress: func(int64) {}}
	for key := range r.keys {
		p.shares, p.open = append(p.shares, newShareRange(0)), append(p.open, key)
	}
	for range workers {
		p.counters = append(p.counters, newCounter(r, p.shares))
	}
	return p
}

// part reads the footer and all row groups of a part.
func (p *reading) part(
	ctx context.Context, w workers.Worker, path string,
) (findings []string, err error) {
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

func (p *reading) rowGroups(
	ctx context.Context, w workers.Worker, file *release.File,
) (findings []string, err error) {
	if !p.again {
		if findings, err = p.footer(file); err != nil {
			return nil, err
		}
	}
	if lacking := p.lackingColumn(file); lacking != "" {
		return append(findings,
			fmt.Sprintf("the cut speaks of column %s, which is not there", lacking)), nil
	}
	groups := make([][]string, file.RowGroups())
	err = w.Each(len(groups), func(w workers.Worker, i int) (err error) {
		groups[i], err = p.rowGroup(ctx, w, file, i)
		return err
	})
	return append(findings, slices.Concat(groups...)...), err
}

// footer checks the metadata of a part.
func (p *reading) footer(file *release.File) (findings []string, err error) {
	leaks, err := file.FooterLeaks()
	if text, stamped := file.Metadata(cutfile.Key); (stamped || !p.unstamped) &&
		text != string(p.cut.Raw) {
		findings = append(findings, "its cut differs from the first part's")
	}
	for _, name := range p.namesakes(file) {
		findings = append(findings,
			fmt.Sprintf("column %s has the name of a masked column that was released under others",
				name))
	}
	for _, name := range p.otherParts(file) {
		findings = append(findings,
			fmt.Sprintf("column %s has other fields than intervals have", name))
	}
	return appendTexts(findings, leaks), err
}

// rowGroup reads a row group.
func (p *reading) rowGroup(
	ctx context.Context, w workers.Worker, file *release.File, g int,
) (findings []string, err error) {
	scanner := p.scanners[w.Number]
	scanner.Share(w.Share)
	if !p.again {
		leaks, err := scanner.Kept(ctx, file, g)
		if err != nil {
			return nil, err
		}
		findings = appendTexts(findings, leaks)
	}
	leaks, err := scanner.Rows(ctx, file, g,
		func(worker, rows int, numbers []release.Numbers, kept []release.Hashes) error {
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

func (p *reading) count(
	c *counter, rows int, numbers []release.Numbers, kept []release.Hashes,
) error {
	if p.marks != nil && !p.again {
		c.countMarked(rows, numbers)
	}
	if c.labelChanges != nil {
		c.countLabelChanges(rows, numbers)
	}
	for _, key := range p.open {
		if err := c.count(key, rows, numbers, kept); err != nil {
			return err
		}
	}
	if err := c.countWhole(rows, kept); err != nil {
		return err
	}
	if c.classes != nil {
		c.classes.count(rows, kept)
	}
	return nil
}

// countGroupsOnly makes later passes count groups alone, and read no kept columns except sensitive
// ones.
func (p *reading) countGroupsOnly() {
	for i, c := range p.counters {
		c.classes, c.labelChanges = nil, nil
		p.scanners[i].ShowKept(len(p.values))
	}
}

// marked returns the number of rows that have only marks.
func (p *reading) marked() (rows uint64) {
	for _, c := range p.counters {
		rows += c.marked
	}
	return rows
}
