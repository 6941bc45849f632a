package draft_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline/draft"
)

// Of two columns that determine each other the readable one stays. A column stays alone whose
// coarse labels are those of another one: the first characters of a code, or intervals; else both
// stay, and so does whether there is a time. A copy with fewer values goes. A day determines no
// code of a place. A recoded copy goes, too, in spite of some mistakes, but rare texts go next to
// a tidied one.
func TestDraftSettlesWhatTellsEachOther(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("stamped_on,stamped,sub_tier,tier,unit_cd,unit,hours,band,shift,machine," +
		"peril,dob,birth_year,hours_again,team,team_id,seen,precinct,unit_grp,unit_peril,hours2," +
		"post,post_coded\n")
	rng, start := rand.New(rand.NewPCG(8, 8)), time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 2000 {
		tier, unit, hours, driver := rng.IntN(25), rng.IntN(9), rng.IntN(60), rng.IntN(59)
		year := 1940 + rng.IntN(60)
		stamped := start.AddDate(0, 0, rng.IntN(500)).Format(time.DateOnly)
		fmt.Fprintf(&out, "%s,%c,%c%d,%c,%d,unit %c,%d,%d,%d,driver%d,%d,%d-0%d-1%d,%d,%s,team "+
			"%d,%d,%s,%d,%c,%c,%d,p%d,q%d\n", strings.Repeat(stamped, i%2), "uv"[i%2], 'A'+tier/5,
			1+tier%5, 'A'+tier/5, 100+unit*7, 'a'+unit, hours, hours/20, hours%7%2, driver,
			driver%3%2, year, 1+rng.IntN(9), rng.IntN(10), year,
			strings.Repeat(fmt.Sprint(hours), min(1, i%50)), i%4, i%4*3+i/1995,
			start.AddDate(0, 0, i/4).Format(time.DateOnly), i/4%5, 'p'+unit/3, 'p'+unit/4,
			hours/9+i/1995, i%70, i%70/20)
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
	job, _ := runDraft(t, text)
	wantMasks(t, job, map[string]string{
		"sub_tier": "generalize{[1] [] []}", "tier": "drop", "unit_cd": "drop",
		"unit": "suppress", "hours": "discretize", "band": "drop", "shift": "suppress",
		"machine": "suppress", "peril": "suppress", "dob": "discretize", "birth_year": "drop",
		"hours_again": "drop", "team": "suppress", "team_id": "suppress", "precinct": "suppress",
		"seen": "discretize", "unit_grp": "drop", "unit_peril": "suppress", "hours2": "drop",
		"post": "drop", "post_coded": "suppress", "stamped_on": "discretize", "stamped": "suppress",
	})
	for _, want := range []string{"# begins with tier, 25 distinct", "# unit determines it",
		"# hours determines it", "# hours has the same values",
		"# hours determines it in nearly all rows", "# dob determines it",
		", determines peril, which may stay visible in rows with *"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	// What determines the class is dropped: it may not be known when the class is predicted.
	text = draftOf(t, draft.Options{Input: []string{"table.csv"}, Class: "peril"})
	want := "# it determines the class: no model "
	if slices.Contains(maskedOf(t, text), "machine") || !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
}

// A column that has a value only in rows of one class is dropped, also one that lacks values in
// most rows of one and in no others, one that is called like the class and says most of it, and one
// that has a value only with that; one with few such rows stays, one that lacks values in some rows
// in which a dropped one does, and one called a level as the class, too, that says much of it.
func TestDraftDropsWhatGoesWithTheClass(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,offence,paid,points,kind,is_churned,need_level,churn_level," +
		"late,noted,re_day,re_kind,re_jail,no_jail\n")
	rng := rand.New(rand.NewPCG(17, 3))
	for i := range 600 {
		again := i % 3 / 2
		of := func(has bool) string {
			if !has {
				return ""
			}
			return fmt.Sprint(1 + rng.IntN(9))
		}
		is := max(again, indicator(i%21 == 0)) // some offend again after two years
		fmt.Fprintf(&out, "%d,%s,%s,%s,%s,%s,%d,%d,%d,%s,%s,%s,%s,%s,%s\n", 20+rng.IntN(40),
			[]string{"m", "f"}[rng.IntN(2)], of(again == 1 && i%2 == 0), of(again == 0 || i%4 == 0),
			of(again == 1 && i < 60), of(is == 1), is, 2*again+rng.IntN(3), again,
			of(again == 0 || i >= 120), of(i%4 != 1 && i%20 != 3), of(again == 1),
			of(again == 1 && i%50 > 1), of(again == 1 && i%7 > 0 || i%40 == 0),
			of(again == 1 && i%7 > 0 || i%40 == 0))
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}, Class: "churn_level"})
	job, _ := runDraft(t, text)
	wantMasks(t, job, map[string]string{"age": "discretize", "sex": "suppress", "offence": "drop",
		"paid": "drop", "points": "discretize", "late": "discretize", "noted": "discretize",
		"is_churned": "drop", "kind": "drop", "need_level": "discretize", "churn_level": "keep",
		"re_day": "drop", "re_kind": "drop", "re_jail": "drop", "no_jail": "discretize"})
	if want := "# whether it has a value goes with the class: "; !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
}

// Squares and logarithms of a number go, and indicators of a range of it; a number that has two
// other values for each of them stays, and so do an indicator of two ranges, and two numbers that
// differ in each row, and neither rise nor fall together.
func TestDraftDropsWhatANumberComputes(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("lnsize,size,sizesq,dose,middle,ends,pcs,mcs,dcsq76,dc76\n")
	rng := rand.New(rand.NewPCG(13, 3))
	for range 900 {
		size := 1 + rng.IntN(600)
		dose := 1 + rng.IntN(30)
		dc := rng.IntN(30)
		fmt.Fprintf(&out, "%.6f,%d,%d,%d,%d,%d,%g,%g,%d,%d\n", math.Log(float64(size)), size,
			size*size, dose, indicator(dose > 9 && dose < 20),
			indicator(dose%10 > 4), 60*rng.Float64(), 60*rng.Float64(), dc*dc, dc)
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
	job, _ := runDraft(t, text)
	wantMasks(t, job, map[string]string{"size": "discretize", "sizesq": "drop", "lnsize": "drop",
		"dose": "discretize", "middle": "drop", "ends": "suppress", "pcs": "discretize",
		"mcs": "discretize", "dc76": "discretize", "dcsq76": "drop"})
}

func indicator(of bool) int {
	if of {
		return 1
	}
	return 0
}

// Labels of two numbers are these numbers, which can have one label with a null, too.
func TestDraftSuppressesTwoNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("history,paid,kind\n")
	for i := range 600 {
		history := fmt.Sprint(i % 2)
		if i%70 == 0 {
			history = ""
		}
		fmt.Fprintf(&out, "%s,%d,%c\n", history, i/7%2, 'a'+i/14%3)
	}
	write(t, "table.csv", out.String())
	job, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"table.csv"}}))
	wantMasks(t, job, map[string]string{"history": "suppress", "paid": "suppress",
		"kind": "suppress"})
}

// Texts are the class rather than their numbers. An edited race goes
// next to the race, but no words next to its codes, and a number of few values that says more than
// what people know.
func TestDraftLeavesWhatPeopleKnow(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,custody_numeric,CUSTODY_LEVEL,RACE,SEX,smoke,time,sport," +
		"RACE_edit,ethnicity,ethnicity1\n")
	rng := rand.New(rand.NewPCG(6, 6))
	for range 900 {
		level, race, sex, time := rng.IntN(3), "wbh"[rng.IntN(3)], "mf"[rng.IntN(2)], rng.IntN(8)
		eth := rng.IntN(5)
		fmt.Fprintf(&out, "%d,%d,level %c,%c,%c,%d,%d,%d,%c,%d,%c\n", rng.IntN(70),
			level+1, 'a'+level, race, sex, time/2, time, rng.IntN(5),
			max(race, 'h'), eth, 'w'+eth/3)
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
	job, _ := runDraft(t, text)
	wantMasks(t, job, map[string]string{"age": "discretize", "custody_numeric": "drop",
		"CUSTODY_LEVEL": "keep", "RACE": "suppress", "SEX": "suppress",
		"RACE_edit": "drop", "ethnicity": "suppress", "ethnicity1": "suppress",
		"smoke": "discretize", "time": "drop", "sport": "discretize"})
}

// Columns that say the same leave the one whose name is a word.
func TestDraftLeavesTheReadableName(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("d1,visits,kids,n2,age,sex,xq,group_of_work,drinks_max,i2\n")
	rng := rand.New(rand.NewPCG(4, 4))
	for range 900 {
		n, age, kind := rng.IntN(40), rng.IntN(50), rng.IntN(4)
		visits := rng.IntN(30)
		fmt.Fprintf(&out, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", n, n, n*7%31, n*7%31, age,
			rng.IntN(2), kind, 3-kind, visits, visits)
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
	for name, want := range map[string]bool{"d1": false, "visits": true, "xq": false,
		"group_of_work": true, "drinks_max": true, "i2": false} {
		if got := slices.Contains(maskedOf(t, text), name); got != want {
			t.Errorf("%s is masked: %t, want %t\n%s", name, got, want, text)
		}
	}
}

// Parts of days go next to the days, whatever their names, apart from mistakes, but not
// other years, though hardly a day is in two rows. Years stay without their months, and ages
// without quarters of births and the limits of groups.
func TestDraftDropsPartsOfDays(t *testing.T) {
	day := func(i int) time.Time { return time.Date(2015, 1, 1+i%890, 0, 0, 0, 0, time.UTC) }
	text := tableOf(t, 900, map[string]func(i int) string{
		"seen":       func(i int) string { return day(i).Format(time.DateOnly) },
		"year":       func(i int) string { return fmt.Sprint(day(i).Year() + i%300/299) },
		"month":      func(i int) string { return day(i).Month().String() },
		"mm":         func(i int) string { return fmt.Sprint(int(day(i).Month())) },
		"seen_s":     func(i int) string { return fmt.Sprint(day(i).Unix()) },
		"q7":         func(i int) string { return fmt.Sprint(300 + i*7%400) },
		"q8":         func(i int) string { return fmt.Sprint((300+i*7%400)/12 + i%30/29) },
		"seen_year":  func(i int) string { return fmt.Sprint(2015 + i%890%3) },
		"birth_yr":   func(i int) string { return fmt.Sprint(1950 + i*i%41) },
		"birth_day":  func(i int) string { return fmt.Sprint(1 + i*i*i%29) },
		"birthmonth": func(i int) string { return fmt.Sprint(1 + i*i*i%13%12) },
	})
	for column, want := range map[string]string{"seen": "", "seen_year": "",
		"year": "# seen determines it in nearly all rows\n", "month": "# seen determines it\n",
		"mm":     "# seen determines it\n",
		"seen_s": "# seen determines it\n", "q7": " in a larger unit\n",
		"birth_yr":   "",
		"birth_day":  "# birth_yr says enough of the birth; to mask it: discretize\n",
		"birthmonth": "# birth_yr says enough of the birth; to mask it: discretize\n"} {
		line := regexp.MustCompile(`(?m)^  ` + column + `: .*\n`).FindString(text)
		if !strings.HasSuffix(line, want) || strings.Contains(line, " drop ") != (want != "") {
			t.Errorf("%s: want %q in\n%s", column, want, text)
		}
	}
	text = tableOf(t, 900, map[string]func(i int) string{
		"age":        func(i int) string { return fmt.Sprint(20 + i*i%61) },
		"birth_qrtr": func(i int) string { return fmt.Sprint(1 + i%4) },
		"birth_days": func(i int) string { return fmt.Sprint(-(20+i*i%61)*366 - i%300) },
		"age_group":  func(i int) string { return []string{"<=50", ">50"}[(20+i*i%61)/51] },
		"weeks":      func(i int) string { return fmt.Sprint(20 + i*7%30) },
		"late":       func(i int) string { return fmt.Sprint((20 + i*7%30) / 40) },
	})
	if got := maskedOf(t, text); !slices.Equal(got, []string{"sex", "age", "late", "weeks"}) {
		t.Errorf("masked: %s\n%s", got, text)
	}
}

// Reasons name columns that are released: the one that determines a dropped one, too, and each
// other one once.
func TestDraftNamesReleasedColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,high_hours,band,pts,score,sex\n")
	rng := rand.New(rand.NewPCG(5, 4))
	for range 2000 {
		score := rng.IntN(60)
		fmt.Fprintf(&out, "%d,%d,%d,%d,%d,%d\n", rng.IntN(50), indicator(score > 40),
			score/15, 1000-score*score, score, rng.IntN(2))
	}
	write(t, "table.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
	masked := maskedOf(t, text)
	for line := range strings.Lines(text) {
		name, reason, found := strings.Cut(line, "  # ")
		if !found {
			continue
		}
		for _, clause := range strings.Split(reason, ", ") {
			by, determines := strings.CutSuffix(strings.TrimSpace(clause), " determines it")
			if determines && !slices.Contains(masked, by) {
				t.Errorf("%s: %q is not released", name, by)
			}
		}
		if strings.Count(reason, "it stays, as readers") > 1 {
			t.Errorf("said twice: %s", line)
		}
	}
	if !strings.Contains(text, "determines it") || !strings.Contains(text, "it stays, as readers") {
		t.Errorf("nothing is determined\n%s", text)
	}
}

// A comment names few columns that say much of the class, but no facts; many are those from which a
// model is to predict. A fact that only one class has is dropped.
func TestDraftNamesWhatSaysMuchOfTheClass(t *testing.T) {
	for tests, want := range map[int]string{
		1: "# Much of it is in dose, test0: drop columns that a model would not know",
		7: "",
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,died,dose,death_height,income")
		for i := range tests {
			fmt.Fprintf(&out, ",test%d", i)
		}
		out.WriteByte('\n')
		rng := rand.New(rand.NewPCG(6, 4))
		for range 900 {
			died := rng.IntN(2)
			height := ""
			if died == 1 {
				height = fmt.Sprint(4000 + 100*rng.IntN(40))
			}
			fmt.Fprintf(&out, "%d,%d,%d,%d,%s,%d", rng.IntN(32)+28*died, rng.IntN(2), died,
				rng.IntN(32)+28*died, height, rng.IntN(90))
			for range tests {
				fmt.Fprintf(&out, ",%d", max(died, indicator(rng.IntN(9) == 0)))
			}
			out.WriteByte('\n')
		}
		write(t, "table.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		if strings.Contains(text, "# Much of it") != (want != "") ||
			!strings.Contains(text, want) ||
			roleOfText(text, "death_height") != "drop" {
			t.Errorf("%d tests: want %q\n%s", tests, want, text)
		}
	}
}

// Numbers for kinds are codes, also with a name cut short or written as one word, but not those of
// what has an order. All dummies of the kinds are dropped, the first and the last kind's, too, but
// no sex, no treatment and no outcome, and not the only one, and no number of which another one is
// its product with others.
func TestDraftDropsDummiesOfKinds(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,injtype,head,neck,trunk,treat,bad_result,indust,agecat,villnum,arms," +
		"single_arm,weeks,period,early,early_age\n")
	rng := rand.New(rand.NewPCG(5, 9))
	for range 3000 {
		injury, arm, period := 1+rng.IntN(4), rng.IntN(3), rng.IntN(2)
		fmt.Fprintf(&out, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", 20+rng.IntN(50),
			rng.IntN(2), injury, indicator(injury == 1), indicator(injury == 2),
			indicator(injury == 4), indicator(injury == 3), indicator(injury > 2),
			1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(60), arm, indicator(arm == 1), rng.IntN(90),
			77+period, 1-period, (1-period)*(8+rng.IntN(6)))
	}
	write(t, "injuries.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"injuries.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"injtype": "suppress", "indust": "suppress",
		"villnum": "suppress", "arms": "suppress", "agecat": "discretize", "head": "drop",
		"neck": "drop", "trunk": "drop", "treat": "suppress", "single_arm": "suppress",
		"bad_result": "suppress", "period": "suppress"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// Columns with as many values that determine each other are twins also where each value has few
// rows: chance does not make them.
func TestDraftFindsTwinsOfFewRows(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,state,state_fp,club\n")
	for i := range 420 {
		state := i * 11 % 60
		fmt.Fprintf(&out, "%d,s%c%c,%d,c%d\n", 20+i*i%53, 'a'+state%8, 'a'+state/8, 3*state+1,
			i%60+i/400)
	}
	write(t, "people.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"people.csv"}})
	for name, want := range map[string]string{"state": "suppress", "state_fp": "drop",
		"club": "suppress"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// A date of birth determines ages on about one day, or on the days of another column, but no
// others, and hardly a date determines anything by accident. Two columns of days say the same where
// most are, also in another time zone. A text stays next to a code though it has two of them. A
// place is nobody's name.
func TestDraftOfDates(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	var out strings.Builder
	out.WriteString("dob,asked_at_age,age_at_work,first_age,opened,opened_utc,began,begun_on," +
		"grade_cd,descr,county,level,shipped,ordered,admitted,died_on,closed\n")
	for range 750 {
		born := time.Date(1940, 1, 1+rng.IntN(20_000), 0, 0, 0, 0, time.UTC)
		opened := born.AddDate(30+rng.IntN(9), 0, rng.IntN(300))
		began := opened.AddDate(rng.IntN(9), 0, rng.IntN(300))
		code, level := 1+rng.IntN(60), rng.IntN(90)
		later := func(days int) string { return began.AddDate(0, 0, days).Format(time.DateOnly) }
		for range 2 {
			fmt.Fprintf(&out, "%s,%d,%d,%d,%s,%s,%s,%s,E%02d7,unit %d,%s,%d,%s,%s,%s,%s,%s\n",
				born.Format(time.DateOnly), 2020-born.Year(), began.Year()-born.Year(),
				15+rng.IntN(9), opened.Format(time.DateOnly),
				opened.Add(time.Duration(3+rng.IntN(22))*time.Hour).Format(time.DateTime),
				began.Format(time.DateOnly),
				began.AddDate(0, 0, rng.IntN(14)/13).Format(time.DateOnly), code, code,
				[]string{"Jackson", "Allen", "Scott", "Thomas", "Foard"}[rng.IntN(5)]+
					fmt.Sprint(" ", 'A'+rng.IntN(26)), level,
				later(60+rng.IntN(90)), later(60), later(5000), later(5000+rng.IntN(40)),
				later(9000+rng.IntN(900)))
		}
	}
	t.Chdir(t.TempDir())
	write(t, "table.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	runDraft(t, text)
	for column, want := range map[string]string{"asked_at_age": "drop", "age_at_work": "drop",
		"first_age": "discretize", "opened_utc": "drop", "begun_on": "drop", "began": "{mask:",
		"ordered": "drop", "shipped": "drop", "admitted": "drop", "died_on": "{mask:",
		"closed":   "{mask:",
		"grade_cd": "drop", "descr": "suppress", "county": "suppress", "level": "{mask:"} {
		if got := roleOfText(text, column); got != want {
			t.Errorf("%s: %s, want %s in\n%s", column, got, want, text)
		}
	}
}

// A date of birth is dropped next to an age at what a table is about, of most people, and no age of
// a relative.
func TestDraftLeavesAgesOfEvents(t *testing.T) {
	for name, want := range map[string]string{"Age_Dx": "drop", "age_at_death": "drop",
		"age": "{mask:", "mother_age_at_death": "{mask:", "age_onset": "{mask:"} {
		text := tableOf(t, 900, map[string]func(i int) string{
			"dob": func(i int) string {
				return fmt.Sprintf("19%d-0%d-1%d", 30+i*i%61, 1+i%9, i%7)
			},
			name: func(i int) string {
				if name == "age_onset" && i%3 > 0 {
					return ""
				}
				return fmt.Sprint(90 - i*i%61)
			},
		})
		if got := roleOfText(text, "dob"); got != want {
			t.Errorf("%s: dob %s, want %s:\n%s", name, got, want, text)
		}
	}
}
