package binding

import (
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// fit returns a taxonomy whose given tree has values of a type: a leaf in another form than its
// value, as 1.0 for integers or 2020-01-01 10:00 for timestamps, gets the value's text, unless
// another node has that. Texts do not change.
func fit(t job.Taxonomy, of formats.Type) job.Taxonomy {
	if t.Tree == nil || of.Kind == formats.String || of.Kind == formats.Nested ||
		!refits(t.Tree, of) {
		return t
	}
	names := make(map[string]bool)
	var list func(n *taxonomy.Node)
	list = func(n *taxonomy.Node) {
		names[n.Name] = true
		for i := range n.Children {
			list(&n.Children[i])
		}
	}
	list(t.Tree)
	fitted := refit(t.Tree, of, names)
	t.Tree = &fitted
	return t
}

// refits reports whether some leaf is written in another form than its value.
func refits(n *taxonomy.Node, of formats.Type) bool {
	if n.Leaf() {
		return valueText(n.Name, of) != n.Name
	}
	for i := range n.Children {
		if refits(&n.Children[i], of) {
			return true
		}
	}
	return false
}

// refit returns the node with the leaves below it renamed, except to names that exist.
func refit(n *taxonomy.Node, of formats.Type, names map[string]bool) taxonomy.Node {
	fitted := *n
	if text := valueText(n.Name, of); n.Leaf() && !names[text] {
		fitted.Name, names[text] = text, true
	}
	fitted.Children = nil
	for i := range n.Children {
		fitted.Children = append(fitted.Children, refit(&n.Children[i], of, names))
	}
	return fitted
}

// valueText returns the text of the value of a type that a name represents, or the name itself. A
// number may begin with a redundant zero, as codes do.
func valueText(name string, of formats.Type) string {
	text := name
	switch of.Kind {
	case formats.Int, formats.Uint, formats.Float, formats.Decimal:
		digits := strings.TrimLeft(name, "+-")
		if len(digits) > 1 && digits[0] == '0' && digits[1]-'0' <= 9 {
			return name
		}
		whole, fraction, _ := strings.Cut(name, ".")
		if of.Kind != formats.Decimal && strings.Trim(fraction, "0") == "" {
			text = whole
		}
	}
	v := &formats.Values{Type: of}
	if v.Parse(text) != nil {
		return name
	}
	return domain.TextOf(v, 0)
}
