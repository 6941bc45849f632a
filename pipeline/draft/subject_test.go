package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// A column of few values with the name of the file is the class, and other ones in the last place
// have names of classes there. Facts about a person are none.
func TestDraftTakesTheSubjectOfTheFile(t *testing.T) {
	for _, tt := range []struct {
		file, column string
		last         bool
		want         bool
	}{
		{"stroke.csv", "stroke", false, true},
		{"patients.csv", "stroke", false, false},
		{"strokes-2019_clean.csv", "had_stroke", false, true},
		{"customer_churn_data.csv", "Churned", false, true},
		{"HealthInsurance.csv", "insurance", false, false},
		{"stroke_survey.csv", "stroke", false, false},
		{"stroke.csv", "stroke1", false, false},
		{"smoking.csv", "smoker", false, false},
		{"prior_stroke.csv", "prior_stroke", false, false},
		{"treatments.csv", "treatment", false, false},
		{"data.csv", "data", false, false},
		{"churn_performance_2019.csv", "PerformanceRating", true, true},
		{"churn_performance_2019.csv", "PerformanceRating", false, false},
		{"churn_performance_2019.csv", "QualityRating", true, false},
		{"table.csv", "employee_left", false, true},
		{"table.csv", "LeaveOrNot", false, true},
		{"table.csv", "NSP", true, true},
		{"table.csv", "NSP", false, false},
		{"table.csv", "fetal_health", true, true},
		{"table.csv", "num_rooms", true, false},
		{"table.csv", "Diabetes_012", true, true},
		{"table.csv", "parttime", true, false},
		{"table.csv", "foreign", true, false},
		{"table.csv", "widowed", true, false},
		{"table.csv", "insured", true, true},
		{"heart_2020_cleaned.csv", "HeartDisease", false, true},
		{"liver_2020_cleaned.csv", "HeartDisease", false, false},
		{"table.csv", "Adaptivity_Level", true, true},
		{"table.csv", "Category", true, true},
		{"table.csv", "Category", false, false},
		{"any.csv", "any", false, false},
		{"table.csv", "bank_account", false, true},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		for i := range 201 {
			cells := []string{"age", "weight", tt.column, "visits"}
			if i > 0 {
				cells = []string{fmt.Sprint(i % 45), fmt.Sprint(50 + i%40),
					[]string{"no", "yes"}[i%2], fmt.Sprint(i % 23)}
			}
			if strings.HasPrefix(tt.file, "churn") {
				cells[1] = []string{"churn", "0", "1"}[min(i, 1+i%2)]
			}
			if tt.last {
				cells[2], cells[3] = cells[3], cells[2]
			}
			fmt.Fprintln(&out, strings.Join(cells, ","))
		}
		write(t, tt.file, out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{tt.file}}, sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text, "\nclass: "+tt.column+"\n"); got != tt.want {
			t.Errorf("%+v: the class %t\n%s", tt, got, text)
		}
	}
}

// A column without a value behind the last one hides no class, and a status of many kinds is none
// of a time.
func TestDraftLooksForTheClassInTheLastColumn(t *testing.T) {
	for columns, want := range map[string]string{
		"Age#;weight#;Severity=0|1":                                      "Severity",
		"Age#;weight#;Dataset=1|2":                                       "Dataset",
		"Age#;weight#;severity=0|1;=":                                    "severity",
		"status=a|b|c|d;duration#;sex=m|f;tries=0|1|2;credit_risk=0|1":   "credit_risk",
		"duration#;status=a|b;sex=m|f;tries=0|1|2;weight#;wants=0|1|2|3": "status",
	} {
		if got := classOf(t, study(t, 300, strings.Split(columns, ";")...)); got != want {
			t.Errorf("%s: class %q, want %q", columns, got, want)
		}
	}
}
