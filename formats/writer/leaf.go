package writer

import (
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

// leafElement is one leaf of a column's subtree, with what writing it takes.
type leafElement struct {
	element    format.SchemaElement
	path       []string
	repetition int // highest level
	definition int // highest level
}

// leavesOf returns the leaves below the first element of a subtree, in order.
func leavesOf(elements []format.SchemaElement) []leafElement {
	var leaves []leafElement
	for rest, root := elements, (leafElement{}); len(rest) > 0; {
		leaves, rest = appendLeaves(leaves, rest, root)
	}
	return leaves
}

func appendLeaves(leaves []leafElement, elements []format.SchemaElement, parent leafElement) ([]leafElement, []format.SchemaElement) {
	e, rest := elements[0], elements[1:]
	node := leafElement{
		element:    e,
		path:       append(slices.Clip(parent.path), e.Name),
		repetition: parent.repetition,
		definition: parent.definition,
	}
	switch e.RepetitionType.V {
	case format.Optional:
		node.definition++
	case format.Repeated:
		node.definition++
		node.repetition++
	}
	if !e.NumChildren.Valid || e.NumChildren.V == 0 {
		return append(leaves, node), rest
	}
	for range e.NumChildren.V {
		if len(rest) == 0 {
			break
		}
		leaves, rest = appendLeaves(leaves, rest, node)
	}
	return leaves, rest
}
