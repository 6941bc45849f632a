package yaml

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// builder turns the parser's tree into Nodes.
type builder struct{ problems Problems }

func (b *builder) build(file *ast.File) (*Node, Problems) {
	var root *Node
	documents := 0
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		node := b.node(doc.Body, 0)
		if documents++; documents > 1 {
			b.problems.Add(Problem{Line: node.Line, Column: node.Column, Message: "a second document"})
			break
		}
		root = node
	}
	return root, b.problems
}

// node converts one node. What it cannot convert becomes a problem and a null.
func (b *builder) node(n ast.Node, depth int) *Node {
	out := &Node{}
	t := n.GetToken()
	out.Line, out.Column = t.Position.Line, t.Position.Column
	if depth > maxDepth {
		b.problems.at(t, "nested too deeply", "")
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		b.entries(out, n, depth)
	case *ast.MappingValueNode:
		b.entries(out, ast.Mapping(t, false, n), depth)
	case *ast.SequenceNode:
		out.Kind = List
		for _, item := range n.Values {
			out.Items = append(out.Items, b.node(item, depth+1))
		}
	case *ast.LiteralNode:
		out.Text, out.Quoted = n.Value.Value, true
	case *ast.StringNode:
		out.Text, out.Quoted = n.Value, t.Type != token.StringType
	case ast.ScalarNode:
		if t.Type != token.ImplicitNullType {
			out.Text = t.Value
		}
	default:
		b.problems.at(t, "not supported here", "")
	}
	return out
}

// entries converts a map and checks that its keys are scalars and unique.
func (b *builder) entries(out *Node, n *ast.MappingNode, depth int) {
	out.Kind = Map
	lines := make(map[string]int, len(n.Values))
	for i, value := range n.Values {
		key := b.key(value.Key, depth+1)
		if key == nil {
			continue
		}
		if i == 0 && !n.IsFlowStyle {
			out.Line, out.Column = key.Line, key.Column // the parser points at the colon
		}
		if line, ok := lines[key.Text]; ok {
			b.problems.Add(Problem{Line: key.Line, Column: key.Column, Message: fmt.Sprintf("duplicate key, first on line %d", line)})
			continue
		}
		lines[key.Text] = key.Line
		out.Entries = append(out.Entries, Entry{key, b.node(value.Value, depth+1)})
	}
}

func (b *builder) key(n ast.MapKeyNode, depth int) *Node {
	if explicit, ok := n.(*ast.MappingKeyNode); ok {
		key, ok := explicit.Value.(ast.MapKeyNode)
		if !ok {
			b.problems.at(explicit.GetToken(), "a key must be a plain text", "")
			return nil
		}
		n = key
	}
	key := b.node(n, depth)
	if key.Kind != Scalar {
		b.problems.at(n.GetToken(), "a key must be a plain text", "")
		return nil
	}
	return key
}
