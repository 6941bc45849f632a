package engine

import (
	"reflect"
	"testing"

	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/partition"
)

// ages is a discretized attribute with the values 17, 37, 42 and perhaps a null.
func ages(null bool, lower, upper string) *Attribute {
	return &Attribute{
		Mask:      Discretize,
		Texts:     []string{"17", "37", "42"},
		HasNull:   null,
		LowerText: lower,
		UpperText: upper,
	}
}

func labels(texts ...string) []Label {
	var labels []Label
	for _, text := range texts {
		labels = append(labels, Label{Text: text, Null: text == ""})
	}
	return labels
}

func TestCutLabels(t *testing.T) {
	leaf := func(name string) taxonomy.Node { return taxonomy.Node{Name: name} }
	tree, err := taxonomy.NewTree(taxonomy.Node{Name: "ANY", Children: []taxonomy.Node{
		{Name: "Secondary", Children: []taxonomy.Node{leaf("Junior"), leaf("Senior")}},
		{Name: "University", Children: []taxonomy.Node{leaf("Bachelors"), leaf("Grad School")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	edu := func(null bool) *Attribute {
		return &Attribute{Tree: tree, Texts: tree.Leaves(), HasNull: null}
	}
	jobs := &Attribute{Mask: Suppress, Texts: []string{"Cook", "Sales"}, HasNull: true}
	for _, c := range []struct {
		name   string
		cut    ColumnCut
		labels []Label
		code   []uint32
	}{
		{"root covers the null", CutTree(edu(true), []int{0}), labels("ANY"),
			[]uint32{0, 0, 0, 0, 0}},
		{"split root", CutTree(edu(true), []int{1, 5, 6}),
			labels("Secondary", "Bachelors", "Grad School", ""), []uint32{0, 0, 1, 2, 3}},
		{"no null", CutTree(edu(false), []int{1, 4}), labels("Secondary", "University"),
			[]uint32{0, 0, 1, 1}},
		{"open interval", CutIntervals(ages(true, "", ""), []int{0}), labels("(,)"),
			[]uint32{0, 0, 0, 0}},
		{"bounded interval", CutIntervals(ages(false, "17", "90"), []int{0}), labels("[17,90]"),
			[]uint32{0, 0, 0}},
		{"open ends", CutIntervals(ages(true, "", ""), []int{0, 1, 2}),
			labels("(,37)", "[37,42)", "[42,)", ""), []uint32{0, 1, 2, 3}},
		{"declared bounds", CutIntervals(ages(false, "17", "90"), []int{0, 1}),
			labels("[17,37)", "[37,90]"), []uint32{0, 1, 1}},
		{"one declared bound", CutIntervals(ages(false, "", "90"), []int{0, 2}),
			labels("(,42)", "[42,90]"), []uint32{0, 0, 1}},
		{"nothing disclosed", CutSuppressed(jobs, nil), labels("*"), []uint32{0, 0, 0}},
		{"disclosed null", CutSuppressed(jobs, []int{1, 2}), labels("Sales", "", "*"),
			[]uint32{2, 0, 1}},
	} {
		if !reflect.DeepEqual(c.cut.Labels, c.labels) || !reflect.DeepEqual(c.cut.Code, c.code) {
			t.Errorf("%s: labels %v codes %v, want %v %v", c.name, c.cut.Labels, c.cut.Code,
				c.labels, c.code)
		}
	}
}

func TestIntervalEnds(t *testing.T) {
	got := CutIntervals(ages(true, "17", ""), []int{0, 2}).Intervals
	want := []Interval{{"[17,42)", "17", "42", 0, 2}, {"[42,)", "42", "", 2, 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A label of an interval may be a set of it and the null, in all forms.
func TestIntervalWithNull(t *testing.T) {
	for _, of := range []Interval{
		{Label: "[17,42)", Lower: "17", Upper: "42"}, {Label: "[17,42]", Lower: "17", Upper: "42"},
		{Label: "17", Lower: "17", Upper: "18"}, {Label: "17", Lower: "17", Upper: "17"},
		{Label: "[2000-01-01,)", Lower: "2000-01-01T00:00:00"}, {Label: "(,)"},
	} {
		set := of.WithNull()
		in := func(text string) string { return "{" + text + `|\N}` }
		if of.HasNull() || !set.HasNull() || set.Label != in(of.Label) ||
			set.Range() != in(of.Range()) || set.Plain() != in(of.Plain()) ||
			set.Closed() != of.Closed() {
			t.Errorf("%+v: %+v, %s, %s, %t", of, set, set.Range(), set.Plain(), set.Closed())
		}
	}
}

func TestCutRecodesByColumn(t *testing.T) {
	cut := &Cut{Columns: []ColumnCut{{Code: []uint32{1, 0}}, {Code: []uint32{2, 2, 5}}}}
	got := [][]uint32{{9, 9, 9}, {9, 9, 9}}
	cut.Recode(Rows{N: 2, Codes: [][]uint32{{0, 1}, {2, 0}}}, got)
	if want := [][]uint32{{1, 0, 9}, {5, 2, 9}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A disclosed value that no released record has is suppressed again, and an interval joins the one
// below.
func TestTidy(t *testing.T) {
	table := &Table{
		Attributes: []Attribute{{Mask: Suppress, Texts: []string{"Cook", "Sales"}},
			*ages(false, "", "")},
		Histograms: []*partition.Histogram{
			partition.Pairs{{Code: 1, Count: 3}}.Histogram(2, 1),
			partition.Pairs{{Code: 0, Count: 2}, {Code: 2, Count: 1}}.Histogram(3, 1),
		},
	}
	cut := &Cut{Columns: []ColumnCut{CutSuppressed(&table.Attributes[0], []int{0, 1}),
		CutIntervals(&table.Attributes[1], []int{0, 1, 2})}}
	tidy := cut.Tidy(table, func(_ int, label Label) bool { return label.Text == Suppressed })
	jobs, ages := tidy.Columns[0], tidy.Columns[1]
	if !reflect.DeepEqual(jobs.Labels, labels("Sales", "*")) ||
		!reflect.DeepEqual(jobs.Code, []uint32{1, 0}) {
		t.Errorf("labels %v, codes %v", jobs.Labels, jobs.Code)
	}
	if !reflect.DeepEqual(ages.Labels, labels("(,42)", "[42,)")) ||
		!reflect.DeepEqual(ages.Code, []uint32{0, 0, 1}) {
		t.Errorf("labels %v, codes %v", ages.Labels, ages.Code)
	}
}
