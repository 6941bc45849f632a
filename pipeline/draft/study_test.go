package draft_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
)

// study writes a table of some rows, in which each column has values in turn or, behind a name with
// #, many numbers. It returns the draft, of a trial in which nothing is lost.
func study(t *testing.T, rows int, columns ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(3, 3))
	var header, out strings.Builder
	for row := range rows {
		for i, column := range columns {
			name, values, given := strings.Cut(column, "=")
			if end := ","; row == 0 {
				if i == len(columns)-1 {
					end = "\n"
				}
				if !given {
					name = strings.TrimSuffix(name, "#")
				}
				header.WriteString(name + end)
			}
			if i > 0 {
				out.WriteByte(',')
			}
			if several := strings.Split(values, "|"); !given {
				fmt.Fprint(&out, rng.IntN(900))
			} else {
				out.WriteString(several[rng.IntN(len(several))])
			}
		}
		out.WriteByte('\n')
	}
	write(t, "study.csv", header.String()+out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// classOf returns the class of a draft.
func classOf(t *testing.T, text string) string {
	t.Helper()
	j, err := job.Parse("", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return j.Class
}

// A group of people is the class, if nothing else looks like it, and no treatment.
func TestDraftTakesGroupsOfPeople(t *testing.T) {
	items := strings.Repeat(";it=0|1", 13)
	for _, tt := range []struct{ columns, want string }{
		{"Age#;sex=m|f;Group=Demented|Nondemented|Converted;CDR=0|1|2", "Group"},
		{"Age#;sex=m|f;dx=ill|well;CDR=0|1|2", "dx"},
		{"Age#;sex=m|f;diagnosis_group=ill|well;CDR=0|1|2", "diagnosis_group"},
		{"Age#;sex=m|f;dx=ill|well;died=0|1", "died"},
		{"Age#;sex=m|f;Group=placebo|drug A|drug B;CDR=0|1|2", ""},
		{"Age#;sex=m|f;Group=Control|Treatment;CDR=0|1|2", ""},
		{"Age#;sex=m|f;Group=0|1|2;CDR=0|1|2", ""},
		{"Age#;sex=m|f;Group=a|b|c|d|e|f;CDR=0|1|2", "Group"},
		{"Age#;sex=m|f;age_group=young|old;CDR=0|1|2", ""},
		{"Age#;sex=m|f;dx=a|b|c|d|e|f|g;site=1|2|3;dataset=x|y|z", "dx"},
		{"group=0|1" + items, "group"},
		{"size#;group=0|1" + items, ""},
	} {
		text := study(t, 300, strings.Split(tt.columns, ";")...)
		if got := classOf(t, text); got != tt.want {
			t.Errorf("%s: class %q, want %q:\n%s", tt.columns, got, tt.want, text)
		}
	}
}

// A column that is called like a time of many values, and its status, is the class, unless
// there are several. The time stays, with a note.
func TestDraftPairsTimesWithTheirStatus(t *testing.T) {
	for _, tt := range []struct{ columns, want string }{
		{"os#;os_event=0|1;pfs#;pfs_event=0|1;sex=m|f", "os_event"},
		{"with.time#;trt=a|b;with.status=0|1|2;time#;with.status2=0|1;sex=m|f", "with.status"},
		{"visual_days#;visual_d=0|1;sex=m|f", "visual_d"},
		{"timecvd#;cvd=0|1|2;sex=m|f", ""},
		{"time69#;chd69=0|1;kind=1|2|3;sex=m|f", "chd69"},
		{"time69#;chd69=0|1;stroke=0|1;kind=1|2|3;sex=m|f", "chd69"},
		{"hertz#;kind=a|b;marks=1|2|3;sex=m|f", ""},
		{"rec#;rec.s=0|1;rel#;rel.s=0|1;sex=m|f", ""},
		{"rec#;rel.s=0|1;sex=m|f", ""},
		{"marital_time=1|2;marital_status=0|1;sex=m|f", ""},
		{"rec#;rec.s=0|1|2|3|4|5;sex=m|f", ""},
	} {
		text := study(t, 300, strings.Split(tt.columns, ";")...)
		if got := classOf(t, text); got != tt.want ||
			(got != "") != (strings.Count(text, "it may end with the class") == 1) ||
			strings.HasPrefix(tt.columns, "rec#;rec.s=0|1;") && len(doubted(text)) > 1 {
			t.Errorf("%s: class %q, want %q:\n%s", tt.columns, got, tt.want, text)
		}
	}
}

// Candidates for the class are in the order of their names: those of a status or a result, then the
// last one and those of few values, then what everybody knows of somebody.
func TestDraftOrdersCandidates(t *testing.T) {
	text := study(t, 300, "rec#", "rec.s=0|1", "rel#", "rel.s=0|1", "race=a|b|c", "married=0|1",
		"tries=0|1", "wants=0|1|2", "sex=m|f")
	if want := "Few values have: rec.s, rel.s, tries, wants, married, sex.\n"; !strings.Contains(
		text, want) {
		t.Errorf("want %q:\n%s", want, text)
	}
}

// Few rows without a number may be in a group with others, whose label is the interval of all, or
// if k rows lack one a set with the null.
func TestDraftSaysWhereNullsJoin(t *testing.T) {
	const says = " rows have no value: a group with others may get the interval of all numbers"
	numbers := strings.Repeat("|1|2|3|4|5|6|7|8|9", 9)
	for values, want := range map[string]bool{numbers[1:]: false, numbers: true, "|1|2|3": false} {
		text := study(t, 900, "age#", "sex=m|f", "steps="+values)
		if strings.Contains(text, says) != want {
			t.Errorf("%q: said %t:\n%s", values, !want, text)
		}
	}
}

// Whole numbers that are called like a thing count it from 0 on; from 1 on they may be its number.
// Regions have numbers. Small numbers are no telephones.
func TestDraftKnowsCounts(t *testing.T) {
	text := study(t, 300, "hospital=0|0|1|2|3|8", "school=0|6|8|12|16", "station=1|2|3|5",
		"county=0|1|2|5", "racecmb=1|2|3", "ivdrug=1|2|3", "province=1.5|2|3", "age#", "sex=m|f",
		"mobile_likes#", "BRId=1|2|3|4")
	for name, want := range map[string]string{"hospital": "discretize", "BRId": "suppress",
		"mobile_likes": "{mask:", "school": "discretize",
		"station": "suppress", "county": "suppress", "racecmb": "suppress", "ivdrug": "suppress",
		"province": "suppress"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// Telephone numbers that a program made negative are dropped, and so are numbers of pages of which
// the greatest is many times the middle one.
func TestDraftDropsNumbersOfPeople(t *testing.T) {
	text := tableOf(t, 300, map[string]func(i int) string{
		"Phone":    func(i int) string { return fmt.Sprint(-1_000_000_007 - i*7_919_777) },
		"en_curid": func(i int) string { return fmt.Sprint(7 + i*i*i*i*i) },
		"views":    func(i int) string { return fmt.Sprint(7 + i*i*i*i*i) },
	})
	for name, want := range map[string]string{"Phone": "drop", "en_curid": "drop",
		"views": "{mask:"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// Dates of which some lack a day or a month are generalized to months and years.
func TestDraftOfPartialDates(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("CMSTDTC,CMENDTC,age\n")
	for i := range 900 {
		date := fmt.Sprintf("20%02d-%02d-%02d", i%7, 1+i%5, 1+i/3%20)
		fmt.Fprintf(&out, "%s,%sT10:30,%d\n", date[:[]int{4, 7, 10}[i%3]], date, i%50)
	}
	write(t, "study.csv", out.String())
	job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"study.csv"}}))
	wantMasks(t, job, map[string]string{"CMSTDTC": "generalize{[7 4] [] []}",
		"CMENDTC": "discretize", "age": "discretize"})
}

// Where rows are few, two columns with a name that a class or a treatment may have stay, though the
// trial kept nothing of them.
func TestDraftOfFewRowsLeavesCandidates(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(survey(320, .4, .4, .4, .4, .4, .4, .4)),
		"\n") {
		line = strings.Replace(line, "outcome", "rest", 1)
		if i == 0 {
			out.WriteString(line + ",linkstatus,result,result_of_test,grp,prior_status,treat\n")
		} else {
			fmt.Fprintf(&out, "%s,%d,%d,%d,%d,%d,%d\n", line, i/2%2, i/4%2, i/8%2, i/16%2, i/32%2,
				i/64%2)
		}
	}
	write(t, "few.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"few.csv"}}, sees(9, 1))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(maskedOf(t, text))
	if want := "[age sex q04 linkstatus result grp treat]"; got != want {
		t.Errorf("%s, want %s:\n%s", got, want, text)
	}
}

// The sum of two or three other numbers is dropped, with or without a fraction, and so is a number
// that is another one and a constant, but for rounding, and an index with few mistakes; a sum in
// nearly all rows stays, and so does the age, which many know, one of few values that is hardly
// ever another number than its parts, and a whole pay, of which the parts are dropped.
func TestDraftDropsSums(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(3, 3))
	var out strings.Builder
	out.WriteString("sat_v,sat_m,sat_sum,part,rest,all,nearly,schooling,work,age,paid,few,other," +
		"both,rare,same,carried,tall,slim,part.7,rest.off,rest.far,took1,took2,took3,took_all\n")
	for i := range 600 {
		v, m, educ, work := 30+rng.IntN(50), 30+rng.IntN(50), rng.IntN(20), rng.IntN(50)
		part, rest := float64(rng.IntN(900))/10, float64(rng.IntN(900))/10
		few, other, rare := rng.IntN(4), rng.IntN(4), max(0, i%20-17)
		weight, ht := 50+float64(rng.IntN(60)), 150+float64(rng.IntN(50))
		fmt.Fprintf(&out, "%d,%d,%d,%g,%g,%g,%d,%d,%d,%d,%g,%d,%d,%d,%d,%d,%g,%g,%.1f,%.2f,%.1f,"+
			"%.1f,%d,%d,%d,%d\n", v, m, v+m,
			part, rest, part+rest, v+educ+i/599, educ, work, educ+work, float64(v)+part+rest, few,
			other, few+other, rare, few+rare, weight, ht, 1e4*weight/(ht*ht)+float64(i/595*900),
			part-7+float64(i%3)/30, rest+float64(i%3)/2, 150-rest-float64(i%2)/9, i%2, i/2%2,
			i%5/4, i%2+i/2%2+i%5/4)
	}
	write(t, "study.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	got := maskedOf(t, text)
	want := strings.Fields("sat_v sat_m part rest nearly schooling work age few other rare same " +
		"carried tall rest.off took1 took2 took3")
	if !slices.Equal(got, want) || !strings.Contains(text, "# the sum of sat_v and sat_m") ||
		!strings.Contains(text, "# the sum of sat_v, part and rest") {
		t.Errorf("%q, want %q:\n%s", got, want, text)
	}
	write(t, "study.csv", strings.Replace(out.String(), ",all,", ",Gross_Pay,", 1))
	text = draftOf(t, draft.Options{Input: []string{"study.csv"}})
	for _, part := range []string{"part", "rest"} {
		if roleOfText(text, part) != "drop" || roleOfText(text, "Gross_Pay") == "drop" {
			t.Errorf("%s stays:\n%s", part, text)
		}
	}
}

// A change between two times stays, as intervals of both say little of it, and no other difference.
// It is known if both are.
func TestDraftKeepsChanges(t *testing.T) {
	for names, known := range map[string]string{"wt71 wt82 change": "wt71 wt82 change",
		"pretest test gain": "", "mass_before mass_after d": "", "debts assets worth": ""} {
		want := map[bool]string{true: "drop", false: "keep"}[names == "debts assets worth"]
		t.Chdir(t.TempDir())
		rng := rand.New(rand.NewPCG(3, 3))
		var out strings.Builder
		fmt.Fprintf(&out, "age,ht,%s\n", strings.ReplaceAll(names, " ", ","))
		for range 600 {
			a, b := 40+rng.IntN(60), 40+rng.IntN(60)
			fmt.Fprintf(&out, "%d,%d,%d,%d,%d\n", 20+rng.IntN(50), 150+rng.IntN(40), a, b, b-a)
		}
		write(t, "study.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"study.csv"}}, sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(maskedOf(t, text)) == 5; got != (want == "keep") {
			t.Errorf("%s: want %s:\n%s", names, want, text)
		}
		checkCertain(t, text, "age ht "+known)
	}
}

// If columns are more than a draft lists, it takes first what nearly every analysis asks for, also
// in few rows, what people know, what may be the class, and texts that are no items. It names those
// that it leaves.
func TestDraftListsClassesBeforeItems(t *testing.T) {
	columns := []string{"age#"}
	for i := range 205 {
		columns = append(columns, fmt.Sprintf("q%d=1|2|3", i))
	}
	columns = append(columns, "remark=x|y|z|w", "livestatus=a|b|c|", "category=a|b|c|", "arm=0|1",
		"time=0|6|12|24", "sex="+strings.Repeat("|", 45)+"f|m")
	text := study(t, 300, columns...)
	for _, name := range []string{"age", "remark", "livestatus", "category", "arm", "time", "sex"} {
		if roleOfText(text, name) == "" {
			t.Errorf("%s is not in\n%s", name, text)
		}
	}
	if !strings.Contains(text, "# These can be masked, too, with entries of their own: q83, q84,") {
		t.Errorf("drafted:\n%s", text)
	}
}

// Numbers of things are dropped, by a name that ends in a word for a number, if they are thousands,
// and so are a column that is only called #, numbers of matched people, and a test for robots.
// Counts, amounts and strata of many are not.
func TestDraftDropsNumbersOfThings(t *testing.T) {
	var all []string
	for i := range 2000 {
		all = append(all, strconv.Itoa(10_000+7*i))
	}
	many := "=" + strings.Join(all, "|")
	text := study(t, 4000, "age#", "#=1|2|3", "GO / SC Num"+many, "WARRANT ##", "num_steps"+many,
		"total wage num"+many, "lot num#", "# of steps#",
		"pooled.stratum"+many, "pair#", "strata"+many[:6*50-1],
		"Qrobot_test=red|Red|a red one", "attention_check=red|blue",
		"show that you are not a robot=red|Red|a red one")
	for name, want := range map[string]string{`"#"`: "drop", "GO / SC Num": "drop",
		`"WARRANT #"`: "drop", "num_steps": "{mask:", "total wage num": "{mask:",
		"lot num": "{mask:", `"# of steps"`: "{mask:", "pooled.stratum": "drop", "pair": "drop",
		"strata": "{mask:", "Qrobot_test": "drop", "attention_check": "suppress",
		"show that you are not a robot": "drop"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// The first digits of numbers of schools or of people say nothing, those of places and kinds may.
func TestDraftCutsNoNumbersOfThings(t *testing.T) {
	several := func(times int) (all string) {
		for i := range 40 {
			all += fmt.Sprint("|", 1000+i*times)
		}
		return all[1:]
	}
	text := study(t, 900, "age#", "sex=m|f", "schoolid="+several(91), "ward_no="+several(83),
		"agent="+several(77), "station_id="+several(71), "countyid="+several(61),
		"occupation="+several(57))
	for name, want := range map[string]string{"schoolid": "suppress", "ward_no": "suppress",
		"agent": "suppress", "station_id": "{mask:", "countyid": "{mask:", "occupation": "{mask:"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// What an acquaintance knows may have a number or an ending in its name; the age of a thing is not
// somebody's.
func TestDraftKnowsNamesWithEndings(t *testing.T) {
	text := study(t, 300, "stateabb=AL|NY|CA", "south=0|1", "region4=1|2|3|4", "race4=1|2|3|4",
		"educat=1|2|3|4|5", "age_of_car#", "houseAge#", "vehicle_age#", "policy_holder_age#",
		"polint=1|2|3|4", "q4=1|2|3")
	want := "- columns: [policy_holder_age, stateabb, south, region4, race4, educat]\n"
	if !strings.Contains(text, want) {
		t.Errorf("want %q:\n%s", want, text)
	}
	job, err := job.Parse("", []byte(text), nil)
	if err != nil || len(job.Sets[1].Columns) != 11 {
		t.Errorf("%v:\n%s", err, text)
	}
}

// What is known of somebody is known of parents and spouses, whatever the name is cut to.
func TestDraftKnowsRelatives(t *testing.T) {
	text := study(t, 300, "mage#", "fage#", "mother_age#", "fathereduc=1|2|3", "Medu=0|1|2|3",
		"sex=m|f", "image#", "dosage#", "page#", "meth=0|1", "previous_job=a|b", "eduyrs=9|10|12",
		"drace=a|b|c", "whitemom=0|1")
	want := "- columns: [mage, fage, mother_age, sex, fathereduc, Medu, eduyrs, drace, whitemom, " +
		"meth]\n"
	if !strings.Contains(text, want) {
		t.Errorf("want %q:\n%s", want, text)
	}
}

// Numbers that are codes have no order, also with a digit behind the name; degrees of education
// have one, and so have counts of cells, and a position unless others next to it are codes.
func TestDraftKnowsCodes(t *testing.T) {
	numbers := "100"
	for i := range 110 {
		numbers += fmt.Sprint("|", 200+i)
	}
	text := study(t, 1200, "MARRIAGE=0|1|2|3", "married=1|2|4|5",
		"race4=1|2|3|4", "EDUCATION=0|1|2|3|4|5|6",
		"cd4=1|2|3|5|8", "region_2=1|2|3", "incomeperc=1|2|3|4|5", "age#", "browser=1|2|3|4",
		"page_related=0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22",
		"walker_type=1|2|3", "walker_movement=1|2|3|4", "ski_position=1|2|3", "trt=0|1|2|3",
		"icc_group=1|2|3|4", "AgeGroup=1|2|3", "work_status_duration=1|2|3|4", "income_type=1|2|3",
		"residence=1|2|3|4", "domain=1|2|3|4", "group=0|1|2",
		"cohort=0|1|2|3|4|5|6|7|8|9|10|11|12", "classroom="+numbers)
	for name, want := range map[string]string{"MARRIAGE": "suppress",
		"married": "suppress", "race4": "suppress",
		"EDUCATION": "discretize", "cd4": "discretize", "region_2": "suppress",
		"incomeperc": "discretize", "browser": "suppress", "page_related": "discretize",
		"walker_movement": "suppress", "ski_position": "discretize", "trt": "suppress",
		"icc_group": "suppress", "AgeGroup": "discretize", "work_status_duration": "discretize",
		"income_type": "suppress", "residence": "suppress",
		"domain": "suppress", "group": "suppress", "cohort": "discretize",
		"classroom": "suppress"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// The day of an interview is rounded to months. The end of an interview adds nothing to its
// start, unless it is often months later.
func TestDraftOfInterviews(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	day := func(n int) string {
		return time.Date(2018, 9, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	for often, want := range map[int]string{20: "drop", 9: "{mask:"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,stintrvw,endintrvw,paid_on\n")
		for i := range 1000 {
			n, later := rng.IntN(120), 0
			if i%often == 0 {
				later = 50
			}
			fmt.Fprintf(&out, "%d,%c,%s,%s,%s\n", rng.IntN(70), "mf"[i%2], day(n), day(n+later),
				day(rng.IntN(120)))
		}
		write(t, "survey.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"survey.csv"}})
		runDraft(t, text)
		if got := roleOfText(text, "endintrvw"); got != want ||
			!strings.Contains(text, "  stintrvw:  {mask: discretize, round: month} ") ||
			!strings.Contains(text, "  paid_on:   discretize ") {
			t.Errorf("%d: endintrvw: %s, want %s:\n%s", often, got, want, text)
		}
	}
}

// A coarse outcome and a flag stay next to the number that determines them. Where one of them is
// the class, the number goes.
func TestDraftKeepsCoarseOutcomes(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(14, 3))
	var out strings.Builder
	out.WriteString("mage,weeks,premie,weight,low,heavy,visits,one,smoke,packs\n")
	for i := range 1000 {
		weeks, weight := 24+rng.IntN(20), 50+rng.IntN(400)
		smoke := [][]string{{"no", ""}, {"yes", fmt.Sprint(1 + rng.IntN(40))}}[i%3/2]
		fmt.Fprintf(&out, "%d,%d,%d,%d,%d,%d,%d,%d,%s\n", 15+rng.IntN(30), weeks,
			indicator(weeks < 37), weight, indicator(weight < 180), indicator(weight > 300),
			rng.IntN(20), i/980, strings.Join(smoke, ","))
	}
	write(t, "births.csv", out.String())
	for class, want := range map[string]string{
		"": "mage weeks premie weight low heavy visits one smoke packs",
		// what an expert releases of them
		"premie": "mage weight low heavy visits one smoke packs",
		"low":    "mage weeks premie heavy visits one smoke packs",
		"smoke":  "mage weeks premie weight low heavy visits one",
	} {
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"births.csv"},
			Class: class}, sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := maskedOf(t, text); !slices.Equal(got, strings.Fields(want)) ||
			(class == "premie") == strings.Contains(text,
				", determined by weeks: it stays, as readers ask for it") {
			t.Errorf("class %q: %s, want %s:\n%s", class, got, want, text)
		}
	}
}

// A class may be written as 0.0 and 1.0. In the last column a name that is often predicted wins
// over what came of somebody.
func TestDraftTakesNumbersAndResponses(t *testing.T) {
	text := study(t, 600, "age#", "hours#", "target=0.0|1.0", "kind=a|b|c")
	if got := classOf(t, text); got != "target" {
		t.Errorf("class %q of 0.0 and 1.0\n%s", got, text)
	}
	text = study(t, 600, "age#", "won_primary=0|1", "hours#", "kind=a|b|c")
	if got := classOf(t, text); got != "won_primary" {
		t.Errorf("class %q of who won\n%s", got, text)
	}
	text = study(t, 600, "age#", "Response=Yes|No", "hours#", "kind=a|b|c")
	if got := classOf(t, text); got != "Response" {
		t.Errorf("class %q of who responded\n%s", got, text)
	}
	for _, tt := range []struct{ columns, want string }{
		{"age# Class=a|b|c hours# satisfaction=x|y", "satisfaction"},
		{"age# default=yes|no|unknown hours# y=yes|no", "y"},
		{"age# class=a|b hours# kind=a|b|c", "class"},
		{"age# sex=m|f hours# kind=a|b method_use=1|2|3", "method_use"},
		{"age# kind=a|b hours# casualty_severity=1|2|3", "casualty_severity"},
		{"age# pain_severity=1|2|3 kind=a|b hours#", ""},
		{"age# hours# type=Yes|No", "type"}, {"age# q1=Yes|No q2=Yes|No type=Yes|No", ""},
	} {
		text = study(t, 600, strings.Fields(tt.columns)...)
		if got := classOf(t, text); got != tt.want {
			t.Errorf("%s: class %q\n%s", tt.columns, got, text)
		}
	}
	text = study(t, 600, "age#", "accepted_offer=0|1", "hours#", "Response=0|1")
	if got := classOf(t, text); got != "Response" {
		t.Errorf("class %q, want the last column\n%s", got, text)
	}
}

// Neighbours and colleagues know more than age and sex, but not how content somebody is.
func TestDraftKnowsWhatColleaguesKnow(t *testing.T) {
	known := []string{"age", "Position", "highest_qualification", "Student", "bluecol", "smsa",
		"date_hired", "club"}
	columns := []string{"parent_school_opinion=a|b|c", "doses#", "age#"}
	for _, name := range known[1:] {
		columns = append(columns, name+"=a|b|c")
	}
	text := study(t, 600, columns...)
	job, err := job.Parse("", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := job.Sets[0].Columns; !slices.Equal(got, known) {
		t.Errorf("known: %q, want %q", got, known)
	}
}

// Acquaintances know how long somebody is employed, who owns a home, smokes or plays where, and the
// weight of those whose height they know, but not of a row; and they know the stage of pupils,
// where the same words elsewhere mean marks.
func TestDraftKnowsWhatNeighboursKnow(t *testing.T) {
	for _, tt := range []struct{ known, others string }{
		{"age emp_length home_ownership smoking_status preferred_foot team", "foot_size teamwork"},
		{"age height_cm weight_kg CurrentSmoker YearsAtCompany", "survey_weight"},
		{"age B_WEIGHT B_HEIGHT cigsPerDay exper siblings", "weight"},
		{"age sex", "Weight rank"},
		{"age height bmi EmploymentStatus Location_Code insured_hobbies Social_drinker " +
			"team_abbreviation Service_time", "child_bmi"},
		{"age language", "c_charge_degree foreign_languages cheating_in_school"},
		{"gender school StageID GradeID section", "grade_math"},
		{"age sex", "stage grade section"},
	} {
		var columns []string
		for _, name := range strings.Fields(tt.known + " " + tt.others) {
			if columns = append(columns, name+"=a|b|c"); strings.Contains(strings.ToLower(name),
				"eight") || strings.HasSuffix(name, "bmi") {
				columns[len(columns)-1] = name + "#"
			}
		}
		text := study(t, 600, columns...)
		checkCertain(t, text, tt.known)
	}
}

// A vote is the class where no other column is likelier; smoking is what others know.
func TestDraftOfVotes(t *testing.T) {
	for last, want := range map[string]string{"type": "vote", "left": "left"} {
		text := study(t, 600, "age#", "kind=a|b", "vote=0|1", "smoke=0|1", "hours#", last+"=0|1")
		if classOf(t, text) != want || !strings.Contains(text, "columns: [age, smoke]") {
			t.Errorf("class %q, want %q:\n%s", classOf(t, text), want, text)
		}
	}
}

// One of a questionnaire's many answers on the same scale is no class, whatever its name is.
func TestDraftTakesNoItem(t *testing.T) {
	for options, want := range map[string]string{"q3_tea=a|b": "q3_churn", "q3_tea=0|1": ""} {
		text := study(t, 600, "age#", "sex=m|f", "q3_churn=0|1", "q3_milk=0|1", options)
		if classOf(t, text) != want {
			t.Errorf("%s: class %q\n%s", options, classOf(t, text), text)
		}
	}
	for items, want := range map[int]string{11: "decision making", 12: ""} {
		columns := []string{"age#", "decision making=1|2|3|4|5"}
		for i := range items - 1 {
			columns = append(columns, fmt.Sprintf("q%d=1|2|3|4|5", i))
		}
		if text := study(t, 600, append(columns, "sex=m|f")...); classOf(t, text) != want {
			t.Errorf("%d items: class %q\n%s", items, classOf(t, text), text)
		}
	}
}

// Numbers with fractions are no web pages, empty texts no values, and the rows of a study's iid
// those of one person.
func TestDraftOfSites(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("iid,pid,time on website,city\n")
	for i := range 1200 {
		fmt.Fprintf(&out, "%d,%d,%.2f,%s\n", 1000+i/6, 1000+i%200, 30+float64(i%700)/90,
			[]string{`""`, "Bonn", "Rome", "Oslo"}[i%4])
	}
	write(t, "visits.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"visits.csv"}})
	job, _ := runDraft(t, text)
	wantMasks(t, job, map[string]string{"iid": "drop", "pid": "drop",
		"time on website": "discretize", "city": "suppress"})
	if job.Entity != "iid" || !strings.Contains(text, "\ncsv: {nulls: [\"\"]} # nulls were found") {
		t.Errorf("k counts %q:\n%s", job.Entity, text)
	}
}

// Texts of which hardly one has several rows are dropped: 400 in 600 rows, but not 300.
func TestDraftDropsRareTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,ticket,cabin\n")
	for i := range 600 {
		fmt.Fprintf(&out, "%d,T %d,C %d\n", 20+i%50, i%400, i%300)
	}
	write(t, "trips.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"trips.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	if masked := maskedOf(t, text); slices.Contains(masked, "ticket") ||
		!slices.Contains(masked, "cabin") {
		t.Errorf("%s\n%s", masked, text)
	}
}

// A column that is called a name has names of people, however few: those of resumes are no values
// to release. Those of shops are. Full names of people, and of those who serve, are dropped, too.
func TestDraftDropsFewNames(t *testing.T) {
	for column, want := range map[string]string{"name=Emily|Jamal|Greg|Tamika": "drop",
		"name=red|green|blue": "suppress", "host=Mary Smith|Susan Garcia|Rufina Orrs": "suppress",
		"host=Mary Smith|James Garcia|Linda Orrs|Mary Z|Susan Y|Robert X": "drop",
		"host=Mary Smith|Old Town|Red Hill":                               "suppress",
		"bank_contact=Mary Smith|Old Orrs|Ruby Hills":                     "drop",
		"bank_contact=A|B|C|D|E|F|G":                                      "suppress"} {
		text := study(t, 600, "age#", column, "hours#")
		name, _, _ := strings.Cut(column, "=")
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", column, got, want, text)
		}
	}
}

// Parties have no order without degrees, and no numbers of places have one.
func TestDraftOrdersNoNames(t *testing.T) {
	text := study(t, 600, "age#", "party=Republican|Independent|Democrat", "city=C1|C2|C10",
		"wave=C1|C2|C10")
	if got := strings.Count(text, "order: [C1, C2, C10]"); got != 1 ||
		strings.Count(text, "order: [") != 1 {
		t.Errorf("want an order of waves:\n%s", text)
	}
}

// Single letters are initials by their name, if they are many, and MI only next to names.
func TestDraftDropsInitials(t *testing.T) {
	const letters = "=A|B|C|D|E|F|G|H|J|K|L|M"
	for column, want := range map[string]string{
		"patient_first_inital" + letters: "drop", "middle" + letters: "drop",
		"first_ward=A|B|C|D": "suppress", "block" + letters: "suppress",
		"MI" + letters:                        "suppress",
		"MI" + letters + " last_name=Doe|Roe": "drop",
		"suffix=Jr|Sr|III last_name=Doe|Roe":  "drop", "suffix=Jr|Sr|III": "suppress",
	} {
		text := study(t, 600, append(strings.Fields(column), "age#", "hours#")...)
		name, _, _ := strings.Cut(column, "=")
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// A class that identifies more than a hundredth of the people whom k counts is none, since a run
// would refuse it; and a disease that somebody had before is no outcome.
func TestDraftTakesNoClassThatIdentifiesPeople(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		alone      int // people with a class of their own
	}{{"stage_cancer", "stage_cancer", 1}, {"stage_cancer", "", 9}, {"priorCancer", "", 1}} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("patient_id,age,dose," + tt.name + "\n")
		for person := range 300 {
			class := max(0, person-299+tt.alone)
			for visit := range 12 {
				fmt.Fprintf(&out, "%d,%d,%d,%d\n", 1000+person, 20+person%50,
					(person+visit)%30, class)
			}
		}
		write(t, "visits.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"visits.csv"}})
		runDraft(t, text)
		if got := classOf(t, text); got != tt.want {
			t.Errorf("%+v: class %q\n%s", tt, got, text)
		}
	}
}

// Full names that repeat are those of the same people, whom k counts, but not answers to a
// question; surnames are not, nor are names if each row has a number of a person, or rows with one
// name differ in sex.
func TestDraftCountsFullNames(t *testing.T) {
	for _, tt := range []struct {
		surnames          bool
		name, other, want string
	}{{false, "player_name", "points", "player_name"}, {true, "player_name", "points", ""},
		{false, "player_name", "player_id", ""}, {false, "hero", "points", "hero"},
		{false, "Q6_OE1", "points", ""}, {false, "player_name", "sex", ""}} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString(tt.name + ",age,hours," + tt.other + "\n")
		for i := range 1200 {
			name := fmt.Sprintf("%s Surname%c%c", []string{"Mary", "John", "Linda", "Paul"}[i%4],
				'a'+rune(i%300)/20, 'a'+rune(i%20))
			if tt.surnames {
				name = strings.Fields(name)[0] + name[len(name)-2:]
			}
			other := fmt.Sprint(1000 + i)
			if tt.other == "sex" {
				other = "MF"[i/7%2:][:1]
			}
			fmt.Fprintf(&out, "%s,%d,%d,%s\n", name, 20+i%19, i*7%90, other)
		}
		write(t, "players.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"players.csv"}})
		if job, err := job.Parse("", []byte(text), nil); err != nil ||
			job.Entity != tt.want {
			t.Errorf("%+v: %v\n%s", tt, err, text)
		}
	}
}

// A mark of what two others mark, both or one of them, goes. A count or a day that is a known one
// in most rows is known, too, and a year that nearly is that of a day goes.
func TestDraftDropsWhatOthersSay(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var born, kids, black, female, hired [900]int
	for i := range born {
		born[i], kids[i] = 40+rng.IntN(30), rng.IntN(12)
		black[i], female[i], hired[i] = rng.IntN(2), rng.IntN(2), rng.IntN(7000)
	}
	of := func(number func(i int) int) func(i int) string {
		return func(i int) string { return fmt.Sprint(number(i)) }
	}
	day := func(days int) string {
		return time.Date(2000, 1, 9+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	text := tableOf(t, len(born), map[string]func(i int) string{
		"yearborn":    of(func(i int) int { return born[i] }),
		"children":    of(func(i int) int { return kids[i] }),
		"ceb":         of(func(i int) int { return kids[i] + max(0, i%9-7) }),
		"visits":      of(func(i int) int { return kids[i] + i%9/3 }),
		"hired":       func(i int) string { return day(hired[i]) },
		"served":      func(i int) string { return day(hired[i] + i%7/6*rng.IntN(3000)) },
		"fiscal_year": func(i int) string { return day(hired[i] + 92)[:4] },
		"black":       of(func(i int) int { return black[i] }),
		"female":      of(func(i int) int { return female[i] }),
		"blackfemale": of(func(i int) int { return black[i] * female[i] }),
		"either":      of(func(i int) int { return max(black[i], female[i]) }),
		"one":         of(func(i int) int { return min(kids[i], 1) * (1 - black[i]) }),
		"union":       of(func(i int) int { return i / 3 % 3 }),
		"union_black": func(i int) string { return fmt.Sprintf("U%dB%d", i/3%3, black[i]) },
	})
	for column, isDropped := range map[string]bool{"yearborn": false, "ceb": false,
		"blackfemale": true, "black": false, "union_black": true, "union": false,
		"either": true, "one": false, "fiscal_year": true} {
		if got := roleOfText(text, column); (got == "drop") != isDropped {
			t.Errorf("%s: %s in\n%s", column, got, text)
		}
	}
	checkCertain(t, text, "black ceb children female hired served sex union yearborn")
}
