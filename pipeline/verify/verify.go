package verify

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Options say how a release is verified.
type Options struct {
	Limits job.Limits // missing ones are the machine's
	Events resources.Events
	// Cut is the path of the cut of files that another engine has masked, which contain none: a
	// release, or a file with the cut's JSON. Metadata that such an engine adds, and a release does
	// not have, is a finding as in any file. Empty: the release has its cut.
	Cut string
	// Job holds the release to what a job asks of it, too; nil: none does. The limits on people of
	// a population are those of Population. The trees of its sensitive columns have been read.
	Job *job.Job
	// Population counts people in the classes; nil: nobody does.
	Population Population
	Budget     *spill.Budget // of the limits, if others use it, too; nil: nobody else does
}

// Release recounts a released file or directory from itself alone: it compares every
// quasi-identifier set with its k and the claimed anonymity, every label with the embedded cut, and
// searches the files for information that must not be released. A job adds what it asks. If
// something is wrong, it returns the findings together with a *fault.Error of class Privacy; if
// nothing is, but the files do not show all that the job asks, the class is Usage. It keeps to the
// limits. It needs no folder to spill to: it reads the release again for groups that do not fit.
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
	var asks *asked
	var sets []cutfile.Set
	var values []cutfile.Sensitive
	if opt.Job != nil {
		if asks, err = newAsked(ctx, path, cut, opt.Job); err != nil {
			return nil, nil, err
		}
		sets, values = asks.added, asks.values
	}
	rules := rulesOf(cut, sets, values)
	rules.unstamped = given != "" && given != path
	request := &RiskRequest{Labels: !inspects, AllPairs: inspects}
	threads := cmp.Or(opt.Limits.Threads, runtime.GOMAXPROCS(0))
	if v, err = newVerifier(ctx, path, rules, threads, budget, opt.Events, request); err != nil {
		return nil, nil, err
	}
	v.population, v.asked = opt.Population, asks
	defer spill.LimitHeap(budget.Limit())()
	if inspects {
		v.groups = newGroups(rules)
	}
	if err := v.checkFolder(ctx); err != nil {
		return nil, nil, err
	}
	_, err = v.events.Stage(ctx, resources.StageVerify, func() error { return v.scan(ctx) })
	if err != nil {
		return nil, nil, err
	}
	v.union = v.classSizes.report.Labels.Union()
	if v.union.Unique+v.union.BelowK == 0 && cut.HidesAll() {
		v.union = &risk.Union{} // not of a part: the set with all masked columns counts all classes
	}
	r, err = v.result(v.path)
	return v, r, err
}

// Unpublished is Release for a release that is not published yet: it may lack _SUCCESS and the
// manifest, and has another name. The groups take a part of the rest of a budget. The caller
// reports the stage, so only the progress is reported. If there is a request, the disclosure
// risk is counted; and if there is a population, its people in the classes.
func Unpublished(
	ctx context.Context, path string, threads int, budget *spill.Budget,
	events resources.Events, request *RiskRequest, population Population,
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
	v, err := newVerifier(ctx, path, rulesOf(cut, nil, nil), threads, budget, events, request)
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

// verifier compares a release with its cut. It reads the release once more for each part of the
// groups that had no room.
type verifier struct {
	*rules
	path    string
	parts   []string
	threads int
	memory  int64 // largest size in bytes of the counts of all sets
	events  resources.Events

	rows        int64
	marked      uint64
	anonymity   []uint64           // by set
	classes     []uint64           // by set
	regions     *table             // regions of the cut; nil: it has none
	found       int                // number of regions with records
	outside     uint64             // number of records that belong to no region
	released    [][]releasedColumn // by set
	groups      *groups            // nil: not requested
	measures    []measures         // by claim
	homogeneity [][]homogeneity    // by set of the cut and lone column
	whole       []*valueRows       // by hashed column: its values in all rows; nil: not counted

	asked      *asked           // what a job asks; nil: there is none
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
	ctx context.Context, path string, r *rules, threads int, budget *spill.Budget,
	events resources.Events, request *RiskRequest,
) (*verifier, error) {
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	v := &verifier{
		rules: r, path: path, parts: parts, threads: threads, memory: budget.Grant(&spill.Recount),
		events:    events,
		anonymity: make([]uint64, len(r.sets)), classes: make([]uint64, len(r.sets)),
		measures: r.newMeasures(),
		has:      make(map[string]bool),
	}
	for range r.cut.Sets {
		v.homogeneity = append(v.homogeneity, make([]homogeneity, len(r.lone)))
	}
	for i := range r.sets {
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
	}
	v.whole = v.newWhole(memory / 3)
	p.whole = v.whole
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
	p.progress = func(rows int64) {
		v.events.Advanced(resources.StageVerify, resources.Progress{Done: rows, Total: v.cut.Rows})
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
			if err := v.arrangeWhole(); err != nil {
				return err
			}
			p.whole = nil
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
