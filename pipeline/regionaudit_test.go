package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// mayDrop returns a number of rows that the release must drop fewer than.
func (a *audit) mayDrop() int {
	k := 0
	switch a.cut.Algorithm {
	case job.AlgorithmKACTUS, job.AlgorithmIACk, job.AlgorithmIACc:
		for _, set := range a.cut.Sets {
			k = max(k, set.K)
		}
	}
	return k
}

// align finds the source row of every released row: rows keep their order, and one that a
// released row is not true of is dropped. When as many are skipped as there are, the rest
// must fit, which other checks tell.
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
		if field.Type.Kind == formats.Nested || a.spec(field.Name).Mask != job.MaskKeep {
			continue
		}
		if is := a.release.column(field.Name); is != nil && a.source.columns[i].at(of) != is.at(row) {
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

// parseSet returns the values of a label such as {a|b}: a backslash stands before one of
// its own characters, and \N is the null.
func parseSet(label string) (values []string) {
	body, ok := strings.CutPrefix(label, "{")
	if !ok || !strings.HasSuffix(body, "}") {
		return nil
	}
	value := ""
	for at := 0; at < len(body); at++ {
		switch c := body[at]; {
		case c == '|', c == '}' && at == len(body)-1:
			values, value = append(values, value), ""
		case c == '\\' && body[at+1] == 'N':
			value = null
			at++
		case c == '\\':
			value += body[at+1 : at+2]
			at++
		default:
			value += body[at : at+1]
		}
	}
	return values
}

// full returns the label of all numbers of a discretized column.
func (a *audit) full(column *cutfile.Column) string {
	bounds := a.spec(column.Name).Bounds
	label := "(," + bounds.Upper
	if bounds.Lower != "" {
		label = "[" + bounds.Lower + "," + bounds.Upper
	}
	if bounds.Upper != "" {
		return label + "]"
	}
	return label + ")"
}

// widest returns the label that says nothing of a masked column.
func (a *audit) widest(column *cutfile.Column) string {
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

// labelled returns the masked columns that are released as labels.
func (a *audit) labelled() (columns []int) {
	for i := range a.cut.Columns {
		if a.cut.Columns[i].Render == "" {
			columns = append(columns, i)
		}
	}
	return columns
}

// checkRegions: the regions are the released combinations of labels, no more and no fewer,
// and have every label of the cut.
func (a *audit) checkRegions() {
	a.Helper()
	if (a.cut.Kind == cutfile.KindRegions) != (len(a.cut.Regions) > 0) {
		a.Fatalf("kind %q, %d regions", a.cut.Kind, len(a.cut.Regions))
	}
	if a.cut.Kind == "" {
		return
	}
	columns := a.labelled()
	regions := make(map[string]bool)
	had := make(map[[2]int]bool)
	for _, region := range a.cut.Regions {
		for i, label := range region {
			had[[2]int{i, int(label)}] = true
		}
		regions[regionKey(columns, func(i int) string { return labelText(&a.cut.Columns[i], int(region[i])) })] = true
	}
	for i := range a.cut.Columns {
		for label, l := range a.cut.Columns[i].Cut {
			if !had[[2]int{i, label}] {
				a.Errorf("column %s: no region has label %+v", a.cut.Columns[i].Name, l)
			}
		}
	}
	released := make(map[string]bool)
	for row := range a.release.rows {
		released[regionKey(columns, func(i int) string { return a.labels[a.cut.Columns[i].Name].at(row) })] = true
	}
	for key := range released {
		if !regions[key] {
			a.Errorf("released is %q, which is no region", key)
		}
	}
	if len(released) < len(regions) {
		a.Errorf("%d regions, of which %d have records", len(regions), len(released))
	}
}

func regionKey(columns []int, text func(int) string) string {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = text(column)
	}
	return strings.Join(texts, "\x01")
}

// labelText returns the text of a label by its position, or null.
func labelText(c *cutfile.Column, label int) string {
	switch {
	case label == len(c.Cut):
		return c.Suppressed
	case c.Cut[label].Null:
		return null
	}
	return c.Cut[label].Label
}

// checkReport: a report tells what the release is.
func (a *audit) checkReport(r *Report) {
	a.Helper()
	if r.Rows != int64(a.source.rows) || r.Released != int64(a.release.rows) || r.Steps != a.cut.Steps {
		a.Errorf("the report says %+v, released are %d rows of %d, %d steps", r, a.release.rows, a.source.rows, a.cut.Steps)
	}
	if !slices.EqualFunc(r.Sets, a.cut.Sets, func(x, y cutfile.Set) bool {
		return slices.Equal(x.Columns, y.Columns) && x.K == y.K && x.Anonymity == y.Anonymity
	}) {
		a.Errorf("the report says %+v, the cut %+v", r.Sets, a.cut.Sets)
	}
	if r.Suppressed > 0 && len(a.labelled()) == len(a.cut.Columns) {
		a.checkSuppressed(r.Suppressed)
	}
}

// checkSuppressed: as many released rows say nothing in any masked column as are suppressed.
// kACTUS may make a group of others that looks alike.
func (a *audit) checkSuppressed(want uint64) {
	a.Helper()
	widest := make([]string, len(a.cut.Columns))
	for i := range widest {
		widest[i] = a.widest(&a.cut.Columns[i])
	}
	says := func(row, column int) bool { return a.labels[a.cut.Columns[column].Name].at(row) != widest[column] }
	rows := uint64(0)
	for row := range a.release.rows {
		if !slices.ContainsFunc(a.labelled(), func(column int) bool { return says(row, column) }) {
			rows++
		}
	}
	if rows < want || rows > want && a.cut.Algorithm != job.AlgorithmKACTUS {
		a.Errorf("the report says that %d records are suppressed, %d look so", want, rows)
	}
}

// A cut of many regions is noticed, in numbers: whoever opens the release reads it.
func TestLargeCutIsNoticed(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("n,m\n")
	for n := range 30_000 {
		fmt.Fprintf(&rows, "%d,%d\n", 1_000_000+n, n%7)
	}
	for k, want := range map[int]bool{1: true, 100: false} {
		dir := jobFolder(t, fmt.Sprintf(`
input: in/rows.csv
output: out.parquet
quasi_identifiers: [{columns: [n, m], k: %d}]
columns: {n: discretize, m: discretize}
algorithm: mondrian
`, k))
		write(t, filepath.Join(dir, "in", "rows.csv"), rows.String())
		report := mustRun(t, dir, nil)
		is := func(text string) bool {
			return strings.HasPrefix(text, "the cut has 30000 regions and takes ")
		}
		if slices.ContainsFunc(report.Notices, is) != want {
			t.Errorf("k %d: notices %q", k, report.Notices)
		}
	}
}
