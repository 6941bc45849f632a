package pipeline

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// audit compares a release with its source, cell by cell, by plain maps over texts. It
// shares nothing with the run or the verifier but the reading of files.
type audit struct {
	testing.TB
	job     *job.Job
	source  *grid
	release *grid
	labels  map[string]*textColumn // released columns of masked columns
	cut     *cutfile.File
	trees   map[string]*taxonomy.Node     // of the taxonomy file, once it is read
	of      []int                         // source row of every released row
	known   map[string]map[[3]uint32]bool // by masked column: whether labels cover a value
}

// auditFolder audits the release of a folder's job.
func auditFolder(tb testing.TB, dir string, overrides ...string) *audit {
	tb.Helper()
	return auditJob(tb, mustLoad(tb, dir, overrides...))
}

// auditJob audits the release of a job.
func auditJob(tb testing.TB, j *job.Job) *audit {
	tb.Helper()
	path := j.Output.Path
	a := &audit{TB: tb, job: j, source: readGrid(tb, j), known: make(map[string]map[[3]uint32]bool)}
	a.release = readGrid(tb, &job.Job{Input: []string{path}})
	var err error
	if a.cut, err = cutfile.Read(tb.Context(), path); err != nil {
		tb.Fatal(err)
	}
	var masked []string
	for _, column := range a.cut.Columns {
		masked = append(masked, releasedNames(column.Name, column.Render)...)
	}
	a.labels = readLabels(tb, path, masked)
	a.checkColumns()
	a.align()
	for i := range a.source.fields {
		a.checkKept(i)
	}
	for i := range a.cut.Columns {
		a.checkTruth(&a.cut.Columns[i])
		a.checkCut(&a.cut.Columns[i])
	}
	a.checkRegions()
	a.checkSets()
	if v, err := verify.Release(context.Background(), path, job.Limits{}, verify.Watch{}); err != nil || !v.OK || v.Rows != int64(a.release.rows) {
		tb.Errorf("verify: %+v, %v", v, err)
	}
	return a
}

// releasedNames returns the columns that a masked column is released as.
func releasedNames(name, render string) []string {
	if render == job.RenderBounds {
		return []string{name + "_lower", name + "_upper"}
	}
	return []string{name}
}

// spec returns what the job says of an input column.
func (a *audit) spec(name string) job.Column {
	if spec := a.job.Column(name); spec != nil {
		return *spec
	}
	return job.Column{Name: name, Mask: a.job.Unlisted}
}

// checkColumns: the release has the columns it should have, in order, and every row but
// fewer than k that some algorithms drop.
func (a *audit) checkColumns() {
	a.Helper()
	var want, got []string
	for _, field := range a.source.fields {
		if spec := a.spec(field.Name); spec.Mask != job.MaskDrop {
			want = append(want, releasedNames(field.Name, spec.Render)...)
		}
	}
	for _, field := range a.release.fields {
		got = append(got, field.Name)
	}
	if !slices.Equal(got, want) {
		a.Errorf("columns %q, want %q", got, want)
	}
	if n := a.source.rows - a.release.rows; n != 0 && (n < 0 || n >= a.mayDrop()) || a.cut.Rows != int64(a.release.rows) {
		a.Fatalf("%d rows, the cut says %d, the source has %d", a.release.rows, a.cut.Rows, a.source.rows)
	}
	for name, column := range a.labels {
		if len(column.codes) != a.release.rows {
			a.Fatalf("column %s has %d labels", name, len(column.codes))
		}
	}
}

// checkKept: a kept column is what it was, in every row.
func (a *audit) checkKept(i int) {
	a.Helper()
	field := a.source.fields[i]
	if a.spec(field.Name).Mask != job.MaskKeep || field.Type.Kind == formats.Nested {
		return
	}
	at := slices.IndexFunc(a.release.fields, func(f formats.Field) bool { return f.Name == field.Name })
	if at < 0 || a.release.fields[at].Type != field.Type {
		a.Errorf("column %s: not there, or of another type", field.Name)
		return
	}
	was, is := &a.source.columns[i], &a.release.columns[at]
	for row, of := range a.of {
		if was.at(of) != is.at(row) {
			a.Errorf("column %s, row %d: %q became %q", field.Name, row, was.at(of), is.at(row))
			return
		}
	}
}

// checkTruth: every released value of a masked column covers the value it stands for.
func (a *audit) checkTruth(column *cutfile.Column) {
	a.Helper()
	for row, of := range a.of {
		if !a.isTrue(column, row, of) {
			a.Errorf("column %s, row %d: %q became %q", column.Name, row, a.source.column(column.Name).at(of), a.texts(column, row))
			return
		}
	}
}

// isTrue reports whether a released row is true of a source row, in a masked column.
func (a *audit) isTrue(column *cutfile.Column, row, of int) bool {
	known := a.known[column.Name]
	if known == nil {
		known = make(map[[3]uint32]bool)
		a.known[column.Name] = known
	}
	was := a.source.column(column.Name)
	key := [3]uint32{was.codes[of]}
	for i, name := range releasedNames(column.Name, column.Render) {
		key[i+1] = a.labels[name].codes[row]
	}
	if _, ok := known[key]; !ok {
		known[key] = a.covers(column, was.at(of), a.texts(column, row))
	}
	return known[key]
}

// texts returns what a masked column is released as in a row.
func (a *audit) texts(column *cutfile.Column, row int) (texts []string) {
	for _, name := range releasedNames(column.Name, column.Render) {
		texts = append(texts, a.labels[name].at(row))
	}
	return texts
}

// covers reports whether released texts are true of a value.
func (a *audit) covers(column *cutfile.Column, value string, texts []string) bool {
	released := texts[0]
	if plain, ok := map[string]string{"-0": "0", "NaN:fff8000000000001": "NaN"}[value]; ok { // one value to a search
		value = plain
	}
	if column.Suppressed != "" && released == column.Suppressed && (column.Mask == job.MaskSuppress || a.cut.Applied != nil) {
		return true
	}
	switch column.Mask {
	case job.MaskSuppress:
		return released == value || a.cut.Kind == cutfile.KindRegions && slices.Contains(parseSet(released), value)
	case job.MaskGeneralize:
		path := a.path(column.Name, value)
		return slices.Contains(path, released)
	}
	if strings.HasPrefix(value, "NaN") {
		value = null // no interval can hold it
	}
	switch column.Render {
	case job.RenderBounds:
		return value == null || within(value, interval{lower: texts[0], upper: texts[1], closed: a.closed(column, texts[1])})
	case job.RenderMidpoint:
		return true // see TestMidpoints
	}
	if value == null {
		if a.cut.Kind == cutfile.KindRegions {
			return released == null || released == a.full(column)
		}
		return released == null && len(column.Cut) > 1 || len(column.Cut) == 1 && released == column.Cut[0].Label
	}
	parsed, ok := parseInterval(released)
	return ok && within(value, parsed)
}

// closed reports whether an upper bound is the declared one, which belongs to its interval.
func (a *audit) closed(column *cutfile.Column, upper string) bool {
	return slices.ContainsFunc(column.Cut, func(l cutfile.Label) bool {
		text, _ := cutfile.EndText(l.Upper)
		return text == upper && strings.HasSuffix(l.Label, "]")
	})
}

// path returns the labels that may stand for a value of a generalized column: its own and
// those of its ancestors.
func (a *audit) path(name, value string) []string {
	t := a.taxonomy(name)
	if t.Generated() {
		return generatedPath(value, &t)
	}
	if value == null {
		return []string{null, t.Tree.Name}
	}
	if path := pathTo(t.Tree, value); path != nil {
		return path
	}
	if a.spec(name).Unknown == job.UnknownRoot {
		return []string{value, t.Tree.Name}
	}
	return nil
}

// generatedPath is path for a generator.
func generatedPath(value string, g *job.Taxonomy) []string {
	if len(g.Ranges) > 0 {
		return append(rangesWith(value, g.Ranges), value, "(,)")
	}
	path := []string{value, "*"}
	if value == null {
		return path
	}
	for _, n := range g.Prefix {
		if r := []rune(value); n < len(r) {
			path = append(path, string(r[:n])+"*")
		}
	}
	for _, unit := range g.Date {
		path = append(path, map[string]string{
			"day": value[:10], "month": value[:7], "quarter": fmt.Sprintf("%s-Q%d", value[:4], (monthOf(value)+2)/3),
			"year": value[:4], "decade": value[:3] + "0s", "century": value[:2] + "XX",
		}[unit])
	}
	return path
}

func monthOf(date string) int {
	n, _ := strconv.Atoi(date[5:7])
	return n
}

// rangesWith returns the ranges between edges that hold a number.
func rangesWith(value string, edges []string) []string {
	if value == null {
		return nil
	}
	ends := append(append([]string{""}, edges...), "")
	var found []string
	for i := range len(ends) - 1 {
		opening := "["
		if i == 0 {
			opening = "("
		}
		if within(value, interval{lower: ends[i], upper: ends[i+1]}) {
			found = append(found, opening+ends[i]+","+ends[i+1]+")")
		}
	}
	return found
}

// taxonomy returns the tree of a generalized column as its file has it, or a generator.
func (a *audit) taxonomy(name string) job.Taxonomy {
	spec := a.spec(name).Taxonomy
	if spec.Name == "" {
		return spec
	}
	if a.job.TaxonomyFile == "" {
		return a.job.Taxonomies[spec.Name]
	}
	if a.trees == nil {
		var err error
		if a.trees, err = taxonomy.ReadAll(a.job.TaxonomyFile); err != nil {
			a.Fatal(err)
		}
	}
	return job.Taxonomy{Tree: a.trees[spec.Name]}
}

// pathTo returns the names from a leaf up to the root, nil when there is no such leaf.
func pathTo(n *taxonomy.Node, leaf string) []string {
	if n.Leaf() && n.Name == leaf {
		return []string{n.Name}
	}
	for i := range n.Children {
		if path := pathTo(&n.Children[i], leaf); path != nil {
			return append(path, n.Name)
		}
	}
	return nil
}

// interval is what a label says; an end that is empty or null is open.
type interval struct {
	lower, upper string
	closed       bool // the upper end belongs to it
}

func parseInterval(label string) (interval, bool) {
	if len(label) < 3 || !strings.ContainsRune("[(", rune(label[0])) || !strings.ContainsRune(")]", rune(label[len(label)-1])) {
		return interval{}, false
	}
	lower, upper, ok := strings.Cut(label[1:len(label)-1], ",")
	return interval{lower, upper, label[len(label)-1] == ']'}, ok && (lower == "") == (label[0] == '(')
}

func within(value string, i interval) bool {
	if i.lower != "" && i.lower != null && order(value, i.lower) < 0 {
		return false
	}
	if i.upper == "" || i.upper == null {
		return true
	}
	c := order(value, i.upper)
	return c < 0 || c == 0 && i.closed
}

// order compares numbers exactly, and dates and times, which are as long as each other, bytewise.
func order(a, b string) int {
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	if ok && ok2 {
		return x.Cmp(y)
	}
	f, err := strconv.ParseFloat(a, 64)
	g, err2 := strconv.ParseFloat(b, 64)
	if err == nil && err2 == nil {
		return big.NewFloat(f).Cmp(big.NewFloat(g))
	}
	return strings.Compare(a, b)
}

// checkCut: the cut has every released label, and is one: a node on every path, intervals
// that leave no gap.
func (a *audit) checkCut(column *cutfile.Column) {
	a.Helper()
	if spec := a.spec(column.Name); spec.Mask != column.Mask {
		a.Errorf("column %s: the cut says %s", column.Name, column.Mask)
	}
	labels := make(map[string]int)
	for _, label := range column.Cut {
		text := label.Label
		if label.Null {
			text = null
		}
		if labels[text]++; labels[text] > 1 {
			a.Errorf("column %s: a label is twice in the cut", column.Name)
		}
	}
	if column.Mask == job.MaskSuppress || a.cut.Applied != nil && column.Suppressed != "" {
		labels[column.Suppressed]++
	}
	if column.Render == "" {
		for _, text := range a.labels[column.Name].texts[1:] {
			if labels[text] == 0 {
				a.Errorf("column %s: a released label is not in the cut", column.Name)
			}
		}
	}
	switch column.Mask {
	case job.MaskGeneralize:
		if tree := a.taxonomy(column.Name).Tree; tree != nil && a.cut.Kind == "" {
			a.checkNodes(column.Name, tree, labels, 0)
		}
	case job.MaskDiscretize:
		a.checkIntervals(column)
	}
}

// checkNodes: every leaf has exactly one node of the cut at or above it.
func (a *audit) checkNodes(name string, n *taxonomy.Node, labels map[string]int, above int) {
	above += labels[n.Name]
	if n.Leaf() && above != 1 {
		a.Errorf("column %s: a leaf has %d nodes of the cut on its path", name, above)
	}
	for i := range n.Children {
		a.checkNodes(name, &n.Children[i], labels, above)
	}
}

func (a *audit) checkIntervals(column *cutfile.Column) {
	a.Helper()
	var end string
	if bounds := a.spec(column.Name).Bounds; bounds.Lower != "" && a.cut.Kind == "" {
		if end, _ = cutfile.EndText(column.Cut[0].Lower); order(end, bounds.Lower) != 0 {
			a.Errorf("column %s: the first interval does not begin at the declared bound", column.Name)
		}
	}
	for _, label := range column.Cut {
		if label.Null {
			continue
		}
		lower, _ := cutfile.EndText(label.Lower)
		upper, _ := cutfile.EndText(label.Upper)
		parsed, ok := parseInterval(label.Label)
		if !ok || parsed.lower != lower || parsed.upper != upper || lower != end && a.cut.Kind == "" {
			a.Errorf("column %s: the cut's intervals do not join", column.Name)
		}
		end = upper
	}
	if a.cut.Kind == cutfile.KindRegions { // they overlap
		return
	}
	if bounds := a.spec(column.Name).Bounds; end != bounds.Upper && (end == "" || order(end, bounds.Upper) != 0) {
		a.Errorf("column %s: the last interval ends elsewhere", column.Name)
	}
}

// checkSets: every set of the job has its k, and the cut says how anonymous it is.
func (a *audit) checkSets() {
	a.Helper()
	claimed := make(map[string]cutfile.Set)
	for _, set := range a.cut.Sets {
		claimed[strings.Join(set.Columns, "\x00")] = set
	}
	for i, set := range a.job.Sets {
		counted := a.anonymity(set.Columns)
		if counted < set.K {
			a.Errorf("set %d: anonymity %d, k is %d", i+1, counted, set.K)
		}
		claim, ok := claimed[strings.Join(set.Columns, "\x00")]
		if ok && (claim.K > set.K && set.K > 0 && len(a.job.Sets) == 1 || claim.Anonymity > uint64(counted)) {
			a.Errorf("set %d: the cut claims %+v, counted %d", i+1, claim, counted)
		}
		if ok && claim.Anonymity != uint64(counted) && !a.rendered(set.Columns) {
			a.Errorf("set %d: the cut claims anonymity %d, counted %d", i+1, claim.Anonymity, counted)
		}
	}
	for _, claim := range claimed {
		if !slices.ContainsFunc(a.job.Sets, func(s job.Set) bool {
			return slices.Equal(s.Columns, claim.Columns) && cmp.Or(s.K, int(claim.Anonymity)) == claim.K
		}) {
			a.Errorf("the cut has a set that the job has not: %+v", claim)
		}
	}
}

// rendered reports whether a column of a set is released as numbers, where different labels
// may look alike.
func (a *audit) rendered(columns []string) bool {
	return slices.ContainsFunc(columns, func(name string) bool { return a.spec(name).Render != job.RenderLabel })
}

// anonymity counts the smallest group of rows that look alike in some columns.
func (a *audit) anonymity(columns []string) int {
	var released []*textColumn
	for _, name := range columns {
		for _, n := range releasedNames(name, a.spec(name).Render) {
			released = append(released, a.labels[n])
		}
	}
	counts := make(map[string]int)
	key := make([]byte, 4*len(released))
	for row := range len(released[0].codes) {
		for i, c := range released {
			binary.LittleEndian.PutUint32(key[4*i:], c.codes[row])
		}
		counts[string(key)]++
	}
	smallest := 0
	for _, n := range counts {
		if smallest == 0 || n < smallest {
			smallest = n
		}
	}
	return smallest
}
