package pipeline

import "strings"

// nullInSet is the null among the values of a label.
const nullInSet = `\N`

// setValues returns the values that a label of a suppressed column stands for: one, or those
// of a set {a|b}, in which the null is nullInSet.
func setValues(label string) []string {
	inner, isSet := strings.CutPrefix(label, "{")
	if inner, isSet = strings.CutSuffix(inner, "}"); !isSet || !strings.HasPrefix(label, "{") {
		return []string{label}
	}
	var values []string
	var value strings.Builder
	for i := 0; i < len(inner); i++ {
		switch {
		case inner[i] == '|':
			values = append(values, value.String())
			value.Reset()
		case inner[i] == '\\' && i+1 < len(inner) && inner[i+1] == 'N':
			value.WriteString(nullInSet)
			i++
		case inner[i] == '\\' && i+1 < len(inner):
			i++
			value.WriteByte(inner[i])
		default:
			value.WriteByte(inner[i])
		}
	}
	return append(values, value.String())
}
