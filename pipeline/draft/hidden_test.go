package draft_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/job"
)

// doubted returns the columns that a draft says are in doubt.
func doubted(text string) []string {
	found := regexp.MustCompile(`(?m)^  # In doubt, .*: (.*)\.$`).FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	return strings.Split(found[1], ", ")
}

// certain returns the columns of a draft's first set that are not in doubt.
func certain(t *testing.T, text string) []string {
	t.Helper()
	j, err := job.Parse("", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	in := doubted(text)
	return slices.DeleteFunc(slices.Clone(j.Sets[0].Columns), func(name string) bool {
		return slices.Contains(in, name)
	})
}

// checkCertain checks which columns of a draft's first set are not in doubt, in any order.
func checkCertain(t *testing.T, text, want string) {
	t.Helper()
	got, all := certain(t, text), strings.Fields(want)
	slices.Sort(got)
	slices.Sort(all)
	if !slices.Equal(got, all) {
		t.Errorf("known: %q, want %q", got, all)
	}
}

// Columns of words, codes or two values whose names say nothing are in the first set, in doubt: no
// numbers and dates, none that others hardly know, in no table of patients, no questionnaire, and
// in no table of which nobody knows anything.
func TestDraftDoubts(t *testing.T) {
	item := func(values string, n int) (items []string) {
		for i := range n {
			items = append(items, fmt.Sprintf("%c%c=%s", 'a'+i, 'q'-i, values))
		}
		return items
	}
	for name, tt := range map[string]struct {
		columns []string
		want    []string
	}{
		"words and marks": {[]string{"age#", "farm=0|1", "moth=x|y|z", "steps#"},
			[]string{"farm", "moth"}},
		"hidden": {[]string{"age#", "farm=0|1", "AcceptedCmp3=0|1", "payment_method=a|b|c",
			"status_2=x|y", "happy=a|b|c"}, []string{"farm"}},
		"patients":     {[]string{"age#", "farm=0|1", "sysbp#", "chol#"}, nil},
		"a few items":  {append(item("a|b|c", 11), "age#"), nil},
		"many items":   {append(item("a|b|c", 12), "age#"), nil},
		"nobody known": {[]string{"steps#", "farm=0|1", "moth=x|y|z"}, nil},
	} {
		if name == "a few items" {
			for _, column := range tt.columns[:11] {
				tt.want = append(tt.want, column[:2])
			}
		}
		text := study(t, 600, tt.columns...)
		if got := doubted(text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q in doubt, want %q:\n%s", name, got, tt.want, text)
		}
		j, err := job.Parse("", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range tt.want {
			if !slices.Contains(j.Sets[0].Columns, column) {
				t.Errorf("%s: %s is not in %q", name, column, j.Sets[0].Columns)
			}
		}
	}
}
