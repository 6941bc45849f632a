package evaluate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

const adultJob = `input: %[1]s/adult.parquet
output: out.parquet
class: class
quasi_identifiers:
  - {columns: [age, workclass, education, marital-status, occupation, race, sex, native-country], k: 10}
columns: {age: discretize, workclass: generalize, education: generalize, marital-status: generalize, occupation: generalize,
  race: generalize, sex: generalize, native-country: generalize, class: keep}
unlisted: drop
taxonomies: %[1]s/taxonomies.yaml
`

// TestAdult compares the errors of naive Bayes on releases of Adult with those of Weka's
// NaiveBayes on the releases of naive programs, which are to be the same: in percent,
// intervals as nominal labels. (Weka's trees deal with missing values in another way.)
func TestAdult(t *testing.T) {
	data, err := filepath.Abs("../../../shared/data/adult")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(data); err != nil {
		t.Skip(err)
	}
	job := filepath.Join(t.TempDir(), "job.yaml")
	if err := os.WriteFile(job, fmt.Appendf(nil, adultJob, data), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{SplitColumn: "split", SplitValue: "train", Nominal: true}
	var want []float64
	for _, c := range []struct {
		k      string
		errors []float64
	}{{"10", []float64{17.90, 17.72}}, {"50", []float64{19.18, 18.13}}, {"100", []float64{18.41, 18.46}}, {"500", []float64{18.46, 18.46}}} {
		o.Variants = append(o.Variants, load(t, job, "quasi_identifiers[].k", c.k, "tdr", "bottom-up")...)
		want = append(want, c.errors...)
	}
	report, err := Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want float64) {
		if math.Abs(100*got-want) > 0.006 {
			t.Errorf("%s: %.2f %%, want %.2f", what, 100*got, want)
		}
	}
	check("baseline", report.Baseline["bayes"].Mean, 18.29)
	check("majority", report.Upper["tree"].Mean, 24.57)
	for i, result := range report.Results {
		check(fmt.Sprint(result.Algorithm, result.K), result.Errors["bayes"].Mean, want[i])
	}
}
