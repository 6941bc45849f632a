package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// exampleEvaluation has two algorithms and three k, one of which is not reached.
func exampleEvaluation(classified bool) *kcut.Evaluation {
	score := func(mean float64) kcut.Score {
		return kcut.Score{Mean: mean, Deviation: new(mean / 10)}
	}
	e := &kcut.Evaluation{Rows: 1234, Rounds: 5}
	errors := func(mean float64) map[string]kcut.Score { return nil }
	quality := func(mean float64) map[string]kcut.Quality { return nil }
	if classified {
		e.Learners = []string{"tree", "bayes"}
		errors = func(mean float64) map[string]kcut.Score {
			return map[string]kcut.Score{"tree": score(mean), "bayes": score(mean + 0.01)}
		}
		quality = func(mean float64) map[string]kcut.Quality {
			return map[string]kcut.Quality{
				"tree": {AUC: score(mean)}, "bayes": {AUC: score(mean + 0.0625)},
			}
		}
		e.Baseline, e.Upper = errors(0.17), errors(0.25)
		e.BaselineQuality, e.UpperQuality = quality(0.875), quality(0.5)
	}
	for a, algorithm := range []string{"tdr", hostile} {
		for i, k := range []int{5, 50, 1000} {
			r := kcut.EvaluationResult{Algorithm: algorithm, K: []int{k, k}}
			if a == 1 && k == 50 {
				r.Failed = hostile
			} else {
				r.Errors, r.Release = errors(0.18+0.02*float64(i)),
					&kcut.Costs{
						QueryError: score(0.05 * float64(i+1)),
						Penalty:    score(0.25 * float64(i+1)),
						NoRegion:   new(score(0.125)),
					}
				r.Quality = quality(0.75 - 0.125*float64(i))
			}
			e.Results = append(e.Results, r)
		}
	}
	return e
}

func writtenEvaluation(t *testing.T, e *kcut.Evaluation) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := WriteEvaluation(path, hostile, e, false); err != nil {
		t.Fatal(err)
	}
	if err := WriteEvaluation(path, hostile, e, false); kcut.ClassOf(err) != kcut.ErrExists {
		t.Errorf("a second page: %v", err)
	}
	if err := WriteEvaluation(path, hostile, e, true); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The page needs no other resource, has the results in their places, and its charts fit on a narrow
// screen.
func TestEvaluationPage(t *testing.T) {
	for _, classified := range []bool{true, false} {
		page := writtenEvaluation(t, exampleEvaluation(classified))
		checkAlone(t, page, false)
		var lines, titles []string
		marks, text := 0, ""
		for _, e := range parse(t, page) {
			switch e.name {
			case "svg":
				if width, err := strconv.Atoi(e.attributes["width"]); err != nil || width > 368 {
					t.Errorf("a picture is %d wide", width)
				}
			case "polyline":
				lines = append(lines, e.attributes["points"])
			case "title":
				titles = append(titles, e.text)
			case "path":
				marks++
				checkInside(t, e.attributes["transform"])
			case "tr":
				text += e.text + "\n"
			}
		}
		// tdr has one line in each of the charts, the other algorithm two of a point each; and
		// both have a mark in the legend.
		charts := 3
		if classified {
			charts = 4
		}
		if points := strings.Join(lines, ";"); len(lines) != 3*charts ||
			strings.Count(lines[0], ",") != 3 || strings.Count(points, ",") != 5*charts ||
			marks != 5*charts+2 {
			t.Errorf("lines %q, %d marks", lines, marks)
		}
		want := []string{"tdr5", shown + "1,000", shown + "50" + shown, "12.50 ± 1.25"}
		title := "tdr, k 50: certainty penalty 50 %, error of queries 10 %"
		if classified {
			title = "tdr, k 50: error of the tree classifier 20 %, error of queries 10 %"
			want = append(want, "nothing (BE)17.00 ± 1.7018.00 ± 1.800.875 / 0.938",
				"tdr5020.00 ± 2.0021.00 ± 2.100.625 / 0.68810.00 ± 1.00")
			if area := "tdr, k 50: AUC of the bayes classifier 0.6875"; !slices.Contains(titles,
				area) {
				t.Errorf("no %q among %q", area, titles)
			}
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
		if !slices.Contains(titles, title) || titles[0] != "Evaluation of "+shown {
			t.Errorf("no %q among %q", title, titles)
		}
	}
}

// checkInside checks that a mark is inside its chart, or the legend.
func checkInside(t *testing.T, transform string) {
	t.Helper()
	var x, y float64
	if _, err := fmt.Sscanf(transform, "translate(%g,%g)", &x, &y); err != nil ||
		transform != "translate(18,7)" &&
			(x < chartLeft || x > chartRight || y < chartTop || y > chartBottom) {
		t.Errorf("a mark is at %s: %v", transform, err)
	}
}

// A page names results that are of no use, in red.
func TestEvaluationPageOfUseless(t *testing.T) {
	e := exampleEvaluation(true)
	e.Majority, e.Results[2].Useless = &kcut.Score{Mean: 0.25}, true
	var alarms []string
	for _, element := range parse(t, writtenEvaluation(t, e)) {
		if element.class == "alarm" {
			alarms = append(alarms, element.text)
		}
	}
	want := "Of no use: tdr, k 1,000. No classifier does better than the most frequent class, " +
		"wrong about 25.00 %, as some do on raw rows."
	if !slices.Equal(alarms, []string{want}) {
		t.Errorf("the page says %q", alarms)
	}
}

// A page says what auto takes.
func TestEvaluationPageOfChosen(t *testing.T) {
	e := exampleEvaluation(true)
	e.Results[1].Chosen = map[string]int{"tdr": 1, "guided": 3, hostile: 1}
	e.Results[2].Chosen = map[string]int{"tdr": 5}
	page := writtenEvaluation(t, e)
	for _, want := range []string{"tdr: guided in 3 rounds, ", "tdr: tdr"} {
		if !slices.ContainsFunc(parse(t, page), func(e *element) bool {
			return e.name == "th" && strings.HasPrefix(e.text, want)
		}) {
			t.Errorf("no row begins with %q", want)
		}
	}
}

// A page says which figures are optimistic.
func TestEvaluationPageOfOptimistic(t *testing.T) {
	e := exampleEvaluation(true)
	if strings.Contains(writtenEvaluation(t, e), "optimistic") {
		t.Error("figures of new rows are called optimistic")
	}
	e.Optimistic = []string{"errors", "quality", "propensity"}
	if page := writtenEvaluation(t, e); !strings.Contains(page, "masked rows, and propensity, "+
		"are optimistic") {
		t.Error("no figure is called optimistic")
	}
}

// Without a release nothing is drawn, and one result is a point.
func TestEvaluationPageOfLittle(t *testing.T) {
	e := exampleEvaluation(true)
	e.Results = e.Results[4:5]
	if page := writtenEvaluation(t, e); strings.Contains(page, "<polyline") ||
		!strings.Contains(page, "<figure") {
		t.Error("a line is drawn of no result")
	}
	e = exampleEvaluation(true) // of a version that printed no AUC
	e.BaselineQuality, e.UpperQuality, e.Results[0].Quality = nil, nil, nil
	e.Results = e.Results[:1]
	if page := writtenEvaluation(t, e); strings.Contains(page, "AUC") ||
		strings.Count(page, "<polyline") != 3 {
		t.Error("an AUC is drawn of no classifier")
	}
	e = exampleEvaluation(false)
	e.Results = e.Results[:1]
	e.Results[0].Release.QueryError.Mean = 0
	if page := writtenEvaluation(t, e); strings.Count(page, "<polyline") != 3 ||
		strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Error("one result is not one point in each of three charts")
	}
}

func TestAxes(t *testing.T) {
	for _, tt := range []struct {
		got  []float64
		want string
	}{
		{logTicks(5, 1000), "[5 10 20 50 100 200 500 1000]"},
		{logTicks(0.02, 3e4), "[0.1 1 10 100 1000 10000]"},
		{logTicks(54, 58), "[54 55 56 57 58]"}, {roundBetween(17.2, 25), "[16 18 20 22 24 26]"},
		{roundBetween(3, 3), "[2.4 2.6 2.8 3 3.2 3.4 3.6]"},
		{roundBetween(0, 0.6), "[0 0.1 0.2 0.3 0.4 0.5 0.6]"},
	} {
		var rounded []float64
		for _, v := range tt.got {
			rounded = append(rounded, float64(int(v*1e6+0.5))/1e6)
		}
		if got := fmt.Sprint(rounded); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
