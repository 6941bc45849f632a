package evaluate

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/spill"
)

// randomBlock draws labels of some attributes, and how many rows of every record are released.
func randomBlock(r *rand.Rand, attributes, labels, classes int) (b *block, released []uint32) {
	b = &block{columns: make([][]uint32, attributes+1), attributes: attributes}
	for range 1 + r.IntN(40) {
		for a := range b.masked() {
			b.columns[a] = append(b.columns[a], uint32(r.IntN(labels)))
		}
		b.columns[attributes] = append(b.columns[attributes], uint32(r.IntN(classes)))
		b.counts = append(b.counts, 1+uint32(r.IntN(3)))
		n := b.counts[len(b.counts)-1]
		if r.IntN(10) == 0 {
			n = 0
		}
		released = append(released, n)
	}
	return b, released
}

// Every metric agrees with what its definition says of single rows.
func TestCosting(t *testing.T) {
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		attributes, classes, k := 1+r.IntN(40), 1+r.IntN(3), 1+r.IntN(5)
		number := 1 + r.IntN(5)
		penalties := make([][]float64, attributes)
		for a := range penalties {
			for range number {
				penalties[a] = append(penalties[a], r.Float64())
			}
		}
		e := &evaluation{Records: &pipeline.Records{ClassNames: make([]engine.Label, classes)}}
		tr := &trial{evaluation: e, budget: spill.NewBudget(1 << 30)}
		c := tr.costing(penalties)
		var rows []string // the labels of every released row
		var of []uint32   // their classes
		want := costs{}
		for range 1 + r.IntN(3) {
			b, released := randomBlock(r, attributes, number, classes)
			must(t, c.add(b, released))
			for i, n := range released {
				want.dropped += float64(b.counts[i] - n)
				for range n {
					text := ""
					for a, labels := range b.masked() {
						text += fmt.Sprint(labels[i], " ")
						want.penalty += penalties[a][labels[i]] / float64(attributes)
					}
					rows, of = append(rows, text), append(of, b.class()[i])
				}
			}
		}
		got, err := c.release(t.Context(), k)
		must(t, err)
		all := float64(len(rows)) + want.dropped
		want.discernibility = all * want.dropped
		groups := map[string]map[uint32]int{}
		for i, labels := range rows {
			for _, others := range rows {
				if labels == others {
					want.discernibility++
				}
			}
			if groups[labels] == nil {
				groups[labels] = map[uint32]int{}
			}
			groups[labels][of[i]]++
		}
		want.penalty = (want.penalty + want.dropped) / all
		if len(groups) > 0 {
			want.classSize = all / float64(len(groups)) / float64(k)
		}
		right := 0
		for _, counts := range groups {
			right += slices.Max(slices.Collect(maps.Values(counts)))
		}
		want.misclassified = 1 - float64(right)/all
		for _, pair := range [][2]float64{
			{got.discernibility, want.discernibility}, {got.penalty, want.penalty}, {got.classSize, want.classSize},
			{got.misclassified, want.misclassified}, {got.dropped, want.dropped},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

// What labels tell: penalties, and what classifiers see.
func TestLabels(t *testing.T) {
	tree, err := engine.NewTree(engine.Node{Name: "all", Children: []engine.Node{
		{Name: "a", Children: []engine.Node{{Name: "a1"}, {Name: "a2"}}}, {Name: "b"},
	}})
	must(t, err)
	numbers := engine.Attribute{
		Mask: engine.Discretize, Texts: []string{"1", "2", "5"}, Positions: []float64{1, 2, 5}, Lower: 0, Upper: 5, LowerText: "0", HasNull: true,
	}
	nodes := engine.Attribute{Mask: engine.Generalize, Tree: tree, Texts: tree.Leaves()}
	letters := engine.Attribute{Mask: engine.Suppress, Texts: []string{"x", "y", "z"}}
	intervals := []engine.Interval{{Lower: "0"}, {Lower: "0", Upper: "2"}, {Lower: "0", Upper: "5"}, {Lower: "2", Upper: "5"}, {Lower: "1"}}
	texts := func(texts ...string) (labels []engine.Label) {
		for _, text := range texts {
			labels = append(labels, engine.Label{Text: text, Null: text == ""})
		}
		return labels
	}
	for _, tt := range []struct {
		name      string
		labels    labels
		penalties string
		codes     string
		values    string
	}{
		{
			"nodes", labels{Attribute: &nodes, values: texts("all", "a", "a2", "b", "")},
			"[1 0.6666666666666666 0 0 0]", "[3 0 1 2 3]", "[]",
		},
		{
			"nodes, roots too", labels{Attribute: &nodes, values: texts("all", "a", ""), roots: true},
			"[1 0.6666666666666666 0]", "[0 1 2]", "[]",
		},
		{
			"values", labels{Attribute: &engine.Attribute{Mask: engine.Suppress, Texts: append(letters.Texts, "{x|y}")}, values: texts("x", `{x|y\|\}}`, "{x|y}", "*", "")},
			"[0 0.5 0 1 0]", "[0 1 2 3 3]", "[]",
		},
		{
			"disclosed values", labels{Attribute: &letters, values: texts("x", "", "*"), global: true},
			"[0 0 1]", "[0 2 1]", "[]",
		},
		{
			"intervals", labels{Attribute: &numbers, values: texts("[0,)", "[0,2)", "[0,5)", "[2,5)", "[1,)", ""), intervals: intervals, positions: positions(&numbers)},
			"[1 0.4 1 0.6 0.8 0]", "[4 0 1 3 2 4]", "[1 2.5 3 3.5]",
		},
		{
			"intervals, the whole range too", labels{Attribute: &numbers, values: texts("[0,)", "[0,2)", ""), intervals: intervals, positions: positions(&numbers), roots: true},
			"[1 0.4 0]", "[1 0 2]", "[1 2.5]",
		},
	} {
		f := tt.labels.feature(false)
		if got := fmt.Sprint(tt.labels.penalties()); got != tt.penalties {
			t.Errorf("%s: penalties %s, want %s", tt.name, got, tt.penalties)
		}
		if got := fmt.Sprint(f.codes); got != tt.codes {
			t.Errorf("%s: codes %s, want %s", tt.name, got, tt.codes)
		}
		if got := fmt.Sprint(f.Values); got != tt.values || f.Numeric != strings.HasPrefix(tt.name, "intervals") {
			t.Errorf("%s: values %s, want %s", tt.name, got, tt.values)
		}
		masked, raw := tt.labels.besideRaw(false)
		for code := range tt.labels.Len() {
			checkRaw(t, tt.labels, masked, raw, code)
		}
		if nominal := tt.labels.feature(true); nominal.Numeric || nominal.code(engine.DroppedLabel) != uint32(nominal.Domain-1) {
			t.Errorf("%s: nominal %+v", tt.name, nominal)
		}
	}
}

// checkRaw: a value is shown as itself, beside labels.
func checkRaw(t *testing.T, l labels, masked, raw feature, code int) {
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
		same := slices.IndexFunc(l.values, func(v engine.Label) bool { return v.Text == value.Text })
		if same >= 0 && l.tells(same) && got != masked.codes[same] || same < 0 && slices.Contains(masked.codes, got) {
			t.Errorf("value %s has code %d, labels have %d", value.Text, got, masked.codes)
		}
	}
}
