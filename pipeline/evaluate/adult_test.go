package evaluate

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/job"
)

// adultJob has tight labels, as the papers' releases have.
const adultJob = `input: %[1]s/adult.parquet
output: out.parquet
class: class
algorithm: {name: mondrian, region_labels: tight}
quasi_identifiers:
  - {columns: [age, workclass, education, marital-status, occupation, race, sex, native-country], k: 10}
columns: {age: discretize, workclass: generalize, education: generalize, marital-status: generalize, occupation: generalize,
  race: generalize, sex: generalize, native-country: generalize, class: keep}
unlisted: drop
taxonomies: %[1]s/taxonomies.yaml
`

// adultErrors are the errors of Weka's NaiveBayes (3.6.14, its defaults) on the test rows, in
// percent: for k = 10, 50, 100 and 500. It learns from the releases of naive programs. Theirs of
// the Mondrians do not narrow intervals, so it learns from the labels of kcut's cuts there: another
// program gave each row those of the region that covers it, and none to a test row in no region.
var adultErrors = []struct {
	options Options
	want    map[string][]float64
}{
	{
		options: Options{Nominal: true}, // rules from the training rows
		want: map[string][]float64{"tdr": {17.90, 19.18, 18.41, 18.46},
			"bottom-up": {17.72, 18.13, 18.46, 18.46}},
	},
	{
		options: Options{RulesFromAll: true},
		want: map[string][]float64{"iack": {19.00, 19.44, 19.61, 21.00},
			"bottom-up": {18.05, 17.72, 18.46, 18.46}},
	},
	{
		options: Options{RulesFromAll: true, RootsTell: true},
		want: map[string][]float64{"mondrian": {19.45, 20.13, 19.88, 20.59},
			"infogain-mondrian": {19.14, 18.73, 18.93, 18.49}},
	},
	{
		options: Options{RootsTell: true},
		want: map[string][]float64{"mondrian": {19.42, 20.20, 19.06, 23.60},
			"infogain-mondrian": {19.39, 20.01, 19.59, 19.97}},
	},
}

// TestAdult compares the errors of naive Bayes on releases of Adult with those of Weka's, which
// should be the same. (Weka's trees treat missing values in another way.)
func TestAdult(t *testing.T) {
	data := formatstest.SharedData(t, "adult")
	path := filepath.Join(t.TempDir(), "job.yaml")
	must(t, os.WriteFile(path, fmt.Appendf(nil, adultJob, data), 0o600))
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(100*got-want) > 0.006 {
			t.Errorf("%s: %.2f %%, want %.2f", what, 100*got, want)
		}
	}
	for _, c := range adultErrors {
		o := c.options
		o.SplitColumn, o.SplitValue = "split", "train"
		names := slices.Sorted(maps.Keys(c.want))
		var jobs []*job.Job
		var want []float64
		for i, k := range []string{"10", "50", "100", "500"} {
			if i%3 != 0 && os.Getenv("KCUT_LONG") == "" { // each k takes seconds
				continue
			}
			jobs = append(jobs, load(t, path, "quasi_identifiers[].k", k, names...)...)
			for _, name := range names {
				want = append(want, c.want[name][i])
			}
		}
		report, err := Evaluate(t.Context(), jobs, o)
		must(t, err)
		check("baseline", report.Baseline["bayes"].Mean, 18.29)
		check("majority", report.Upper["tree"].Mean, 24.57)
		for i, result := range report.Results {
			check(fmt.Sprint(result.Algorithm, result.K, " all ", o.RulesFromAll),
				result.Errors["bayes"].Mean, want[i])
		}
	}
}

// A row of docs/results.md agrees with the job that the page names, with tight labels.
func TestResultsOfTop7(t *testing.T) {
	data := formatstest.SharedData(t, "adult")
	page, err := os.ReadFile("../../docs/results.md")
	must(t, err)
	_, section, _ := strings.Cut(string(page), "## TDS's Top7\n")
	_, row, _ := strings.Cut(section, "\n| `tds` | ")
	want, _, _ := strings.Cut(row, " | ") // for k = 20
	text, err := os.ReadFile("../../docs/adult/top7.yaml")
	must(t, err)
	job := filepath.Join(t.TempDir(), "top7.yaml")
	must(t, os.WriteFile(job, []byte(strings.NewReplacer("adult.parquet", data+"/adult.parquet",
		"taxonomies.yaml", data+"/taxonomies.yaml").Replace(string(text))+
		"algorithm: {name: infogain-mondrian, region_labels: tight}\n"), 0o600))
	report, err := Evaluate(t.Context(), load(t, job, "quasi_identifiers[].k", "20", "tds"),
		Options{SplitColumn: "split", SplitValue: "train"})
	must(t, err)
	errors := report.Results[0].Errors
	if got := fmt.Sprintf("%.2f / %.2f / %.2f", 100*errors["tree"].Mean, 100*errors["bayes"].Mean,
		100*errors["logistic"].Mean); got != want {
		t.Errorf("got %s, docs/results.md has %s", got, want)
	}
}
