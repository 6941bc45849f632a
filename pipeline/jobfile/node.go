package jobfile

import (
	"fmt"
	"strconv"

	"github.com/kcut/kcut/formats/yaml"
)

// yamlText returns the text of a scalar that may be absent.
func yamlText(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// yamlInt returns the value of a checked integer that may be absent.
func yamlInt(n *yaml.Node) int {
	v, _ := strconv.Atoi(yamlText(n)) // checked: only an absent one fails
	return v
}

// yamlFraction returns the value of a checked fraction that may be absent.
func yamlFraction(n *yaml.Node) float64 {
	v, _ := strconv.ParseFloat(yamlText(n), 64) // checked: only an absent one fails
	return v
}

// yamlTexts returns the texts of a list that may be absent.
func yamlTexts(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	out := make([]string, len(n.Items))
	for i, item := range n.Items {
		out[i] = item.Text
	}
	return out
}

// orEmptyNode returns a node, or an empty one when it is absent.
func orEmptyNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return &yaml.Node{}
	}
	return n
}

// setKey gives a key of a map a value, in place or at the end.
func setKey(m *yaml.Node, key string, n *yaml.Node) {
	for i := range m.Entries {
		if m.Entries[i].Key.Text == key {
			m.Entries[i].Value = n
			return
		}
	}
	m.Entries = append(m.Entries, yaml.Entry{Key: &yaml.Node{Text: key, Quoted: true}, Value: n})
}

// describeNode names the shape of a node, for messages.
func describeNode(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.Map && len(n.Entries) == 0:
		return "an empty map"
	case n.Kind == yaml.Map:
		return "a map"
	case n.Kind == yaml.List && len(n.Items) == 0:
		return "an empty list"
	case n.Kind == yaml.List && len(n.Items) == 1:
		return "a list of one"
	case n.Kind == yaml.List:
		return fmt.Sprintf("a list of %d", len(n.Items))
	case n.Null():
		return "nothing"
	}
	return strconv.Quote(n.Text)
}

// describeScalar shows a number as it is and everything else in quotes.
func describeScalar(n *yaml.Node) string {
	if _, err := strconv.ParseFloat(n.Text, 64); err == nil && !n.Quoted {
		return n.Text
	}
	return strconv.Quote(n.Text)
}

func emptyMapLike(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.Map, Line: n.Line, Column: n.Column}
}
