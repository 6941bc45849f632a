package engine

import (
	"fmt"
	"slices"
	"testing"
)

func TestAttributeLabelsRestAndNull(t *testing.T) {
	for _, tt := range []struct {
		rest, null bool
		want       string
	}{
		{false, false, "[a b]"},
		{true, false, "[a b *]"},
		{false, true, "[a b null]"},
		{true, true, "[a b * null]"},
	} {
		a := Attribute{
			Mask:    Suppress,
			Texts:   []string{"a", "b"},
			HasRest: tt.rest,
			HasNull: tt.null,
		}
		var labels []string
		for code := range a.Len() {
			text := a.Label(code).Text
			if a.Label(code).Null {
				text += "null"
			}
			labels = append(labels, text)
			if a.IsRest(code) != (tt.rest && code == 2) {
				t.Errorf("rest %t, null %t: code %d is the rest: %t", tt.rest, tt.null, code,
					a.IsRest(code))
			}
		}
		if got := fmt.Sprint(labels); got != tt.want {
			t.Errorf("rest %t, null %t: got %s, want %s", tt.rest, tt.null, got, tt.want)
		}
	}
}

// Find finds each text, in whatever order they are, and no other.
func TestAttributeFind(t *testing.T) {
	for _, texts := range [][]string{
		{"a", "b", "c"}, {"c", "a", "b"}, {"Under 25", "25-34", "35+", ""}, {"b"}, nil,
	} {
		var a Attribute
		a.SetTexts(texts)
		for want, text := range texts {
			if code, known := a.Find(text); !known || int(code) != want {
				t.Errorf("%q: %q is at %d, %t, not at %d", texts, text, code, known, want)
			}
		}
		for _, text := range []string{"aa", "Z", "~"} {
			if code, known := a.Find(text); known {
				t.Errorf("%q: %q is at %d", texts, text, code)
			}
		}
	}
}

// Members returns the values that SetLabel got, and NodesOf the nodes that NodeLabel got.
func TestMembers(t *testing.T) {
	null := Label{Null: true}
	for _, values := range [][]Label{
		{null}, {{Text: "a"}}, {{Text: "{"}}, {{Text: "{a|b}"}}, {{Text: ""}, {Text: "b"}},
		{{Text: `a\N`}, {Text: `\N`}, null}, {{Text: "x}"}, {Text: `\|`}, {Text: "|{"}},
	} {
		if got := Members(SetLabel(values)); !slices.Equal(got, values) {
			t.Errorf("%s tells %+v, of %+v", SetLabel(values).Text, got, values)
		}
	}
	for _, nodes := range [][]Label{
		{null}, {{Text: "a"}}, {{Text: "{a}"}}, {{Text: "{a|b}"}}, {{Text: "{a|b}"}, null},
	} {
		if got := NodesOf(NodeLabel(nodes)); !slices.Equal(got, nodes) {
			t.Errorf("%s has %+v, of nodes %+v", NodeLabel(nodes).Text, got, nodes)
		}
	}
	for _, text := range []string{"{", "}", "{a", "a}", "*", ""} {
		if got := Members(Label{Text: text}); !slices.Equal(got, []Label{{Text: text}}) {
			t.Errorf("%+v is what %s tells", got, text)
		}
	}
}
