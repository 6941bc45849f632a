package job

import (
	"regexp"
	"strings"
	"testing"
)

// The table of fields is sound: unique paths, one kind of default, patterns that compile
// and match their example, defaults that are values.
func TestFieldTable(t *testing.T) {
	seen := make(map[string]bool)
	for i := range fieldTable {
		f := &fieldTable[i]
		if seen[f.path] || f.doc == "" || f.def != "" && f.defWords != "" {
			t.Errorf("bad row %s", f.path)
		}
		seen[f.path] = true
		if f.pattern != "" && !regexp.MustCompile(f.pattern).MatchString(f.example) {
			t.Errorf("%s: example %q does not match", f.path, f.example)
		}
		if f.kind == kindText && len(f.enum) > 0 && f.def != "" && !strings.Contains(strings.Join(f.enum, " "), f.def) {
			t.Errorf("%s: default %q is not a value", f.path, f.def)
		}
		if !f.required && f.def == "" && f.defWords == "" && f.kind != kindMap {
			t.Errorf("%s: what when absent?", f.path)
		}
	}
}
