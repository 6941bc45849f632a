package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline/draft"
)

// A column is the class whose values say what came of somebody, if no more than two others do, or
// one with a vague name that is positive or negative, or that another one goes with, since it has a
// value only in rows of one of its values.
func TestDraftKnowsOutcomesByValues(t *testing.T) {
	for _, tt := range []struct{ columns, want string }{
		{"age# left=0|1 hours# salary=low|medium|high", "left"},
		{"age# hours# sex=m|f salary=low|medium|high", "salary"},
		{"age# Admit=Admitted|Rejected hours# sex=m|f", "Admit"},
		{"age# member=Active|Inactive hours# sex=m|f", "member"},
		{"age# vital=Alive|Dead|DEAD hours# sex=m|f", "vital"},
		{"age# final=Placed|not_placed|Not-Placed hours# sex=m|f", "final"},
		{"age# a=pass|fail b=pass|fail c=pass|fail hours# sex=m|f", ""},
		{"age# prior_exam=pass|fail hours# sex=m|f", ""},
		{"age# result=positive|negative hours# sex=m|f", "result"},
		{"age# test_result=positive|negative hours# sex=m|f", "test_result"},
		{"age# result=a|b hours# sex=m|f", "result"},
		{"age# receptor=positive|negative hours# sex=m|f", ""},
		{"age# decision=granted|denied hours# sex=m|f", "decision"},
		{"age# decision=fast|slow hours# sex=m|f", ""},
		{"age# event=run|jump|ski hours# sex=m|f", ""},
		{"age# event=end|ltx|left|out futime# sex=m|f", "event"},
		{"age# conversions=0|1|2 hours# sex=m|f", "conversions"},
		{"_golden=True|False age# hours# sex=m|f b=1|2|3 c=1|2|3", ""},
		{"age# los# dstat=0|1 hours# sex=m|f", "dstat"},
		{"age# custody=0|1 hours# sex=m|f", "custody"},
		{"age# hired=0|1 died=0|1 injured=0|1 sex=m|f", "died"},
		{"age# output=Yes|No feedback=a|b hours# sex=m|f", "output"},
		{"age# output=0|1|2 feedback=a|b hours# sex=m|f", ""},
		{"class=a|b|c age# survived=0|1 hours# sex=m|f", "survived"},
		{"age# class=a|b|c hours# sex=m|f", "class"},
		{"age# admitted=0|1 futime# status=A|D sex=m|f", "status"},
		{"age# ClaimStatus=open|shut|lost hours# sex=m|f", "ClaimStatus"},
		{"age# job_satisfaction=1|2|3 intent_to_leave=1|2|3 hours# sex=m|f", "intent_to_leave"},
		{"age# hours# sex=m|f b=1|2|3 employment_status=full|part|none", ""},
		{"age# hours# sex=m|f b=1|2|3 membership_status=full|part|none", "membership_status"},
		{"age# disposition=a|b|c hours# sex=m|f", "disposition"},
		{"age# er_status=Positive|Negative os_status=Living|Deceased sex=m|f", "os_status"},
		{"age# disposition=a|b|c died=0|1 hours# sex=m|f", "died"},
		{"age# disposition_date=a|b|c hours# sex=m|f", ""},
		{"age# rating=1|2|3|4 hours# sex=m|f", ""},
		{"age# status=a|b|c|d|e|f|g|h|i|j hours# sex=m|f", "status"},
		{"age# status=a|b|c|d|e|f|g|h|i|j|k hours# sex=m|f", ""},
		{"age# hours# sex=m|f rating=1|2|3|4", "rating"},
		{"hours# weeks# satisfaction=1|2|3|4 will_buy=0|1", "will_buy"},
		{"hours# weeks# days# is_large=0|1", "is_large"},
		{"hours# weeks# kind=a|b|c is_large=0|1", "is_large"},
		{"age# sex=m|f hours#" + strings.Repeat(" q=1|2|3", 13) + " Smith_ok=Yes|No", "Smith_ok"},
		{"age# sex=m|f hours# CSAT_Score=1|2|3|4|5|6", "CSAT_Score"},
		{"age# sex=m|f hours# status=a|b|c", "status"},
		{"age# sex=m|f hours# status=a|b|d|a|b|d" + strings.Repeat("|a", 600) + "|e|f", ""},
		{"plan=unlikely|likely|very_likely hours# score#", ""},
		{"age# rating=1|2|3 nps=1|2|3 satisfaction=1|2|3 hours# sex=m|f", ""},
		{"size# rating=1|2|3|4 hours# kind=a|b", ""},
		{"active=True|False age# hours# sex=m|f b=1|2|3 c=1|2|3", ""},
		{"paid=True|False age# hours# sex=m|f b=1|2|3 c=1|2|3", "paid"},
		{"age# approval_override=0|1 hours# status=repaid|defaulted|written_off|active sex=m|f",
			"status"},
		{"age# death_hesitation=0|1 hours# sex=m|f b=1|2|3", ""},
		{"age# approved_by=1|2|3 hours# sex=m|f b=1|2|3", ""},
		{"age# job_satisfaction=1|2|3 hours# sex=m|f resigned=|||0|1", "resigned"},
		{"age# retained_90d=|||0|1 hours# sex=m|f b=1|2|3", "retained_90d"},
		{"age# hours# sex=m|f contratado=0|1 b=1|2|3", "contratado"},
		{"age# hours# sex=m|f class_name=a|b|c", ""},
		{"age# hours# sex=m|f custcat=1|2|3|4", "custcat"},
		{"age# hours# sex=m|f custcat=1|2|3|4 b=1|2|3", ""},
		{"age# hours# sex=m|f admission=|||Admit|Waitlist", "admission"},
		{"age# hours# sex=m|f admission=|||early|late", ""},
		{"age# hours# sex=m|f care_rating=|||1|2|3", "care_rating"},
		{"age# hours# sex=m|f rinfct=0|1 time#", "rinfct"},
		{"age# hours# sex=m|f survtime# censdead=0|1", "censdead"},
		{"age# hours# sex=m|f rinfct=0|1 time# b=1|2|3", ""},
		{"age# hours# sex=m|f chd69=0|1 time169# arcus0=0|1", "chd69"},
		{"age# case=0|1 hours# sex=m|f stratum#", "case"},
		{"age# case=0|1 hours# sex=m|f weeks#", ""},
		{"age# eu_vote=a|b|c hours# sex=m|f", "eu_vote"},
		{"age# last_vote=a|b|c hours# sex=m|f", ""},
		{"age# eu_vote=a|b|c samplewt# sex=m|f", "eu_vote"},
		{"age# samplewt# sex=m|f vote=a|b|c", "vote"},
		{"age# sex=m|f diagnosis=0|1 highriskgroup=0" + strings.Repeat("|0", 198) + "|1",
			"diagnosis"},
		{"age# diagnosis=0|1 sex=m|f nearly=0" + strings.Repeat("|0", 18) + "|1", "diagnosis"},
		{"age# finding=a|b|c hours# sex=m|f", "finding"},
		{"age# case_status=Certified|Denied hours# sex=m|f", "case_status"},
		{"age# decision_skill=a|b|c time# sex=m|f", ""},
		{"age# hours# sex=m|f income=1|2|3|4|5|6|7", ""},
		{"age# GotResponse=True|False hours# sex=m|f", "GotResponse"},
		{"age# death_cert=0|1 hours# sex=m|f", ""},
		{"age# purchase_frequency=a|b|c hours# sex=m|f", ""},
		{"age# chddef=0|1 hours# sex=m|f smoke=0|1|2", "chddef"},
		{"age# true_label=0|1 score# sex=m|f", "true_label"},
	} {
		text := study(t, 600, strings.Fields(tt.columns)...)
		if got := classOf(t, text); got != tt.want {
			t.Errorf("%s: class %q, want %q\n%s", tt.columns, got, tt.want, text)
		}
	}
}

// A number that with one day gives another is how long something took, and a status says how.
func TestDraftFindsHowLongByDays(t *testing.T) {
	for _, tt := range []struct {
		days, lag int
		want      string
		ends      bool // the start and the number determine the end
	}{{1, 0, "stat", true}, {1, 40, "", false}, {30, 0, "stat", true}} {
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(3, 4))
		var out strings.Builder
		out.WriteString("age,from,to,stat,n,sex\n")
		for range 600 {
			start := time.Date(2019, 1, 1+rng.IntN(900), 0, 0, 0, 0, time.UTC)
			n := rng.IntN(300) / (1 + tt.days/10)
			end := start.AddDate(0, 0, n*tt.days+rng.IntN(tt.lag+1))
			fmt.Fprintf(&out, "%d,%s,%s,%d,%d,%c\n", 20+rng.IntN(50), start.Format(time.DateOnly),
				end.Format(time.DateOnly), rng.IntN(2), n, "mf"[rng.IntN(2)])
		}
		write(t, "stays.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"stays.csv"}})
		if got := classOf(t, text); got != tt.want ||
			strings.Contains(text, `# from and "n" determine it`) != tt.ends {
			t.Errorf("%+v: class %q\n%s", tt, got, text)
		}
	}
}

// A vague name is that of the class if another column has values only in rows of one of its values,
// which is dropped then, unless the name seldom says so, or it is the time up to the class.
func TestDraftTakesWhatAnotherColumnGoesWith(t *testing.T) {
	for _, tt := range []struct {
		names string
		other int // of 100 rows those that have a value though others with their status have none
		none  string
		want  string
	}{
		{"status", 0, "", "status"}, {"kind", 0, "", ""},
		{"marital_status", 0, "", ""},
		{"status", 0, "0", "status"}, {"status", 3, "0", "status"},
		{"kind", 0, "0", ""}, {"vote", 0, "", "vote"},
		{"is_active", 0, "", "is_active"}, {"is_active", 10, "", ""},
		{"dead,days_to_death", 0, "", "dead"}, {"dead,days_to_test", 0, "", "dead"},
	} {
		names, number, found := strings.Cut(tt.names, ",")
		if !found {
			number = "bonus"
		}
		t.Chdir(t.TempDir())
		var out strings.Builder
		fmt.Fprintf(&out, "age,sex,%s,%s\n", names, number)
		for i := range 600 {
			bonus := tt.none
			if i%3 > 0 != (i%100 < tt.other && i > 2*tt.other) {
				bonus = fmt.Sprint(200 + i%90)
			}
			fmt.Fprintf(&out, "%d,%s,%s,%s\n", 20+i%41, []string{"m", "f"}[i/7%2],
				[]string{"No", "Yes", "Yes"}[i%3], bonus)
		}
		write(t, "jobs.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"jobs.csv"}})
		if got := classOf(t, text); got != tt.want ||
			tt.want != "" && (roleOfText(text, number) == "drop") ==
				(tt.want == "vote" || number == "days_to_death") {
			t.Errorf("%+v: class %q\n%s", tt, got, text)
		}
	}
}

// A number of a test is dropped that is below a limit where the test found something, however
// rarely.
func TestDraftDropsWhatALimitSays(t *testing.T) {
	for name, want := range map[string]string{"ct_result": "drop", "ct_value": "{mask:"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		fmt.Fprintf(&out, "age,sex,result,%s\n", name)
		for i := range 900 {
			found, value := "negative", 45
			if i%20 == 0 {
				found, value = "positive", 20+i%43
			}
			fmt.Fprintf(&out, "%d,%s,%s,%d\n", 20+i%41, []string{"m", "f"}[i/7%2], found, value)
		}
		write(t, "tests.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"tests.csv"}}, sees(0, 1))
		if got := roleOfText(text, name); err != nil || got != want {
			t.Errorf("%s: %s, want %s, error %v\n%s", name, got, want, err, text)
		}
	}
}

// In a table of people a first column of 0 and 1, or of yes and no, is the class, if few others
// have two values. A fact is none, nor is a treatment, one of several of the same name, or an
// answer of respondents. A disease in the name of a last column of two values makes it the class.
func TestDraftLooksForAnswersAtTheEnds(t *testing.T) {
	for _, tt := range []struct{ columns, want string }{
		{"lfp=no|yes age# hours# wc=no|yes weight# sex=m|f", "lfp"},
		{"low=0|1 age# hours# wc=no|yes weight# sex=m|f", "low"},
		{"low=FALSE|TRUE age# hours# wc=no|yes weight# sex=m|f", "low"},
		{"low=1|2 age# hours# wc=no|yes weight# sex=m|f", "low"},
		{"smoker=0|1 age# hours# weight# wc=no|yes sex=m|f", ""},
		{"treat=0|1 age# hours# weight# wc=no|yes sex=m|f", ""},
		{"qsmk=0|1 age# hours# weight# wc=no|yes sex=m|f", ""},
		{"prior_visit=0|1 age# hours# weight# wc=no|yes sex=m|f", ""},
		{"rns=no|yes age# rns80=no|yes hours# weight# sex=m|f", ""},
		{"low=no|yes age# lower=no|yes hours# weight# sex=m|f", "low"},
		{"lower=no|yes age# low=no|yes hours# weight# sex=m|f", "low"},
		{"a=no|yes b=no|yes c=no|yes age# sex=m|f", ""},
		{"tea=no|yes age# hours# weight# wc=no|yes sex=m|f", "tea"},
		{"hours# use=0|1 age# weeks# sex=m|f", ""},
		{"age# hours# wc=no|yes sex=m|f insurance=0|1 TravelInsurance=0|1", "TravelInsurance"},
		{"age# hours# a=No|Yes b=No|Yes c=No|Yes sex=m|f ASD_traits=No|Yes", "ASD_traits"},
		{"age# hours# a=No|Yes b=No|Yes c=No|Yes sex=m|f past_cancer_present=No|Yes", ""},
		{"age# hours# purchase(Tea)=0|1 purchase(Milk)=0|1 purchase(Rye)=0|1 sex=m|f", ""},
		{"age# hours# purchase(Tea)=0|1 purchase(Milk)=0|1 sex=m|f", "purchase(Tea)"},
		{"age# rating=1|2|3 sex=m|f booking_complete=0|1", "booking_complete"},
		{"how_many_of_us_in_a_home_in_a_row_in_it_have_income=1|2|3 age# sex=m|f", ""},
		{"age# hours# churn=|||0|1 sex=m|f", ""}, {"age# hours# churn=|0|1 sex=m|f", "churn"},
	} {
		text := study(t, 600, strings.Fields(tt.columns)...)
		if got := classOf(t, text); got != tt.want {
			t.Errorf("%s: class %q, want %q\n%s", tt.columns, got, tt.want, text)
		}
	}
}

// A default is the class in a table about debts or at an end, and what people took up elsewhere; a
// last column may say who passed. A marital status is none, whatever its name, but known to others.
func TestDraftKnowsWhatNamesAndTextsMean(t *testing.T) {
	for _, tt := range []struct{ columns, want string }{
		{"hours# age# takeup_survey=0|1 sex=m|f pre_takeup=0|1 weeks#",
			"takeup_survey"},
		{"hours# age# default=0|1 credit_sum# sex=m|f weeks#", "default"},
		{"hours# age# sex=m|f weeks# default=0|1", "default"},
		{"hours# age# default=0|1 sex=m|f weeks#", "default"},
		{"hours# age# enrolled=0|1 sex=m|f weeks#", "enrolled"},
		{"hours# age# CLAIM_FLAG=0|1 sex=m|f weeks#", "CLAIM_FLAG"},
		{"hours# age# sex=m|f weeks# pass_bar=0|1", "pass_bar"},
		{"hours# age# pass_bar=0|1 sex=m|f weeks#", ""},
		{"hours# age# sex=m|f weeks# is_happy=0|1", "is_happy"},
		{"hours# age# sex=m|f weeks# is_happy=0|1|2", ""},
		{"hours# age# sex=m|f weeks# bypass=0|1", "bypass"},
		{"hours# age# sex=m|f weeks# predicted_bliss=a|b|c", "predicted_bliss"},
		{"hours# age# sex=m|f weeks# HomeFail=0|1", "HomeFail"},
		{"hours# age# status=single|available|seeing_someone|married sex=m|f", ""},
		{"hours# age# sex=m|f status=Never-married|Married-civ-spouse|Widowed", ""},
		{"hours# age# sex=m|f status=single|double", "status"},
	} {
		text := study(t, 600, strings.Fields(tt.columns)...)
		if got := classOf(t, text); got != tt.want {
			t.Errorf("%s: class %q, want %q\n%s", tt.columns, got, tt.want, text)
		}
		if known := "- columns: [age, sex, status]\n"; strings.Contains(tt.columns, "arried") &&
			!strings.Contains(text, known) {
			t.Errorf("want %s:\n%s", known, text)
		}
	}
}

// A value that only rows of one class have shows that class: the reason counts these rows. A column
// of two values is dropped if its name says what came of somebody.
func TestDraftFindsValuesThatShowTheClass(t *testing.T) {
	for _, tt := range []struct {
		name    string
		dead, n int // of 100 who died those who have 1, and of 100 others
		role    string
		shown   string
	}{
		{"hospdead", 40, 0, "drop", "a value shows the class"},
		{"ward", 40, 0, "suppress", "one value shows the class of 320 rows"},
		{"hospdead", 40, 1, "suppress", ""},
		{"ward", 40, 1, "suppress", ""},
		{"ward", 9, 0, "suppress", ""},
		{"death_cause", 40, 0, "drop", "a value shows the class"},
		{"chd01", 40, 0, "drop", "a value shows the class"},
		{"chd_x", 40, 0, "drop", "a value shows the class"},
		{"chdrisk", 40, 0, "suppress", "one value shows the class of 320 rows"},
		{"previous_death", 40, 0, "suppress", "one value shows the class of 320 rows"},
		{"prior_arrest", 40, 0, "suppress", "one value shows the class of 320 rows"},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		class := []string{"death", "chd"}[strings.Count(tt.name, "chd")]
		fmt.Fprintf(&out, "age,sex,%s,%s,weeks\n", class, tt.name)
		for i := range 1600 {
			limit, kind := []int{tt.n, tt.dead}[i%2], 0
			if i/2%100 < limit {
				kind = 1
			}
			fmt.Fprintf(&out, "%d,%s,%d,%d,%d\n", 20+i*7%41, []string{"m", "f"}[i/3%2], i%2, kind,
				i*11%97)
		}
		write(t, "patients.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"patients.csv"},
			Class: class}, sees(0, 1))
		if got := roleOfText(text, tt.name); err != nil || got != tt.role ||
			strings.Contains(text, "shows the class") != (tt.shown != "") ||
			!strings.Contains(text, tt.shown) {
			t.Errorf("%+v: %s, error %v\n%s", tt, got, err, text)
		}
	}
}

// A column of which hardly a row has another value is the class only where no other one is, and
// with more than two values never, nor one of which fewer than k rows have another one.
func TestDraftTakesRareValuesLast(t *testing.T) {
	rare := strings.Repeat("N|", 200)
	for want, columns := range map[string][]string{
		"fatal":             {"age#", "offender_deceased=" + rare + "Y", "fatal=0|1", "dose#"},
		"offender_deceased": {"age#", "offender_deceased=" + rare + "Y", "dose#", "zone=a|b|c"},
		"": {"age#", "manner_died=" + rare + "X|Y", "dose#", "zone=a|b|c",
			"won=" + strings.Repeat(rare, 5) + "Y"},
	} {
		text := study(t, 3000, columns...)
		if got := strings.Contains(text, "\nclass: "); got != (want != "") ||
			got && !strings.Contains(text, "\nclass: "+want+"\n") {
			t.Errorf("want class %q:\n%s", want, text)
		}
	}
}

// Texts of which some rows have one of their own are no class, unless it is called one.
func TestDraftTakesNoRareTexts(t *testing.T) {
	for name, texts := range map[string]string{"released": "dead na in out",
		"class": "dead na in out", "left": "in in in out", "hired": "na in in out"} {
		text := tableOf(t, 300, map[string]func(row int) string{
			"age": func(row int) string { return fmt.Sprint(row * 7 % 50) },
			name:  func(row int) string { return strings.Fields(texts)[min(row, 2+row%2)] },
		})
		if got := classOf(t, text) == name; got != (name != "released") {
			t.Errorf("%s is the class: %t\n%s", name, got, text)
		}
	}
}

// Numbers are no web pages, and a race stays that only some rows of one class lack, as does how
// people were treated by a limit.
func TestDraftKeepsWhatOnlySeemsToIdentify(t *testing.T) {
	text := tableOf(t, 3000, map[string]func(row int) string{
		"time_on_website":   func(row int) string { return fmt.Sprint(row * 7 % 400) },
		"recovery_strategy": func(row int) string { return fmt.Sprint(row * 7 % 400 / 150) },
		"born": func(row int) string { // in a time of recall
			return strings.Repeat([]string{"yes", "no"}[row/90%2], indicator(row%90 == 0))
		},
		"age_years": func(row int) string { return fmt.Sprint(row * 7 % 90) },
		"died":      func(row int) string { return []string{"1", "0"}[min(row%40, 1)] },
		"race": func(row int) string {
			if row%40 == 0 {
				return ""
			}
			return "abc"[row%3 : row%3+1]
		},
	})
	for _, column := range []string{"time_on_website", "race", "recovery_strategy", "age_years"} {
		if roleOfText(text, column) == "drop" || !strings.Contains(text, "\nclass: died\n") {
			t.Errorf("%s is dropped, or the class is another one:\n%s", column, text)
		}
	}
}

// Behind the class there may be a column without a name, in which some line has a value, and a date
// that says the class within a limit shows it. Coordinates of a grid are none of its codes.
func TestDraftOfCrimes(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,X_COORD_CD,last_review,ten_year_chd,\n")
	for i := range 900 {
		ill, end := i%3/2, ""
		if i == 7 {
			end = "1"
		}
		day := fmt.Sprintf("%d-%02d-%02d", 2019-4*ill, 1+i%12, 1+i/3%28)
		if i%100 == 5 {
			day = "2018-01-01"
		}
		fmt.Fprintf(&out, "%d,%c,%d,%s,%d,%s\n", 20+i*7%61, "mf"[i/3%2],
			980000+i%150*77, day, ill, end)
	}
	write(t, "people.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"people.csv"}})
	if got := classOf(t, text); got != "ten_year_chd" {
		t.Errorf("class %q in\n%s", got, text)
	}
	for _, want := range []string{"  last_review:  drop ", "  X_COORD_CD:   {mask: discretize"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// A class that follows from what people know is none, but a fact that they know, and the next
// candidate is the class; one that is asked for is marked. What came of somebody is a class anyway,
// and a comment says who knows it, but a death is none if enough people died for k to count it.
func TestDraftTakesNoClassThatFactsGive(t *testing.T) {
	for _, tt := range []struct {
		name, by, asked, want, comment string
		k                              int
	}{
		{"class", "index", "", "", "# class: none. class follows from height, weight", 0},
		{"class", "age", "", "", "# class: none. class follows from age, which", 0},
		{"class", "age", "class", "class", "# It follows from age, which acquaintances know", 0},
		{"class", "hours", "", "class", "", 0},
		{"died", "age", "", "died", "# It follows from age, which acquaintances know", 0},
		{"died", "both", "", "died", "# Acquaintances know it, too.", 10},
		{"died", "both", "", "", "# class: none. Acquaintances know died, too: so it is in", 5},
		{"died", "trial", "", "died", "# Acquaintances know it, too.", 5},
		{"outcome", "index", "", "", "# class: none. outcome follows from height, weight", 0},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		job := "job"
		if tt.by == "trial" {
			job = "treatment"
		}
		fmt.Fprintf(&out, "age,sex,height,weight,hours,%s,%s\n", job, tt.name)
		rng := rand.New(rand.NewPCG(7, 7))
		for range 1500 {
			age, hours := rng.IntN(60), rng.IntN(60)
			height, weight := 140+rng.IntN(60), 40+rng.IntN(90)
			index := weight * 10000 / (height * height)
			given := map[string]int{"index": indicator(index > 20) + indicator(index > 27),
				"age": indicator(age > 30), "both": indicator(age+hours > 60),
				"trial": indicator(age+hours > 60),
				"hours": (hours + rng.IntN(40)) / 30}[tt.by]
			fmt.Fprintf(&out, "%d,%d,%d,%d,%d,%d,%d\n", age, rng.IntN(2), height, weight, hours,
				rng.IntN(4), given)
		}
		write(t, "people.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"people.csv"},
			Class: tt.asked, K: tt.k}, sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		_, set, _ := strings.Cut(text, "  - columns: [")
		set, _, _ = strings.Cut(set, "]")
		isKnown := strings.Contains(set, tt.name) || roleOfText(text, tt.name) == "drop"
		if got := classOf(t, text); got != tt.want || isKnown != (tt.want == "") ||
			!strings.Contains(text, tt.comment) {
			t.Errorf("%+v: class %q\n%s", tt, got, text)
		}
	}
}
