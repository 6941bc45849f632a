package pipeline

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/formats/release"
)

// Verification is what a recount of a release found.
type Verification struct {
	Path     string      `json:"path"`
	Rows     int64       `json:"rows"`
	Sets     []SetReport `json:"quasi_identifiers"` // with the anonymity that was counted
	Findings []string    `json:"findings,omitempty"`
	OK       bool        `json:"ok"`
}

// Verify recounts a released file or directory from itself alone: every quasi-identifier set
// against its k and the anonymity it claims, every label against the embedded cut, and the
// files for what they must not give away. It shares no code with the writing path. When
// something is wrong it returns what it found together with an *Error of ClassPrivacy.
func Verify(ctx context.Context, path string, events Events) (*Verification, error) {
	v, err := newVerifier(path, runtime.GOMAXPROCS(0), &events)
	if err != nil {
		return nil, err
	}
	if err := v.checkFolder(); err != nil {
		return nil, err
	}
	began := events.Began(StageVerify)
	if err := v.scan(ctx); err != nil {
		return nil, err
	}
	events.Ended(StageVerify, began)
	return v.conclude()
}

// verifier holds a recount in progress.
type verifier struct {
	path    string
	threads int
	parts   []string
	cut     *CutFile
	checks  []columnCheck    // released columns of masked columns
	first   map[string][]int // positions in checks of a masked column's released columns
	events  *Events

	mu       sync.Mutex
	rows     int64
	counts   []map[string]uint64 // of every set: records of every combination of labels
	findings map[string]bool
	report   []string
}

func newVerifier(path string, threads int, events *Events) (*verifier, error) {
	parts, err := releaseParts(path)
	if err != nil {
		return nil, err
	}
	cut, err := ReadCut(path)
	if err != nil {
		return nil, err
	}
	v := &verifier{
		path: path, threads: threads, parts: parts, cut: cut, events: events,
		first:    make(map[string][]int),
		counts:   make([]map[string]uint64, len(cut.Sets)),
		findings: make(map[string]bool),
	}
	for i := range v.counts {
		v.counts[i] = make(map[string]uint64)
	}
	for i := range cut.Columns {
		for _, check := range checksOf(&cut.Columns[i]) {
			v.first[cut.Columns[i].Name] = append(v.first[cut.Columns[i].Name], len(v.checks))
			v.checks = append(v.checks, check)
		}
	}
	return v, nil
}

// checkFolder looks for what a released directory lacks, or holds beside its parts.
func (v *verifier) checkFolder() error {
	if len(v.parts) == 1 && v.parts[0] == v.path {
		return nil
	}
	entries, err := os.ReadDir(v.path)
	if err != nil {
		return fmt.Errorf("list release %s: %w", v.path, err)
	}
	complete := false
	for _, entry := range entries {
		switch {
		case entry.Name() == "_SUCCESS":
			complete = true
		case !isPart(entry.Name()):
			v.find("%s holds %s, which is no part of a release", v.path, entry.Name())
		}
	}
	if !complete {
		v.find("%s has no _SUCCESS: it was not written to its end", v.path)
	}
	return nil
}

// checkForm looks for what the cut holds besides what kcut reads of it.
func (v *verifier) checkForm() {
	text, err := marshalPlain(v.cut)
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
			lower, closed := endText(l.Lower)
			upper, bounded := endText(l.Upper)
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

// find records a finding once.
func (v *verifier) find(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.findings[text] {
		v.findings[text] = true
		v.report = append(v.report, text)
	}
}

func (v *verifier) scan(ctx context.Context) error {
	for _, part := range v.parts {
		if err := v.scanPart(ctx, part); err != nil {
			return fmt.Errorf("verify %s: %w", part, err)
		}
	}
	return nil
}

func (v *verifier) scanPart(ctx context.Context, part string) error {
	release, err := release.Open(part)
	if err != nil {
		return err
	}
	defer release.Close()
	if text, _ := release.Metadata(CutKey); text != string(v.cut.Raw) {
		v.find("%s: its cut differs from the first part's", part)
	}
	if !v.hasColumns(part, release) {
		return nil
	}
	accept := make(map[string]func(string) bool, len(v.checks))
	names := make([]string, len(v.checks))
	for i := range v.checks {
		names[i] = v.checks[i].name
		accept[names[i]] = v.checks[i].accepts
	}
	leaks, err := release.Leaks(ctx, accept)
	if err != nil {
		return err
	}
	for _, leak := range leaks {
		v.find("%s: %s", part, leak)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(v.threads)
	for g := range release.RowGroups() {
		group.Go(func() error {
			return Fence(func() error { return v.scanRowGroup(ctx, release, g, names) })
		})
	}
	return group.Wait()
}

// hasColumns reports whether a part has every column that the cut speaks of.
func (v *verifier) hasColumns(part string, release *release.File) bool {
	has := make(map[string]bool)
	for _, column := range release.Columns() {
		has[column.Name] = true
	}
	var names []string
	for i := range v.checks {
		names = append(names, v.checks[i].name)
	}
	if v.cut.Class != "" {
		names = append(names, v.cut.Class)
	}
	for _, name := range names {
		if !has[name] {
			v.find("%s: the cut speaks of column %s, which is not there", part, name)
			return false
		}
	}
	return true
}

// scanRowGroup checks the labels of one row group and adds its counts.
func (v *verifier) scanRowGroup(ctx context.Context, release *release.File, g int, names []string) error {
	columns, err := release.Labels(ctx, g, names)
	if err != nil {
		return err
	}
	rows := len(columns[0].Codes)
	ids := make([][]uint32, len(columns)) // of every column: cut-wide number of every local code
	for i := range columns {
		ids[i] = append(ids[i], nullNumber)
		if !v.checks[i].null && slices.Contains(columns[i].Codes, 0) {
			v.find("column %s: a null, which its cut does not hold", names[i])
		}
		for _, label := range columns[i].Labels {
			id, ok := v.checks[i].number(label)
			if !ok {
				v.find("column %s: a label that its cut does not hold", names[i])
			}
			ids[i] = append(ids[i], id)
		}
	}
	for s, set := range v.cut.Sets {
		var positions []int
		for _, name := range set.Columns {
			positions = append(positions, v.first[name]...)
		}
		v.add(s, countLabels(rows, columns, ids, positions))
	}
	v.mu.Lock()
	v.rows += int64(rows)
	done := v.rows
	v.mu.Unlock()
	v.events.Advanced(StageVerify, Progress{done, v.cut.Rows})
	return nil
}

// countLabels counts the combinations of labels of some columns with a plain map.
func countLabels(rows int, columns []release.LabelColumn, ids [][]uint32, positions []int) map[string]uint64 {
	counts := make(map[string]uint64)
	key := make([]byte, 4*len(positions))
	pointers := make(map[string]*uint64)
	for row := range rows {
		for i, p := range positions {
			binary.LittleEndian.PutUint32(key[4*i:], ids[p][columns[p].Codes[row]])
		}
		n, ok := pointers[string(key)]
		if !ok {
			n = new(uint64)
			pointers[string(key)] = n
		}
		*n++
	}
	for k, n := range pointers {
		counts[k] = *n
	}
	return counts
}

func (v *verifier) add(set int, counts map[string]uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key, n := range counts {
		v.counts[set][key] += n
	}
}

// conclude compares the counts with what the cut claims.
func (v *verifier) conclude() (*Verification, error) {
	v.checkForm()
	v.checkLabels()
	result := &Verification{Path: v.path, Rows: v.rows}
	if v.rows != v.cut.Rows {
		v.find("it has %d rows, its cut claims %d", v.rows, v.cut.Rows)
	}
	for i, set := range v.cut.Sets {
		counted := SetReport{Columns: set.Columns, K: set.K}
		for _, n := range v.counts[i] {
			if counted.Anonymity == 0 || n < counted.Anonymity {
				counted.Anonymity = n
			}
		}
		result.Sets = append(result.Sets, counted)
		switch {
		case counted.Anonymity < uint64(set.K):
			v.find("quasi-identifier set %d: anonymity %d is below k = %d", i+1, counted.Anonymity, set.K)
		case counted.Anonymity < set.Anonymity, counted.Anonymity > set.Anonymity && !v.rendered(set):
			v.find("quasi-identifier set %d: anonymity %d, its cut claims %d", i+1, counted.Anonymity, set.Anonymity)
		}
	}
	result.Findings = v.report
	result.OK = len(v.report) == 0
	if result.OK {
		return result, nil
	}
	return result, &Error{
		Class: ClassPrivacy,
		Hint:  "do not release this file",
		Err:   fmt.Errorf("verify %s: %d findings, the first: %s", v.path, len(v.report), v.report[0]),
	}
}

// rendered reports whether a column of the set is released as numbers instead of labels, so
// that different labels may look alike and groups be larger than the cut claims.
func (v *verifier) rendered(set SetReport) bool {
	for _, name := range set.Columns {
		for i := range v.cut.Columns {
			if v.cut.Columns[i].Name == name && v.cut.Columns[i].Render != "" {
				return true
			}
		}
	}
	return false
}
