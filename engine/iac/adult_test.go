package iac_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
)

// TestAdultLevels: nearly constant levels tell most for what they tell at all, unless they
// have to tell something.
func TestAdultLevels(t *testing.T) {
	d := enginetest.Adult(t, "workclass", "native-country")
	const training = 30_162
	d.Rows, d.Classes = d.Rows[:training], d.Classes[:training]
	for minInfo, want := range map[float64]string{0: "[With-Pay Without-pay] 41", 0.9: "[Federal-gov Local-gov Private Self-emp-inc Self-emp-not-inc State-gov Without-pay] 41"} {
		e := iac.Engine{Small: iac.Keep, MinInfo: minInfo}
		sets := []engine.Set{{Columns: []int{0, 1}, K: 1}}
		got, err := run(e, d, d.Table(e.Plan(engine.Requirement{Sets: sets})), sets, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var labels [2][]string
		for _, row := range got.released {
			for c := range labels {
				if !slices.Contains(labels[c], row[c].Text) {
					labels[c] = append(labels[c], row[c].Text)
				}
			}
		}
		slices.Sort(labels[0])
		if text := fmt.Sprint(labels[0], len(labels[1])); text != want {
			t.Errorf("min_info %g: got %s, want %s", minInfo, text, want)
		}
	}
}
