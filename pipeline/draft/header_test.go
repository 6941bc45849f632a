package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// A first line that looks like a row is no header: each of its texts is a value of its column.
// Years that head columns, and names that are values of one column only, are one. Without one
// somebody may know all columns.
func TestDraftFindsHeaderless(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	number := func(int) string { return fmt.Sprint(rng.IntN(90)) }
	text := func(int) string { return []string{" x", " y", " z"}[rng.IntN(3)] }
	person := func(row int) string { return fmt.Sprint("person ", row) }
	once := func(name string) func(int) string {
		return func(row int) string { return []string{name, " y", " z"}[min(row, 1+row%2)] }
	}
	for _, tt := range []struct {
		header string
		of     []func(int) string
		is     bool
	}{
		{"39, x,77", []func(int) string{number, text, number}, true},
		{"39, x,39, x", []func(int) string{number, text, number, text}, true},
		{"39, x, y,somebody", []func(int) string{number, text, text, person}, true},
		{"39, a, b, c", []func(int) string{number, once(" a"), once(" b"), once(" c")}, false},
		{"39, x,somebody", []func(int) string{number, text, person}, false},
		{"6,148,72", []func(int) string{number, number, number}, true},
		{"39, w,77", []func(int) string{number, text, number}, false},
		{"age, x,77", []func(int) string{number, text, number}, false},
		{"1998,1999,2000", []func(int) string{number, number, number}, false},
		{" x, y", []func(int) string{text, text}, false},
	} {
		var table strings.Builder
		fmt.Fprintln(&table, tt.header)
		for row := range 300 {
			for at, of := range tt.of {
				table.WriteString([]string{"", ","}[min(at, 1)] + of(row))
			}
			fmt.Fprintln(&table)
		}
		t.Chdir(t.TempDir())
		write(t, "table.csv", table.String())
		drafted := draftOf(t, draft.Options{Input: []string{"table.csv"}})
		runDraft(t, drafted)
		if is := strings.Contains(drafted, "header: false"); is != tt.is {
			t.Errorf("%s: headerless: %t, want %t:\n%s", tt.header, is, tt.is, drafted)
		}
		if tt.is && !strings.Contains(drafted, "    k: 10\n") {
			t.Errorf("%s: no k of 10 for columns without names:\n%s", tt.header, drafted)
		}
	}
}
