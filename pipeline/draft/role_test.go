package draft_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline/draft"
)

// A column with one value marks rows: those without it are the others, unless everybody has a value
// of its name, or nearly all rows have it, or fewer than k, or it is no tick next to values in the
// same rows. Runs keep the nulls of marks.
func TestDraftMasksMarks(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,married,smoking,uses,tool,rare,once,country,still,ill,hurt," +
		"level,change," +
		"Please describe your role in the team by checking all that apply: Professor\n")
	for i := range 1000 {
		mark := func(value string, often bool) string {
			if often {
				return value
			}
			return ""
		}
		fmt.Fprintf(&out, "%d,%c,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", 20+i%61, "MF"[i%2],
			mark("x", i%3 > 0), mark("1", i%7 > 1), mark("Yes", i%50 > 0),
			mark("Python", i%5 > 1), mark("x", i%90 == 0), mark("x", i == 9),
			mark("USA", i%10 > 0), mark("x", i != 9), mark("0", i%9 > 0),
			mark("0", i%9 == 0), mark(fmt.Sprint(i%7*i), i%11 > 6), mark("-1", i%11 > 6),
			mark("Professor", i%8 > 3 || i%5 == 0))
	}
	write(t, "marks.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"marks.csv"}})
	job, report := runDraft(t, text)
	wantMasks(t, job, map[string]string{"age": "discretize", "sex": "suppress",
		"married": "suppress", "smoking": "suppress", "uses": "suppress", "tool": "suppress",
		"rare": "suppress", "once": "drop", "country": "drop", "still": "drop", "ill": "drop",
		"hurt": "suppress", "level": "discretize", "change": "drop",
		"Please describe your role in the team by checking all that apply: Professor": "suppress"})
	want := "# one value in 112 of 1,000 rows, which it may mark\n"
	if !strings.Contains(text, want) {
		t.Errorf("want %q in\n%s", want, text)
	}
	if report.Suppressed > 0 {
		t.Errorf("%d rows are suppressed", report.Suppressed)
	}
}

// Few long texts, and many of which each has many rows, are the answers to a question.
func TestDraftMasksLongAnswers(t *testing.T) {
	for _, tt := range []struct {
		texts, rows int
		want        string
	}{{2, 900, "suppress"}, {20, 900, "suppress"}, {30, 900, "suppress"}, {200, 900, "drop"},
		{30, 4000, "suppress"}, {60, 4000, "drop"},
		{20, 150, "suppress"}, {20, 36, "drop"}} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,answer\n")
		for i := range tt.rows {
			fmt.Fprintf(&out, "%d,%c,I have never been asked whether I do this %d times a week "+
				"or a month\n", 20+i%61, "MF"[i%2], (7*i+i/90)%tt.texts)
		}
		write(t, "survey.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"survey.csv"}},
			sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if role := roleOfText(text, "answer"); !strings.Contains(role, tt.want) {
			t.Errorf("%+v: %s\n%s", tt, role, text)
		}
	}
}

// Lists of the answers that a question offers are no free text, however many differ, but those of
// others are.
func TestDraftMasksListsOfAnswers(t *testing.T) {
	for want, answer := range map[string]func(i, j int) int{
		"suppress": func(i, j int) int { return i / (1 + 3*j) % 12 },
		"drop":     func(i, j int) int { return 300*j + i }} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,uses\n")
		for i := range 1800 {
			fmt.Fprintf(&out, "%d,%c,\"", 20+i%61, "MF"[i/7%2])
			for j := range 4 {
				fmt.Fprintf(&out, "I take it in case number %d, ", answer(i%300, j))
			}
			out.WriteString("other\"\n")
		}
		write(t, "survey.csv", out.String())
		text := draftOf(t, draft.Options{Input: []string{"survey.csv"}})
		if role := roleOfText(text, "uses"); role != want {
			t.Errorf("%s, want %s:\n%s", role, want, text)
		}
	}
}

// Dates in several forms with days and months in two orders have no first characters that mean
// something.
func TestDraftOfDatesInSeveralForms(t *testing.T) {
	for days, want := range map[int]string{90: "suppress", 900: "drop"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,hired\n")
		for i := range 1000 {
			day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 9*(i%days))
			form := []string{"1/2/06", "02-01-2006", "1/2/2006"}[i%3]
			fmt.Fprintf(&out, "%d,%c,%s\n", 20+i%61, "MF"[i/7%2], day.Format(form))
		}
		write(t, "staff.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"staff.csv"}},
			sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		if role := roleOfText(text, "hired"); role != want ||
			!strings.Contains(text, "# dates in several forms, ") {
			t.Errorf("%d days: %s\n%s", days, role, text)
		}
	}
}

// Notes on columns that are read as text are there for those that are masked, and not for numbers
// of people.
func TestDraftNotesNoNumbersOfPeople(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("PatientId,job_code,age,sex\n")
	for i := range 900 {
		fmt.Fprintf(&out, "%d%s,%d%s,%d,%c\n", 100+i/2, []string{"", "e3"}[i/2%2], i%40,
			[]string{"", "e1"}[i%2], 20+i%61, "MF"[i/3%2])
	}
	write(t, "notes.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"notes.csv"}})
	for column, want := range map[string]bool{"PatientId": false, "job_code": true} {
		if got := strings.Contains(text, "# Note: column "+column+" is read"); got != want {
			t.Errorf("%s is noted: %t, want %t\n%s", column, got, want, text)
		}
	}
}

// Where most codes begin alike, as the zip codes of a town do, their next character distinguishes
// more rows than shorter beginnings.
func TestDraftOfCodesOfOneTown(t *testing.T) {
	code := func(form string, step int) func(row int) string {
		return func(row int) string {
			if row%20 == 7 {
				return fmt.Sprintf("%d%04d", 1+row%9, row%997)
			}
			return fmt.Sprintf(form, step*row%47)
		}
	}
	text := tableOf(t, 2000, map[string]func(row int) string{
		"zip": code("532%02d", 1), "plant_code": func(row int) string {
			return fmt.Sprintf("D7%02d", row*row%89)
		},
		"postcode": func(row int) string {
			if row%50 == 0 {
				return "02134-1000"
			}
			return code("532%02d", 3)(row)
		},
		"branch_code": func(row int) string {
			return fmt.Sprintf("%c%03d", 'A'+row%9, row%9*40+row%5)
		}, "MerchantID": func(row int) string { return fmt.Sprintf("M%02d", row*7%83) }})
	for column, want := range map[string]string{"zip": "[4, 3]", "postcode": "[5, 4, 3]",
		"plant_code": "[3, 2]", "branch_code": "[3, 1]", "MerchantID": "[2, 1]"} {
		entry := regexp.MustCompile(column + `: +.mask: generalize, taxonomy: .prefix: ` +
			regexp.QuoteMeta(want))
		if !entry.MatchString(text) {
			t.Errorf("want %s of %s in\n%s", want, column, text)
		}
	}
}

// A draft drops a column whose header is a formula of a spreadsheet or the error of one, and what a
// tool adds to the labels of a crowd.
func TestDraftDropsFormulas(t *testing.T) {
	for name, want := range map[string]string{`"=A1*2"`: "drop", `"#VALUE!"`: "drop",
		"_unit_state": "drop", `"job:confidence"`: "drop", "job_gold": "drop",
		"trust_confidence": "discretize"} {
		text := tableOf(t, 100, map[string]func(row int) string{
			strings.Trim(name, `"`): func(row int) string { return strconv.Itoa(row % 5) },
			"job":                   func(row int) string { return strconv.Itoa(row % 7) }})
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// Two numbers with a slash between them, as those of a blood pressure, are no telephone numbers. An
// identifier has the name of one, also with fractions.
func TestDraftKeepsPairsOfNumbers(t *testing.T) {
	text := tableOf(t, 900, map[string]func(i int) string{
		"pressure":  func(i int) string { return fmt.Sprintf("%d.5/%d.0", 100+i%40, 60+i%3*10) },
		"pseudo_id": func(i int) string { return fmt.Sprintf("%d.%d", 100_000_000+i*7, 10+i%80) },
	})
	for column, want := range map[string]string{
		"pressure":  "# two numbers with / between them: in columns of their own",
		"pseudo_id": "# called like identifiers,"} {
		if !regexp.MustCompile(`(?m)^  ` + column + `: .*` + want).MatchString(text) {
			t.Errorf("%s: want %q in\n%s", column, want, text)
		}
	}
}

// Secrets and the expiry of cards, the columns in which software of surveys says how it got
// answers, numbers of things of which somebody has several, and days and times of which a part is
// unknown are dropped, and so is the same point in feet, but no zip code of it.
func TestDraftDropsSecretsAndRests(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	wantRoles := func(columns map[string]func(i int) string, want map[string]string) {
		text := tableOf(t, 900, columns)
		for column, want := range want {
			if got := roleOfText(text, column); got != want {
				t.Errorf("%s: %s, want %s:\n%s", column, got, want, text)
			}
		}
	}
	wantRoles(map[string]func(i int) string{
		"CC Security Code": func(int) string { return fmt.Sprint(100 + rng.IntN(887)) },
		"Credit Card":      func(i int) string { return fmt.Sprint(4_000_000_000 + i*7) },
		"CC Exp Date":      func(int) string { return fmt.Sprintf("%02d/%d", 1+rng.IntN(12), 21) },
		"RecordedDate":     func(int) string { return fmt.Sprintf("2020-01-%02d", 1+rng.IntN(28)) },
		"Progress":         func(int) string { return fmt.Sprint(rng.IntN(7)) },
		"movie_1":          func(int) string { return fmt.Sprint(1 + rng.IntN(250)*677) },
		"movie_score":      func(int) string { return fmt.Sprint(rng.IntN(250) * 677) },
		"noted":            func(int) string { return fmt.Sprintf("%02d:00.0", rng.IntN(9)) },
		"date": func(int) string {
			return fmt.Sprintf("%d%02d97", 1+rng.IntN(12), 1+rng.IntN(28))
		},
		"rye":  func(i int) string { return fmt.Sprint((i + 2) * (i + 2) * (i + 2) * (i + 2)) },
		"oats": func(i int) string { return fmt.Sprint(int(math.Pow(float64(i+2), 5))) },
	}, map[string]string{"CC Security Code": "drop", "CC Exp Date": "drop", "RecordedDate": "drop",
		"Progress": "drop", "movie_1": "drop", "movie_score": "{mask:", "noted": "drop",
		"date": "drop", "rye": "drop", "oats": "{mask:"})
	points := rng.Perm(160_000)[:301] // on a grid of 400 by 400
	at := func(base, right, up float64) func(i int) string {
		return func(i int) string {
			p := points[i*i%301]
			return fmt.Sprint(base + right*float64(p%400) + up*float64(p/400))
		}
	}
	for name, want := range map[string][2]string{"x": {"drop", "{mask:"},
		"zip": {"{mask:", "drop"}} {
		wantRoles(map[string]func(i int) string{"latitude": at(40, 0, 0.001),
			"longitude": at(-70, 0.001, 0), name: at(12005, 90, 1)},
			map[string]string{name: want[0], "latitude": want[1]})
	}
}
