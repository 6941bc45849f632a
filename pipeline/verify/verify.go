package verify

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/figure"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// Result is what a recount of a release found.
type Result struct {
	Path     string        `json:"path"`
	Rows     int64         `json:"rows"`
	Sets     []cutfile.Set `json:"quasi_identifiers"` // with the anonymity that was counted
	Findings []string      `json:"findings,omitempty"`
	OK       bool          `json:"ok"`
}

// Release recounts a released file or directory from itself alone: every quasi-identifier set
// against its k and the anonymity it claims, every label against the embedded cut, and the
// files for what they must not give away. When something is wrong it returns what it found
// together with a *fault.Error of class Privacy. It keeps to the limits, absent ones are the
// machine's; it needs no folder to spill to, but reads the release again for what does not fit.
func Release(ctx context.Context, path string, limits jobfile.Limits, watch Watch) (*Result, error) {
	v, undo, err := open(ctx, path, limits, watch)
	if err != nil {
		return nil, err
	}
	defer undo()
	result, err := v.run(ctx)
	return result, fileset.Advise(err)
}

// open begins to verify a release within limits, until undo is called.
func open(ctx context.Context, path string, limits jobfile.Limits, watch Watch) (v *verifier, undo func(), err error) {
	path, err = fileset.Resolve(path)
	if err != nil {
		return nil, nil, err
	}
	memory := cmp.Or(limits.Memory, spill.DefaultLimit())
	v, err = newVerifier(ctx, path, cmp.Or(limits.Threads, runtime.GOMAXPROCS(0)), spill.Recount.Part(memory), watch)
	if err != nil {
		return nil, nil, fileset.Advise(err)
	}
	return v, spill.LimitHeap(memory), nil
}

// Recount is Release for a release that is not published yet: it may lack what completes it,
// and lies under another name. The groups take a part of so many bytes of memory. The caller
// tells of the stage, so that only the watch's Progress is called.
func Recount(ctx context.Context, path string, threads int, memory int64, watch Watch) error {
	v, err := newVerifier(ctx, path, threads, spill.Recount.Part(memory), watch)
	if err != nil {
		return err
	}
	if err := v.scan(ctx); err != nil {
		return err
	}
	_, err = v.conclude()
	return err
}

// verifier holds a recount in progress.
type verifier struct {
	path    string
	threads int
	parts   []string
	cut     *cutfile.File
	checks  []columnCheck    // released columns of masked columns
	first   map[string][]int // positions in checks of a masked column's released columns
	keys    []labelKey       // of every set, and after them of the regions
	regions *regionCheck     // of a cut of regions, else nil
	marks   *markCheck       // of an applied cut that has marks, else nil
	groups  *groups          // nil: what groups are like is not asked for
	memory  int64            // bytes that the counts of all sets may take
	watch   Watch

	passes    int // readings of the release
	rows      int64
	anonymity []uint64 // of every set
	findings  map[string]bool
	report    []string
}

func newVerifier(ctx context.Context, path string, threads int, memory int64, watch Watch) (*verifier, error) {
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	cut, err := cutfile.Read(path)
	if err != nil {
		return nil, err
	}
	v := &verifier{
		path: path, threads: threads, parts: parts, cut: cut, memory: memory, watch: watch,
		first:     make(map[string][]int),
		findings:  make(map[string]bool),
		anonymity: make([]uint64, len(cut.Sets)),
	}
	for i := range cut.Columns {
		for _, check := range checksOf(&cut.Columns[i]) {
			v.first[cut.Columns[i].Name] = append(v.first[cut.Columns[i].Name], len(v.checks))
			v.checks = append(v.checks, check)
		}
	}
	for _, set := range cut.Sets {
		var columns []int
		var below []uint64
		for _, name := range set.Columns {
			for _, column := range v.first[name] {
				columns, below = append(columns, column), append(below, v.checks[column].below())
			}
		}
		v.keys = append(v.keys, newLabelKey(columns, below))
	}
	v.marks = newMarkCheck(cut, v.checks, v.first)
	if cut.Kind == cutfile.KindRegions {
		v.regions = newRegionCheck(cut, v.checks, v.first)
		v.keys = append(v.keys, v.regions.key)
		v.memory = max(v.memory-v.regions.bytes(), v.memory/2)
	}
	return v, nil
}

// run recounts the whole release.
func (v *verifier) run(ctx context.Context) (*Result, error) {
	if err := v.checkFolder(ctx); err != nil {
		return nil, err
	}
	began := v.watch.began()
	if err := v.scan(ctx); err != nil {
		return nil, err
	}
	v.watch.ended(began)
	return v.conclude()
}

// isRegions reports whether a key is that of the regions.
func (v *verifier) isRegions(key int) bool { return key == len(v.cut.Sets) }

// checkForm looks for what the cut holds besides what kcut reads of it.
func (v *verifier) checkForm() {
	text, err := cutfile.Marshal(v.cut)
	if err != nil || !bytes.Equal(text, v.cut.Raw) {
		v.find("its cut is not of the form that kcut writes")
	}
}

// checkLabels compares the cut's interval labels with their ends.
func (v *verifier) checkLabels() {
	for i := range v.cut.Columns {
		for _, l := range v.cut.Columns[i].Cut {
			if !l.Interval {
				continue
			}
			lower, closed := cutfile.EndText(l.Lower)
			upper, bounded := cutfile.EndText(l.Upper)
			opening, closing := "(", ")"
			if closed {
				opening = "["
			}
			text := opening + lower + "," + upper
			if l.Label != text+closing && (!bounded || l.Label != text+"]") {
				v.find("column %s: an interval of its cut has other ends than its label", v.cut.Columns[i].Name)
			}
		}
	}
}

// checkSetLabels looks for labels of regions that name more values of a suppressed column than
// the largest k of its sets: kcut releases these as the mark.
func (v *verifier) checkSetLabels() {
	if v.cut.Kind != cutfile.KindRegions {
		return
	}
	for _, column := range v.cut.Columns {
		if column.Mask != jobfile.MaskSuppress {
			continue
		}
		most := 1
		for _, set := range v.cut.Sets {
			if slices.Contains(set.Columns, column.Name) {
				most = max(most, set.K)
			}
		}
		for _, l := range column.Cut {
			switch n := len(l.Values()); {
			case n > most:
				v.find("column %s: a label of its cut names more values than k = %d", column.Name, most)
			case strings.HasPrefix(l.Label, "{") && !strings.HasSuffix(l.Label, "}"):
				v.find("column %s: a label of its cut is a set without an end", column.Name)
			}
		}
	}
}

// checkRegions compares the combinations of labels that were counted with the cut's regions.
func (v *verifier) checkRegions() {
	if v.regions == nil {
		return
	}
	if n := v.regions.strange; n > 0 {
		v.find("it has labels that are no region of its cut in %s", figure.Count(n, "record"))
	}
	if n := v.regions.empty(); n > 0 && v.cut.Applied == nil { // else it may be an earlier release's
		v.find("its cut has %s without a record", figure.Count(n, "region"))
	}
}

// scan looks for leaks and counts.
func (v *verifier) scan(ctx context.Context) (err error) {
	v.passes, err = v.newRecount().run(ctx)
	return err
}

// find records a finding once.
func (v *verifier) find(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !v.findings[text] {
		v.findings[text] = true
		v.report = append(v.report, text)
	}
}

// lackingColumn returns the first column that the cut speaks of and a part lacks, or nothing.
func (v *verifier) lackingColumn(release *release.File) string {
	var names []string
	for i := range v.checks {
		names = append(names, v.checks[i].name)
	}
	if v.cut.Class != "" {
		names = append(names, v.cut.Class)
	}
	columns := release.Columns()
	for _, name := range names {
		if !slices.Contains(columns, name) {
			return name
		}
	}
	return ""
}

// conclude compares the counts with what the cut claims.
func (v *verifier) conclude() (*Result, error) {
	v.checkForm()
	v.checkLabels()
	v.checkSetLabels()
	result := &Result{Path: v.path, Rows: v.rows}
	if v.rows != v.cut.Rows {
		v.find("it has %s, its cut claims %s", figure.Count(v.rows, "row"), figure.Grouped(v.cut.Rows))
	}
	for i, set := range v.cut.Sets {
		counted := cutfile.Set{Columns: set.Columns, K: set.K, Anonymity: v.anonymity[i]}
		result.Sets = append(result.Sets, counted)
		switch {
		case counted.Anonymity < uint64(set.K):
			v.find("quasi-identifier set %d: anonymity %d is below k = %d", i+1, counted.Anonymity, set.K)
		case counted.Anonymity < set.Anonymity, counted.Anonymity > set.Anonymity && !v.rendered(set):
			v.find("quasi-identifier set %d: anonymity %d, its cut claims %d", i+1, counted.Anonymity, set.Anonymity)
		}
	}
	v.checkRegions()
	v.checkMarks()
	result.Findings = v.report
	result.OK = len(v.report) == 0
	if result.OK {
		return result, nil
	}
	return result, &fault.Error{
		Class: fault.Privacy,
		Hint:  "do not release this file",
		Err:   fmt.Errorf("verify %s: %s, the first: %s", v.path, figure.Count(len(v.report), "finding"), v.report[0]),
	}
}

// rendered reports whether a column of the set is released as numbers instead of labels, so
// that different labels may look alike and groups be larger than the cut claims.
func (v *verifier) rendered(set cutfile.Set) bool {
	for _, name := range set.Columns {
		for i := range v.cut.Columns {
			if v.cut.Columns[i].Name == name && v.cut.Columns[i].Render != "" {
				return true
			}
		}
	}
	return false
}
