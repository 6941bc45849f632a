package topdown_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
)

// education, sex and hours are the columns of the TDS paper's running example (Figure 1).
var (
	education = enginetest.Column{Name: "Education", Tree: tree("ANY_Edu",
		tree("Secondary",
			tree("Junior Sec.", tree("9th"), tree("10th")),
			tree("Senior Sec.", tree("11th"), tree("12th"))),
		tree("University",
			tree("Bachelors"),
			tree("Grad School", tree("Masters"), tree("Doctorate"))))}
	sex   = enginetest.Column{Name: "Sex", Tree: tree("ANY_Sex", tree("M"), tree("F"))}
	hours = enginetest.Column{Name: "Work_Hrs", Mask: engine.Discretize, Lower: "1", Upper: "99"}
)

func tree(name string, children ...taxonomy.Node) taxonomy.Node {
	return taxonomy.Node{Name: name, Children: children}
}

// frequencies is a row of a compressed table: the number of its records of each class.
type frequencies struct {
	row     string // values, separated by spaces
	yes, no int
}

func data(columns []enginetest.Column, rows ...frequencies) enginetest.Data {
	d := enginetest.Data{Columns: columns}
	for _, f := range rows {
		for i := range f.yes + f.no {
			d.Rows = append(d.Rows, enginetest.Values(strings.Fields(f.row)...))
			class := "Y"
			if i >= f.yes {
				class = "N"
			}
			d.Classes = append(d.Classes, class)
		}
	}
	return d
}

// table1 is Table 1 of the TDS paper, 34 records.
func table1() enginetest.Data {
	return data([]enginetest.Column{education, sex, hours},
		frequencies{"9th M 30", 0, 3},
		frequencies{"10th M 32", 0, 4},
		frequencies{"11th M 35", 2, 3},
		frequencies{"12th F 37", 3, 1},
		frequencies{"Bachelors F 42", 4, 2},
		frequencies{"Bachelors F 44", 4, 0},
		frequencies{"Masters M 44", 4, 0},
		frequencies{"Masters F 44", 3, 0},
		frequencies{"Doctorate F 44", 1, 0})
}

// table2 is Table 2 of the TDS paper, 40 records.
func table2() enginetest.Data {
	flat := enginetest.Column{
		Name: "Education",
		Tree: tree("ANY_Edu", tree("8th"), tree("9th"), tree("10th")),
	}
	return data([]enginetest.Column{flat, sex, hours},
		frequencies{"10th M 40", 20, 0},
		frequencies{"10th M 30", 0, 4},
		frequencies{"9th M 30", 0, 2},
		frequencies{"9th F 30", 0, 4},
		frequencies{"9th F 40", 0, 6},
		frequencies{"8th F 30", 0, 2},
		frequencies{"8th F 40", 0, 2})
}

// mustSearch runs the engine.
func mustSearch(t *testing.T, d enginetest.Data, score engine.Score, maxSteps int,
	sets ...engine.Set) ([]engine.Step, [][]engine.Label) {
	t.Helper()
	steps, released, err := search(d, sets, engine.Options{Score: score, MaxSteps: maxSteps})
	if err != nil {
		t.Fatal(err)
	}
	return steps, released
}

func texts(labels []engine.Label) []string {
	var texts []string
	for _, l := range labels {
		texts = append(texts, l.Text)
	}
	return texts
}

func near(got, want float64) bool { return math.Abs(got-want) < 0.00005 }

// TestExample4 checks the score of ANY_Edu (TDS, Example 4).
func TestExample4(t *testing.T) {
	steps, _ := mustSearch(t, table1(), engine.ScoreTDS, 1, engine.Set{Columns: []int{0, 1}, K: 4})
	got := steps[0]
	if got.Value.Text != "ANY_Edu" || !slices.Equal(texts(got.Children),
		[]string{"Secondary", "University"}) {
		t.Errorf("first specialization is %q into %q", got.Value.Text, texts(got.Children))
	}
	if !near(got.InfoGain, 0.2716) || got.AnonyLoss != 18 || !near(got.Score, 0.0151) {
		t.Errorf("InfoGain %.4f AnonyLoss %g Score %.4f, want 0.2716 18 0.0151", got.InfoGain,
			got.AnonyLoss, got.Score)
	}
	if !slices.Equal(got.Anonymity, []uint64{16}) {
		t.Errorf("A(QID) %d, want 16", got.Anonymity)
	}
}

// TestExample5 checks the split of Work_Hrs (TDS, Example 5).
func TestExample5(t *testing.T) {
	steps, _ := mustSearch(t, table1(), engine.ScoreTDS, 1, engine.Set{Columns: []int{2}, K: 1})
	got := steps[0]
	if got.Value.Text != "[1,99]" || !slices.Equal(texts(got.Children),
		[]string{"[1,37)", "[37,99]"}) {
		t.Errorf("first specialization is %q into %q", got.Value.Text, texts(got.Children))
	}
	if !near(got.InfoGain, 0.3584) {
		t.Errorf("InfoGain %.4f, want 0.3584", got.InfoGain)
	}
}

// TestExamples7To9 follows the search for two sets: it starts with Work_Hrs, then takes ANY_Edu,
// with the anonymity of Figure 4.
func TestExamples7To9(t *testing.T) {
	sets := []engine.Set{{Columns: []int{0, 1}, K: 4}, {Columns: []int{1, 2}, K: 11}}
	steps, released := mustSearch(t, table1(), engine.ScoreTDS, 2, sets...)
	for i, want := range []struct {
		value     string
		anonymity []uint64
	}{{"[1,99]", []uint64{34, 12}}, {"ANY_Edu", []uint64{16, 12}}} {
		if got := steps[i]; got.Value.Text != want.value ||
			!slices.Equal(got.Anonymity, want.anonymity) {
			t.Errorf("step %d: %q, A(QID) %d, want %q, %d", i+1, got.Value.Text, got.Anonymity,
				want.value, want.anonymity)
		}
	}
	// The leaf partitions of Figure 3.
	want := map[string]int{
		"Secondary ANY_Sex [1,37)":   12,
		"Secondary ANY_Sex [37,99]":  4,
		"University ANY_Sex [37,99]": 18,
	}
	compareGroups(t, released, want)
}

// TestExample6 uses Table 2: the information gain alone takes Education first and stalls; the
// scores take Sex and reach the four groups of Table 3.
func TestExample6(t *testing.T) {
	set := engine.Set{Columns: []int{0, 1, 2}, K: 4}
	steps, _ := mustSearch(t, table2(), engine.ScoreInfoGain, -1, set)
	if len(steps) != 1 || steps[0].Value.Text != "ANY_Edu" {
		t.Errorf("infogain performs %d steps, first %q", len(steps), steps[0].Value.Text)
	}
	for _, score := range []engine.Score{engine.ScoreTDS, engine.ScoreTDR} {
		steps, released := mustSearch(t, table2(), score, -1, set)
		if len(steps) != 2 || steps[0].Value.Text != "ANY_Sex" || steps[1].Value.Text != "[1,99]" {
			t.Errorf("score %d performs %d steps, first %q", score, len(steps), steps[0].Value.Text)
		}
		if !slices.Equal(steps[0].Anonymity, []uint64{14}) ||
			!slices.Equal(steps[1].Anonymity, []uint64{6}) {
			t.Errorf("score %d: A(QID) %d then %d, want 14 then 6", score, steps[0].Anonymity,
				steps[1].Anonymity)
		}
		compareGroups(t, released, map[string]int{
			"ANY_Edu M [40,99]": 20,
			"ANY_Edu M [1,40)":  6,
			"ANY_Edu F [40,99]": 8,
			"ANY_Edu F [1,40)":  6,
		})
	}
}

// compareGroups counts the released rows.
func compareGroups(t *testing.T, released [][]engine.Label, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, row := range released {
		got[strings.Join(texts(row), " ")]++
	}
	for group, n := range want {
		if got[group] != n {
			t.Errorf("group %q has %d records, want %d", group, got[group], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d groups, want %d: %v", len(got), len(want), got)
	}
}
