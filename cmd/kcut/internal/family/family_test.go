package family

import (
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// Sets in a row are one family if they, with the sets that imply the others, are all of one size.
func TestFamilies(t *testing.T) {
	of := func(size int, columns string, k int) (sets []Set) {
		every := kcut.Job{Sets: []kcut.Set{
			{Subsets: size, Of: strings.Split(columns, ""), K: k}}}
		for _, set := range every.EverySet() {
			sets = append(sets, Set{set.Columns, set.K})
		}
		return sets
	}
	one := func(columns string, k int) []Set { return of(len(columns), columns, k) }
	for _, c := range []struct {
		name string
		sets []Set
		want []string
	}{
		{"none", nil, nil},
		{"three", of(2, "abc", 5), []string{"a b", "a c", "b c"}},
		{"four", of(3, "abcd", 5), []string{"every 3 of a b c d (4 sets)"}},
		{"many", of(4, "abcdefghijklm", 5),
			[]string{"every 4 of a b c d e f g h i j k l m (715 sets)"}},
		{"two families", slices.Concat(of(2, "abcd", 5), of(2, "efgh", 5), of(2, "ijkl", 4)),
			[]string{"every 2 of a b c d (6 sets)", "every 2 of e f g h (6 sets)",
				"every 2 of i j k l (6 sets)"}},
		{"one is missing", of(3, "abcde", 5)[1:],
			[]string{"a b d", "a b e", "a c d", "a c e", "a d e", "every 3 of b c d e (4 sets)"}},
		{"one is implied", slices.Concat(of(3, "abcde", 5)[1:], one("cabx", 6)),
			[]string{"every 3 of a b d e c (9 sets)", "c a b x"}},
		{"one is not quite implied", slices.Concat(one("abcx", 4), of(2, "bcde", 5)[1:]),
			[]string{"a b c x", "b d", "b e", "c d", "c e", "d e"}},
		{"singles", of(1, "abcde", 2), []string{"every 1 of a b c d e (5 sets)"}},
		{"no family", slices.Concat(one("ab", 5), one("cd", 5), one("ef", 5), one("gh", 5)),
			[]string{"a b", "c d", "e f", "g h"}},
	} {
		var got []string
		covered := 0
		for _, f := range Of(c.sets) {
			got = append(got, strings.Join(f.Words(nil), " "))
			if f.From != covered {
				t.Errorf("%s: a family begins at %d, want %d", c.name, f.From, covered)
			}
			covered = f.To
		}
		if covered != len(c.sets) || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
