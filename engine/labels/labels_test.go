package labels

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
)

// TestLabels checks the penalties of labels and their features.
func TestLabels(t *testing.T) {
	tree, err := engine.NewTree(engine.Node{Name: "all", Children: []engine.Node{
		{Name: "a", Children: []engine.Node{{Name: "a1"}, {Name: "a2"}}}, {Name: "b"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	numbers := engine.Attribute{
		Mask: engine.Discretize, Texts: []string{"1", "2", "5"}, Positions: []float64{1, 2,
			5}, Lower: 0, Upper: 5, LowerText: "0", HasNull: true,
	}
	nodes := engine.Attribute{Mask: engine.Generalize, Tree: tree, Texts: tree.Leaves()}
	letters := engine.Attribute{Mask: engine.Suppress, Texts: []string{"x", "y", "z"}}
	intervals := []engine.Interval{{Hi: 3}, {Hi: 1}, {Hi: 2}, {Lo: 1, Hi: 2}, {Lo: 1, Hi: 3},
		engine.Interval{Hi: 1}.WithNull()}
	texts := func(texts ...string) (labels []engine.Label) {
		for _, text := range texts {
			labels = append(labels, engine.Label{Text: text, Null: text == ""})
		}
		return labels
	}
	for _, tt := range []struct {
		name      string
		labels    Labels
		penalties string
		codes     string
		values    string
	}{
		{
			"nodes", Labels{Attribute: &nodes, values: texts("all", "a", "a2", "b", "{a2|b}", "")},
			"[1 0.6666666666666666 0 0 0.6666666666666666 0]", "[4 0 1 2 3 4]", "[]",
		},
		{
			"nodes, roots too", Labels{
				Attribute: &nodes,
				values:    texts("all", "a", ""),
				Roots:     true,
			},
			"[1 0.6666666666666666 0]", "[0 1 2]", "[]",
		},
		{
			"values", Labels{Attribute: &engine.Attribute{
				Mask:  engine.Suppress,
				Texts: append(letters.Texts, "{x|y}"),
			}, values: texts("x", `{x|y\|\}}`, "{x|y}", "*", "")},
			"[0 0.5 0 1 0]", "[0 1 2 3 3]", "[]",
		},
		{
			"disclosed values", Labels{
				Attribute: &letters,
				values:    texts("x", "", "*"),
				global:    true,
			},
			"[0 0 1]", "[0 2 1]", "[]",
		},
		{
			"intervals", Labels{
				Attribute: &numbers,
				values:    texts("[0,)", "[0,2)", "[0,5)", "[2,5)", "[2,)", `{[0,2)|\N}`, ""),
				intervals: intervals,
			},
			"[1 0.4 1 0.6 0.6 0.55 0]", "[3 0 1 2 2 0 3]", "[1 2.5 3.5]",
		},
		{
			"intervals, the whole range too", Labels{
				Attribute: &numbers,
				values:    texts("[0,)", "[0,2)", ""),
				intervals: intervals,
				Roots:     true,
			},
			"[1 0.4 0]", "[1 0 2]", "[1 2.5]",
		},
	} {
		f := tt.labels.Feature(false)
		if got := fmt.Sprint(tt.labels.Penalties()); got != tt.penalties {
			t.Errorf("%s: penalties %s, want %s", tt.name, got, tt.penalties)
		}
		if got := fmt.Sprint(f.codes); got != tt.codes {
			t.Errorf("%s: codes %s, want %s", tt.name, got, tt.codes)
		}
		if got := fmt.Sprint(f.Values); got != tt.values ||
			f.Numeric != strings.HasPrefix(tt.name, "intervals") {
			t.Errorf("%s: values %s, want %s", tt.name, got, tt.values)
		}
		masked, raw := tt.labels.BesideRaw(false)
		for code := range tt.labels.Len() {
			checkRaw(t, tt.labels, masked, raw, code)
		}
		if nominal := tt.labels.Feature(true); nominal.Numeric ||
			nominal.Code(engine.DroppedLabel) != uint32(nominal.Domain-1) {
			t.Errorf("%s: nominal %+v", tt.name, nominal)
		}
	}
}

// checkRaw checks that a value keeps its own code in one column with labels.
func checkRaw(t *testing.T, l Labels, masked, raw Feature, code int) {
	t.Helper()
	got := raw.codes[code]
	switch value := l.Label(code); {
	case masked.Domain != raw.Domain:
		t.Errorf("%d codes, of raw values %d", masked.Domain, raw.Domain)
	case value.Null:
		if got != uint32(raw.Domain-1) {
			t.Errorf("the null is %d of %d", got, raw.Domain)
		}
	case raw.Numeric:
		if raw.Values[got] != l.Positions[code] {
			t.Errorf("value %s is shown as %g", value.Text, raw.Values[got])
		}
	default:
		same := slices.IndexFunc(l.values, func(v engine.Label) bool {
			return v.Text == value.Text
		})
		if same >= 0 && l.informs(same) && got != masked.codes[same] ||
			same < 0 && slices.Contains(masked.codes, got) {
			t.Errorf("value %s has code %d, labels have %d", value.Text, got, masked.codes)
		}
	}
}
