package pipeline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/verify"
)

// long reports whether the heavier variants of tests are asked for.
var long = os.Getenv("KCUT_LONG") != ""

// realJob writes a job over a file of real data into a folder and returns that. What the
// sets name is generalized when there is a tree of its name, discretized when it has an
// order, else suppressed; everything else is kept. A set without columns has them all but
// the class and those left out.
func realJob(tb testing.TB, input, class, taxonomies string, leaveOut []string, sets ...job.Set) string {
	tb.Helper()
	dataset, err := dataset.Open(tb.Context(), []string{input}, formats.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	defer dataset.Close()
	fields := dataset.Schema().Fields
	trees := map[string]*taxonomy.Node{}
	if taxonomies != "" {
		if trees, err = taxonomy.ReadAll(taxonomies); err != nil {
			tb.Fatal(err)
		}
	}
	all := columnsBut(fields, append(leaveOut, class))
	var text strings.Builder
	fmt.Fprintf(&text, "input: %q\noutput: out.parquet\nclass: %q\nquasi_identifiers:\n", input, class)
	masked := make(map[string]bool)
	for _, set := range sets {
		if set.Columns == nil {
			set.Columns = all
		}
		fmt.Fprintf(&text, "- {k: %d, columns: [%s]}\n", set.K, quoted(set.Columns))
		for _, name := range set.Columns {
			masked[name] = true
		}
	}
	text.WriteString("columns:\n")
	for _, field := range fields {
		mask := job.MaskKeep
		switch {
		case masked[field.Name] && trees[field.Name] != nil:
			mask = job.MaskGeneralize
		case masked[field.Name] && field.Type.Ordered():
			mask = job.MaskDiscretize
		case masked[field.Name]:
			mask = job.MaskSuppress
		}
		fmt.Fprintf(&text, "  %q: %s\n", field.Name, mask)
	}
	if taxonomies != "" {
		fmt.Fprintf(&text, "taxonomies: %q\n", taxonomies)
	}
	dir := tb.TempDir()
	write(tb, filepath.Join(dir, "job.yaml"), text.String())
	return dir
}

func columnsBut(fields []formats.Field, but []string) []string {
	var names []string
	for _, field := range fields {
		if !slices.Contains(but, field.Name) {
			names = append(names, field.Name)
		}
	}
	return names
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strconv.Quote(name)
	}
	return strings.Join(out, ", ")
}

// runAndAudit runs a folder's job and audits what it released.
func runAndAudit(t *testing.T, dir string) *audit {
	t.Helper()
	report := mustRun(t, dir, nil)
	a := auditFolder(t, dir)
	if a.cut.Steps != report.Steps || report.Rows != a.cut.Rows || len(report.Sets) != len(a.cut.Sets) {
		t.Errorf("the report says %+v, the cut %+v", report, a.cut)
	}
	return a
}

// split tells the Adult data's training rows from the rest and is not an attribute.
var adultKept = []string{"split"}

func adultJob(t *testing.T, file string, sets ...job.Set) string {
	return realJob(t, formatstest.SharedData(t, "adult/"+file), "class", formatstest.SharedData(t, "adult/taxonomies.yaml"), adultKept, sets...)
}

func TestAdult(t *testing.T) {
	parquet := adultJob(t, "adult.parquet", job.Set{K: 50})
	a := runAndAudit(t, parquet)
	if a.cut.Steps < 5 {
		t.Errorf("only %d steps", a.cut.Steps)
	}
	csv := adultJob(t, "adult.csv", job.Set{K: 50})
	mustRun(t, csv, nil)
	b, err := cutfile.Read(t.Context(), filepath.Join(csv, "out.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.cut.Raw, b.Raw) {
		t.Errorf("CSV gives another cut than Parquet:\n%s\n%s", b.Raw, a.cut.Raw)
	}
}

// The attributes of Adult by what they tell about the class, best first.
var adultTop = []string{
	"capital-gain", "age", "marital-status", "education-num", "relationship", "hours-per-week", "sex", "education", "occupation",
}

func TestAdultTop(t *testing.T) {
	cases := map[int][]int{5: {20, 1000}, 7: {100}, 9: {50, 500}}
	if long {
		all := []int{20, 50, 100, 150, 200, 300, 500, 700, 1000}
		cases = map[int][]int{5: all, 7: all, 9: all}
	}
	for top, ks := range cases {
		for _, k := range ks {
			t.Run(fmt.Sprintf("top %d k %d", top, k), func(t *testing.T) {
				runAndAudit(t, adultJob(t, "adult.parquet", job.Set{Columns: adultTop[:top], K: k}))
			})
		}
	}
}

func TestAdultOverlappingSets(t *testing.T) {
	a := runAndAudit(t, adultJob(t, "adult.parquet",
		job.Set{Columns: []string{"age", "sex", "race", "native-country"}, K: 40},
		job.Set{Columns: []string{"education", "occupation", "age"}, K: 15},
		job.Set{Columns: []string{"sex", "hours-per-week", "education", "workclass"}, K: 90}))
	if len(a.cut.Sets) != 3 {
		t.Errorf("got sets %+v", a.cut.Sets)
	}
}

func TestAdultWithMissing(t *testing.T) {
	a := runAndAudit(t, adultJob(t, "adult_with_missing.parquet", job.Set{K: 30, Columns: []string{
		"workclass", "occupation", "native-country", "age", "sex",
	}}))
	nulls := 0
	for _, column := range a.cut.Columns {
		if slices.ContainsFunc(column.Cut, func(l cutfile.Label) bool { return l.Null }) {
			nulls++
		}
	}
	if nulls == 0 {
		t.Error("no column tells its nulls apart")
	}
}

func TestHeart(t *testing.T) {
	runAndAudit(t, realJob(t, formatstest.SharedData(t, "brfss2015_heart.parquet"), "class", "", nil, job.Set{K: 50}))
}

func TestUCI(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(formatstest.SharedData(t, "uci"), "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		for _, k := range []int{2, 10} {
			t.Run(fmt.Sprintf("%s k %d", filepath.Base(path), k), func(t *testing.T) {
				runAndAudit(t, realJob(t, path, "class", "", nil, job.Set{K: k}))
			})
		}
	}
}

// Logical types that the release reader's library is too old for can be kept.
func TestGeometryIsKept(t *testing.T) {
	dir := jobFolder(t, fmt.Sprintf(`
input: %s
output: out.parquet
quasi_identifiers: [{columns: [group], k: 1}]
columns: {group: suppress, wkt: keep, geometry: keep}
`, formatstest.SharedData(t, "parquet-testing/data/geospatial/geospatial.parquet")))
	report := mustRun(t, dir, nil)
	v, err := verify.Release(t.Context(), filepath.Join(dir, "out.parquet"), job.Limits{}, verify.Watch{})
	if err != nil || !v.OK || v.Rows != report.Rows {
		t.Errorf("got %+v, %v", v, err)
	}
}
