package mondrian_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
)

// covered returns the codes that a label is true of, read from its text alone.
func covered(a *engine.Attribute, label engine.Label) map[int]bool {
	codes := map[int]bool{}
	for code := range a.Len() {
		if isTrue(a, label, code) {
			codes[code] = true
		}
	}
	return codes
}

func isTrue(a *engine.Attribute, label engine.Label, code int) bool {
	null := a.HasNull && code == a.Len()-1
	switch {
	case label.Null:
		return null
	case a.Mask == engine.Suppress:
		return label.Text == engine.Suppressed || !a.IsRest(code) && slices.Contains(setOf(label.Text), writtenIn(a, code, label.Text))
	case a.Mask == engine.Generalize && null:
		return label.Text == a.Tree.Name(0)
	case a.Mask == engine.Generalize:
		for node := range a.Tree.Len() {
			if lo, hi := a.Tree.Range(node); a.Tree.Name(node) == label.Text && lo <= code && code < hi {
				return true
			}
		}
		return false
	}
	lower, upper, _ := strings.Cut(label.Text[1:len(label.Text)-1], ",")
	if null {
		return lower == a.LowerText && upper == a.UpperText
	}
	place := func(text string) int { return slices.Index(a.Texts, text) }
	return (lower == a.LowerText || place(lower) <= code) && (upper == a.UpperText || code < place(upper))
}

// writtenIn returns a value as the label of a suppressed attribute has it.
func writtenIn(a *engine.Attribute, code int, label string) string {
	if a.HasNull && code == a.Len()-1 {
		return `\N`
	}
	if !strings.HasPrefix(label, "{") {
		return a.Texts[code]
	}
	return strings.NewReplacer(`\`, `\\`, `|`, `\|`, `{`, `\{`, `}`, `\}`).Replace(a.Texts[code])
}

// setOf returns the members of a set, still escaped, or the one value.
func setOf(label string) (members []string) {
	if !strings.HasPrefix(label, "{") {
		return []string{label}
	}
	member := ""
	for i := 1; i < len(label); i++ {
		switch c := label[i]; c {
		case '\\':
			member += label[i : i+2]
			i++
		case '|', '}':
			members, member = append(members, member), ""
		default:
			member += string(c)
		}
	}
	return members
}

// within reports whether all codes of one label are another's.
func within(a, b map[int]bool) bool {
	for code := range a {
		if !b[code] {
			return false
		}
	}
	return true
}

// checkNames checks that labels of suppressed columns name no more values than k.
func checkNames(t *testing.T, got *engine.Regions, n *naive) {
	t.Helper()
	for a := range n.Attributes {
		if n.Attributes[a].Mask != engine.Suppress {
			continue
		}
		for _, label := range got.Labels(a) {
			if named := setOf(label.Text); len(named) > max(1, kOf(n.sets, a)) {
				t.Errorf("column %d: %q names %d values", a, label.Text, len(named))
			}
		}
	}
}

// checkTruth checks that labels are true of the rows, that wider labels come before those
// within them, and narrower regions before wider ones.
func checkTruth(t *testing.T, got *engine.Regions, n *naive) {
	t.Helper()
	sets := make([][]map[int]bool, len(n.Attributes))
	for a := range sets {
		for _, label := range got.Labels(a) {
			sets[a] = append(sets[a], covered(&n.Attributes[a], label))
		}
		for i, wide := range sets[a] {
			for _, narrow := range sets[a][:i] {
				if within(narrow, wide) && len(narrow) < len(wide) {
					t.Errorf("column %d: label %d is wider than one before it", a, i)
				}
			}
		}
	}
	for i := range got.Len() {
		for j := range i {
			inside := true
			for a, label := range got.Region(int32(i)) {
				inside = inside && within(sets[a][label], sets[a][got.Region(int32(j))[a]])
			}
			if inside {
				t.Errorf("region %d is within region %d, which comes first", i, j)
			}
		}
	}
	checkNames(t, got, n)
	for r, labels := range released(n.Codes, got, n.Rows) {
		for a, text := range strings.Split(labels, " ; ") {
			label := engine.Label{Text: text, Null: text == nullLabel}
			if code := int(n.Columns[a][r]); !isTrue(&n.Attributes[a], label, code) {
				t.Errorf("row %d, column %d: %q is not true of code %d", r, a, text, code)
			}
		}
	}
}
