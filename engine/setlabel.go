package engine

import "strings"

var escaper = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `{`, `\{`, `}`, `\}`)

// nullMark is the null in a set.
const nullMark = `\N`

// SetLabel returns the label of some values of a suppressed attribute in a region: the value,
// or several as {a|b}, in which \, |, { and } are escaped by \ and the null is \N. A single
// value that starts with { is written as a set of one.
func SetLabel(values []Label) Label {
	if len(values) == 1 && (values[0].Null || !strings.HasPrefix(values[0].Text, "{")) {
		return values[0]
	}
	var text strings.Builder
	for i, v := range values {
		text.WriteByte("{|"[min(i, 1)])
		if v.Null {
			text.WriteString(nullMark)
		} else {
			text.WriteString(escaper.Replace(v.Text))
		}
	}
	text.WriteByte('}')
	return Label{Text: text.String()}
}
