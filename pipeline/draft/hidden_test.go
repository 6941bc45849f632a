package draft_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
	"github.com/kcut/kcut/pipeline/job"
)

// doubted returns the columns that a draft says are in doubt.
func doubted(text string) []string {
	found := regexp.MustCompile(`(?m)^  # In doubt, .*: (.*)\.$`).FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	return strings.Split(found[1], ", ")
}

// certain returns the columns of a draft's first set that are not in doubt.
func certain(t *testing.T, text string) []string {
	t.Helper()
	j, err := job.Parse("", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	in := doubted(text)
	return slices.DeleteFunc(slices.Clone(j.Sets[0].Columns), func(name string) bool {
		return slices.Contains(in, name)
	})
}

// checkCertain checks which columns of a draft's first set are not in doubt, in any order.
func checkCertain(t *testing.T, text, want string) {
	t.Helper()
	got, all := certain(t, text), strings.Fields(want)
	slices.Sort(got)
	slices.Sort(all)
	if !slices.Equal(got, all) {
		t.Errorf("known: %q, want %q", got, all)
	}
}

// Columns of words, codes or two values whose names say nothing are in the first set, in doubt: no
// numbers and dates, none that others hardly know, in no table of patients, no questionnaire, and
// in no table of which nobody knows anything.
func TestDraftDoubts(t *testing.T) {
	item := func(values string, n int) (items []string) {
		for i := range n {
			items = append(items, fmt.Sprintf("%c%c=%s", 'a'+i, 'q'-i, values))
		}
		return items
	}
	for name, tt := range map[string]struct {
		columns []string
		want    []string
	}{
		"words and marks": {[]string{"age#", "farm=0|1", "moth=x|y|z", "steps#"},
			[]string{"farm", "moth"}},
		"hidden": {[]string{"age#", "farm=0|1", "AcceptedCmp3=0|1", "payment_method=a|b|c",
			"status_2=x|y", "happy=a|b|c", "Z=0|1", "goodhlth=0|1", "Allergies=x|y|z"},
			[]string{"farm"}},
		"lists and few values": {[]string{"age#", "farm=0|1", "moth=x;y|x|y;z|z;x;y|a;x;z|a;b|" +
			"b;c|c;d|d;e|e;f|f;g|g;h|h;i|i;j|j;k|k;l|l;m|m;n|n;o|o;p|p;q|q;r", "vow=" +
			strings.Repeat("|", 20) + "x|y"}, []string{"farm"}},
		"patients": {[]string{"age#", "farm=0|1", "sysbp#", "chol#"}, nil},
		"institutions": {[]string{"age#", "farm=0|1", "sysbp#", "chol#",
			"moth=Green Church|a gym in X|High School|St. Mary's Hospital|Y Ltd|etc|abroad|q"},
			[]string{"moth"}},
		"a few items": {append(item("a|b|c", 11), "age#"), nil},
		"many items":  {append(item("a|b|c", 12), "age#"), nil},
		"some numbered items": {[]string{"age#", "farm=0|1", "z1=0|1", "z2=0|1", "z3=0|1",
			"z4=0|1", "z5_of_moths=0|1"}, []string{"farm"}},
		"a battery": {[]string{"age#", "farm=0|1", "cs_x=0|1", "cs_y=0|1", "cs_z=0|1", "cs_v=0|1",
			"cs_w=0|1", "moth=x|y|z"}, []string{"farm", "moth"}},
		"windows": {[]string{"age#", "visited_30d=0|1", "farm_last_week=0|1", "late_past_30=0|1",
			"farm_30=0|1", "moth=x|y|z"}, []string{"farm_30", "moth"}},
		"months of claims": {[]string{"age#", "MonthClaimed=Jan|Feb|May", "Month=Jan|Feb|May",
			"WeekOfMonth=1|2|3", "Year=1994|1995", "week_pay=1|2|90", "review_month=1|2|3",
			"moth=x|y|z"},
			[]string{"MonthClaimed", "moth", "Month", "WeekOfMonth", "Year"}},
		"next to many that are known": {[]string{"age#", "sex=a|b", "race=a|b|c", "religion=a|b",
			"height#", "marital=a|b|c", "education=a|b|c|d", "state=a|b|c|d|e",
			"county=a|b|c|d|e|f",
			"language=x|y|z|q", "occupation=a|b|c|d", "employer=a|b|c|d|e|f|g", "smoker=0|1",
			"moth=x|y|z"}, []string{"moth"}},
		"of teachers": {[]string{"age#", "race=a|b", "trace1=a|b", "teacher_age=20|30|41",
			"degree1=a|b|c", "trap=x|y|z"}, []string{"trap"}},
		"of a spreadsheet": {[]string{"age#", "X=a|b|c", "V=a|b", "column80=x|y|z", "RECALC=x|y",
			"moth=x|y|z"}, []string{"moth"}},
		"opinions": {[]string{"age#", "farm=x|y|z", "leave=Very easy|Don't know|hard",
			"stay=Often|Never|no", "go=Maybe|Yes|No", "moth=x|y|z"}, []string{"farm", "moth"}},
		"few opinions": {[]string{"age#", "leave=Very easy|Don't know|hard",
			"stay=Often|Never|no", "moth=x|y|z"}, []string{"leave", "stay", "moth"}},
		"questions about opinions": {[]string{"age#", "farm=x|y|z", "would_you_recommend_it=x|y",
			"favorite_tea=x|y|z", "plan_to_move=x|y|z", "do_you_like_it=x|y|z"}, []string{"farm"}},
		"treatments": {[]string{"age#", "farm=0|1", "anysecrecytreatment=0|1", "tx=0|1",
			"strat2=1|2|3", "assigned_to=a|b|c", "given_random=x|y", "cue2=X|No X", "rx=a|b",
			"comply=0|1", "vow=Control|Pill", "nod=untreated|treated", "moth=x|y|z"},
			[]string{"farm", "moth"}},
		"vital signs": {[]string{"age#", "hrt1#", "temp1#", "crea1#", "moth=x|y|z"}, nil},
		"few vital signs": {[]string{"age#", "hrt1#", "temp1#", "moth=x|y|z"},
			[]string{"moth"}},
		"a trial": {[]string{"age#", "farm=0|1", "given=0_placebo|1_pill", "moth=x|y|z"}, nil},
		"last of two": {[]string{"age#", "farm=0|1", "house=x|y|z", "moth=0|1"},
			[]string{"farm", "house"}},
		"a candidate": {[]string{"age#", "result=x|y|z", "moth=a|x"}, []string{"moth"}},
		"year of an event": {[]string{"age#", "year=1998|1999|2000", "arrests=0|1|2", "moth=x|y|z"},
			[]string{"year", "moth"}},
		"years and days": {[]string{"age#", "pilgrimage=1987|1990|2001", "vow=1999-01-02|" +
			"2001-05-06",
			"interview_date=2001-01-02|2001-05-06", "stintrvw=2001-01-02|2001-05-06",
			"intdate=2001-01-02|2001-05-06", "height_mm=1700|1801|1900", "moth=x|y|z"},
			[]string{"pilgrimage", "vow", "moth"}},
		"parts of a day": {[]string{"age#", "year=1998|1999|2000", "month=1|2|3", "arrests=0|1|2",
			"moth=x|y|z"}, []string{"year", "month", "moth"}},
		"parts of one day": {[]string{"age#", "admityear=1998|1999|2000", "monthofadmit=1|2|3",
			"moth=x|y|z"}, []string{"admityear", "moth", "monthofadmit"}},
		"two times": {[]string{"age#", "year=1998|1999|2000", "interview_month=1|2|3",
			"arrests=0|1|2", "moth=x|y|z"}, []string{"moth"}},
		"dates in several forms": {[]string{"age#", "vow=1/23/20|14.2.2021|3/4/2019",
			"moth=x|y|z"}, []string{"vow", "moth"}},
		"no event":     {[]string{"age#", "year=1998|1999|2000", "moth=x|y|z"}, []string{"moth"}},
		"early births": {[]string{"age#", "premie=a|b", "moth=x|y|z"}, []string{"moth"}},
		"midst": {slices.Concat(item("1|2|3|4|5", 13)[:7], []string{"farm=x|y|z"},
			item("1|2|3|4|5", 13)[7:], []string{"moth=x|y|z", "age#"}), []string{"moth"}},
		"times of forms": {[]string{"age#", "StartDate=2020-01-03 10:00:00|2020-01-03 11:00:00",
			"EndDate=2020-01-03 12:00:00|2020-01-03 12:30:00", "odate=2020-01-03|2020-02-03",
			"moth=x|y|z"}, []string{"moth"}},
		"times of forms as texts": {[]string{"age#", "occupation=x|y|z", "ht=0|1", "height#",
			"StartDate=3/18/15 11:38|3/18/15 12:40", "EndDate=3/18/15 13:58|3/18/15 12:45",
			"Ticket_Priority=low|high", "contraception=0|1", "dt=2020-01-03|2020-02-03",
			"moth=x|y|z"}, []string{"moth"}},
		"drinking next to smoking": {[]string{"age#", "SMOKING=yes|no", "ALCOHOL_CONSUMING=yes|no",
			"days_of_life#", "moth=x|y|z"}, []string{"moth"}},
		"days of customers": {[]string{"age#", "loyalty_card=a|b", "salary#", "farm=x|y",
			"enrollment_year=2014|2015|2016", "cancellation_month=2|5|8"}, []string{"farm"}},
		"days of customers and others": {[]string{"age#", "plan=a|b", "farm=x|y",
			"Join Date=2020-01-03|2020-02-09|2021-05-04", "Join Month=1|2|5",
			"Harvest Date=2020-03-03|2020-07-09|2021-06-04"}, []string{"farm", "Harvest Date"}},
		"days of nobody": {[]string{"age#", "steps#", "salary#", "farm=x|y",
			"enrollment_year=2014|2015|2016"}, []string{"farm", "enrollment_year"}},
		"days of other things": {[]string{"age#",
			"StartDate=2020-01-03 10:00:00|2020-01-03 11:00:00",
			"EndDate=2020-01-06 12:00:00|2020-01-09 12:30:00", "moth=x|y|z"},
			[]string{"StartDate", "EndDate", "moth"}},
		"texts of a family": {append(item("a|b|c", 12), "vow=a|b", "moth=a|x", "age#"),
			[]string{"moth"}},
		"amounts of money": {[]string{"age#", "vow=R$ 1 - 2|R$ 3 - 4|none",
			"due=1 baht|over 5 baht", "moth=x|y|z", "trustpeople=x|y|z"}, []string{"moth"}},
		"what others do not see": {[]string{"age#", "polint=0|1", "judgment=a|b", "partners1=0|1",
			"effective_date=2020-01-03|2020-02-03", "published_time=2020-01-03|2020-02-03",
			"last_activity=x|y|z", "miss_vow=0|1", "wealth=0|1", "meal=a|b|c", "bullied=0|1",
			"stimulus=x|y|z", "train=0|1", "selected=a|b", "interv=a|b|c",
			"applied_date=2020-01-03|2020-02-03",
			"complaints=x|y", "moth=x|y|z"}, []string{"moth"}},
		"lesions":      {[]string{"age#", "skin_lesions=0|1", "inflammatory=a|b", "moth=x|y"}, nil},
		"hormones":     {[]string{"age#", "hormone=0|1", "menopause=a|b", "moth=x|y|z"}, nil},
		"nobody known": {[]string{"steps#", "farm=0|1", "moth=x|y|z"}, nil},
	} {
		if name == "a few items" {
			for _, column := range tt.columns[:11] {
				tt.want = append(tt.want, column[:2])
			}
		}
		text := study(t, 600, tt.columns...)
		if got := doubted(text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q in doubt, want %q:\n%s", name, got, tt.want, text)
		}
		j, err := job.Parse("", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		aside := name == "next to many that are known"
		for _, column := range tt.want {
			if slices.Contains(j.Sets[0].Columns, column) == aside {
				t.Errorf("%s: %s, %q", name, column, j.Sets[0].Columns)
			}
		}
	}
}

// What people have nearly all values of says nothing about anybody.
func TestDraftDoubtsNoDesign(t *testing.T) {
	person := func(row int) string { return fmt.Sprint(row / 6 * 7919 % 9973) }
	got := doubted(tableOf(t, 1200, map[string]func(i int) string{
		"respondent_id": person, "moth": func(row int) string { return "abc"[row%3 : row%3+1] },
		"ache": func(row int) string { return "ny"[max(row%2, row%60/54):][:1] },
		"vow":  func(row int) string { return "abc"[(row/6+row%2)%3:][:1] }}))
	if !slices.Equal(got, []string{"vow"}) {
		t.Errorf("%q in doubt", got)
	}
}

// Dummies of a kind are no items of a questionnaire, however many columns have two values, and
// neither are marks of different things: they are one of up to twelve facts.
func TestDraftDoubtsDummies(t *testing.T) {
	columns := map[string]func(i int) string{}
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 12 {
		columns[fmt.Sprintf("q%d", i+1)] = func(int) string { return fmt.Sprint(rng.IntN(2)) }
	}
	for i, name := range []string{"z_mines", "z_shops", "z_farms"} {
		columns[name] = func(row int) string {
			return map[bool]string{true: "1", false: "0"}[row/2*7%4 == i]
		}
	}
	columns["vixo"] = func(int) string { return fmt.Sprint(rng.IntN(2)) }
	columns["zzz"] = func(i int) string { return fmt.Sprint(i % 90) }
	for _, fact := range strings.Fields("age race married religion job kids state city") {
		columns[fact] = func(int) string { return fmt.Sprint(rng.IntN(2)) }
	}
	tableOf(t, 1200, columns)
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}}, sees(0, 1))
	got := doubted(text)
	slices.Sort(got)
	if err != nil || !slices.Equal(got, []string{"vixo", "z_farms", "z_mines", "z_shops"}) ||
		strings.Contains(text, "not in this set") {
		t.Errorf("%q in doubt: %v\n%s", got, err, text)
	}
}

// What a column in doubt determines is in doubt, too, and what a limit of a number makes that
// nobody knows is not.
func TestDraftDoubtsFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var state, guild, ounces [2400]int
	for i := range state {
		state[i], guild[i], ounces[i] = rng.IntN(20), rng.IntN(20), rng.IntN(97)
	}
	text := tableOf(t, len(state), map[string]func(i int) string{
		"state":   func(i int) string { return fmt.Sprint(state[i]) },
		"guild":   func(i int) string { return fmt.Sprint("guild ", guild[i]) },
		"members": func(i int) string { return fmt.Sprint(100 + guild[i]/2*31) },
		"ounces":  func(i int) string { return fmt.Sprint(ounces[i]) },
		"tiny":    func(i int) string { return fmt.Sprint(min(1, ounces[i]/30)) },
		"zeal":    func(int) string { return fmt.Sprint(rng.IntN(90)) },
	})
	checkCertain(t, text, "sex state")
	if got := doubted(text); !slices.Equal(got, []string{"guild", "members"}) {
		t.Errorf("%q in doubt:\n%s", got, text)
	}
}

// A column in doubt is in the first set unless more speaks against it: it is a text, or one of few
// numbers, of a table with a class, and neither next to a fact nor one of some tens of values.
func TestDraftWeighsColumnsInDoubt(t *testing.T) {
	const far = "age# b# c# d# "
	for columns, isIn := range map[string]bool{
		"age# moth=x|y|z died=0|1": true, far + "moth=x|y|z": true,
		far + "moth=x|y|z died=0|1": false, far + "moth=0|1 died=0|1": false,
		far + "moth=" + strings.Join(codesOf(30), "|") + " died=0|1": true,
		far + "moth=x|y|z" + strings.Repeat(" e#", 40):               false,
	} {
		text := study(t, 600, strings.Fields(columns)...)
		j, err := job.Parse("", []byte(text), nil)
		if err != nil || !slices.Equal(doubted(text), []string{"moth"}) ||
			slices.Contains(j.Sets[0].Columns, "moth") != isIn ||
			strings.Contains(text, ", and not in this set, ") == isIn {
			t.Errorf("%s: %v\n%s", columns, err, text)
		}
	}
}

// codesOf returns n texts.
func codesOf(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("m%d", i))
	}
	return all
}

// Days of what happened stay in the first set if little is left of the age, and no draft goes on
// for ever.
func TestDraftKeepsDaysThatCost(t *testing.T) {
	text := tableOf(t, 900, map[string]func(i int) string{
		"age":  func(i int) string { return fmt.Sprint(20 + i*7%60) },
		"year": func(i int) string { return fmt.Sprint(1990 + i%20) },
		"won":  func(i int) string { return fmt.Sprint(i / 3 % 2) },
	})
	again, err := draft.Job(t.Context(), draft.Options{Input: []string{"table.csv"}}, sees(2, 1))
	for _, text := range []string{text, again} {
		if err != nil || !strings.Contains(text, "  - columns: all\n") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
