package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// A column of few values with the name of the file is the class, and other ones in the last place
// have names of classes there. Facts about a person are none.
func TestDraftTakesTheSubjectOfTheFile(t *testing.T) {
	for _, tt := range []struct {
		file, column string
		at           int // 0: in the first place, 3: in the last
		want         bool
	}{
		{"stroke.csv", "stroke", 2, true},
		{"patients.csv", "stroke", 2, true},
		{"strokes-2019_clean.csv", "had_stroke", 2, true},
		{"customer_churn_data.csv", "Churned", 2, true},
		{"HealthInsurance.csv", "insurance", 2, true},
		{"HealthInsurance.csv", "health", 0, true},
		{"stroke_survey.csv", "stroke", 2, true},
		{"stroke.csv", "stroke1", 2, true},
		{"smoking.csv", "smoker", 2, false},
		{"prior_stroke.csv", "prior_stroke", 2, false},
		{"treatments.csv", "treatment", 2, false},
		{"treatments.csv", "treatment", 3, true},
		{"data.csv", "data", 2, false},
		{"staff_performance_2019.csv", "PerformanceRating", 3, true},
		{"table.csv", "employee_left", 2, true},
		{"table.csv", "LeaveOrNot", 2, true},
		{"table.csv", "NSP", 3, true},
		{"table.csv", "NSP", 2, false},
		{"table.csv", "fetal_health", 3, true},
		{"table.csv", "Diabetes_012", 3, true},
		{"table.csv", "parttime", 3, false},
		{"table.csv", "foreign", 3, false},
		{"table.csv", "widowed", 3, false},
		{"table.csv", "insured", 3, true},
		{"heart_2020_cleaned.csv", "HeartDisease", 2, true},
		{"liver_2020_cleaned.csv", "HeartDisease", 2, true},
		{"table.csv", "Adaptivity_Level", 3, true},
		{"table.csv", "Category", 3, true},
		{"table.csv", "Category", 2, false},
		{"table.csv", "bank_account", 2, true},
		{"ds_salaries_2023.csv", "salary_in_usd", 2, true},
		{"jobs.csv", "salary_in_usd", 2, false},
		{"ds_sleep_2023.csv", "sleep_index", 3, true},
		{"ds_sleep_2023.csv", "ds_sleep", 2, true},
		{"ds_sleep_2023.csv", "sleep_index", 2, false},
		{"ds_sleep_2023.csv", "stress_index", 3, false},
		{"car_insurance.csv", "carinsurance", 2, true},
		{"npha_doctor_visits.csv", "Number of Doctors Visited", 0, true},
		{"npha_doctor_visits.csv", "Number of Doctors Visited", 2, true},
		{"InfoWithGrade.csv", "Grade", 0, true},
		{"table.csv", "abuse", 0, true},
		{"happiness.csv", "happy", 2, true},
		{"ageBan.csv", "ban", 2, true},
		{"table.csv", "brain_injury", 3, true},
		{"table.csv", "Attack_Likelihood", 3, true},
		{"Holiday_Package.csv", "Holliday_Package", 0, true},
		{"table.csv", "turnover_Status", 2, true},
		{"table.csv", "Buy", 3, true},
		{"table.csv", "Buy", 2, true},
		{"table.csv", "PrizeAchieved", 3, true},
		{"table.csv", "PrizeAchieved", 2, false},
		{"table.csv", "CourseCompletion", 3, true},
		{"table.csv", "Likely to Move Home", 3, true},
		{"table.csv", "Likely to Move Home", 2, false},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		for i := range 201 {
			cells := []string{"age", "weight", tt.column, "visits"}
			if i > 0 {
				cells = []string{fmt.Sprint(i % 45), fmt.Sprint(50 + i%40),
					[]string{"no", "yes", "low"}[i%min(2+(3-tt.at)/3, 3)], fmt.Sprint(i % 23)}
			}
			if i > 0 && (tt.file[:2] == "ds" || strings.HasPrefix(tt.column, "salary")) {
				cells[2] = fmt.Sprint(i % 20 * 500)
			}
			cells[2], cells[tt.at] = cells[tt.at], cells[2]
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

// A last number that a model may predict is the class if few rows are alone with theirs: a comment
// names others. One of three or more, or of before, is none.
func TestDraftTakesANumberThatModelsPredict(t *testing.T) {
	marks := "=12|15|18|21|24|27|30|33|36|39|42|45|48"
	for _, tt := range []struct{ columns, want, named string }{
		{"age# sex=m|f hours# final_score" + marks, "final_score", "which stays exact"},
		{"age# sex=m|f hours# final_score#", "", "A model may predict final_score, a number"},
		{"age# sex=m|f hours# attrition_rate#", "", "A model may predict attrition_rate, a number"},
		{"age# sex=m|f hours# heart_rate#", "", "no column looks like a class"},
		{"age# sex=m|f final_score" + marks + " hours#", "", "no column looks like a class"},
		{"age# sex=m|f hours# previous_score" + marks, "", "no column looks like a class"},
		{"wage" + marks + " sex=m|f age# hours#", "wage", "which stays exact"},
		{"age# sex=m|f amount_spent#", "", "A model may predict amount_spent, a number"},
		{"age# sex=m|f left=0|1 hours# final_score" + marks, "left", "the class"},
		{"age# sex=m|f hours# final_score" + marks + " survey_weight#", "final_score",
			"which stays exact"},
		{"age# sex=m|f hours# time_spent" + marks, "", "no column looks like a class"},
		{"a_score" + marks + " b_score" + marks + " c_score" + marks + " chance" + marks, "chance",
			"which stays exact"},
		{"wage=7" + strings.Repeat("|"+marks[1:], 45) + " sex=m|f age# hours#", "",
			"A model may predict wage, a number"},
		{"age# sex=m|f hours# left=|||0|1", "left", "l: 2, nulls: count}"},
		{"age# sex=m|f a_score" + marks + " b_score" + marks + " c_score" + marks, "",
			"no column looks like a class"},
	} {
		text := study(t, 600, strings.Fields(tt.columns)...)
		if got := classOf(t, text); got != tt.want || !strings.Contains(text, tt.named) {
			t.Errorf("%s: class %q, want %q and %q\n%s", tt.columns, got, tt.want, tt.named, text)
		}
	}
}

// A grade that follows from a score is the class, and no class of a school.
func TestDraftKnowsMarksFromClassesOfSchools(t *testing.T) {
	for _, want := range []string{"grade", ""} {
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(1, 2))
		var out strings.Builder
		out.WriteString("student,age,gender,total_score,grade,hours\n")
		for i := range 800 {
			score, grade := rng.IntN(100), rng.IntN(4)
			if want != "" {
				grade = score / 25
			}
			fmt.Fprintf(&out, "s%d,%d,%c,%d,%c,%d\n", i, 12+rng.IntN(7), "mf"[rng.IntN(2)], score,
				"ABCD"[grade], rng.IntN(23))
		}
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		if got := classOf(t, text); got != want ||
			strings.Contains(text, "columns: [age, gender, grade]\n") != (want == "") {
			t.Errorf("class %q, want %q\n%s", got, want, text)
		}
	}
}

// A column without a value behind the last one hides no class, and a status of many kinds is none
// of a time.
func TestDraftLooksForTheClassInTheLastColumn(t *testing.T) {
	many := func(n int) (all string) {
		for i := range n {
			all += fmt.Sprintf("|c%d", i)
		}
		return "=" + all[1:]
	}
	for columns, want := range map[string]string{
		"Age#;weight#;Severity=0|1":                                      "Severity",
		"Age#;weight#;Dataset=1|2":                                       "Dataset",
		"Age#;weight#;Dataset=here|there":                                "",
		"Age#;weight#;Target" + many(30):                                 "Target",
		"Age#;weight#;Target" + many(60):                                 "",
		"Age#;Target" + many(30) + ";weight#":                            "",
		"Age#;weight#;severity=0|1;=":                                    "severity",
		"status=a|b|c|d;duration#;sex=m|f;tries=0|1|2;credit_risk=0|1":   "credit_risk",
		"duration#;status=a|b;sex=m|f;tries=0|1|2;weight#;wants=0|1|2|3": "status",
		"age#;duration#;calls#;y=0|1":                                    "y",
		"duration#;Status=a|b;sex=m|f;tries=0|1|2;weight#;RecordedDate#": "",
	} {
		if got := classOf(t, study(t, 900, strings.Split(columns, ";")...)); got != want {
			t.Errorf("%s: class %q, want %q", columns, got, want)
		}
	}
}
