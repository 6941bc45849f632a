package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// nightlyJob masks a column in every way.
const nightlyJob = `
input: in
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [city, age, job], k: 5}
  - {columns: [born, city, zip], k: 3}
columns:
  id: keep
  age: {mask: discretize, bounds: [0, 120]}
  born: {mask: discretize, render: bounds}
  city: {mask: generalize, unknown: root}
  zip: {mask: generalize, unknown: root, taxonomy: {prefix: [3, 1]}}
  job: suppress
  weight: drop
  income: keep
taxonomies: trees.yaml
`

// residents are people from night to night: some leave, some come, and those who come are
// older, live elsewhere and do what nobody did before.
type residents struct {
	rng   *rand.Rand
	next  int
	drift int
	table *testTable
}

func newResidents(rng *rand.Rand, n int) *residents {
	r := &residents{rng: rng, table: &testTable{}}
	people := people(rng, 0)
	r.table.fields = append([]formats.Field{{Name: "id", Type: formats.Type{Kind: formats.Int, Bits: 64}}}, people.fields...)
	r.table.fields = append(r.table.fields, textFields("zip")...)
	r.come(n)
	return r
}

func (r *residents) come(n int) {
	for _, row := range people(r.rng, n).rows {
		if row[0] != null {
			var age int
			fmt.Sscan(row[0], &age)
			row[0] = fmt.Sprint(min(age+r.drift, 120))
		}
		if r.rng.IntN(40) < r.drift {
			row[2] = []string{"Bonn", "Nice", "Rome"}[r.rng.IntN(3)]
			row[3] = []string{"pilot", "cook"}[r.rng.IntN(2)]
		}
		zip := fmt.Sprintf("%d%02d%d", 1+r.rng.IntN(2+r.drift/4), r.rng.IntN(3), r.rng.IntN(10))
		r.table.rows = append(r.table.rows, append(append([]string{fmt.Sprint(r.next)}, row...), zip))
		r.next++
	}
}

// night lets some go and others come, and writes the extract.
func (r *residents) night(t *testing.T, path string) {
	r.drift++
	r.rng.Shuffle(len(r.table.rows), func(i, j int) { r.table.rows[i], r.table.rows[j] = r.table.rows[j], r.table.rows[i] })
	gone := r.rng.IntN(len(r.table.rows) / 8)
	r.table.rows = r.table.rows[gone:]
	r.come(gone)
	r.table.parquet(t, path, 0, len(r.table.rows), 150)
}

// released is a release by its people: the labels of the masked columns.
type releasedNight struct {
	people map[string][]string // by id
	sets   [][]int             // columns of every set
	ks     []int
}

func readNight(a *audit) releasedNight {
	n := releasedNight{people: make(map[string][]string)}
	at := make(map[string][]int)
	var names []string
	for _, column := range a.cut.Columns {
		for _, name := range releasedNames(column.Name, column.Render) {
			at[column.Name] = append(at[column.Name], len(names))
			names = append(names, name)
		}
	}
	for row := range a.release.rows {
		var labels []string
		for _, name := range names {
			labels = append(labels, a.labels[name].at(row))
		}
		n.people[a.release.column("id").at(row)] = labels
	}
	for _, set := range a.job.Sets {
		var columns []int
		for _, name := range set.Columns {
			columns = append(columns, at[name]...)
		}
		n.sets, n.ks = append(n.sets, columns), append(n.ks, set.K)
	}
	return n
}

// in returns what a set sees of a person, and how many people look like that.
func (n releasedNight) in(set int, id string) (seen string, like int) {
	see := func(id string) string {
		var parts []string
		for _, c := range n.sets[set] {
			parts = append(parts, n.people[id][c])
		}
		return strings.Join(parts, "\x00")
	}
	seen = see(id)
	for other := range n.people {
		if see(other) == seen {
			like++
		}
	}
	return seen, like
}

// mustNest joins two releases on the people of both: what is seen in the two together must
// be what is seen in one of them, of k people there.
func mustNest(t *testing.T, earlier, later releasedNight) {
	t.Helper()
	redacted := func(labels []string) bool { return labels[len(labels)-1] == "*" && labels[0] == "*" }
	for set, k := range later.ks {
		became := make(map[string]string)
		sizes := make(map[string]int)
		for id := range earlier.people {
			if later.people[id] == nil {
				continue
			}
			was, n := "", 0
			if n = sizes[id]; n == 0 {
				was, n = earlier.in(set, id)
			}
			is, m := later.in(set, id)
			if n < k || m < k {
				t.Fatalf("set %d: somebody is among %d in one release and %d in the other", set+1, n, m)
			}
			if redacted(earlier.people[id]) || redacted(later.people[id]) {
				continue // nothing is seen in that one
			}
			if before, ok := became[was]; ok && before != is {
				t.Fatalf("set %d: one class became two", set+1)
			}
			became[was] = is
		}
	}
}

// applyNight applies an earlier cut to an extract.
func applyNight(t *testing.T, dir, input, output, cut string, opt ApplyOptions) (*audit, *Report, error) {
	t.Helper()
	job, err := loadJob(dir, "input", input, "output.path", output)
	if err != nil {
		t.Fatal(err)
	}
	opt.Cut = cut
	report, err := Apply(context.Background(), job, opt)
	if err != nil {
		return nil, nil, err
	}
	return auditJob(t, job), report, nil
}

// TestNights applies the cut of every night's release to the next night's extract. Each
// release is audited against its extract, verified, and joined with the one before.
func TestNights(t *testing.T) {
	nights := cases(t, 30)
	for _, tt := range []struct {
		onBreak OnBreak
		most    Quota
	}{{BreakFail, Quota{}}, {BreakCoarsen, Quota{}}, {BreakSuppress, Quota{Percent: 60}}} {
		t.Run(string(tt.onBreak), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			dir := jobFolder(t, nightlyJob)
			r := newResidents(rand.New(rand.NewPCG(seed, 0)), 400)
			r.night(t, filepath.Join(dir, "in", "0.parquet"))
			mustRun(t, dir, nil)
			last := filepath.Join(dir, "out.parquet")
			before := readNight(auditFolder(t, dir))
			held, undone, suppressed := 0, 0, uint64(0)
			for night := 1; night <= nights; night++ {
				input, output := filepath.Join(dir, fmt.Sprintf("%d.parquet", night)), filepath.Join(dir, fmt.Sprintf("out%d.parquet", night))
				r.night(t, input)
				a, report, err := applyNight(t, dir, input, output, last, ApplyOptions{OnBreak: tt.onBreak, MaxSuppressed: tt.most})
				if err != nil {
					if _, missing := os.Stat(output); tt.onBreak != BreakFail || ClassOf(err) != ClassPrivacy || missing == nil {
						t.Fatalf("night %d: %v", night, err)
					}
					job, _ := loadJob(dir, "input", input, "output.path", output) // a new cut then
					if _, err := Run(t.Context(), job, RunOptions{}); err != nil {
						t.Fatal(err)
					}
					last, before = output, readNight(auditJob(t, job))
					continue
				}
				held++
				undone, suppressed = report.Applied.Undone, suppressed+report.Applied.Suppressed
				now := readNight(a)
				mustNest(t, before, now)
				last, before = output, now
				if t.Failed() {
					t.Fatalf("night %d", night)
				}
			}
			switch {
			case held == 0, tt.onBreak == BreakCoarsen && undone == 0, tt.onBreak == BreakSuppress && suppressed == 0:
				t.Errorf("%d nights held, %d steps are undone, %d records suppressed", held, undone, suppressed)
			}
		})
	}
}

// TestApplyAgain: the cut of a release, applied to what it was made of, gives the same
// labels, in and out of core.
func TestApplyAgain(t *testing.T) {
	for _, algorithm := range []string{"tdr", "bottom-up", "mondrian", "infogain-mondrian", "kactus", "iack"} {
		t.Run(algorithm, func(t *testing.T) {
			dir := jobFolder(t, nightlyJob)
			newResidents(rand.New(rand.NewPCG(1, 2)), 600).night(t, filepath.Join(dir, "in", "a.parquet"))
			mustRun(t, dir, nil, "algorithm.name", algorithm)
			cut := filepath.Join(dir, "cut.json")
			shown, err := ReadCut(filepath.Join(dir, "out.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, cut, string(shown.Raw))
			var first []byte
			for i, spills := range []bool{false, true} {
				output := filepath.Join(dir, fmt.Sprintf("again%d.parquet", i))
				job, err := loadJob(dir, "output.path", output)
				if err != nil {
					t.Fatal(err)
				}
				opt := ApplyOptions{Cut: cut, OnBreak: BreakSuppress, MaxSuppressed: Quota{Percent: 100}}
				opt.spill = spills
				if _, err := Apply(t.Context(), job, opt); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					first = mustRead(t, output)
				} else if !bytes.Equal(first, mustRead(t, output)) {
					t.Error("out of core it has other bytes")
				}
				if d, err := Diff(cut, output, job); err != nil || shown.Kind == "" && d.Relation != Equal {
					t.Errorf("%+v, %v", d, err)
				}
			}
		})
	}
}

// handmadeCut is a cut of nightlyJob that holds for six hundred people without nulls.
const handmadeCut = `{"version":1,"algorithm":"tdr","rows":600,
"quasi_identifiers":[{"columns":["city","age","job"],"k":5,"anonymity":5},{"columns":["born","city","zip"],"k":3,"anonymity":3}],
"columns":{
"city":{"mask":"generalize","cut":["Germany","France"]},
"age":{"mask":"discretize","cut":[{"label":"[0,50)","lower":0,"upper":50},{"label":"[50,120]","lower":50,"upper":120}]},
"job":{"mask":"suppress","cut":["nurse"],"suppressed":"*"},
"born":{"mask":"discretize","cut":[{"label":"(,1980-01-01)","upper":"1980-01-01"},{"label":"[1980-01-01,)","lower":"1980-01-01"}]},
"zip":{"mask":"generalize","cut":["1*","2*"]}},
"steps":5}`

// TestApplyMisfits: what does not fit is refused, and nothing written.
func TestApplyMisfits(t *testing.T) {
	type edit struct{ old, replacement string }
	for _, tt := range []struct {
		name  string
		cut   edit
		job   edit // tonight's
		drift edit // of row 8: column and value
		class Class
		want  string // of the message; empty: it fits
	}{
		{name: "all fits"},
		{name: "another mask", cut: edit{`"generalize","cut":["1*","2*"]`, `"suppress","cut":[],"suppressed":"*"`}, class: ClassUsage, want: "column zip: the cut has mask suppress"},
		{name: "another column", cut: edit{`"zip"`, `"zap"`}, class: ClassUsage, want: "column zip: the cut lacks it"},
		{name: "a column less", cut: edit{`"zip":`, `"hat":{"mask":"suppress","cut":[],"suppressed":"*"},"zip":`}, class: ClassUsage, want: "column hat: the job does not mask it"},
		{name: "a set less", job: edit{"[born, city, zip], k: 3", "[born, zip], k: 3"}, class: ClassUsage, want: "quasi-identifier set 2 of the cut"},
		{name: "other bounds", job: edit{"[0, 120]", "[1, 120]"}, class: ClassUsage, want: "column age: the job declares other bounds"},
		{name: "a gap", cut: edit{`"lower":50`, `"lower":51`}, class: ClassUsage, want: "column age: its intervals are no cut"},
		{name: "another type", cut: edit{`"lower":"1980-01-01"`, `"lower":"monday"`}, class: ClassUsage, want: "column born: its intervals are no cut of a column of type date"},
		{name: "another taxonomy", job: edit{"prefix: [3, 1]", "date: [year]"}, class: ClassUsage, want: "column zip: its taxonomy has no nodes like the cut's"},
		{name: "nested labels", cut: edit{`"1*","2*"`, `"1*","123*"`}, class: ClassUsage, want: "column zip: its labels do not make a cut of its taxonomy"},
		{name: "nested nodes", cut: edit{`"Germany","France"`, `"Germany","France","South"`}, class: ClassUsage, want: "column city: its labels do not make a cut of its taxonomy"},
		{name: "a node less", cut: edit{`"Germany","France"`, `"Germany","Paris"`}, class: ClassUsage, want: "column city: its labels do not make a cut of its taxonomy"},
		{name: "an unknown node", cut: edit{`"Germany","France"`, `"Germany","France","Spain"`}, job: edit{"city: {mask: generalize, unknown: root}", "city: generalize"}, class: ClassUsage, want: "column city: its taxonomy lacks 1 nodes of the cut"},
		{name: "a node that was unknown before", cut: edit{`"Germany","France"`, `"Germany","France","Spain"`}},
		{name: "beyond the bounds", drift: edit{"age", "121"}, class: ClassInput, want: "column age: 1 distinct values of 1 rows, first in DIR/in/a.parquet, row 8, lie outside the bounds"},
		{name: "an unknown value", job: edit{"city: {mask: generalize, unknown: root}", "city: generalize"}, drift: edit{"city", secret}, class: ClassInput, want: "column city: its cut has no place for 1 distinct values of 1 rows, first in DIR/in/a.parquet, row 8"},
		{name: "an unknown value that may be", drift: edit{"city", secret}, class: ClassPrivacy, want: "set born, city, zip: 1 equivalence classes of 1 records are smaller than k = 3"},
		{name: "an unknown value like a node", drift: edit{"city", "France"}, class: ClassInput, want: "add 1 unknown values of column city"},
		{name: "an unknown prefix", job: edit{"unknown: root, taxonomy: {prefix", "taxonomy: {prefix"}, drift: edit{"zip", secret}, class: ClassInput, want: "column zip: its cut has no place for 1 distinct values"},
		{name: "an unknown prefix that may be", drift: edit{"zip", secret}, class: ClassPrivacy, want: "set born, city, zip: 1 equivalence classes of 1 records"},
		{name: "a null where none was", drift: edit{"city", null}, class: ClassPrivacy, want: "1 equivalence classes of 1 records"},
		{name: "an undisclosed value", drift: edit{"job", secret}},
		{name: "the mark", drift: edit{"job", "*"}, class: ClassInput, want: "column job: it holds the mark"},
		{name: "a larger k", job: edit{"k: 5", "k: 500"}, class: ClassPrivacy, want: "quasi-identifier set city, age, job"},
		{name: "no cut", cut: edit{`{"version":1`, `{"version":9`}, class: ClassInput, want: "version 9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			change := func(text string, e edit) string {
				if !strings.Contains(text, e.old) {
					t.Fatalf("not there: %s", e.old)
				}
				return strings.ReplaceAll(text, e.old, e.replacement)
			}
			dir := jobFolder(t, change(nightlyJob, tt.job))
			cut := filepath.Join(dir, "cut.json")
			write(t, cut, change(handmadeCut, tt.cut))
			r := newResidents(rand.New(rand.NewPCG(5, 6)), 600)
			for i, row := range r.table.rows {
				born, city := []string{"1970-01-01", "1980-01-01"}[i%2], []string{"Bonn", "Paris"}[i/2%2]
				copy(row[1:], []string{fmt.Sprint(30 + 30*(i%2)), born, city, []string{"nurse", "cook"}[i/4%2]})
				row[7] = fmt.Sprintf("%d23", 1+i/8%2)
			}
			if tt.drift.old != "" {
				r.table.set(7, tt.drift.old, tt.drift.replacement)
			}
			r.table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(r.table.rows), 100)
			job, err := loadJob(dir)
			if err != nil {
				t.Fatal(err)
			}
			before := listing(t, dir)
			_, err = Apply(t.Context(), job, ApplyOptions{Cut: cut, OnBreak: BreakFail})
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				auditJob(t, job)
				return
			}
			want := strings.ReplaceAll(tt.want, "DIR", dir)
			if err == nil || ClassOf(err) != tt.class || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
				t.Errorf("class %d: %v", ClassOf(err), err)
			}
			unchanged(t, dir, before)
		})
	}
}

// TestOnlyCoarsen: a search above an earlier cut finds one that is equal or coarser.
func TestOnlyCoarsen(t *testing.T) {
	coarser := 0
	for _, seed := range seeded(t, 12) {
		rng := rand.New(rand.NewPCG(seed, 0))
		dir := jobFolder(t, []string{nightlyJob, strings.Replace(nightlyJob, "class: income", "", 1)}[rng.IntN(2)])
		r := newResidents(rng, 300)
		r.night(t, filepath.Join(dir, "in", "a.parquet"))
		cut := filepath.Join(dir, "last.parquet")
		mustRun(t, dir, nil, "output.path", cut)
		for range 1 + rng.IntN(3) {
			r.night(t, filepath.Join(dir, "in", "a.parquet"))
		}
		overrides := []string{"algorithm.name", []string{"tdr", "tds"}[rng.IntN(2)], "quasi_identifiers[].k", fmt.Sprint(2 + rng.IntN(8))}
		var first []byte
		for i, spills := range []bool{false, true} {
			output := filepath.Join(dir, fmt.Sprintf("now%d.parquet", i))
			job, err := loadJob(dir, append(slices.Clip(overrides), "output.path", output)...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Run(t.Context(), job, RunOptions{OnlyCoarsen: cut, spill: spills}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			auditJob(t, job)
			d, err := Diff(cut, output, job)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range d.Columns {
				if c.Relation == Coarser {
					coarser++
				} else if c.Relation != Equal {
					t.Errorf("column %s is %s", c.Column, c.Relation)
				}
			}
			if i == 0 {
				first = mustRead(t, output)
			} else if !bytes.Equal(first, mustRead(t, output)) {
				t.Error("out of core it has other bytes")
			}
		}
		if t.Failed() {
			t.Fatalf("KCUT_SEED=%d", seed)
		}
	}
	if coarser == 0 {
		t.Error("no cut was coarser")
	}
}

// relabel replaces the values of a table by what stands for their labels in a cut of
// nightlyJob: the names of nodes, the lower ends of intervals, and, for what is not
// disclosed, values that nobody shares.
func (r *residents) relabel(a *audit) {
	for i := range r.table.rows {
		row := r.table.rows[i]
		for _, column := range a.cut.Columns {
			cell := &row[r.table.index(column.Name)]
			switch labels := column.Cut; {
			case isRoot(column):
				*cell = fmt.Sprintf("any %d", i)
			case column.Name == "job":
				if !slices.ContainsFunc(labels, func(l CutLabel) bool { return l.Null && *cell == null || !l.Null && l.Label == *cell }) {
					*cell = fmt.Sprintf("rest %d", i)
				}
			case *cell == null:
			case column.Mask == jobfile.MaskGeneralize:
				path := a.path(column.Name, *cell)
				at := slices.IndexFunc(labels, func(l CutLabel) bool { return slices.Contains(path, l.Label) })
				*cell = labels[at].Label
			default:
				at := slices.IndexFunc(labels, func(l CutLabel) bool {
					lower, _ := endText(l.Lower)
					upper, _ := endText(l.Upper)
					return !l.Null && within(*cell, interval{lower: lower, upper: upper, closed: strings.HasSuffix(l.Label, "]")})
				})
				lower, bounded := endText(labels[at].Lower)
				if *cell = lower; !bounded {
					*cell = "1000-01-01"
				}
			}
		}
	}
}

// isRoot reports whether a generalized column's cut is the root alone.
func isRoot(column CutColumn) bool {
	return column.Mask == jobfile.MaskGeneralize && len(column.Cut) == 1
}

// treeOf is the taxonomy that is left above the labels of a column's cut, as a job has it.
func treeOf(column CutColumn, path func(label string) []string) string {
	children := make(map[string][]string)
	for _, label := range column.Cut {
		if label.Null {
			continue
		}
		up := path(label.Label)
		for i := 0; i+1 < len(up); i++ {
			if !slices.Contains(children[up[i+1]], up[i]) {
				children[up[i+1]] = append(children[up[i+1]], up[i])
			}
		}
	}
	var tree func(name string) string
	tree = func(name string) string {
		var parts []string
		for _, child := range children[name] {
			parts = append(parts, tree(child))
		}
		return fmt.Sprintf("%q: {%s}", name, strings.Join(parts, ", "))
	}
	top := path(column.Cut[0].Label)
	return "{" + tree(top[len(top)-1]) + "}"
}

// TestOnlyCoarsenStepByStep: a search above an earlier cut does what one does in a table
// that has nothing but the labels of that cut.
func TestOnlyCoarsenStepByStep(t *testing.T) {
	steps := 0
	for _, seed := range seeded(t, 15) {
		rng := rand.New(rand.NewPCG(seed, 0))
		dir := jobFolder(t, strings.ReplaceAll(nightlyJob, ", unknown: root", ""))
		r := newResidents(rng, 1200)
		in := filepath.Join(dir, "in", "a.parquet")
		r.table.parquet(t, in, 0, len(r.table.rows), 100)
		cut := filepath.Join(dir, "last.parquet")
		mustRun(t, dir, nil, "output.path", cut, "quasi_identifiers[].k", "2")
		job, err := loadJob(dir, "output.path", cut, "quasi_identifiers[].k", "2")
		if err != nil {
			t.Fatal(err)
		}
		earlier := auditJob(t, job)
		rng.Shuffle(len(r.table.rows), func(i, j int) { r.table.rows[i], r.table.rows[j] = r.table.rows[j], r.table.rows[i] })
		r.table.rows = r.table.rows[:200+rng.IntN(1000)]
		r.table.parquet(t, in, 0, len(r.table.rows), 100)
		if job, err = loadJob(dir, "score", []string{"tdr", "tds", "infogain"}[rng.IntN(3)]); err != nil {
			t.Fatal(err)
		}
		var got, want bytes.Buffer
		if _, err := Run(t.Context(), job, RunOptions{OnlyCoarsen: cut, Trace: &got}); err != nil {
			t.Fatalf("KCUT_SEED=%d: %v", seed, err)
		}
		r.relabel(earlier)
		r.table.parquet(t, in, 0, len(r.table.rows), 100)
		text := strings.ReplaceAll(nightlyJob, ", unknown: root", "")
		for _, column := range earlier.cut.Columns {
			switch name := column.Name; {
			case isRoot(column): // a job takes no tree of a root alone
				spec := map[string]string{"city": "{mask: generalize}", "zip": "{mask: generalize, taxonomy: {prefix: [3, 1]}}"}[name]
				text = strings.Replace(text, name+": "+spec, name+": suppress", 1)
			case name == "city":
				text = strings.Replace(text, "city: {mask: generalize}", "city: {mask: generalize, taxonomy: "+treeOf(column, cityPath(earlier))+"}", 1)
			case name == "zip":
				text = strings.Replace(text, "taxonomy: {prefix: [3, 1]}", "taxonomy: "+treeOf(column, zipPath), 1)
			}
		}
		write(t, filepath.Join(dir, "job.yaml"), text)
		mustRun(t, dir, &want, "score", job.Score)
		nulls := strings.NewReplacer(",null]", "]") // the earlier cut has them also where no record has
		if steps += bytes.Count(want.Bytes(), []byte("\n")); nulls.Replace(got.String()) != nulls.Replace(want.String()) {
			t.Fatalf("KCUT_SEED=%d\n%s\nin a table of labels:\n%s", seed, got.String(), want.String())
		}
	}
	if os.Getenv("KCUT_SEED") == "" && steps < 15 {
		t.Errorf("only %d steps", steps)
	}
}

// zipPath returns the prefixes from a label of zip up to the top.
func zipPath(label string) []string {
	path := []string{label}
	for _, n := range []int{3, 1} {
		if stem := strings.TrimSuffix(label, "*"); len(stem) > n {
			path = append(path, stem[:n]+"*")
		}
	}
	if label != "*" {
		path = append(path, "*")
	}
	return path
}

// cityPath returns a function that gives the nodes from a label of city up to the root.
func cityPath(a *audit) func(label string) []string {
	var to func(n *taxonomy.Node, label string) []string
	to = func(n *taxonomy.Node, label string) []string {
		if n.Name == label {
			return []string{n.Name}
		}
		for i := range n.Children {
			if found := to(&n.Children[i], label); found != nil {
				return append(found, n.Name)
			}
		}
		return nil
	}
	return func(label string) []string { return to(a.taxonomy("city").Tree, label) }
}
