package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// hostile is a text that would leave its element if it were not escaped, and change the direction
// of the following text; shown is its form on a page.
const (
	hostile = `</td></script><script>alert("1")</script><!--&amp;'{{.}}` + "\u202e"
	shown   = `</td></script><script>alert("1")</script><!--&amp;'{{.}}\u202e`
)

// exampleSource returns a release of two sets with everything that can be known of one.
func exampleSource() Source {
	sets := []kcut.CutSet{{Columns: []string{"age", "zip"}, K: 5, Anonymity: 5},
		{Columns: []string{"zip", "job"}, K: 2, Anonymity: 9}}
	cut := &kcut.Cut{
		Version: 1, Algorithm: "tdr", Class: "income", Rows: 100, Sets: sets, Steps: 2,
		Columns: kcut.CutColumns{
			{
				Name:   "age",
				Mask:   "discretize",
				Render: "bounds",
				Cut: []kcut.CutLabel{{Label: "(,37)", Interval: true, Upper: []byte("37")},
					{Label: "[37,)", Interval: true, Lower: []byte("37")}},
			},
			{
				Name: "zip",
				Mask: "generalize",
				Cut:  []kcut.CutLabel{{Label: hostile}, {Label: "empty"}, {Null: true}},
			},
			{Name: "job", Mask: "suppress", Suppressed: "*", Cut: []kcut.CutLabel{{Label: "cook"}}},
		},
	}
	return Source{
		Release: &kcut.Inspection{
			Result: &kcut.Verification{
				Path: "some/where/release.parquet",
				Rows: 100,
				Sets: sets,
				OK:   true,
				Homogeneous: []kcut.Homogeneity{
					{Set: 1, Column: hostile, Classes: 2, Records: 25, Gained: 0.1875},
					{Set: 2, Column: hostile},
				},
			},
			Cut: cut, Digest: "abcd",
			Sizes: []kcut.GroupSizes{
				{
					Classes: 5,
					Largest: 60,
					Buckets: []kcut.SizeBucket{{From: 5, To: 8, Classes: 3, Records: 20},
						{From: 16, To: 32, Classes: 1, Records: 20},
						{From: 32, To: 64, Classes: 1, Records: 60}},
				},
				{
					Classes: 2,
					Largest: 91,
					Buckets: []kcut.SizeBucket{{From: 9, To: 16, Classes: 1, Records: 9},
						{From: 64, To: 128, Classes: 1, Records: 91}},
				},
			},
			Risk: &kcut.Risk{
				K:       5,
				Columns: []string{"income", hostile},
				Kept:    &kcut.RiskFigures{Unique: 0.0123, Below: 0.0456, Classes: 1234},
				Labels:  &kcut.RiskFigures{Marketer: 0.321},
				Both:    &kcut.RiskFigures{Unique: 0.789, Part: 0.125},
			},
			Labels: [][]kcut.LabelGroups{
				nil,
				{{Records: 80, Smallest: []uint64{5, 91}}, {Records: 0, Smallest: []uint64{0, 0}},
					{Records: 20, Smallest: []uint64{20, 9}}},
				{{Records: 9, Smallest: []uint64{0, 9}}, {Records: 91, Smallest: []uint64{0, 91}}},
			},
		},
		Trace: []kcut.TraceStep{
			{
				Step:      1,
				Column:    "zip",
				Value:     kcut.TraceLabel{Text: "ANY"},
				Children:  []kcut.TraceLabel{{Text: hostile}, {Text: "empty"}, {Null: true}},
				InfoGain:  0.25,
				AnonyLoss: 40,
				Score:     0.00609,
				Anonymity: []uint64{20, 20},
			},
			{
				Step:      2,
				Column:    "job",
				Value:     kcut.TraceLabel{Text: "cook"},
				Children:  []kcut.TraceLabel{{Text: "cook"}},
				InfoGain:  -1e-16,
				AnonyLoss: 11,
				Score:     0,
				Anonymity: []uint64{5, 9},
			},
		},
		Run: &kcut.Report{
			Output:  "release.parquet",
			Rows:    120,
			Inputs:  []string{"a", "b"},
			Notices: []string{hostile},
			Outcome: kcut.Outcome{
				Released: 100, Steps: 2, Sets: sets, Information: new(0.375),
				Auto: &kcut.Choice{
					Objective:  "balanced",
					Records:    98,
					Algorithm:  "tdr",
					Suppresses: true,
					Candidates: []kcut.Judged{
						{
							Algorithm:  "tdr",
							Suppresses: true,
							Loss:       new(0.4375),
							Error:      new(0.0625),
							Seconds:    1.5,
						}, {Algorithm: "kactus", LeftOut: hostile},
					}},
				Masked: []kcut.MaskedColumn{
					{Column: "age", Information: 0.5, Values: 73},
					{Column: "zip", Information: 0.25, Values: 3, Frequent: []uint64{60, 30}},
					{Column: "job", Values: 7, Frequent: []uint64{12}},
				},
				Nulls: []kcut.NullCount{{Column: "zip", Rows: 20}},
				Stopped: []kcut.StoppedColumn{{
					Column: "zip",
					Why:    []string{"set 1", "empty", "finest"},
				}, {Column: "job", Why: []string{"finest", "steps"}}},
			},
			Columns: []kcut.ColumnReport{{Name: "name", Mask: "drop"},
				{Name: hostile, Mask: "keep"}},
			Stages: []kcut.StageTime{{Stage: kcut.StageMask, Seconds: 0.5},
				{Stage: kcut.StageVerify, Seconds: 0}},
			Risk: &kcut.Risk{
				Raw:        &kcut.RiskFigures{Unique: 0.987},
				Determines: []kcut.RiskDetermined{{Kept: hostile, Masked: "zip"}},
			},
			Digests: &kcut.Digests{Job: "1", Input: "2", Output: "abcd"},
		},
	}
}

func written(t *testing.T, s Source) string {
	t.Helper()
	text, err := s.page()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// element is a start tag of a page, with the text inside it.
type element struct {
	name, class string
	attributes  map[string]string
	text        string
}

// scripts finds the text between script tags, which is no XML.
var scripts = regexp.MustCompile(`(?s)(<script[^>]*>)(.*?)(</script>)`)

// parse reads a page, which is well-formed XML except for its scripts.
func parse(t *testing.T, page string) []*element {
	t.Helper()
	page = scripts.ReplaceAllString(page, "$1$3")
	page, ok := strings.CutPrefix(page, "<!DOCTYPE html>\n")
	if !ok {
		t.Fatal("it does not say that it is HTML")
	}
	in := xml.NewDecoder(strings.NewReader(page))
	var all, open []*element
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attributes: make(map[string]string)}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			e.class = e.attributes["class"]
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, e := range open {
				e.text += string(token)
			}
		}
	}
}

// sources returns all kinds of data for a page.
func sources() map[string]Source {
	all := exampleSource()
	alone := Source{Release: all.Release}
	untraced := all
	untraced.Trace = nil
	regions := exampleSource()
	regions.Release.Cut.Kind, regions.Release.Cut.Regions = kcut.KindRegions,
		[]kcut.CutRegion{{0, 0, 0}}
	regions.Trace = []kcut.TraceStep{}
	return map[string]Source{"everything": all, "release alone": alone, "no trace": untraced,
		"regions": regions, "protected": protectedSource()}
}

// protectedSource is a release that counts entities and has sensitive columns.
func protectedSource() Source {
	s := exampleSource()
	s.Release.Cut.Entity = true
	s.Release.Cut.Sensitive = []kcut.Sensitive{{Column: hostile, L: 3, T: new(0.25)},
		{Column: "debt", MaxConfidence: &kcut.Shares{Of: map[string]float64{hostile: 0.5}}}}
	s.Release.Sensitive = []kcut.Measured{
		{Set: 1, Column: hostile}, {Set: 1, Column: "debt"},
		{Set: 2, Column: hostile}, {Set: 2, Column: "debt"},
	}
	of := s.Release.Sensitive
	of[0].L, of[0].T, of[1].MaxConfidence = new(4.0), new(0.0), new(0.4375)
	of[2].L, of[2].T, of[3].MaxConfidence = new(7.0), new(0.125), new(0.25)
	return s
}

// The page shows the candidates that algorithm auto judged, and its choice.
func TestChoice(t *testing.T) {
	text := ""
	for _, e := range parse(t, written(t, exampleSource())) {
		if e.name == "tr" || e.name == "p" || e.name == "li" {
			text += e.text + "\n"
		}
	}
	for _, want := range []string{
		"judged these by balanced of 98 records, and took tdr with max_suppressed.\n", "tdr with " +
			"max_suppressed0.43750.0625––1.50 s\n", "kactus––––0.00 s" + shown + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The page shows that k counts entities, and the promised and counted figures of sensitive columns.
func TestProtections(t *testing.T) {
	text := ""
	for _, e := range parse(t, written(t, protectedSource())) {
		if e.name == "tr" || e.name == "p" || e.name == "li" {
			text += e.text + "\n"
		}
	}
	for _, want := range []string{
		"k counts entities", "the cut claims 5, 9 entities at least", shown + ": l 3, t 0.25\n",
		"0.5\n",
		shown + "14–0\n", "debt1–0.4375–\n", shown + "27–0.125\n", "debt2–0.25–\n",
		shown + "1252525.0 %18.8 %\n", shown + "20200.0 %0.0 %\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if page := written(t, exampleSource()); strings.Contains(page, "entities") ||
		strings.Contains(page, "promises") {
		t.Error("it tells of protections that are not there")
	}
}

// A page needs no other resource: it is well-formed, fetches nothing, and has no script or style
// but its own.
func TestPageIsSelfContained(t *testing.T) {
	for name, source := range sources() {
		t.Run(name, func(t *testing.T) {
			page := written(t, source)
			if again := written(t, source); again != page {
				t.Error("it was written otherwise the second time")
			}
			checkAlone(t, page, len(source.Trace) > 0)
		})
	}
}

// checkAlone checks that a page is well-formed, fetches nothing, and allows only its own script, if
// it has one.
func checkAlone(t *testing.T, page string, scripted bool) {
	t.Helper()
	for _, word := range []string{"http://", "https://", "@import", "url(", "\u202e"} {
		if strings.Contains(page, word) {
			t.Errorf("it has %q", word)
		}
	}
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " +
		sha256Of(t, page, "<style>", "</style>")
	inside := scripts.FindAllStringSubmatch(page, -1)
	if scripted {
		policy += "; script-src " + sha256Of(t, page, "<script>", "</script>")
		if len(inside) != 2 || inside[0][1] != `<script id="trace" type="application/json">` ||
			!json.Valid([]byte(inside[0][2])) {
			t.Errorf("%d scripts", len(inside))
		}
	} else if len(inside) > 0 {
		t.Error("it has a script")
	}
	ids, policies := make(map[string]bool), 0
	for _, e := range parse(t, page) {
		if slices.Contains([]string{"img", "link", "iframe", "object", "base", "form"}, e.name) {
			t.Errorf("it has an element %s", e.name)
		}
		for attribute, value := range e.attributes {
			if attribute == "src" || attribute == "style" || strings.HasPrefix(attribute, "on") ||
				attribute == "href" && !strings.HasPrefix(value, "#") {
				t.Errorf("element %s has %s", e.name, attribute)
			}
		}
		if e.attributes["http-equiv"] != "" {
			policies++
			if e.attributes["content"] != policy {
				t.Errorf("policy %q, want %q", e.attributes["content"], policy)
			}
		}
		if id := e.attributes["id"]; id != "" && ids[id] {
			t.Errorf("id %s comes twice", id)
		} else {
			ids[id] = true
		}
	}
	for _, e := range parse(t, page) {
		if to := e.attributes["href"]; to != "" && !ids[to[1:]] {
			t.Errorf("link to %s leads nowhere", to)
		}
	}
	if policies != 1 {
		t.Errorf("%d policies", policies)
	}
}

// sha256Of returns the name of the text between two tags in a policy.
func sha256Of(t *testing.T, page, from, to string) string {
	t.Helper()
	_, rest, _ := strings.Cut(page, from)
	inside, _, found := strings.Cut(rest, to)
	if !found {
		t.Errorf("no %s", from)
	}
	sum := sha256.Sum256([]byte(inside))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Values are unchanged, in their own places, and characters that change the direction of text are
// shown as numbers.
func TestPageEscapes(t *testing.T) {
	places := make(map[string]bool)
	for _, e := range parse(t, written(t, exampleSource())) {
		if strings.Contains(e.text, shown) && e.name != "body" && e.name != "html" {
			places[e.name+" "+e.class] = true
		}
	}
	for _, place := range []string{"td label", "li ", "p ", "th "} {
		if !places[place] {
			t.Errorf("it is not in %q; it is in %v", place, places)
		}
	}
}

func TestPageTells(t *testing.T) {
	var texts []string
	for _, e := range parse(t, written(t, exampleSource())) {
		if slices.Contains([]string{"td", "th", "h1", "text", "summary", "dd"}, e.name) {
			texts = append(texts, e.text)
		}
	}
	for _, want := range []string{
		"Releaserelease.parquet", "tdr, 2 steps", "abcd", "5 – 7", "32 – 60", "64 – 91", "60.0 %",
		"null", "*", "a", "b", "c", "set 2", "10 × k",
		"ANY → " + shown + " | empty | null", "0.25", "0.00609", "0.50 s",
		"Kept columns", "1.2 %", "4.6 %", "1,234", "32.1 %", "78.9 %", "0 (estimated from 1/8 of " +
			"them)", "Before masking", "98.7 %",
		"37.5 % of the masked columns", "75.0 %", "cook is disclosed",
		"5 records; k is 5, set 1", "98.7 % → 0.0 % for somebody who knows all sets", "100 of 120",
		"2 steps", "5 (set 1)", "25.0 %", "20 · 20",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("it does not tell %q: %q", want, texts)
		}
	}
}

// Every bar and line is inside its picture.
func TestPageDrawsWithin(t *testing.T) {
	for name, source := range sources() {
		for _, e := range parse(t, written(t, source)) {
			switch e.name {
			case "rect":
				if width, err := strconv.ParseFloat(e.attributes["width"], 64); err != nil ||
					width < 0 || width > 100 {
					t.Errorf("%s: a bar of %q", name, e.attributes["width"])
				}
			case "polyline":
				checkPoints(t, e.attributes["points"], curveLeft, curveRight, curveTop, curveBottom)
			}
		}
	}
}

func checkPoints(t *testing.T, points string, left, right, top, bottom float64) {
	t.Helper()
	for point := range strings.FieldsSeq(points) {
		var x, y float64
		if n, err := fmt.Sscanf(point, "%f,%f", &x, &y); n != 2 || err != nil || x < left ||
			x > right || y < top || y > bottom {
			t.Errorf("point %s", point)
		}
	}
}

// Long traces are thinned out, except their ends; constant ones and those without gain can be
// drawn, too.
func TestCurveOfManySteps(t *testing.T) {
	for _, steps := range []int{1, 2, mostPoints, 5*mostPoints + 7} {
		for _, gain := range []float64{0, 1e-300, 0.5} {
			s := exampleSource()
			s.Release.Cut.Steps = steps
			s.Trace = nil
			for i := range steps {
				s.Trace = append(s.Trace,
					kcut.TraceStep{Step: i + 1, InfoGain: gain, Anonymity: []uint64{5, 9}})
			}
			c := newCurve(s.Trace, s.Release.Cut)
			for _, points := range []string{c.Gain, c.Lines[0].Points, c.Lines[1].Points} {
				checkPoints(t, points, curveLeft, curveRight, curveTop, curveBottom)
				if n := len(strings.Fields(points)); n > mostPoints+2 ||
					!strings.Contains(points, fmt.Sprintf("%d.0,", curveRight)) {
					t.Errorf("%d steps: %d points up to %s", steps, n, points[len(points)-12:])
				}
			}
			if len(c.StepTicks) > 9 || len(c.GainTicks) > 5 {
				t.Errorf("%d steps: %d and %d ticks", steps, len(c.StepTicks), len(c.GainTicks))
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		most  float64
		count int
		want  []float64
	}{
		{35, 8, []float64{0, 5, 10, 15, 20, 25, 30, 35}},
		{1, 8, []float64{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}},
		{0.55, 4, []float64{0, 0.2, 0.4}},
		{1000, 4, []float64{0, 500, 1000}},
	} {
		if got := ticks(tt.most, tt.count); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("up to %v: %v, want %v", tt.most, got, tt.want)
		}
	}
}

// Long lists are shortened, with a note.
func TestPageShortensLists(t *testing.T) {
	s := exampleSource()
	s.Run = nil
	zip := &s.Release.Cut.Columns[1]
	zip.Cut, s.Release.Labels[1] = nil, nil
	for i := range mostLabels + 50 {
		zip.Cut = append(zip.Cut, kcut.CutLabel{Label: fmt.Sprintf("label-%d.", i)})
		s.Release.Labels[1] = append(s.Release.Labels[1],
			kcut.LabelGroups{Records: 6, Smallest: []uint64{6, 9}})
	}
	s.Trace[0].Children = nil
	for i := range 40 {
		s.Trace[0].Children = append(s.Trace[0].Children,
			kcut.TraceLabel{Text: fmt.Sprintf("child-%d.", i)})
	}
	page := scripts.ReplaceAllString(written(t, s), "")
	for _, tt := range []struct {
		pattern string
		want    int
	}{{`label-\d+\.`, mostLabels}, {`child-\d+\.`, mostChildren},
		{`and 50 labels that are not listed`, 1}, {`… of 40`, 1}} {
		if got := len(regexp.MustCompile(tt.pattern).FindAllString(page, -1)); got != tt.want {
			t.Errorf("%s is there %d times, want %d", tt.pattern, got, tt.want)
		}
	}
}

// Data of another release is refused.
func TestWriteRefuses(t *testing.T) {
	for name, change := range map[string]func(*Source){
		"a step less":        func(s *Source) { s.Trace = s.Trace[:1] },
		"no step":            func(s *Source) { s.Trace = s.Trace[:0] },
		"other anonymity":    func(s *Source) { s.Trace[1].Anonymity = []uint64{6, 9} },
		"a set less":         func(s *Source) { s.Trace[0].Anonymity = []uint64{20} },
		"other rows":         func(s *Source) { s.Run.Released = 99 },
		"other digest":       func(s *Source) { s.Run.Digests.Output = "efgh" },
		"no digest":          func(s *Source) { s.Run.Digests = nil },
		"a run that failed":  func(s *Source) { s.Run.Error = &kcut.ErrorReport{Class: "input"} },
		"a report of others": func(s *Source) { s.Run.Sets = nil },
	} {
		s := exampleSource()
		change(&s)
		if _, err := s.page(); kcut.ClassOf(err) != kcut.ErrInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		part  uint64
		whole int64
		want  string
	}{{0, 0, "0.0 %"}, {1, 3, "33.3 %"}, {2, 3, "66.7 %"}, {100, 100, "100.0 %"},
		{1, 10_000_000_000, "0.0 %"}} {
		if got := percent(tt.part, tt.whole); got != tt.want {
			t.Errorf("%d of %d is %s, want %s", tt.part, tt.whole, got, tt.want)
		}
	}
}

// A replay of a whole trace ends with the labels of the release, or begins with them if steps
// generalize, and contains no character that does not print.
func TestReplay(t *testing.T) {
	s := exampleSource()
	r := newReplay(s.Trace, s.Release.Cut)
	if r.First != 0 || r.Total != 2 || !slices.Equal(r.Start, []uint64{100, 100}) ||
		len(r.Steps) != 2 {
		t.Errorf("%+v", r)
	}
	texts := func(numbers []int) (texts []string) {
		for _, n := range numbers {
			texts = append(texts, r.Labels[n])
		}
		return texts
	}
	// no step, one that divides, one that discloses
	want := [][]string{{"(,37)", "[37,)"}, {"ANY"}, {"*"}}
	for i, labels := range want {
		if got := texts(r.Columns[i].Labels); !slices.Equal(got, labels) {
			t.Errorf("column %d begins with %q, want %q", i, got, labels)
		}
	}
	if got := texts(r.Steps[0].Children); !slices.Equal(got, []string{shown, "empty", "null"}) {
		t.Errorf("children %q", got)
	}
	s.Release.Cut.Algorithm = "bottom-up"
	if r = newReplay(s.Trace, s.Release.Cut); !r.Up || r.Start != nil ||
		!slices.Equal(texts(r.Columns[1].Labels), []string{shown, "empty", "null"}) {
		t.Errorf("bottom-up: %+v", r)
	}
}

// The beginning of a long trace is replayed, or, if steps generalize, the end.
func TestReplayOfManySteps(t *testing.T) {
	for name, text := range map[string]string{"steps": "x", "bytes": strings.Repeat("x", 1000)} {
		for _, algorithm := range []string{"tdr", "bottom-up"} {
			s := exampleSource()
			s.Release.Cut.Algorithm, s.Trace = algorithm, nil
			for i := range mostReplayed + 100 {
				s.Trace = append(s.Trace,
					kcut.TraceStep{
						Step:      i + 1,
						Column:    "zip",
						Value:     kcut.TraceLabel{Text: text},
						Anonymity: []uint64{uint64(i), 9},
					})
			}
			r := newReplay(s.Trace, s.Release.Cut)
			steps := len(r.Steps)
			if steps > mostReplayed || steps*len(text) > mostReplayedBytes ||
				steps < min(mostReplayed, mostReplayedBytes/len(text)-1) {
				t.Errorf("%s, %s: %d steps", name, algorithm, steps)
			}
			first := 0
			if algorithm == "bottom-up" {
				first = len(s.Trace) - steps
				if r.Start[0] != uint64(first-1) {
					t.Errorf("%s: it starts with %v", name, r.Start)
				}
			}
			if r.First != first || r.Steps[0].Anonymity[0] != uint64(first) {
				t.Errorf("%s, %s: it begins after %d", name, algorithm, r.First)
			}
		}
	}
}

// A page with an evaluation marks the algorithm and the k of the release, and no other.
func TestPageOfEvaluated(t *testing.T) {
	s := exampleSource()
	s.Evaluation = exampleEvaluation(true)
	s.Release.Cut.Sets[0].K, s.Release.Cut.Sets[1].K = 50, 50
	chosen := func() (rows, marks int, text string) {
		page := written(t, s)
		checkAlone(t, page, true)
		for _, e := range parse(t, page) {
			switch e.class {
			case "this":
				rows, text = rows+1, e.text
			case "chosen":
				marks++
			}
		}
		return rows, marks, text
	}
	if rows, marks, text := chosen(); rows != 1 || marks != 4 ||
		!strings.HasPrefix(text, "tdr5020.00 ± 2.00") {
		t.Errorf("%d rows and %d marks: %s", rows, marks, text)
	}
	s.Evaluation.Majority, s.Evaluation.Results[1].Useless = &kcut.Score{Mean: 0.25}, true
	if page := written(t, s); strings.Count(page, `<p class="alarm"><strong>Of no use`) != 2 {
		t.Error("the summary or the evaluation does not say that the release is of no use")
	}
	s.Release.Cut.Sets[0].K = 5 // no result has two sets with two k
	if rows, marks, _ := chosen(); rows != 0 || marks != 0 {
		t.Errorf("%d rows and %d marks", rows, marks)
	}
}

// A page says in red that fewer than two masked columns keep more than one label; nulls, and
// labels that only suppressed records have, do not count.
func TestPageOfLittle(t *testing.T) {
	s := exampleSource()
	for _, tt := range []struct {
		cooks, others, marked uint64 // records with a job, with its mark, and with only marks
		zips                  uint64
		want                  string
	}{
		{9, 91, 0, 20, ""}, {0, 100, 0, 20, ""},
		{0, 100, 0, 0, "Hardly anything is left: 1 masked column of 3 keeps more than one label."},
		{91, 9, 9, 0, "Hardly anything is left: 1 masked column of 3 keeps more than one label."},
		{91, 9, 0, 0, ""},
	} {
		s.Release.Labels[1][1].Records = tt.zips // besides nulls
		s.Release.Labels[2][0].Records, s.Release.Labels[2][1].Records = tt.cooks, tt.others
		s.Release.Cut.Suppressed = tt.marked
		got := ""
		for _, e := range parse(t, written(t, s)) {
			if e.class == "alarm" && strings.HasPrefix(e.text, "Hardly") {
				got = e.text
			}
		}
		if got != tt.want {
			t.Errorf("%+v: the page says %q", tt, got)
		}
	}
}

// A page says in red that a run has found nothing left about the class.
func TestPageOfNoUse(t *testing.T) {
	for _, useless := range []bool{false, true} {
		s := exampleSource()
		s.Run.Useless = useless
		if page := written(t, s); useless != strings.Contains(page,
			`<p class="alarm"><strong>Nothing is left about the class</strong>`) {
			t.Errorf("useless: %t, and the page says otherwise", useless)
		}
	}
}

// The page of thousands of labels in many columns, and of thousands of steps, stays small.
func TestPageOfMuch(t *testing.T) {
	s := exampleSource()
	s.Run, s.Trace = nil, nil
	cut := s.Release.Cut
	for c := range 60 {
		column := kcut.CutColumn{Name: fmt.Sprintf("column %d", c), Mask: kcut.MaskGeneralize}
		var groups []kcut.LabelGroups
		for i := range 3000 {
			column.Cut = append(column.Cut,
				kcut.CutLabel{Label: fmt.Sprintf("a label of some length %d", i)})
			groups = append(groups, kcut.LabelGroups{Records: 6, Smallest: []uint64{6, 9}})
		}
		cut.Columns, s.Release.Labels = append(cut.Columns, column),
			append(s.Release.Labels, groups)
		cut.Sets[0].Columns = append(cut.Sets[0].Columns, column.Name)
	}
	for i := range 20_000 {
		children := []kcut.TraceLabel{{Text: strings.Repeat("x", 50)},
			{Text: strings.Repeat("y", 50)}}
		s.Trace = append(s.Trace, kcut.TraceStep{
			Step:      i + 1,
			Column:    "zip",
			Children:  children,
			Anonymity: []uint64{5, 9},
		})
	}
	cut.Steps = len(s.Trace)
	page := written(t, s)
	if len(page) > 4<<20 || !strings.Contains(page, "2,937 labels that are not listed") ||
		!strings.Contains(page, "19,500 steps that are not listed") {
		t.Errorf("%d bytes: %q", len(page),
			regexp.MustCompile("[0-9,]+ (labels|steps) that are not listed").FindAllString(page, 3))
	}
}

// The first sentence judges the risk on all labels together: in red where more than 1 % of the rows
// are alone, as only max_unique allows.
func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		union      *kcut.Union
		kind, want string
	}{
		{nil, "caution", "The risk of all labels together is not known: "},
		{&kcut.Union{}, "verdict", "Low risk: Nobody is alone for somebody who knows all " +
			"masked columns of a person. No group has only one value of income."},
		{&kcut.Union{BelowK: 0.002}, "verdict", "Low risk: Nobody is alone for somebody who " +
			"knows all masked columns of a person; 0.2 % of the rows are in groups of fewer " +
			"than 2."},
		{&kcut.Union{Unique: 0.01, BelowK: 0.01}, "verdict",
			"Low risk: 1.0 % of the rows are alone"},
		{&kcut.Union{Unique: 0.0002, BelowK: 0.0101}, "caution", "Some risk: 1.0 % of the rows " +
			"are in groups of fewer than 2 for somebody who knows all masked columns of a " +
			"person. < 0.1 % of the rows are alone."},
		{&kcut.Union{Unique: 0.34, BelowK: 0.5}, "alarm",
			"High risk: 34.0 % of the rows are alone"},
	} {
		s := exampleSource()
		s.Release.Union = tt.union
		s.Release.Homogeneous = []kcut.Homogeneity{{Set: 1, Column: "income"}}
		first := slices.IndexFunc(parse(t, written(t, s)), func(e *element) bool {
			return e.name == "p"
		})
		e := parse(t, written(t, s))[first]
		if e.class != tt.kind || !strings.HasPrefix(e.text, tt.want) ||
			strings.Contains(e.text, "max_unique") != (tt.kind == "alarm") {
			t.Errorf("%+v: %s: %q", tt.union, e.class, e.text)
		}
	}
	s := exampleSource()
	s.Release.Risk.Labels.Unique = 0.34
	if page := written(t, s); !strings.Contains(page, `<div class="tile bad"><dt>Unique rows`) {
		t.Error("the tile of unique rows is not red")
	}
}

// The first figure is the smallest of all classes, however near those of another set are to its k.
func TestReportHasTheSmallestClass(t *testing.T) {
	s := exampleSource()
	s.Release.Sets[0].K, s.Release.Sets[1].K = 2, 9
	want := `<span class="value">5</span> <span class="more">records; k is 2, set 1</span>`
	if page := written(t, s); !strings.Contains(page, want) {
		t.Errorf("no %s in\n%s", want, page)
	}
}

// The verdict says what groups of one value disclose. It is not green where they disclose more than
// the shares of the whole release, unless the job limits the column.
func TestVerdictOfValues(t *testing.T) {
	const safe = "Nobody is alone for somebody who knows all masked columns of a person."
	income := kcut.Homogeneity{Set: 2, Column: "income", Classes: 3, Records: 36, Gained: 0.09}
	usual := kcut.Homogeneity{Set: 1, Column: "income", Classes: 9, Records: 90, Gained: 0.009}
	debt := kcut.Homogeneity{Set: 1, Column: "debt", Classes: 1, Records: 5, Gained: 0.0101}
	limits := []kcut.Sensitive{{Column: "income", L: 2}}
	type found = []kcut.Homogeneity
	const who = "hoever finds somebody’s group knows "
	for _, tt := range []struct {
		found  []kcut.Homogeneity
		limits []kcut.Sensitive
		unique float64
		kind   string
		want   string
	}{
		{found{usual, income}, nil, 0, "caution", "Some risk: w" + who + "income for 36.0 % of " +
			"the rows (set 2), since all rows of such a group have one value; k does not limit " +
			"that. " + safe + " See Sensitive values."},
		{found{debt, income}, nil, 0, "caution", "Some risk: w" + who + "income for 36.0 % of " +
			"the rows (set 2) and debt for 5.0 % of the rows (set 1), since all rows of such a " +
			"group have one value; k does not limit that. " + safe + " See Sensitive values."},
		{found{usual}, nil, 0, "verdict", "Low risk: " + safe + " W" + who + "income for 90.0 % " +
			"of the rows (set 1), about as sure as the shares of the whole release make " +
			"anybody. See Sensitive values."},
		{found{{Set: 1, Column: "income"}}, limits, 0, "verdict", "Low risk: " + safe +
			" Each group meets the job’s limits on income."},
		{found{income}, limits, 0, "verdict", "Low risk: " + safe + " Each group meets the job’s " +
			"limits on income; whoever finds somebody’s group still knows income for 36.0 % of " +
			"the rows (set 2). See Sensitive values."},
		{found{income, debt}, limits, 0, "caution", "Some risk: w" + who + "debt for 5.0 % of " +
			"the rows (set 1), since all rows of such a group have one value; k does not limit " +
			"that. " + safe + " Each group meets the job’s limits on income; whoever finds " +
			"somebody’s group still knows income for 36.0 % of the rows (set 2). See Sensitive " +
			"values."},
		{found{income}, nil, 0.34, "alarm", "High risk: 34.0 % of the rows are alone for " +
			"somebody who knows all masked columns of a person; 34.0 % of the rows are in groups " +
			"of fewer than 2. The job allows it with max_unique, on somebody’s word that nobody " +
			"knows more than one set. W" + who + "income for 36.0 % of the rows (set 2): k " +
			"does not limit that. See Sensitive values."},
		{nil, nil, 0, "verdict", "Low risk: " + safe},
	} {
		s := exampleSource()
		s.Release.Union = &kcut.Union{Unique: tt.unique, BelowK: tt.unique}
		s.Release.Homogeneous, s.Release.Cut.Sensitive = tt.found, tt.limits
		elements := parse(t, written(t, s))
		e := elements[slices.IndexFunc(elements, func(e *element) bool { return e.name == "p" })]
		if e.class != tt.kind || e.text != tt.want {
			t.Errorf("%s: %q, want %s: %q", e.class, e.text, tt.kind, tt.want)
		}
	}
	if got := listed([]string{"a", "b", "c", "d"}); got != "a, b and 2 more columns" {
		t.Errorf("listed: %q", got)
	}
}

// The page shows for all pairs of sets what somebody finds who knows both.
func TestMatrix(t *testing.T) {
	s := exampleSource()
	if page := written(t, s); strings.Contains(page, `id="pairs"`) {
		t.Error("there are no pairs")
	}
	cut := s.Release.Cut
	for range 2 {
		cut.Sets = append(cut.Sets, kcut.CutSet{Columns: []string{"job"}, K: 7, Anonymity: 9})
	}
	s.Trace, s.Run, s.Release.Sets = nil, nil, cut.Sets
	s.Release.Sizes = append(s.Release.Sizes, s.Release.Sizes...)
	for _, labels := range s.Release.Labels {
		for i := range labels {
			labels[i].Smallest = append(labels[i].Smallest, 9, 9)
		}
	}
	s.Release.Risk.Pairs = []kcut.RiskPair{
		{Sets: [2]int{1, 4}, K: 5, Unique: 0.25, Below: 0.5},
		{Sets: [2]int{1, 2}, K: 2, Below: 0.015625},
	}
	page := written(t, s)
	var rows []string
	heats := make(map[string]int)
	for _, e := range parse(t, page) {
		if e.name == "tr" && strings.Contains(e.text, "k is") {
			rows = append(rows, e.text)
		}
		if e.name == "td" && len(e.class) == 2 && e.class[0] == 'h' {
			heats[e.class]++
		}
	}
	want := []string{"1k is 50.0 %1.6 % < 225.0 %50.0 % < 5", "2k is 2within", "4k is 7"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	if !strings.Contains(page, "Within: one of the two") {
		t.Error("it does not say what within is")
	}
	if heats["h4"] != 1 || heats["h2"] != 1 {
		t.Errorf("colors %v", heats)
	}
	if !strings.Contains(page, "Only the sets with the most combinations") {
		t.Error("it does not say that set 3 is not paired")
	}
	for i := range s.Release.Risk.Pairs {
		s.Release.Risk.Pairs[i].Sets = [2]int{1, 2}
	}
	if strings.Contains(written(t, s), "Within: one of the two") {
		t.Error("it says what within is, and no cell is")
	}
}

// The page lists a family of sets in one row, with the figures of the set with the smallest group,
// and the sets one by one where somebody unfolds them.
func TestSetRows(t *testing.T) {
	s := exampleSource()
	cut := s.Release.Cut
	every := kcut.Job{Sets: []kcut.Set{
		{Subsets: 1, Of: []string{"age", "zip", "job", "sex"}, K: 5}}}
	cut.Sets = []kcut.CutSet{{Columns: []string{"age", "zip"}, K: 3, Anonymity: 4}}
	for i, set := range every.EverySet() {
		anonymity := []uint64{19, 17, 6, 18}[i]
		cut.Sets = append(cut.Sets, kcut.CutSet{Columns: set.Columns, K: 5, Anonymity: anonymity})
	}
	s.Trace, s.Run, s.Release.Sets = nil, nil, cut.Sets
	s.Release.Sizes = slices.Repeat(s.Release.Sizes[:1], len(cut.Sets))
	s.Release.Homogeneous = nil
	for i := range cut.Sets {
		s.Release.Homogeneous = append(s.Release.Homogeneous, kcut.Homogeneity{
			Set: i + 1, Column: "income", Records: []uint64{40, 10, 12, 11, 10}[i], Classes: 1})
	}
	for _, labels := range s.Release.Labels {
		for i := range labels {
			labels[i].Smallest = slices.Repeat([]uint64{9}, len(cut.Sets))
		}
	}
	var rows, headings []string
	for _, e := range parse(t, written(t, s)) {
		switch {
		case e.name == "tr" && (strings.Contains(e.text, "age") ||
			strings.Contains(e.text, "job") || strings.HasPrefix(e.text, "income")):
			rows = append(rows, e.text)
		case e.name == "h3" && strings.HasPrefix(e.text, "Set "), e.name == "summary":
			headings = append(headings, e.text)
		}
	}
	for _, want := range []string{"2 to 5every 1 of age, zip, job, sex (4 sets)56", "1age, zip34",
		"2age519", "4job56", "income3, the worst of 2 to 5", "income11", "income51"} {
		begins := func(row string) bool { return strings.HasPrefix(row, want) }
		if n := len(slices.DeleteFunc(slices.Clone(rows), func(r string) bool {
			return !begins(r)
		})); n != 1 {
			t.Errorf("%d rows begin with %q: %q", n, want, rows)
		}
	}
	for _, want := range []string{"Sets 2 to 5, one by one", "Group sizes of 3 more sets",
		"Set 1: age, zip", "Set 4: job (of 2 to 5, the one with the smallest group)",
		"Set 5: sex"} {
		if !slices.Contains(headings, want) {
			t.Errorf("no heading %q among %q", want, headings)
		}
	}
}

// The page shows rows of the release under what stood there before, some columns in each table.
func TestRows(t *testing.T) {
	s := exampleSource()
	s.Run.Columns = append(s.Run.Columns, kcut.ColumnReport{
		Name: "zip", Type: "string", Mask: "generalize",
		Released: []kcut.ReleasedColumn{{Name: "zip", Type: "string"}},
	})
	s.Rows = &kcut.SampleRows{Columns: []string{"zip", "list", "income"}, Rows: [][]kcut.SampleCell{
		{{Text: hostile}, {Nested: true}, {Null: true}},
		{{Text: strings.Repeat("ü", 99)}, {Nested: true}, {Text: "0"}},
	}}
	for i := range mostRowColumns {
		s.Rows.Columns = append(s.Rows.Columns, fmt.Sprintf("more %d", i))
		s.Rows.Rows[0] = append(s.Rows.Rows[0], kcut.SampleCell{Text: "x"})
		s.Rows.Rows[1] = append(s.Rows.Rows[1], kcut.SampleCell{Text: "x"})
	}
	page := written(t, s)
	checkAlone(t, page, true)
	tables, text := 0, ""
	for _, e := range parse(t, page) {
		if e.class == "rows stack" {
			tables, text = tables+1, text+e.text
		}
	}
	if tables != mostRowColumns/rowColumns {
		t.Errorf("%d tables", tables)
	}
	for _, want := range []string{
		"3 string values: generalize", hostile[:mostCell] + "……null",
		strings.Repeat("ü", mostCell) + "……0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if !strings.Contains(page, "and 3 columns that are not shown") {
		t.Error("it does not say how many columns are left out")
	}
	for columns, want := range map[int][]int{
		1: {1}, 7: {7}, 8: {4, 4}, 10: {5, 5}, 11: {7, 4}, 15: {7, 4, 4}, 25: {7, 7, 7, 4},
	} {
		s.Rows = &kcut.SampleRows{Columns: make([]string, columns),
			Rows: [][]kcut.SampleCell{make([]kcut.SampleCell, columns)}}
		var got []int
		for _, table := range newPage(s).RowTables() {
			got = append(got, len(table.Columns))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d columns: tables of %d, want %d", columns, got, want)
		}
	}
	if s.Rows = nil; strings.Contains(written(t, s), `id="rows"`) {
		t.Error("there are no rows")
	}
}

// Intervals of dates break behind the comma, and everything else where it fits.
func TestEnds(t *testing.T) {
	for label, want := range map[string][]string{
		"[1960-01-06,1970-02-26)": {"[1960-01-06,", "1970-02-26)"},
		"[-5,3]":                  {"[-5,", "3]"},
		`{[-5,3)|\N}`:             {"{[-5,", `3)|\N}`},
		"(,1960-01-06)":           {"(,1960-01-06)"},
		"[1960-01-06,)":           {"[1960-01-06,)"},
		"[17,37)":                 nil,
		"(,)":                     nil,
		"[":                       nil,
		"":                        nil,
		"Some-college":            nil,
		"[a-b,c,d]":               nil,
		"a-b,c)":                  nil,
	} {
		if got := ends(label); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", label, got, want)
		}
	}
	s := exampleSource()
	s.Rows = &kcut.SampleRows{Columns: []string{"born"},
		Rows: [][]kcut.SampleCell{{{Text: "[1960-01-06,1970-02-26)"}}}}
	want := "<span><bdi>[1960-01-06,</bdi><bdi>1970-02-26)</bdi></span>"
	if !strings.Contains(written(t, s), want) {
		t.Errorf("no %q", want)
	}
}

// The page ends with what a reviewer signs.
func TestSignOff(t *testing.T) {
	s := exampleSource()
	s.Run.Job, s.Run.Version, s.Run.Began = "people.yaml", "1.2.3", "2026-01-31T02:00:04Z"
	lines := make(map[string]string)
	for _, source := range []Source{s, {Release: s.Release}} {
		all := parse(t, written(t, source))
		at := slices.IndexFunc(all, func(e *element) bool { return e.class == "facts sign" })
		for _, e := range all[at:] {
			if e.name == "tr" {
				lines[e.text] += "x"
			}
		}
	}
	for _, want := range []string{
		"Jobpeople.yaml", "Digest of the job1", "Digest of the releaseabcd", "Version of kcut1.2.3",
		"Date of the run2026-01-31T02:00:04Z", "Owner of the data", "Reviewer", "Job",
	} {
		if lines[want] == "" {
			t.Errorf("no line %q in %q", want, lines)
		}
	}
}

// A page of the report that a run writes when the release stands does not say how much memory the
// first run took, which its record does not have.
func TestResources(t *testing.T) {
	for _, alreadyDone := range []bool{false, true} {
		s := exampleSource()
		s.Run.AlreadyDone, s.Run.PeakRSS = alreadyDone, 1<<30
		page := written(t, s)
		for _, row := range []string{"Largest resident set", "Spilled to disk"} {
			if strings.Contains(page, row) == alreadyDone {
				t.Errorf("already done is %t: the page has %q: %t", alreadyDone, row, !alreadyDone)
			}
		}
	}
}

// Labels name by a letter why they are not finer; all algorithms have a reason.
func TestWhyNoFiner(t *testing.T) {
	s := exampleSource()
	want := "<strong>a</strong> set 1 would fall below its k; <strong>b</strong> no record has " +
		"it; <strong>c</strong> nothing finer is there or allowed."
	if !strings.Contains(written(t, s), want) {
		t.Errorf("no %q", want)
	}
	for algorithm, want := range map[string]string{
		"mondrian": "its regions were divided as long as every part kept its k",
		"tdr":      "the cut is that of an earlier release",
	} {
		s := sources()["regions"]
		s.Run = nil
		if s.Release.Cut.Algorithm = algorithm; algorithm == "tdr" {
			if err := json.Unmarshal([]byte("{}"), &s.Release.Cut.Applied); err != nil {
				t.Fatal(err)
			}
		}
		if page := written(t, s); strings.Count(page, want) != 1 ||
			strings.Contains(page, `<th scope="col">Why no finer`) {
			t.Errorf("%s: %q is there %d times", algorithm, want, strings.Count(page, want))
		}
	}
	if s = (Source{Release: s.Release}); strings.Contains(written(t, s), "Why no finer") {
		t.Error("nothing is known of why")
	}
}

// Terms of an evaluation are explained where they stand.
func TestTerms(t *testing.T) {
	s := exampleSource()
	s.Evaluation = exampleEvaluation(true)
	text := ""
	for _, e := range parse(t, written(t, s)) {
		if e.class == "terms" {
			text = e.text
		}
	}
	for _, want := range []string{"BE, baseline error", "17.00 ± 1.70 %", "AE, anonym", "UE, upper",
		"25.00 ± 2.50 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// Histograms are inside their pictures, with one bar a value and one for the rest.
func TestHistogram(t *testing.T) {
	for _, tt := range []struct {
		records []uint64
		rows    int64
		bars    int
		rest    bool
	}{
		{nil, 0, 0, false}, {nil, 10, 1, true}, {[]uint64{6, 4}, 10, 2, false},
		{[]uint64{6, 3}, 10, 3, true}, {make([]uint64, 500), 7, 5, true},
	} {
		s := newSpread("Before", 3, "value", tt.records, tt.rows, 4)
		if len(s.Bars) != tt.bars || tt.bars > 0 && s.Bars[tt.bars-1].Rest != tt.rest {
			t.Errorf("%d values: %+v", len(tt.records), s.Bars)
		}
		for _, b := range s.Bars {
			var top, height float64
			fmt.Sscan(b.Top, &top)
			fmt.Sscan(b.Height, &height)
			if top < 0 || height < 0 || math.Abs(top+height-spreadHeight) > 0.11 {
				t.Errorf("a bar of %+v", b)
			}
		}
	}
	s := newSpread("After", 2, "label", []uint64{60, 30}, 120, 24)
	if s.Words != "2 labels, the most frequent 50.0 %" || s.Bars[1].Height != "12.0" {
		t.Errorf("%+v", s)
	}
}

// A print has all labels of few, and of many those that eight pages have room for, with the number
// of the others.
func TestPrintedLabels(t *testing.T) {
	for _, tt := range []struct {
		columns, labels, printed int
	}{{1, 70, 70}, {3, 20, 20}, {3, 60, 12}, {25, 1, 1}, {25, 10, 3}, {25, 300, 3}, {90, 9, 3}} {
		s := exampleSource()
		s.Trace, s.Run = nil, nil
		cut := s.Release.Cut
		cut.Columns, s.Release.Labels, cut.Sets[0].Columns = nil, nil, nil
		cut.Sets = cut.Sets[:1]
		for c := range tt.columns {
			column := kcut.CutColumn{Name: fmt.Sprint("column ", c), Mask: kcut.MaskGeneralize}
			var groups []kcut.LabelGroups
			for i := range tt.labels {
				column.Cut = append(column.Cut, kcut.CutLabel{Label: fmt.Sprint("label ", i)})
				groups = append(groups, kcut.LabelGroups{Records: 6, Smallest: []uint64{6}})
			}
			cut.Columns = append(cut.Columns, column)
			s.Release.Labels = append(s.Release.Labels, groups)
			cut.Sets[0].Columns = append(cut.Sets[0].Columns, column.Name)
		}
		page := written(t, s)
		listed := strings.Count(page, "<span>label ") / tt.columns
		more := fmt.Sprintf("… and %d more labels of column 0 on the screen", listed-tt.printed)
		if is := tt.printed < listed; strings.Contains(page, more) != is ||
			strings.Contains(page, `<main id="main" class="brief">`) != is {
			t.Errorf("%+v of %d listed: not %q, or not brief", tt, listed, more)
		}
		hidden := regexp.MustCompile(`(?s)<tbody class="unprinted">.*?</tbody>`).FindString(page)
		open := min(tt.labels, openLabels)
		if tt.labels <= openLabels+3 {
			open = tt.labels
		}
		if n := strings.Count(hidden, "<span>label "); n != max(open-tt.printed, 0) {
			t.Errorf("%+v: %d labels are hidden in print", tt, n)
		}
	}
}

// The page of 800 columns, with all that a run knows of them, stays below 5 MB.
func TestPageOfManyColumns(t *testing.T) {
	s := exampleSource()
	s.Trace, s.Run.Stopped, s.Run.Columns = nil, nil, nil
	cut := s.Release.Cut
	s.Rows = &kcut.SampleRows{Rows: make([][]kcut.SampleCell, SampledRows)}
	for c := range 800 {
		name := fmt.Sprintf("a column of the survey %d", c)
		column := kcut.CutColumn{Name: name, Mask: kcut.MaskGeneralize}
		stopped := kcut.StoppedColumn{Column: name}
		var groups []kcut.LabelGroups
		for i := range 40 {
			column.Cut = append(column.Cut,
				kcut.CutLabel{Label: fmt.Sprintf("[2026-01-01,2026-12-%d)", i)})
			groups = append(groups, kcut.LabelGroups{Records: uint64(i), Smallest: []uint64{6, 9}})
			stopped.Why = append(stopped.Why, []string{"records", "set 1", "finest"}[i%3])
		}
		cut.Columns = append(cut.Columns, column)
		s.Release.Labels = append(s.Release.Labels, groups)
		cut.Sets[0].Columns = append(cut.Sets[0].Columns, name)
		s.Run.Masked = append(s.Run.Masked, kcut.MaskedColumn{
			Column: name, Values: 99, Frequent: []uint64{30, 20, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
		})
		s.Run.Columns = append(s.Run.Columns, kcut.ColumnReport{
			Name: name, Type: "string", Mask: "generalize",
			Released: []kcut.ReleasedColumn{{Name: name, Type: "string"}},
		})
		s.Run.Stopped = append(s.Run.Stopped, stopped)
		s.Rows.Columns = append(s.Rows.Columns, name)
		for i := range s.Rows.Rows {
			s.Rows.Rows[i] = append(s.Rows.Rows[i], kcut.SampleCell{Text: "[2026-01-01,2026-12-1)"})
		}
	}
	page := written(t, s)
	if len(page) > 5_000_000 || strings.Count(page, "<section") != len(cut.Columns)+len(cut.Sets) {
		t.Errorf("%d bytes, %d sections", len(page), strings.Count(page, "<section"))
	}
}
