package cutfile

import (
	"encoding/json"
	"errors"
	"strings"
)

// Label is one released label of a column: a JSON string, null, or for an interval an
// object with its label and ends.
type Label struct {
	Label    string          `json:"label"`
	Null     bool            `json:"-"`
	Interval bool            `json:"-"`
	Lower    json.RawMessage `json:"lower,omitempty"` // a JSON number, or a string for dates and times; nil: open
	Upper    json.RawMessage `json:"upper,omitempty"`
}

// MarshalJSON writes a string, null or object.
func (l Label) MarshalJSON() ([]byte, error) {
	type interval Label // without this method
	switch {
	case l.Null:
		return []byte("null"), nil
	case l.Interval:
		return Marshal(interval(l))
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
	interval := struct {
		Label        *string
		Lower, Upper json.RawMessage
	}{}
	if err := json.Unmarshal(data, &interval); err != nil {
		return err
	}
	if interval.Label == nil {
		return errors.New("an interval has no label")
	}
	*l = Label{Label: *interval.Label, Interval: true, Lower: interval.Lower, Upper: interval.Upper}
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

// NullInSet is the null among the values of a label.
const NullInSet = `\N`

// Values returns the values that a label of a suppressed column stands for: one, or those of a
// set {a|b}, in which the null is NullInSet.
func (l Label) Values() (values []string) {
	set, begins := strings.CutPrefix(l.Label, "{")
	set, ends := strings.CutSuffix(set, "}")
	switch {
	case l.Null:
		return []string{NullInSet}
	case !begins || !ends:
		return []string{l.Label}
	}
	var value strings.Builder
	for i := 0; i < len(set); i++ {
		switch {
		case set[i] == '|':
			values = append(values, value.String())
			value.Reset()
			continue
		case strings.HasPrefix(set[i:], NullInSet): // stays as it is
		case set[i] == '\\' && i+1 < len(set):
			i++
		}
		value.WriteByte(set[i])
	}
	return append(values, value.String())
}
