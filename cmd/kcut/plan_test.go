package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// A plan folds the lists of columns that are counted together, also with columns in all of them.
func TestGroupingTable(t *testing.T) {
	var groupings []kcut.ForecastGrouping
	every := kcut.Job{Sets: []kcut.Set{{Subsets: 2, Of: []string{"a", "b", "c", "d"}, K: 5}}}
	for i, set := range every.EverySet() {
		groupings = append(groupings, kcut.ForecastGrouping{
			Columns: append(set.Columns, "class", "person"),
			Tuples:  kcut.Range{AtLeast: int64(10 - i), AtMost: int64(100 + i)},
		})
	}
	want := "every 2 of a, b, c, d (6 sets) with class, person  5 to 105\n"
	if got := new(ui).groupingTable(groupings); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s", got)
	}
	if got := new(ui).groupingTable(groupings[:1]); !strings.Contains(got, "a, b, class, person") {
		t.Error("one grouping:\n", got)
	}
	if got := fmt.Sprint(sharedEnd(groupings[:0])); got != "[]" {
		t.Error("none share ", got)
	}
}
