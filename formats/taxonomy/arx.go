package taxonomy

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/formats/yaml"
)

// maxLevels is more fields than any hierarchy has.
const maxLevels = 100

// parseHierarchy parses a CSV file in ARX's hierarchy form: one row a leaf, its fields the
// path up to the root.
//
//	Bachelors;Undergraduate;Higher education;*
//	Masters;Graduate;Higher education;*
//
// Fields are separated by ";" or ",". All rows have the same number of fields and the same
// last one. A label that repeats on consecutive levels of a row stands for one node.
func parseHierarchy(text []byte) (*Node, yaml.Problems) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if problems := yaml.CheckUTF8(text); len(problems) > 0 {
		return nil, problems
	}
	h := hierarchy{numbers: make(map[string]int)}
	h.read(text)
	if len(h.problems) == 0 {
		h.check()
	}
	if len(h.problems) > 0 {
		return nil, h.problems
	}
	root := h.tree(0)
	return &root, nil
}

// hierarchy is a tree that grows row by row. Node 0 is the root.
type hierarchy struct {
	nodes    []hierarchyNode
	numbers  map[string]int // of nodes, by name
	problems yaml.Problems
}

type hierarchyNode struct {
	Node         // without its children
	parent   int // -1: the root
	children []int
	row      int // line of the row of which it is the leaf; 0: of none
}

func (h *hierarchy) add(line, column int, format string, args ...any) {
	h.problems.Add(yaml.Problem{Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

// read adds all rows of the file.
func (h *hierarchy) read(text []byte) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = hierarchyDelimiter(text)
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	width := 0
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			h.add(bad.Line, max(bad.Column, 1), "not valid CSV: %v", bad.Err)
			return
		}
		if width == 0 {
			width = len(row)
		}
		if len(row) != width || width > maxLevels {
			line, _ := r.FieldPos(0)
			h.add(line, 1, "fields of this row: %d, of the first row: %d (at most %d)", len(row), width, maxLevels)
			continue
		}
		h.row(row, r.FieldPos)
	}
}

// hierarchyDelimiter returns ";" when the first line has one outside of quotes, else ",".
func hierarchyDelimiter(text []byte) rune {
	quoted := false
	for _, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			return ';'
		case c == '\n' && !quoted:
			return ','
		}
	}
	return ','
}

// row adds one leaf and its path, from the root down.
func (h *hierarchy) row(row []string, at func(field int) (line, column int)) {
	parent, line, column := -1, 0, 0
	for field := len(row) - 1; field >= 0; field-- {
		name := row[field]
		line, column = at(field)
		number, known := h.numbers[name]
		switch {
		case name == "":
			h.add(line, column, "empty name")
			return
		case parent >= 0 && h.nodes[parent].Name == name:
			continue // one node that fills several levels
		case known && h.nodes[number].parent != parent:
			h.add(line, column, "name with another parent than on line %d: names must be unique in a tree", h.nodes[number].Line)
			return
		case !known && parent < 0 && len(h.nodes) > 0:
			h.add(line, column, "a second root: the last field of every row must be the same")
			return
		case !known:
			number = len(h.nodes)
			h.nodes = append(h.nodes, hierarchyNode{Node: Node{Name: name, Line: line, Column: column}, parent: parent})
			h.numbers[name] = number
			if parent >= 0 {
				h.nodes[parent].children = append(h.nodes[parent].children, number)
			}
		}
		parent = number
	}
	if leaf := &h.nodes[parent]; leaf.row == 0 {
		leaf.row = line
	} else {
		h.add(line, column, "a second row for the leaf of line %d", leaf.row)
	}
}

// check finds leaves that are inner nodes, too, and a tree that is only a root.
func (h *hierarchy) check() {
	switch len(h.nodes) {
	case 0:
		h.add(1, 1, "no tree: the file is empty")
	case 1:
		h.add(1, 1, "a root without children generalizes nothing")
		return
	}
	for i := range h.nodes {
		n := &h.nodes[i]
		if n.row > 0 && len(n.children) > 0 {
			h.add(n.row, 1, "the leaf of this row is also the parent of the node on line %d: names must be unique in a tree", h.nodes[n.children[0]].Line)
		}
	}
	slices.SortStableFunc(h.problems, func(a, b yaml.Problem) int { return a.Line - b.Line })
}

// tree makes the tree below a node. Its depth is at most the number of fields.
func (h *hierarchy) tree(number int) Node {
	n := h.nodes[number]
	for _, child := range n.children {
		n.Children = append(n.Children, h.tree(child))
	}
	return n.Node
}
