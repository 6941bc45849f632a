package mondrian_test

import (
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// covered returns the codes that a label is true of, read from its text alone.
func covered(c randomCase, n *naive, a int, label engine.Label) map[int]bool {
	codes := map[int]bool{}
	for code := range n.Attributes[a].Len() {
		if c.Data.Columns[a].Covers(label, n.Attributes[a].Label(code)) {
			codes[code] = true
		}
	}
	return codes
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
			if named := enginetest.Members(label.Text); len(named) > max(1, kOf(n.sets, a)) {
				t.Errorf("column %d: %q names %d values", a, label.Text, len(named))
			}
		}
	}
}

// checkTruth checks that labels are true of the rows, that wider labels come before those
// within them, and narrower regions before wider ones.
func checkTruth(t *testing.T, c randomCase, got *engine.Regions, n *naive) {
	t.Helper()
	sets := make([][]map[int]bool, len(n.Attributes))
	for a := range sets {
		for _, label := range got.Labels(a) {
			sets[a] = append(sets[a], covered(c, n, a, label))
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
			label := engine.Label{Text: text}
			if text == nullLabel {
				label = engine.Label{Null: true}
			}
			if value := c.Data.Rows[r][a]; !c.Data.Columns[a].Covers(label, value) {
				t.Errorf("row %d, column %d: %q is not true of %+v", r, a, text, value)
			}
		}
	}
}
