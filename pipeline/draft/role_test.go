package draft_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/pipeline/draft"
)

// A column with one value marks rows: those without it are the others, unless everybody has a value
// of its name, or nearly all rows have it. Runs keep the nulls of marks, also of rare ones.
func TestDraftMasksMarks(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("age,sex,married,smoking,uses,tool,rare,once,country,still,ill,hurt\n")
	for i := range 1000 {
		mark := func(value string, often bool) string {
			if often {
				return value
			}
			return ""
		}
		fmt.Fprintf(&out, "%d,%c,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", 20+i%61, "MF"[i%2],
			mark("x", i%3 > 0), mark("1", i%7 > 1), mark("Yes", i%50 > 0),
			mark("Python", i%5 > 1), mark("x", i%90 == 0), mark("x", i == 9),
			mark("USA", i%10 > 0), mark("x", i != 9), mark("0", i%9 > 0),
			mark("0", i%9 == 0))
	}
	write(t, "marks.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"marks.csv"}})
	job, report := runDraft(t, text)
	wantMasks(t, job, map[string]string{"age": "discretize", "sex": "suppress",
		"married": "suppress", "smoking": "suppress", "uses": "suppress", "tool": "suppress",
		"rare": "suppress", "once": "suppress", "country": "drop", "still": "drop", "ill": "drop",
		"hurt": "suppress"})
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
	}{{2, 900, "suppress"}, {20, 900, "suppress"}, {30, 4000, "suppress"}, {60, 4000, "drop"},
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

// Dates in several forms have no first characters that mean something.
func TestDraftOfDatesInSeveralForms(t *testing.T) {
	for days, want := range map[int]string{90: "suppress", 900: "drop"} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("age,sex,hired\n")
		for i := range 1000 {
			day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 9*(i%days))
			form := []string{"1/2/06", "01-02-2006", "1/2/2006"}[i%3]
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
