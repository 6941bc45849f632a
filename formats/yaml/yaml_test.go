package yaml

import (
	"strings"
	"testing"
)

// Files that would take the parser too long, or too deep, are refused before it sees them.
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
			if len(problems) == 0 || !strings.Contains(problems.String(), tt.want) {
				t.Errorf("got %q, want %q", problems, tt.want)
			}
		})
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
