package yaml

import (
	"strings"
	"testing"
)

// Parse refuses files that are too large or too deep for the parser before the parser reads them.
func TestBounds(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"flow lists", strings.Repeat("[", 100_000), "nested too deeply"},
		{"flow maps", strings.Repeat("{a: ", 100_000), "nested too deeply"},
		{"lists on a line", strings.Repeat("- ", 100_000), "nested too deeply"},
		{"keys on a line", strings.Repeat("? ", 100_000), "nested too deeply"},
		{"indents", indents(200), "nested too deeply"},
		{"keys", strings.Repeat("a:\n", 30_000), "more than 20000 keys"},
		{"items", strings.Repeat("- a\n", 300_000), "too large"},
		{"bytes", strings.Repeat("#\n", 9<<20), "larger than 16 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := Parse([]byte(tt.text))
			if len(problems) == 0 || !strings.Contains(problems.Error(), tt.want) {
				t.Errorf("got %q, want %q", problems, tt.want)
			}
		})
	}
}

// A text that needs no quotes keeps its value without quotes, as a key and in a list.
func TestNeedsQuotes(t *testing.T) {
	for _, text := range []string{
		"a b", "a/b.c", "*x", "a*", "&a", "a&b", "!x", "a<<", "<<", "-", "-a", "- a", "a-", "?",
		"? a", "a?", "~", "null", "yes", "1", "1e5", ".5", "..", "./x", "../x", "a: b",
		"a:", ":a", "a #b", "a#b", "#", "a,b", "[a", "a]", "{a", "a}", "|", ">", "%a", "a%", "@a",
		"`a", "'", "a'b", "\"", "a\\b", " a", "a ", "a\tb", "\u2028", "\u0085", "=", "é",
		"2020-01-01", "",
	} {
		if NeedsQuotes(text) {
			continue
		}
		root, problems := Parse([]byte(text + ": {k: [" + text + ", {" + text + ": a}]}\n"))
		if len(problems) > 0 {
			t.Errorf("%q needs quotes: %v", text, problems)
			continue
		}
		items := root.Entries[0].Value.Entries[0].Value.Items
		if root.Entries[0].Key.Text != text || items[0].Text != text ||
			items[1].Entries[0].Key.Text != text {
			t.Errorf("%q needs quotes: %v", text, problems)
		}
	}
	for _, text := range []string{"9999-99-99", "+.inf"} {
		if !NeedsQuotes(text) {
			t.Errorf("parsers of YAML 1.1 read %q otherwise", text)
		}
	}
	for _, text := range []string{"a b", "a/b.c", "native-country", "*.csv", "./x", "../x", "50%",
		"é", "why?", "why ? so"} {
		if NeedsQuotes(text) != strings.ContainsAny(text, "*?") {
			t.Errorf("%q: %t", text, NeedsQuotes(text))
		}
	}
}

// indents returns maps nested to a depth in block style.
func indents(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
