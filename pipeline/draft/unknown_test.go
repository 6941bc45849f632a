package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// Comments say where the largest or the least numbers look like codes for unknown: far from the
// others, in some rows, with nines, eights and sevens only. They contain no value.
func TestDraftNamesCodesForUnknown(t *testing.T) {
	for _, tt := range []struct {
		most  int // number of usual values, from 0 on
		codes string
		each  int // of this many rows one has a code
		want  string
	}{
		{40, "99", 30, "largest"}, {40, "97 98 99", 30, "largest"}, {40, "999", 30, "largest"},
		{40, "77 88 99", 30, ""}, {30, "77 88 99", 30, "largest"}, {40, "-1", 30, "least"},
		{40, "-9", 30, "least"}, {40, "-99", 30, "least"}, {400, "-9 -8", 30, "least"},
		{6, "-1", 30, ""}, {60, "99", 30, ""}, {40, "99", 900, ""}, {40, "100", 30, ""},
		{40, "120 999", 30, "largest"}, {40, "90", 30, ""}, {400, "-2 -1", 30, ""},
		{40, "990 999", 30, ""}, {2, "8 9", 30, "largest"},
		{7, "7 8 9", 30, ""}, {3, "8", 30, "largest"}, {2, "3 4", 30, ""},
	} {
		t.Chdir(t.TempDir())
		var out strings.Builder
		out.WriteString("sex,job,count\n")
		codes := strings.Fields(tt.codes)
		for i := range 3600 {
			value := fmt.Sprint(i * 7 % tt.most)
			if i%tt.each == 0 {
				value = codes[i/tt.each%len(codes)]
			}
			fmt.Fprintf(&out, "%c,%c,%s\n", "mf"[i%2], "abcd"[i/5%4], value)
		}
		write(t, "survey.csv", out.String())
		text, err := draft.Job(t.Context(), draft.Options{Input: []string{"survey.csv"}},
			sees(0, 1))
		if err != nil {
			t.Fatal(err)
		}
		_, found, _ := strings.Cut(text, "values look like a code for unknown")
		again := strings.Count(text, "# Make codes for unknown null, ")
		if (found != "") != (tt.want != "") || (again == 1) != (tt.want != "") ||
			tt.want != "" && !strings.Contains(text, "; its "+tt.want+" values look") {
			t.Errorf("%+v:\n%s", tt, text)
		}
	}
}

// -1 below answers from 1 on is no answer, and one of three below and above 0 is.
func TestDraftNamesCodesBelowAnswers(t *testing.T) {
	for values, want := range map[string]bool{"Q5=-1|1|2|3|4": true, "Q5=-1|0|1": false,
		"Q5=-1|0|1|2|3": false, "Q5=90|91|92|99": true,
		"year=90|91|92|99": false} {
		text := study(t, 400, "age#", "sex=m|f", values)
		if strings.Contains(text, " values look like a code") != want {
			t.Errorf("%s: want %t\n%s", values, want, text)
		}
	}
}

// Numbers below 0 that stand for no answer in three columns are nulls, with those next to them, but
// not scales around 0, measurements, and numbers that mean something in another column.
func TestDraftDeclaresNumbersForNoAnswer(t *testing.T) {
	const three = "a=-5|1|2|3 b=-5|17|18|19|20 c=-5|-1|0|1"
	for columns, want := range map[string]string{
		three + " d=-1|0|1":                                  `["-5", "-1"]`,
		three + " d=-8|2|3":                                  `["-5", "-1"]`,
		"a=-5|1|2|3 b=-5|17|18|19|20 c=-1|0|1":               "",
		three + " d=-7|-5|-30|2":                             "",
		"a=-1|0|1|2|3 b=-1|0|1|2|3 c=-1|2|9":                 `["-1"]`,
		"a=-1|0|1|2|3 b=-1|0|1|2|3 c=-1|2|9 y=-1|1":          "",
		"a=-1|2|9 b=-1|2|9 c=-1|2|9 d=-2|-1|-1|0|1|2|3|4":    "",
		"a=-1|0|1 b=-1|0|1 c=-1|0|1":                         "",
		"a=-1|2|9 b=-1|2|9 c=-1|2|9 d=-2|-1|0|1|2":           "",
		"a=-1.0|2.0 b=-1.0|2.5|3.0 c=-1.0|1.0 d=-1|4":        "",
		"a=-1.0|2.0|4.0 b=-1.0|2.0|3.0 c=-1.0|2.0|5.0":       `["-1", "-1.0"]`,
		"a=1|2|3|98|99 b=1|2|8|98|99 c=16|17|18|19|97|98|99": `["98", "99"]`,
		"a=1|2|99 b=1|2|99 c=1|2|99 d=97|98|99":              "",
		"a=1|2|99 b=1|2|99 c=1|2|99 d=x|99":                  "",
		"a=1|2|99 b=1|2|99 c=1|2|3":                          "",
		"a=-1|2|9 b=-1|2|9 c=-1|2|9 d=-1":                    `["-1"]`,
		"a=Low|Medium|High|Refused b=x|y|z|u|w|v":            "[Refused]",
		"a=Low|Medium|High|Unknown b=yes|no|Unknown":         "",
		"a=Low|Medium|High|NA b=Low|Medium|High|Extreme|NA":  "[NA]",
		"a=Low|Medium|High|Other":                            "",
		"a=x|y|. b=u|v|w|. c=k|l|m|.":                        `["."]`,
		"a=x|y|. b=u|v|w|. c=k|l|m":                          "",
		"a=1|2|9 b=1|2|9 c=1|2|8|9 d=1|2|3|4|5|6|9":          `["9"]`,
		"a=1|2|9 b=1|2|9 c=1|2|8|9 d=1|3|5|7|9":              "",
		"a=1.0|2.0|99.0 b=1|2|99 c=1|2|99":                   `["99", "99.0"]`,

		strings.NewReplacer("#", "=-2|-1|-1|0|0|0|1|1|1|2|2|3|4|5|6").Replace("a# b# c#"): "",
	} {
		text := study(t, 900, append(strings.Fields(columns), "sex=m|f")...)
		_, got, _ := strings.Cut(text, "\ncsv: {nulls: ")
		if got, _, _ = strings.Cut(got, "}"); got != want {
			t.Errorf("%s: %q, want %q", columns, got, want)
		}
	}
}

// A day of most rows that is far from all others may stand for none.
func TestDraftMarksDaysForNone(t *testing.T) {
	for _, year := range []int{1900, 2009} {
		text := tableOf(t, 900, map[string]func(row int) string{"left": func(row int) string {
			if row%3 > 0 {
				return fmt.Sprintf("%d-01-01", year)
			}
			return fmt.Sprintf("%d-02-1%d", 2010+row%7, row%10)
		}})
		if strings.Contains(text, "its least values look") != (year == 1900) {
			t.Errorf("%d:\n%s", year, text)
		}
	}
}
