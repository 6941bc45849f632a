package pipeline

import (
	"bytes"
	"fmt"
	"maps"
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
	"github.com/kcut/kcut/pipeline/job"
)

// long reports whether the long variants of tests run.
var long = os.Getenv("KCUT_LONG") != ""

// realJob writes a job over a file of real data into a folder and returns the folder. Columns of
// sets are generalized if there is a tree of their name, discretized if they have an order,
// otherwise suppressed; other columns are kept. A set without columns has all columns except the
// class and those left out.
func realJob(
	tb testing.TB, input, class, taxonomies string, leaveOut []string, sets ...job.Set,
) string {
	tb.Helper()
	dataset, err := dataset.Open(tb.Context(), []string{input}, formats.ReadOptions{})
	must(tb, err)
	defer dataset.Close()
	fields := dataset.Schema().Fields
	trees := map[string]*taxonomy.Node{}
	if taxonomies != "" {
		if trees, err = taxonomy.ReadAll(taxonomies); err != nil {
			tb.Fatal(err)
		}
	}
	var all []string
	for _, field := range fields {
		if !slices.Contains(append(leaveOut, class), field.Name) {
			all = append(all, field.Name)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "input: %q\noutput: out.parquet\nclass: %q\nquasi_identifiers:\n",
		input, class)
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
		mask := "{keep: {identifying: accepted}}"
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

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strconv.Quote(name)
	}
	return strings.Join(out, ", ")
}

// audited runs a folder's job with an algorithm, and audits the release.
func audited(t *testing.T, dir, algorithm string) *audit {
	t.Helper()
	path := filepath.Join(dir, "job.yaml")
	write(t, path, withAlgorithm(string(mustRead(t, path)), algorithm))
	return mustRelease(t, dir, 0)
}

// adultJob is a realJob over Adult. Its column split marks the training rows and is no attribute.
func adultJob(t *testing.T, file string, sets ...job.Set) string {
	return realJob(t, formatstest.SharedData(t, "adult/"+file), "class",
		formatstest.SharedData(t, "adult/taxonomies.yaml"), []string{"split"}, sets...)
}

// heartJob and uciJobs are realJobs over other public data.
func heartJob(t *testing.T, k int) string {
	return realJob(t, formatstest.SharedData(t, "brfss2015_heart.parquet"), "class",
		"", nil, job.Set{K: k})
}

func uciJobs(t *testing.T) (jobs []func(k int) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(formatstest.SharedData(t, "uci"), "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		jobs = append(jobs, func(k int) string {
			return realJob(t, path, "class", "", nil, job.Set{K: k})
		})
	}
	return jobs
}

// The attributes of Adult that the papers take for quasi-identifiers: kACTUS eight or eleven
// of fourteen, the others the first eight or all. The top ones are by what they tell about the
// class, best first.
var (
	adultSets = map[string][]string{
		"8": {"age", "workclass", "education", "marital-status", "occupation", "race",
			"sex", "native-country"},
		"all": nil,
		"8 of 14": {"age", "workclass", "fnlwgt", "occupation", "sex", "capital-gain",
			"hours-per-week", "native-country"},
		"11 of 14": {
			"age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
			"occupation", "sex",
			"capital-gain", "hours-per-week", "native-country",
		},
	}
	adultTop = []string{
		"capital-gain", "age", "marital-status", "education-num", "relationship",
		"hours-per-week", "sex", "education", "occupation",
	}
)

// The release of public data by every algorithm is true and reaches the anonymity that it claims.
func TestAlgorithmsOnRealData(t *testing.T) {
	try := func(name, algorithm, dir string) {
		t.Run(searchName(algorithm)+", "+name, func(t *testing.T) { audited(t, dir, algorithm) })
	}
	top, names, ks, small := map[int][]int{5: {20}, 9: {500}}, []string{"all"}, []int{100},
		[]int{10}
	large := oneOfEach()
	if long {
		all := []int{20, 50, 100, 150, 200, 300, 500, 700, 1000}
		top, names, ks, small = map[int][]int{5: all, 7: all, 9: all},
			slices.Collect(maps.Keys(adultSets)), []int{10, 50, 100, 500}, []int{2, 10, 50}
		large = searches()
	}
	for n, ks := range top {
		for _, k := range ks {
			try(fmt.Sprintf("top %d, k %d", n, k), "tdr",
				adultJob(t, "adult.parquet", job.Set{Columns: adultTop[:n], K: k}))
		}
	}
	try("heart", "tdr", heartJob(t, 50))
	for j, algorithm := range searches() {
		for _, name := range names {
			for _, k := range ks {
				if !slices.Contains(large, algorithm) {
					continue
				}
				try(fmt.Sprintf("adult %s, k %d", name, k), algorithm,
					adultJob(t, "adult.parquet", job.Set{Columns: adultSets[name], K: k}))
			}
		}
		for i, job := range uciJobs(t) {
			for _, k := range small {
				if long || j == 0 || (i+j)%4 == 0 {
					try(fmt.Sprintf("uci %d, k %d", i, k), algorithm, job(k))
				}
			}
			if j == 0 && !long {
				try(fmt.Sprintf("uci %d, k 2", i), algorithm, job(2))
			}
		}
	}
}

// kACTUS loses fewer than k records of any table (its Corollary 3); the audit counts as many as
// the report.
func TestKACTUSLosesFewerThanK(t *testing.T) {
	jobs := uciJobs(t)
	jobs = append(jobs, func(k int) string {
		return adultJob(t, "adult_with_missing.parquet", job.Set{Columns: adultSets["8"], K: k})
	})
	for _, columns := range adultSets {
		jobs = append(jobs, func(k int) string {
			return adultJob(t, "adult.parquet", job.Set{Columns: columns, K: k})
		})
	}
	ks := []int{20}
	if long {
		ks, jobs = []int{2, 5, 10, 20, 50, 100},
			append(jobs, func(k int) string { return heartJob(t, k) })
	}
	lossy := 0
	for i, job := range jobs {
		for _, k := range ks {
			t.Run(fmt.Sprintf("%d k %d", i, k), func(t *testing.T) {
				a := audited(t, job(k), "kactus")
				if lost := a.source.rows - a.release.rows; lost >= k {
					t.Errorf("%d rows lost", lost)
				} else if lost > 0 {
					lossy++
				}
			})
		}
	}
	if t.Logf("%d of %d tables lose rows", lossy, len(jobs)*len(ks)); lossy == 0 {
		t.Error("no table loses a row")
	}
}

// CSV gives the same cut as Parquet. Nulls have a label of their own, and sets may overlap.
func TestAdult(t *testing.T) {
	mustRelease(t, adultJob(t, "adult.parquet",
		job.Set{Columns: []string{"age", "sex", "race", "native-country"}, K: 40},
		job.Set{Columns: []string{"education", "occupation", "age"}, K: 15},
		job.Set{Columns: []string{"sex", "hours-per-week", "education", "workclass"}, K: 90}), 3)
	nulls := mustRelease(t, adultJob(t, "adult_with_missing.parquet",
		job.Set{K: 30, Columns: []string{
			"workclass", "occupation", "native-country", "age", "sex",
		}}), 3)
	if !bytes.Contains(nulls.cut.Raw, []byte(",null]")) {
		t.Error("no column tells its nulls apart")
	}
	a := mustRelease(t, adultJob(t, "adult.parquet", job.Set{K: 50}), 5)
	csv := adultJob(t, "adult.csv", job.Set{K: 50})
	mustRun(t, csv, nil)
	if b := cutOf(t, csv); !bytes.Equal(a.cut.Raw, b.Raw) {
		t.Errorf("CSV gives another cut than Parquet:\n%s\n%s", b.Raw, a.cut.Raw)
	}
}

// Kept columns may have logical types that are newer than the library of the release reader.
func TestGeometryIsKept(t *testing.T) {
	dir := jobFolder(t, fmt.Sprintf(`
input: %s
output: out.parquet
quasi_identifiers: [{columns: [group], k: 1}]
columns: {group: suppress, wkt: {keep: {identifying: accepted}}, geometry: {keep: {identifying: accepted}}}
`, formatstest.SharedData(t, "parquet-testing/data/geospatial/geospatial.parquet")))
	mustRun(t, dir, nil)
	mustFind(t, filepath.Join(dir, "out.parquet"))
}
