package cutfile

import (
	"encoding/json"
	"errors"
	"strings"
)

// Label is one released label of a column: a JSON string, null, or for an interval an
// object with its label and ends.
type Label struct {
	Label    string
	Null     bool
	Interval bool
	Lower    json.RawMessage // a JSON number, or a string for dates and times; nil: open
	Upper    json.RawMessage
}

type interval struct {
	Label *string         `json:"label"`
	Lower json.RawMessage `json:"lower,omitempty"`
	Upper json.RawMessage `json:"upper,omitempty"`
}

// MarshalJSON writes a string, null or object.
func (l Label) MarshalJSON() ([]byte, error) {
	switch {
	case l.Null:
		return []byte("null"), nil
	case l.Interval:
		return Marshal(interval{&l.Label, l.Lower, l.Upper})
	}
	return Marshal(l.Label)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Label) UnmarshalJSON(data []byte) error {
	*l = Label{}
	switch {
	case string(data) == "null":
		l.Null = true
		return nil
	case data[0] != '{':
		return json.Unmarshal(data, &l.Label)
	}
	var interval interval
	if err := json.Unmarshal(data, &interval); err != nil {
		return err
	}
	if interval.Label == nil {
		return errors.New("an interval has no label")
	}
	l.Label, l.Interval, l.Lower, l.Upper = *interval.Label, true, interval.Lower, interval.Upper
	return nil
}

// EndText returns the text of an interval's end and whether it has one.
func EndText(end json.RawMessage) (string, bool) {
	if len(end) == 0 || string(end) == "null" {
		return "", false
	}
	var text string
	if end[0] == '"' && json.Unmarshal(end, &text) == nil {
		return text, true
	}
	return string(end), true
}

// Values returns the values that a label of a suppressed column stands for.
func (l Label) Values() []string {
	if l.Null {
		return []string{NullInSet}
	}
	return setValues(l.Label)
}

// NullInSet is the null among the values of a label.
const NullInSet = `\N`

// setValues returns the values that a label of a suppressed column stands for: one, or those
// of a set {a|b}, in which the null is NullInSet.
func setValues(label string) []string {
	if !strings.HasPrefix(label, "{") || !strings.HasSuffix(label, "}") {
		return []string{label}
	}
	inner := label[1 : len(label)-1]
	var values []string
	var value strings.Builder
	for i := 0; i < len(inner); i++ {
		switch {
		case inner[i] == '|':
			values = append(values, value.String())
			value.Reset()
		case inner[i] == '\\' && i+1 < len(inner) && inner[i+1] == 'N':
			value.WriteString(NullInSet)
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
