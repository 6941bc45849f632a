package cutfile

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestCutsOfRegions: a column whose labels differ is not equal, although labels within each
// other stand beside each other, so that each cut covers the other. The regions are compared
// as a whole.
func TestDiffOfRegions(t *testing.T) {
	const (
		all   = `{"label":"(,)"}`
		low   = `{"label":"(,5)","upper":5}`
		high  = `{"label":"[5,)","lower":5}`
		lower = `{"label":"(,3)","upper":3}`
	)
	for _, tt := range []struct {
		from, to      string
		column, whole Relation
	}{
		{cutOfRegions(low+","+high, 2), cutOfRegions(low+","+high, 2), Equal, Equal},
		{cutOfRegions(all+","+low, 2), cutOfRegions(all, 1), Different, Different},
		{cutOfRegions(all+","+low, 2), cutOfRegions(all+","+lower, 2), Different, Different},
		{cutOfRegions(all, 1), cutOfRegions(low+","+high, 2), Finer, Finer},
		{cutOfRegions(lower+","+low+","+high, 3), cutOfRegions(low+","+high, 2), Different, Different},
	} {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "from.json"), filepath.Join(dir, "to.json")
		put(t, from, tt.from)
		put(t, to, tt.to)
		d, err := Diff(t.Context(), from, to, nil)
		if err != nil || d.Columns[0].Relation != tt.column || d.Relation != tt.whole {
			t.Errorf("%s\n%s\ngot %+v, %v, want %s, as a whole %s", tt.from, tt.to, d, err, tt.column, tt.whole)
		}
	}
}

// cutOfRegions is a cut of one column, as JSON, each of whose labels is a region.
func cutOfRegions(labels string, n int) string {
	regions := ""
	for i := range n {
		regions += fmt.Sprintf(",[%d]", i)
	}
	return fmt.Sprintf(`{"version":1,"kind":"regions","algorithm":"mondrian","rows":9,"quasi_identifiers":[{"columns":["a"],"k":2,"anonymity":3}],`+
		`"columns":{"a":{"mask":"discretize","cut":[%s]}},"regions":[%s],"steps":0}`, labels, regions[1:])
}
