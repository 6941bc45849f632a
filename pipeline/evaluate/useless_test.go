package evaluate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A release is useless if it hides the values that determine the class, and not if none determine
// it. The error of the most frequent class is counted by hand.
func TestUseless(t *testing.T) {
	for _, c := range []struct {
		determined bool // the age determines the class
		want       map[string]bool
	}{
		{determined: true, want: map[string]bool{"5": false, "300": true}},
		{determined: false, want: map[string]bool{"5": false, "300": false}},
	} {
		var text strings.Builder
		text.WriteString("age,set,rich\n")
		yes := 0
		for i := range 600 {
			age, rich := 20+i/2%40, "no"
			if c.determined && age >= 45 || !c.determined && i%5 == 0 {
				rich = "yes"
			}
			set := "training"
			if i%2 > 0 {
				set = "test"
				if rich == "yes" {
					yes++
				}
			}
			fmt.Fprintf(&text, "%d,%s,%s\n", age, set, rich)
		}
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "people.csv"), []byte(text.String()), 0o600))
		path := filepath.Join(dir, "job.yaml")
		must(t, os.WriteFile(path, []byte("input: people.csv\noutput: out.parquet\nclass: rich\n"+
			"quasi_identifiers: [{columns: [age], k: 5}]\n"+
			"columns: {age: discretize, set: drop, rich: keep}\n"), 0o600))
		for k, want := range c.want {
			report, err := Evaluate(t.Context(), load(t, path, "quasi_identifiers[].k", k, "tdr"),
				Options{SplitColumn: "set", SplitValue: "training"})
			must(t, err)
			if got := report.Results[0].Useless; got != want {
				t.Errorf("determined %t, k %s: useless is %t, %+v", c.determined, k, got,
					report.Results[0])
			}
			if majority := float64(yes) / 300; math.Abs(report.Majority.Mean-majority) > 1e-12 {
				t.Errorf("the most frequent class is wrong about %g, want %g",
					report.Majority.Mean, majority)
			}
		}
	}
}
