package draft_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A column is dropped if fewer than k rows are outside its most frequent value, or have a value,
// and no more than one in 20, but a treatment is not.
func TestDraftDropsConstants(t *testing.T) {
	few := func(first, n int, text, others string) func(i int) string {
		return func(i int) string {
			if i%100 >= first && i%100 < first+n {
				return fmt.Sprintf(text, i%5)
			}
			return others
		}
	}
	columns := map[string]func(i int) string{
		"age":      func(i int) string { return fmt.Sprint(20 + i%47) },
		"pressure": few(0, 3, "%d", "7"), "paid": few(8, 3, "a%d", ""),
		"known": few(16, 4, "a%d", "b"), "arm": few(24, 3, "%d", "8"),
		"result_1": few(32, 3, "c%d", "d"),
	}
	for rows, dropped := range map[int]string{300: "paid pressure result_1", 400: "", 50: ""} {
		text, got := tableOf(t, rows, columns), ""
		for _, name := range slices.Sorted(maps.Keys(columns)) {
			if regexp.MustCompile("  " + name + ": .* rows have the same value, or all none: ").
				MatchString(text) {
				got += " " + name
			}
		}
		if strings.TrimSpace(got) != dropped {
			t.Errorf("of %d rows dropped %q, want %q:\n%s", rows, got, dropped, text)
		}
	}
}
