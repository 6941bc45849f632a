package pipeline

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
)

// audit compares a release with its source, cell by cell, with plain maps of texts. It shares
// only the reading of files with the run and the verifier.
type audit struct {
	testing.TB
	job     *job.Job
	source  *grid
	release *grid
	cut     *cutfile.File
	trees   map[string]*taxonomy.Node     // the trees of the taxonomy file, once it is read
	of      []int                         // the source row of every released row
	known   map[string]map[[4]uint32]bool // for each masked column, whether labels cover a value
}

// mustRelease runs the job of a folder, demands a least number of steps, and audits release and
// report.
func mustRelease(tb testing.TB, dir string, steps int, overrides ...string) *audit {
	tb.Helper()
	report := mustRun(tb, dir, nil, overrides...)
	if report.Steps < steps {
		tb.Fatalf("%d steps tell too little", report.Steps)
	}
	a := auditFolder(tb, dir, overrides...)
	a.checkReport(report)
	return a
}

// auditFolder audits the release of a folder's job.
func auditFolder(tb testing.TB, dir string, overrides ...string) *audit {
	tb.Helper()
	return auditJob(tb, mustLoad(tb, dir, overrides...))
}

// auditJob audits the release of a job and verifies it. Verification finds texts that are no
// label, or no region, of the cut.
func auditJob(tb testing.TB, j *job.Job) *audit {
	tb.Helper()
	path := j.Output.Path
	a := &audit{TB: tb, job: j, source: readGrid(tb, j, nil), cut: readCut(tb, path),
		known: make(map[string]map[[4]uint32]bool)}
	a.release = readReleased(tb, path, a.source.fields...)
	a.checkColumns()
	a.align()
	a.checkCells(path)
	return a
}

// checkCells: every released row is true of its source row, every set holds, and the release is
// verified.
func (a *audit) checkCells(path string) {
	a.Helper()
	for i := range a.source.fields {
		a.checkKept(i)
	}
	for i := range a.cut.Columns {
		a.checkTruth(&a.cut.Columns[i])
		a.checkCut(i)
	}
	a.checkSets()
	a.checkUnion()
	if v, err := verified(a, path); err != nil || !v.OK || v.Rows != int64(a.release.rows) {
		a.Errorf("verify: %+v, %v", v, err)
	}
}

// releasedNames returns the released columns of a masked column.
func releasedNames(name, render string) []string {
	if render == job.RenderBounds {
		return []string{name + "_lower", name + "_upper"}
	}
	if render == job.RenderInterval {
		return []string{name + ".lower", name + ".upper", name + ".closed"}
	}
	return []string{name}
}

// spec returns the entry of an input column in the job.
func (a *audit) spec(name string) job.Column {
	if spec := a.job.Column(name); spec != nil {
		return *spec
	}
	return job.Column{Name: name, Mask: a.job.Unlisted}
}

// mayDrop returns a number of rows: the release must drop fewer rows than that.
func (a *audit) mayDrop() int {
	if a.cut.Dropped > 0 {
		return int(a.job.MaxSuppressed.Of(int64(a.source.rows))) + 1
	}
	k := 0
	switch a.cut.Algorithm {
	case job.AlgorithmKACTUS, job.AlgorithmIACk, job.AlgorithmIACc:
		for _, set := range a.cut.Sets {
			k = max(k, set.K)
		}
	}
	return k
}

// checkColumns: the release has the right columns in order, and all rows except fewer than k that
// some algorithms drop.
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
	if a.cut.Class != a.job.Class ||
		(a.cut.Kind == cutfile.KindRegions) != (len(a.cut.Regions) > 0) {
		a.Errorf("class %q, kind %q, %d regions", a.cut.Class, a.cut.Kind, len(a.cut.Regions))
	}
	if a.cut.Dropped > 0 && a.cut.Dropped != uint64(a.source.rows-a.release.rows) ||
		a.cut.Suppressed > a.job.MaxSuppressed.Of(int64(a.source.rows)) {
		a.Errorf("the cut says that %d rows are dropped, %d suppressed",
			a.cut.Dropped, a.cut.Suppressed)
	}
	if n := a.source.rows - a.release.rows; n != 0 && (n < 0 || n >= a.mayDrop()) ||
		a.cut.Rows != int64(a.release.rows) {
		a.Fatalf("%d rows, the cut says %d, the source has %d",
			a.release.rows, a.cut.Rows, a.source.rows)
	}
}

// align finds the source row of every released row. Rows keep their order; a source row is
// dropped if the released row is not true of it. Once all droppable rows are skipped, the other
// rows must fit: other checks find out whether they do.
func (a *audit) align() {
	dropped, next := a.source.rows-a.release.rows, 0
	for row := range a.release.rows {
		for dropped > 0 && !a.standsFor(row, next) {
			dropped--
			next++
		}
		a.of = append(a.of, next)
		next++
	}
}

// standsFor reports whether a released row can be that of a source row.
func (a *audit) standsFor(row, of int) bool {
	for i := range a.source.fields {
		field := a.source.fields[i]
		if a.source.columns[i].codes == nil || a.spec(field.Name).Mask != job.MaskKeep {
			continue
		}
		if is := a.release.column(field.Name); is != nil &&
			a.source.columns[i].at(of) != is.at(row) {
			return false
		}
	}
	for i := range a.cut.Columns {
		if !a.isTrue(&a.cut.Columns[i], row, of) {
			return false
		}
	}
	return true
}

// checkKept: a kept column has its source value in every row.
func (a *audit) checkKept(i int) {
	a.Helper()
	field := a.source.fields[i]
	if a.spec(field.Name).Mask != job.MaskKeep || a.source.columns[i].codes == nil {
		// the column is nested: the audit does not read it
		return
	}
	at := slices.IndexFunc(a.release.fields, func(f formats.Field) bool {
		return f.Name == field.Name
	})
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

// checkTruth: every released value of a masked column covers the value of its source row.
func (a *audit) checkTruth(column *cutfile.Column) {
	a.Helper()
	for row, of := range a.of {
		if !a.isTrue(column, row, of) {
			a.Errorf("column %s, row %d: %q became %q",
				column.Name, row, a.source.column(column.Name).at(of), a.texts(column, row))
			return
		}
	}
}

// isTrue reports whether a released row is true of a source row, in a masked column.
func (a *audit) isTrue(column *cutfile.Column, row, of int) bool {
	known := a.known[column.Name]
	if known == nil {
		known = make(map[[4]uint32]bool)
		a.known[column.Name] = known
	}
	was := a.source.column(column.Name)
	key := [4]uint32{was.codes[of]}
	for i, name := range releasedNames(column.Name, column.Render) {
		key[i+1] = a.release.column(name).codes[row]
	}
	if _, ok := known[key]; !ok {
		known[key] = a.covers(column, was.at(of), a.texts(column, row))
	}
	return known[key]
}

// texts returns the released texts of a masked column in a row.
func (a *audit) texts(column *cutfile.Column, row int) (texts []string) {
	for _, name := range releasedNames(column.Name, column.Render) {
		texts = append(texts, a.release.column(name).at(row))
	}
	return texts
}

// checkCut: a column has no label twice, and in a cut with regions no label without a region. A
// cut without regions has one node on every path of a tree, and intervals without gaps between
// the declared bounds.
func (a *audit) checkCut(number int) {
	a.Helper()
	column := &a.cut.Columns[number]
	if spec := a.spec(column.Name); spec.Mask != column.Mask {
		a.Errorf("column %s: the cut says %s", column.Name, column.Mask)
	}
	had := make(map[uint32]bool)
	for _, region := range a.cut.Regions {
		had[region[number]] = true
	}
	labels := make(map[string]int)
	for i, label := range column.Cut {
		text := label.Label
		if label.Null {
			text = null
		}
		if labels[text]++; labels[text] > 1 ||
			a.cut.Kind == cutfile.KindRegions && !had[uint32(i)] {
			a.Errorf("column %s: label %+v is twice in the cut, or no region has it",
				column.Name, label)
		}
	}
	a.checkRecords(column)
	switch tree := a.taxonomy(column.Name).Tree; {
	case a.cut.Kind == cutfile.KindRegions: // they overlap
	case column.Mask == job.MaskDiscretize:
		a.checkIntervals(column)
	case column.Mask == job.MaskGeneralize && tree != nil:
		if a.cut.Applied != nil && column.Suppressed != "" && len(labels) == 0 {
			labels[column.Suppressed]++
		}
		a.checkNodes(column.Name, tree, labels, 0)
	}
}

// checkRecords: every label has a released row, except nodes of trees in the job, labels of an
// applied cut, and an only interval.
func (a *audit) checkRecords(column *cutfile.Column) {
	a.Helper()
	declared := a.taxonomy(column.Name).Tree
	if column.Render != "" || a.cut.Applied != nil {
		return
	}
	had, released := make(map[string]bool), a.release.column(column.Name)
	for row := range a.release.rows {
		had[released.at(row)] = true
	}
	alone := len(slices.DeleteFunc(slices.Clone(column.Cut), func(l cutfile.Label) bool {
		return l.Null
	})) == 1
	for _, label := range column.Cut {
		text := label.Label
		if label.Null {
			text = null
		}
		isDeclared := a.cut.Kind == "" && !label.Null && declared != nil && declares(declared, text)
		if !had[text] && !isDeclared && !(alone && label.Interval) {
			a.Errorf("column %s: label %+v is of no row", column.Name, label)
		}
	}
	if column.Mask != job.MaskSuppress && column.Suppressed != "" && !had[column.Suppressed] {
		a.Errorf("column %s: no row has the mark", column.Name)
	}
}

// declares reports whether a tree has a node with a name.
func declares(n *taxonomy.Node, name string) bool {
	return n.Name == name || slices.ContainsFunc(n.Children, func(child taxonomy.Node) bool {
		return declares(&child, name)
	})
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
	bounds := a.spec(column.Name).Bounds
	meet := func(x, y string) bool { return x == y || x != "" && y != "" && order(x, y) == 0 }
	end := bounds.Lower
	for _, label := range column.Cut {
		if label.Null {
			continue
		}
		if lower, _ := cutfile.EndText(label.Lower); !meet(lower, end) {
			a.Errorf("column %s: the cut's intervals do not join", column.Name)
		}
		end, _ = cutfile.EndText(label.Upper)
	}
	if !meet(end, bounds.Upper) {
		a.Errorf("column %s: the last interval ends elsewhere", column.Name)
	}
}

// checkSets: every set of the job reaches its k in a plain count, and the cut has no other sets.
// Verification checks the figures of the cut.
func (a *audit) checkSets() {
	a.Helper()
	sets := listedSets(a.job)
	for i, set := range sets {
		if counted := a.anonymity(set.Columns); counted < set.K {
			a.Errorf("set %d: anonymity %d, k is %d", i+1, counted, set.K)
		}
	}
	for _, claim := range a.cut.Sets {
		if !slices.ContainsFunc(sets, func(s job.Set) bool {
			return slices.Equal(s.Columns, claim.Columns) &&
				cmp.Or(s.K, int(claim.Anonymity)) == claim.K &&
				s.OfPopulation() == claim.OfPopulation()
		}) {
			a.Errorf("the cut has a set that the job has not: %+v", claim)
		}
	}
}

// listedSets returns the sets of a job: for an entry with subsets one for each choice of columns.
func listedSets(j *job.Job) (sets []job.Set) {
	for _, set := range j.Sets {
		if set.Subsets == 0 {
			sets = append(sets, set)
			continue
		}
		for chosen := range uint(1) << len(set.Of) {
			if bits.OnesCount(chosen) != set.Subsets {
				continue
			}
			one := set
			one.Subsets, one.Of = 0, nil
			for i, name := range set.Of {
				if chosen>>i&1 == 1 {
					one.Columns = append(one.Columns, name)
				}
			}
			sets = append(sets, one)
		}
	}
	return sets
}

// anonymity counts the rows of the smallest group with equal values in some columns.
func (a *audit) anonymity(columns []string) int {
	smallest := a.release.rows
	for _, rows := range a.classes(columns) {
		smallest = min(smallest, len(rows))
	}
	return smallest
}

// classes returns the rows of each group with equal labels in some columns.
func (a *audit) classes(columns []string) map[string][]int {
	var released [][]uint32
	for _, name := range columns {
		for _, n := range releasedNames(name, a.spec(name).Render) {
			released = append(released, a.release.column(n).codes)
		}
	}
	classes := make(map[string][]int)
	for row := range a.release.rows {
		key := keyOf(released, row)
		classes[key] = append(classes[key], row)
	}
	return classes
}

// checkUnion: the cut has the right share of rows, or entities, that are alone, or in small
// classes, on all labels.
func (a *audit) checkUnion() {
	a.Helper()
	who := func(row int) uint32 { return uint32(row) }
	if a.job.Entity != "" {
		if len(a.of) != a.source.rows {
			return // the release does not have the entities of its rows
		}
		entities := a.source.column(a.job.Entity)
		who = func(row int) uint32 { return entities.codes[a.of[row]] }
	}
	var masked []string
	for _, c := range a.cut.Columns {
		masked = append(masked, c.Name)
	}
	whose, alone, small := make(map[uint32]bool), make(map[uint32]bool), make(map[uint32]bool)
	for _, rows := range a.classes(masked) {
		class := make(map[uint32]bool)
		for _, row := range rows {
			class[who(row)], whose[who(row)] = true, true
		}
		for member := range class {
			if len(class) == 1 {
				alone[member] = true
			}
			if len(class) < a.cut.SmallestK() {
				small[member] = true
			}
		}
	}
	share := func(of map[uint32]bool) float64 {
		if len(of) == 0 {
			return 0
		}
		return math.Round(max(1, float64(len(of))/float64(len(whose))*1e6)) / 1e6
	}
	if want := (risk.Union{Unique: share(alone), BelowK: share(small)}); a.cut.Union == nil ||
		*a.cut.Union != want {
		a.Errorf("the cut says %+v of all labels, counted are %+v", a.cut.Union, want)
	}
}

// checkReport: a report agrees with the release.
func (a *audit) checkReport(r *Report) {
	a.Helper()
	if r.Rows != int64(a.source.rows) || r.Released != int64(a.release.rows) ||
		r.Steps != a.cut.Steps || !reflect.DeepEqual(r.Sets, a.cut.Sets) {
		a.Errorf("the report says %+v, released are %d rows of %d, the cut says %+v",
			r, a.release.rows, a.source.rows, a.cut)
	}
	a.checkPairs(r)
	a.checkAverageRisk(r)
	if r.Suppressed > 0 && !slices.ContainsFunc(a.cut.Columns, func(c cutfile.Column) bool {
		return c.Render != ""
	}) {
		a.checkSuppressed(r.Suppressed)
	}
}

// checkAverageRisk: the mean risk of the rows of a set, 1 divided by the size of its class, is what
// the report says, and no larger than the job and the cut allow.
func (a *audit) checkAverageRisk(r *Report) {
	a.Helper()
	most := float64(a.job.MaxRisk.Average)
	if a.cut.MaxAverageRisk != most || len(r.AverageRisk) > 0 != (most > 0) {
		a.Errorf("the job allows an average risk of %g, the cut %g; the report says %v", most,
			a.cut.MaxAverageRisk, r.AverageRisk)
	}
	for i := range r.AverageRisk {
		risk := 0.0
		for _, rows := range a.classes(a.cut.Sets[i].Columns) {
			for range rows {
				risk += 1 / float64(len(rows)) / float64(a.release.rows)
			}
		}
		if risk > most+2e-9 || math.Abs(risk-r.AverageRisk[i]) > 1e-9 {
			a.Errorf("set %d: the average risk is %g of %g; the report says %g", i+1, risk, most,
				r.AverageRisk[i])
		}
	}
}

// checkSuppressed: the number of released rows with the widest label in every masked column is
// the number of suppressed rows. It may be larger with kACTUS, which may make a group with these
// labels, and with a cut that has the widest label for some value in every column.
func (a *audit) checkSuppressed(want uint64) {
	a.Helper()
	says := make([]bool, a.release.rows)
	alike := true
	for i := range a.cut.Columns {
		column, widest := a.release.column(a.cut.Columns[i].Name), a.widest(&a.cut.Columns[i])
		alike = alike && (a.cut.Columns[i].Mask == job.MaskSuppress ||
			slices.ContainsFunc(a.cut.Columns[i].Cut, func(l cutfile.Label) bool {
				return l.Label == widest
			}))
		for row := range says {
			says[row] = says[row] || column.at(row) != widest
		}
	}
	rows := uint64(0)
	for _, some := range says {
		if !some {
			rows++
		}
	}
	if rows < want || rows > want && !alike && a.cut.Algorithm != job.AlgorithmKACTUS {
		a.Errorf("the report says that %d records are suppressed, %d look so", want, rows)
	}
}

// marked reports whether records may be released with marks alone.
func (a *audit) marked() bool { return a.cut.Applied != nil || a.cut.Suppressed > 0 }

// widest returns the label of a masked column that covers every value.
func (a *audit) widest(column *cutfile.Column) string {
	if a.cut.Applied != nil && column.Suppressed != "" {
		return column.Suppressed
	}
	switch column.Mask {
	case job.MaskDiscretize:
		return a.full(column)
	case job.MaskSuppress:
		return column.Suppressed
	}
	if tree := a.taxonomy(column.Name).Tree; tree != nil {
		return tree.Name
	}
	if len(a.taxonomy(column.Name).Ranges) > 0 {
		return "(,)"
	}
	return "*"
}

// grid is a table of the texts of its cells, in columns.
type grid struct {
	testing.TB
	fields  []formats.Field
	columns []textColumn
	rows    int
}

// textColumn has one column: codes[row] is a position in texts, whose first text is the null.
type textColumn struct {
	texts []string
	codes []uint32
	known map[string]uint32
}

func (c *textColumn) code(text string, isNull bool) uint32 {
	if c.known == nil {
		c.known, c.texts = make(map[string]uint32), []string{null}
	}
	if isNull {
		return 0
	}
	code, ok := c.known[text]
	if !ok {
		code = uint32(len(c.texts))
		c.known[text], c.texts = code, append(c.texts, text)
	}
	return code
}

// at returns the text of a row, or null.
func (c *textColumn) at(row int) string { return c.texts[c.codes[row]] }

// readGrid reads all flat columns of the input of a job, and the fields of structs as columns.
func readGrid(tb testing.TB, job *job.Job, of structs) *grid {
	tb.Helper()
	dataset, err := dataset.Open(context.Background(), job.Input, formats.ReadOptions{})
	must(tb, err)
	defer dataset.Close()
	fields := dataset.Schema().Fields
	g := &grid{TB: tb, fields: of.split(fields)}
	g.columns = make([]textColumn, len(g.fields))
	var requests []formats.Request
	var places []int // of a request: its first column
	at := 0
	for i, field := range fields {
		_, isStruct := of[field.Name]
		if nested := field.Type.Kind == formats.Nested; isStruct || !nested {
			requests, places = append(requests, formats.Request{Column: i, Coded: !nested}),
				append(places, at)
		}
		if at++; isStruct {
			at += len(structParts) - 1
		}
	}
	for _, split := range dataset.Splits() {
		must(tb, g.read(dataset, split, requests, places))
	}
	return g
}

func (g *grid) read(
	dataset *dataset.Dataset, split formats.Split, requests []formats.Request, places []int,
) (err error) {
	ctx := context.Background()
	reader, err := dataset.Read(ctx, split, requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		g.rows += batch.Rows
		for i, at := range places {
			if requests[i].Coded {
				g.columns[at].append(batch.Columns[i])
				continue
			}
			for k := range batch.Columns[i].Leaves {
				g.columns[at+k].appendLeaf(g, &batch.Columns[i].Leaves[k], g.fields[at+k].Type)
			}
		}
	}
}

// append adds the rows of a coded column.
func (c *textColumn) append(from *formats.Column) {
	own := make([]uint32, 1, from.Values.Len()+1)
	for i := range from.Values.Len() {
		own = append(own, c.code(from.Values.Text(i), false))
	}
	c.code("", true)
	for _, code := range from.Codes {
		c.codes = append(c.codes, own[code])
	}
}

// column returns a column by its name, or nil.
func (g *grid) column(name string) *textColumn {
	for i := range g.fields {
		if g.fields[i].Name == name {
			return &g.columns[i]
		}
	}
	return nil
}
