package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/spill"
)

// randomPart draws labels of some attributes.
func randomPart(r *rand.Rand, attributes, labels, classes int) *part {
	p := &part{masked: make([][]uint32, attributes)}
	for range 1 + r.IntN(40) {
		for a := range p.masked {
			p.masked[a] = append(p.masked[a], uint32(r.IntN(labels)))
		}
		p.class = append(p.class, uint32(r.IntN(classes)))
		p.counts = append(p.counts, 1+uint32(r.IntN(3)))
		p.rows += uint64(p.counts[len(p.counts)-1])
	}
	return p
}

// Every metric agrees with what its definition says of single rows.
func TestMeasure(t *testing.T) {
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		attributes, classes, k := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(5)
		p := randomPart(r, attributes, 3, classes)
		dropped := uint64(r.IntN(3))
		penalties := make([][]float64, attributes)
		for a := range penalties {
			penalties[a] = []float64{0, r.Float64(), 1}
		}
		budget := spill.NewBudget(1 << 30)
		got, err := measure(p, dropped, penalties, k, classes, budget)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := p.single(budget)
		if err != nil {
			t.Fatal(err)
		}
		key := func(row int) string {
			text := ""
			for _, labels := range rows.masked {
				text += fmt.Sprint(labels[row], " ")
			}
			return text
		}
		all := float64(p.rows + dropped)
		want := Release{Dropped: float64(dropped), Discernibility: all * float64(dropped)}
		groups := map[string]map[uint32]int{}
		for i := range rows.counts {
			for j := range rows.counts {
				if key(i) == key(j) {
					want.Discernibility++
				}
			}
			for a, labels := range rows.masked {
				want.Penalty += penalties[a][labels[i]] / float64(attributes) / all
			}
			if groups[key(i)] == nil {
				groups[key(i)] = map[uint32]int{}
			}
			groups[key(i)][rows.class[i]]++
		}
		want.Penalty += float64(dropped) / all
		want.ClassSize = all / float64(len(groups)) / float64(k)
		right := 0
		for _, counts := range groups {
			largest := 0
			for _, n := range counts {
				largest = max(largest, n)
			}
			right += largest
		}
		want.Misclassified = 1 - float64(right)/all
		for _, pair := range [][2]float64{
			{got.Discernibility, want.Discernibility}, {got.Penalty, want.Penalty}, {got.ClassSize, want.ClassSize},
			{got.Misclassified, want.Misclassified}, {got.Dropped, want.Dropped},
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
	if err != nil {
		t.Fatal(err)
	}
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
			"intervals", labels{Attribute: &numbers, values: texts("[0,)", "[0,2)", "[0,5)", "[2,5)", "[1,)", ""), intervals: intervals},
			"[1 0.4 1 0.6 0.8 0]", "[4 0 1 3 2 4]", "[1 2.5 3 3.5]",
		},
		{
			"intervals, the whole range too", labels{Attribute: &numbers, values: texts("[0,)", "[0,2)", ""), intervals: intervals, roots: true},
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
		if nominal := tt.labels.feature(true); nominal.Numeric || nominal.code(engine.DroppedLabel) != uint32(nominal.Domain-1) {
			t.Errorf("%s: nominal %+v", tt.name, nominal)
		}
	}
}
