package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
)

// TestApplyAgain: the cut of a release, applied to the same input, gives the same labels, in
// memory and out of core.
func TestApplyAgain(t *testing.T) {
	for _, algorithm := range []string{"tdr", "bottom-up", "mondrian", "infogain-mondrian",
		"{name: infogain-mondrian, sets: apart}\nobjective: balanced", "guided", "kactus", "iack"} {
		t.Run(searchName(algorithm), func(t *testing.T) {
			dir := jobFolder(t, withAlgorithm(nightlyJob, algorithm))
			newResidents(rand.New(rand.NewPCG(1, 2)), 600).night(t,
				filepath.Join(dir, "in", "a.parquet"))
			mustRun(t, dir, nil)
			cut, shown := filepath.Join(dir, "cut.json"), cutOf(t, dir)
			write(t, cut, string(shown.Raw))
			inAndOutOfCore(t, func(system System, output string) {
				job := mustLoad(t, dir, "output.path", output)
				opt := ApplyOptions{RunOptions: RunOptions{System: system}, Cut: cut,
					OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 100}}
				if _, err := Apply(t.Context(), job, opt); err != nil {
					t.Fatal(err)
				}
				if d, err := cutfile.Diff(t.Context(), cut, output, job); err != nil ||
					shown.Kind == "" && d.Relation != cutfile.Equal {
					t.Errorf("%+v, %v", d, err)
				}
			})
		})
	}
}

// inAndOutOfCore makes a release twice, which must have the same bytes.
func inAndOutOfCore(t *testing.T, release func(system System, output string)) {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in.parquet"), filepath.Join(t.TempDir(), "out.parquet")
	release(System{}, in)
	release(System{Spill: true}, out)
	if !bytes.Equal(mustRead(t, in), mustRead(t, out)) {
		t.Error("out of core it has other bytes")
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

// TestApplyMisfits: a cut that does not fit the job or the input is refused, and nothing is
// written.
func TestApplyMisfits(t *testing.T) {
	type edit struct{ old, replacement string }
	for _, tt := range []struct {
		name  string
		cut   edit
		job   edit // tonight's
		drift edit // of row 8: column and value
		class fault.Class
		want  string // part of the message; empty: the cut fits
	}{
		{name: "all fits"},
		{name: "another mask", cut: edit{`"generalize","cut":["1*","2*"]`, `"suppress","cut":[],"suppressed":"*"`}, class: fault.Usage, want: "column zip: the cut has mask suppress"},
		{name: "another column", cut: edit{`"zip"`, `"zap"`}, class: fault.Usage, want: "column zip: the cut lacks it"},
		{name: "a column less", cut: edit{`"zip":`, `"hat":{"mask":"suppress","cut":[],"suppressed":"*"},"zip":`}, class: fault.Usage, want: "column hat: the job does not mask it"},
		{name: "a set less", job: edit{"[born, city, zip], k: 3", "[born, zip], k: 3"},
			class: fault.Usage, want: "quasi-identifier set 2 of the cut"},
		{name: "other bounds", job: edit{"[0, 120]", "[1, 120]"}, class: fault.Usage,
			want: "column age: the job declares other bounds"},
		{name: "a gap", cut: edit{`"lower":50`, `"lower":51`}, class: fault.Usage, want: "column age: its intervals are no cut"},
		{name: "another type", cut: edit{`"lower":"1980-01-01"`, `"lower":"monday"`}, class: fault.Usage, want: "column born: its intervals are no cut of a column of type date"},
		{name: "another taxonomy", job: edit{"prefix: [3, 1]", "date: [year]"}, class: fault.Usage,
			want: "column zip: its taxonomy has no nodes like the cut's"},
		{name: "nested labels", cut: edit{`"1*","2*"`, `"1*","123*"`}, class: fault.Usage, want: "column zip: its labels do not make a cut of its taxonomy"},
		{name: "nested nodes", cut: edit{`"Germany","France"`, `"Germany","France","South"`}, class: fault.Usage, want: "column city: its labels do not make a cut of its taxonomy"},
		{name: "a node less", cut: edit{`"Germany","France"`, `"Germany","Paris"`}, class: fault.Usage, want: "column city: its labels do not make a cut of its taxonomy"},
		{name: "an unknown node", cut: edit{`"Germany","France"`, `"Germany","France","Spain"`}, job: edit{"city: {mask: generalize, unknown: root}", "city: generalize"}, class: fault.Usage, want: "column city: its taxonomy lacks 1 node of the cut"},
		{name: "a node that was unknown before", cut: edit{`"Germany","France"`, `"Germany","France","Spain"`}},
		{name: "beyond the bounds", drift: edit{"age", "121"}, class: fault.Input,
			want: "column age: 1 distinct value of 1 row, first in DIR/in/a.parquet, row 8, lie " +
				"outside the bounds"},
		{name: "an unknown value", job: edit{
			"city: {mask: generalize, unknown: root}", "city: generalize",
		}, drift: edit{"city", secret}, class: fault.Input,
			want: "column city: its cut has no place for 1 distinct value of 1 row, first in " +
				"DIR/in/a.parquet, row 8\nadd the values to the taxonomy, or set unknown: root"},
		{name: "an unknown value that may be", drift: edit{"city", secret}, class: fault.Privacy,
			want: "set born, city, zip: 1 equivalence classes of 1 records are smaller than k = 3"},
		{name: "an empty text", drift: edit{"city", ""}, class: fault.Privacy,
			want: "set born, city, zip: 1 equivalence classes of 1 records are smaller than k = 3"},
		{name: "an unknown value like a node", drift: edit{"city", "France"}, class: fault.Input,
			want: "add 1 unknown value of column city"},
		{name: "an unknown prefix", job: edit{
			"unknown: root, taxonomy: {prefix", "taxonomy: {prefix",
		}, drift: edit{"zip", secret}, class: fault.Input,
			want: "column zip: its cut has no place for 1 distinct value"},
		{name: "an unknown prefix that may be", drift: edit{"zip", secret}, class: fault.Privacy,
			want: "set born, city, zip: 1 equivalence classes of 1 records"},
		{name: "a null where none was", drift: edit{"city", null}, class: fault.Privacy,
			want: "1 equivalence classes of 1 records"},
		{name: "an undisclosed value", drift: edit{"job", secret}},
		{name: "the mark", drift: edit{"job", "*"}, class: fault.Input,
			want: "column job: it holds the mark"},
		{name: "a larger k", job: edit{"k: 5", "k: 500"}, class: fault.Privacy,
			want: "quasi-identifier set city, age, job"},
		{name: "no cut", cut: edit{`{"version":1`, `{"version":9`}, class: fault.Input, want: "version 9"},
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
				born, city := []string{"1970-01-01", "1980-01-01"}[i%2],
					[]string{"Bonn", "Paris"}[i/2%2]
				copy(row[1:], []string{fmt.Sprint(30 + 30*(i%2)),
					born, city, []string{"nurse", "cook"}[i/4%2]})
				row[7] = fmt.Sprintf("%d23", 1+i/8%2)
			}
			if tt.drift.old != "" {
				r.table.set(7, tt.drift.old, tt.drift.replacement)
			}
			r.table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(r.table.rows), 100)
			job := mustLoad(t, dir)
			before := listing(t, dir)
			_, err := Apply(t.Context(), job, ApplyOptions{Cut: cut, OnBreak: search.BreakFail})
			if tt.want == "" {
				must(t, err)
				auditJob(t, job)
				return
			}
			mustFail(t, err, tt.class, strings.ReplaceAll(tt.want, "DIR", dir))
			unchanged(t, dir, before)
		})
	}
}

// TestOnlyCoarsen: a search above an earlier cut finds an equal or a coarser cut.
func TestOnlyCoarsen(t *testing.T) {
	coarser := 0
	for _, seed := range seeded(t, 12) {
		rng := rand.New(rand.NewPCG(seed, 0))
		dir := jobFolder(t, []string{nightlyJob,
			strings.Replace(nightlyJob, "class: income", "", 1)}[rng.IntN(2)])
		r := newResidents(rng, 300)
		r.night(t, filepath.Join(dir, "in", "a.parquet"))
		cut := filepath.Join(dir, "last.parquet")
		mustRun(t, dir, nil, "output.path", cut)
		for range 1 + rng.IntN(3) {
			r.night(t, filepath.Join(dir, "in", "a.parquet"))
		}
		overrides := []string{"algorithm.name", []string{"tdr", "tds"}[rng.IntN(2)],
			"quasi_identifiers[].k", fmt.Sprint(2 + rng.IntN(8))}
		inAndOutOfCore(t, func(system System, output string) {
			job := mustLoad(t, dir, append(slices.Clip(overrides), "output.path", output)...)
			if _, err := Run(t.Context(), job,
				RunOptions{OnlyCoarsen: cut, System: system}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			auditJob(t, job)
			d, err := cutfile.Diff(t.Context(), cut, output, job)
			must(t, err)
			for _, c := range d.Columns {
				if c.Relation == cutfile.Coarser {
					coarser++
				} else if c.Relation != cutfile.Equal {
					t.Errorf("column %s is %s", c.Column, c.Relation)
				}
			}
		})
		if t.Failed() {
			t.Fatalf("KCUT_SEED=%d", seed)
		}
	}
	if coarser == 0 {
		t.Error("no cut was coarser")
	}
}

// relabel replaces each value of a table by a text for its label in a cut of nightlyJob: the name
// of a node, the lower end of an interval, or, for an undisclosed value, a text that no other row
// has.
func (r *residents) relabel(a *audit) {
	for i := range r.table.rows {
		row := r.table.rows[i]
		for _, column := range a.cut.Columns {
			cell := &row[r.table.index(column.Name)]
			switch labels := column.Cut; {
			case isRoot(column):
				*cell = fmt.Sprintf("any %d", i)
			case column.Name == "job":
				if !slices.ContainsFunc(labels, func(l cutfile.Label) bool {
					return l.Null && *cell == null || !l.Null && l.Label == *cell
				}) {
					*cell = fmt.Sprintf("rest %d", i)
				}
			case *cell == null:
			case column.Mask == job.MaskGeneralize:
				path := a.path(column.Name, *cell)
				at := slices.IndexFunc(labels, func(l cutfile.Label) bool {
					return slices.Contains(path, l.Label)
				})
				*cell = labels[at].Label
			default:
				at := slices.IndexFunc(labels, func(l cutfile.Label) bool {
					lower, _ := cutfile.EndText(l.Lower)
					upper, _ := cutfile.EndText(l.Upper)
					return !l.Null && within(*cell, interval{
						lower: lower, upper: upper, closed: strings.HasSuffix(l.Label, "]"),
					})
				})
				lower, bounded := cutfile.EndText(labels[at].Lower)
				if *cell = lower; !bounded {
					*cell = "1000-01-01"
				}
			}
		}
	}
}

// isRoot reports whether a generalized column's cut is the root alone.
func isRoot(column cutfile.Column) bool {
	return column.Mask == job.MaskGeneralize && len(column.Cut) == 1
}

// treeOf returns the taxonomy above the labels of a column's cut, in the form of a job.
func treeOf(column cutfile.Column, path func(label string) []string) string {
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

// TestOnlyCoarsenStepByStep: a search above an earlier cut takes the same steps as a search in a
// table with the labels of that cut as values.
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
		job := mustLoad(t, dir, "output.path", cut, "quasi_identifiers[].k", "2")
		earlier := auditJob(t, job)
		rng.Shuffle(len(r.table.rows), func(i, j int) {
			r.table.rows[i], r.table.rows[j] = r.table.rows[j], r.table.rows[i]
		})
		r.table.rows = r.table.rows[:200+rng.IntN(1000)]
		r.table.parquet(t, in, 0, len(r.table.rows), 100)
		job = mustLoad(t, dir, "score", []string{"tdr", "tds", "infogain"}[rng.IntN(3)])
		var got, want bytes.Buffer
		if _, err := Run(t.Context(), job, RunOptions{OnlyCoarsen: cut, Trace: &got}); err != nil {
			t.Fatalf("KCUT_SEED=%d: %v", seed, err)
		}
		r.relabel(earlier)
		r.table.parquet(t, in, 0, len(r.table.rows), 100)
		text := strings.ReplaceAll(nightlyJob, ", unknown: root", "")
		cityPath := func(label string) []string {
			return pathTo(earlier.taxonomy("city").Tree, label)
		}
		for _, column := range earlier.cut.Columns {
			switch name := column.Name; {
			case isRoot(column): // a job takes no tree of a root alone
				spec := map[string]string{"city": "{mask: generalize}",
					"zip": "{mask: generalize, taxonomy: {prefix: [3, 1]}}"}[name]
				text = strings.Replace(text, name+": "+spec, name+": suppress", 1)
			case name == "city":
				text = strings.Replace(text, "city: {mask: generalize}",
					"city: {mask: generalize, taxonomy: "+treeOf(column, cityPath)+"}", 1)
			case name == "zip":
				text = strings.Replace(text, "taxonomy: {prefix: [3, 1]}",
					"taxonomy: "+treeOf(column, zipPath), 1)
			}
		}
		write(t, filepath.Join(dir, "job.yaml"), text)
		mustRun(t, dir, &want, "score", job.Score)
		// The earlier cut has nulls even if no record has them, and its bounds are the roundest
		// between its own values, not between one value for each label.
		plain := func(trace string) string {
			return withoutLabels(strings.ReplaceAll(trace, ",null]", "]"))
		}
		if steps += bytes.Count(want.Bytes(),
			[]byte("\n")); plain(got.String()) != plain(want.String()) {
			t.Fatalf("KCUT_SEED=%d\n%s\nin a table of labels:\n%s",
				seed, got.String(), want.String())
		}
	}
	if os.Getenv("KCUT_SEED") == "" && steps < 15 {
		t.Errorf("only %d steps", steps)
	}
}

// TestSuppressRevealsNoNewValue: a rare value that the earlier cut does not have is nowhere in a
// release that suppresses its records.
func TestSuppressRevealsNoNewValue(t *testing.T) {
	for _, column := range []string{"city", "zip", "job"} {
		dir := jobFolder(t, nightlyJob)
		cut := filepath.Join(dir, "cut.json")
		write(t, cut, handmadeCut)
		r := newResidents(rand.New(rand.NewPCG(5, 6)), 900)
		r.table.set(7, column, secret)
		r.table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, len(r.table.rows), 100)
		job := mustLoad(t, dir)
		report, err := Apply(t.Context(), job, ApplyOptions{
			Cut: cut, OnBreak: search.BreakSuppress, MaxSuppressed: Quota{Percent: 90},
		})
		if err != nil || report.Applied.Suppressed == 0 {
			t.Fatalf("%+v, %v", report, err)
		}
		auditJob(t, job)
		for _, prefix := range []string{secret, secret[:3] + "*", secret[:1] + "*"} {
			if bytes.Contains(mustRead(t, job.Output.Path), []byte(prefix)) {
				t.Errorf("column %s: the release tells %s", column, prefix)
			}
		}
		f := readRelease(t, job.Output.Path)
		f.cut.Applied.Suppressed++
		f.write(t, job.Output.Path)
		mustFind(t, job.Output.Path, fmt.Sprintf("%d records have marks alone, its cut claims %d",
			report.Applied.Suppressed, report.Applied.Suppressed+1))
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

// Regions whose labels name more values than k are refused before any row is read, because their
// release would be refused.
func TestApplySetLabelsBelowK(t *testing.T) {
	dir := peopleFolder(t, withAlgorithm(peopleJob, "mondrian"), 900)
	must(t, tryJob(t, dir, t.Context(), RunOptions{}))
	cut := filepath.Join(dir, "out.parquet")
	job := mustLoad(t, dir, "output.path", filepath.Join(dir, "again.parquet"),
		"quasi_identifiers[].k", "1")
	var stages []resources.Stage
	_, err := Apply(t.Context(), job, ApplyOptions{
		Cut: cut, RunOptions: RunOptions{Events: resources.Events{Start: func(s resources.Stage) {
			stages = append(stages, s)
		}}},
	})
	mustFail(t, err, fault.Usage, "a label of the cut names", "k = 1")
	if slices.Contains(stages, resources.StageCompress) {
		t.Errorf("rows were read: %v", stages)
	}
}

// A cut that would drop every row is refused, and nothing is published.
func TestApplyDropsAll(t *testing.T) {
	dir := jobFolder(t, `
input: in
output: out.parquet
quasi_identifiers: [{columns: [a], k: 40}]
columns: {a: suppress, b: {mask: keep, identifying: accepted}}
max_unique: 100%
max_suppressed: 6%
suppressed: drop
`)
	table := func(rows int) string {
		text := "a,b\n"
		for i := range rows {
			text += fmt.Sprintf("%c,%d\n", "xy"[i%2], i)
		}
		return text
	}
	write(t, filepath.Join(dir, "in", "a.csv"), table(100))
	mustRun(t, dir, nil)
	write(t, filepath.Join(dir, "in", "a.csv"), table(60))
	for _, output := range []string{"applied.parquet", "applied/"} {
		path := filepath.Join(dir, output)
		_, err := Apply(t.Context(), mustLoad(t, dir, "output.path", path), ApplyOptions{
			Cut: filepath.Join(dir, "out.parquet"), OnBreak: search.BreakSuppress,
			MaxSuppressed: Quota{Percent: 100},
		})
		mustFail(t, err, fault.Privacy, "all 60 rows")
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %v", output, err)
		}
	}
}

// Records that are in no region of a cut are suppressed, also where the cut has a region of only
// marks since some were suppressed before: they are counted, and limited. Marks that are labels of
// the values are no suppression.
func TestApplyRegionsCountsSuppressed(t *testing.T) {
	const pairs = "a: discretize, b: suppress"
	any, strange := Quota{Percent: 100}, strings.Repeat("1,y\n", 4)
	for _, tt := range []struct {
		name, columns string
		nights        []string // further rows of the first one, a run, and of later ones
		most          Quota    // in the last night; none: it may suppress none
		suppressed    uint64   // in the last night
		want          string
	}{
		{"in no region", pairs, []string{"", strange}, any, 4, ""},
		{"again", pairs, []string{"", strange, strange}, any, 4, ""},
		{"too many", pairs, []string{"", strange, strange + strange}, Quota{Records: 7}, 0,
			"8 records"},
		{"none may be", pairs, []string{"", strange, strange}, Quota{}, 0,
			"4 records are in no region"},
		{"none is", pairs, []string{"", strange, ""}, Quota{}, 0, ""},
		{"marks are labels", "a: suppress, b: suppress",
			[]string{"5,z\n5,w\n6,z\n6,w\n", "5,z\n5,w\n6,z\n6,w\n"}, Quota{}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := jobFolder(t, "input: in\noutput: 0.parquet\nquasi_identifiers: "+
				"[{columns: all, k: 4}]\nmax_unique: 100%\ncolumns: {"+
				tt.columns+"}\nalgorithm: {name: mondrian, region_labels: tight}\n")
			var report *Report
			var err error
			for night, more := range tt.nights {
				write(t, filepath.Join(dir, "in", "a.csv"),
					"a,b\n"+strings.Repeat("1,x\n9,y\n", 4)+more)
				if night == 0 {
					mustRun(t, dir, nil)
					continue
				}
				must(t, err)
				opt := ApplyOptions{Cut: filepath.Join(dir, fmt.Sprint(night-1, ".parquet")),
					OnBreak: search.BreakSuppress, MaxSuppressed: any}
				if night == len(tt.nights)-1 {
					if opt.MaxSuppressed = tt.most; tt.most == (Quota{}) {
						opt.OnBreak = search.BreakFail
					}
				}
				report, err = Apply(t.Context(), mustLoad(t, dir, "output.path",
					filepath.Join(dir, fmt.Sprint(night, ".parquet"))), opt)
			}
			if tt.want != "" {
				mustFail(t, err, fault.Privacy, tt.want)
				return
			}
			must(t, err)
			if report.Applied.Suppressed != tt.suppressed {
				t.Errorf("%d records suppressed, want %d", report.Applied.Suppressed, tt.suppressed)
			}
		})
	}
}
