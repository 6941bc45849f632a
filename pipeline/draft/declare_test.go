package draft_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/pipeline/draft"
)

// A draft declares texts of CSV that stand for no value where all others are numbers or times, or
// are the mark of suppressed values, and types that nothing else says; Parquet's texts stay texts.
func TestDraftDeclares(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("finish,start,seen,bill,rating,city,weight,zip,code\n")
	var day, mark, us []string
	for i := range 400 {
		rare := func(other, text string) string {
			return map[bool]string{true: other, false: text}[i%100 == 7]
		}
		fmt.Fprintf(&out, "%s,%d:%02d,%d.%d.2020 %02d:00,%s,%s,city %d,%s,%s,%s\n",
			rare("*", fmt.Sprintf("%d:%02d:%02d", i%5, i%60, i%59)), i%24, i%60, 1+i%28, 1+i%12,
			i%24, rare("NA", fmt.Sprint(i%97*7)), rare("*", fmt.Sprint(i%5)), i%9,
			rare("50.0", fmt.Sprint(50+i%50)), rare("1e4", fmt.Sprint(10000+i%50)),
			rare("NA", fmt.Sprintf("c%d", i%8)))
		us = append(us, fmt.Sprintf("%d/%d/2020", 1+i%12, 1+i%28))
		day, mark = append(day, fmt.Sprintf("%d.%d.2020", 1+i%28, 1+i%12)),
			append(mark, rare("*", "a"))
	}
	write(t, "races.csv", out.String())
	text := draftOf(t, draft.Options{Input: []string{"races.csv"}})
	runDraft(t, text)
	for _, want := range []string{
		"csv: {nulls: [\"*\", NA]} # nulls were found by their form",
		"  finish: {mask: discretize, type: time(hh:mm:ss), round: hour}",
		"  start:  {mask: discretize, type: time(hh:mm), round: hour}",
		"  seen:   {mask: discretize, type: timestamp(D.M.YYYY hh:mm), round: month}",
		"  bill:   {mask: discretize, round: 50}", "  rating: discretize",
		"  weight: {mask: discretize, type: number, round: 5}",
		"  zip:    {mask: generalize, taxonomy: {prefix: [5, 3, 1]}}",
		"  code:   suppress",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if err := formatstest.WriteIndexed("days.parquet", []formatstest.Text{
		{Name: "day", Rows: day}, {Name: "mark", Rows: mark},
		{Name: "us", Rows: us}}, nil); err != nil {
		t.Fatal(err)
	}
	text = draftOf(t, draft.Options{Input: []string{"days.parquet"}})
	runDraft(t, text)
	for _, want := range []string{"  day:  suppress  ",
		"# dates with the day first",
		"  us:   {mask: generalize, taxonomy: {us_date: [month, year, decade]}}",
		"# 4 values are the mark"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// TestDraftNamesByPosition: columns of CSV without a name, or with that of another one, get an
// entry that names them; row numbers of pandas, in the first column, need none.
func TestDraftNamesByPosition(t *testing.T) {
	for _, more := range []int{0, 100} { // wide tables do not list what they drop
		t.Chdir(t.TempDir())
		header, rest := ",sex,,age,sex", ""
		for i := range more {
			header, rest = header+fmt.Sprint(",more", i), rest+","+fmt.Sprint(i)
		}
		text := header + "\n"
		for i := range 400 {
			text += fmt.Sprintf("%d,%c,%d,%d,%c%s\n", i, "MF"[i%2], i%3, i%70, "FM"[i/2%2], rest)
		}
		write(t, "people.csv", text)
		j, _ := runDraft(t, draftOf(t, draft.Options{Input: []string{"people.csv"}}))
		got := make(map[string]int)
		for _, c := range j.Columns {
			if c.Rename > 0 {
				got[c.Name] = c.Rename
			}
		}
		want := map[string]int{"column3": 3, "column5": 5}
		if !maps.Equal(got, want) {
			t.Errorf("%d more columns: renamed are %v, want %v", more, got, want)
		}
	}
}
