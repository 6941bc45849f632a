package text

import "testing"

func TestWrap(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"one two", "one two"},
		{"one two three", "one two\n  three"},
		{"exactly 10", "exactly 10"},
		{"ünï ünï üü", "ünï ünï üü"},
		{"unbreakable words", "unbreakable\n  words"},
		{"a unbreakable b", "a\n  unbreakable\n  b"},
		{"it is 99.7 % now", "it is\n  99.7 %\n  now"},
		{"two  spaces", "two \n  spaces"},
	} {
		if got := Wrap(tt.text, 10, "  "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
