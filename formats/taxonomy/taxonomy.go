// Package taxonomy reads the trees along which kcut generalizes values, from YAML and from CSV
// hierarchies in the form of ARX.
//
// Contract: a tree has one root and unique names, and only the name of a leaf may be empty. A read
// reports all problems of a file at once, each with its place. Problems do not quote names, since
// names are values of the data.
//
// Not promised: that the leaves include the values of any data.
package taxonomy

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// Node is one node of a taxonomy tree: a value, and the values that refine it. A node without
// children is a leaf: a value of the data. Names are unique in a tree. Only the name of a leaf may
// be empty: this leaf is the empty text.
type Node struct {
	Name     string
	Children []Node
	Line     int // where the file names it first, from 1
	Column   int // from 1; in characters (YAML) or bytes (CSV)
}

// Leaf reports whether the node has no children.
func (n *Node) Leaf() bool { return len(n.Children) == 0 }

// Check returns the problems of a tree from any source: empty names, names used twice, and a root
// without children.
func Check(root *Node) (problems yaml.Problems) {
	if root.Leaf() {
		return yaml.Problems{root.problem("a root without children generalizes nothing", "")}
	}
	first := make(map[string]*Node)
	var check func(n *Node)
	check = func(n *Node) {
		before := first[n.Name]
		if n.Name == "" && (n == root || !n.Leaf()) {
			problems.Add(n.problem("empty name", ""))
		} else if before == nil {
			first[n.Name] = n
		} else {
			message := "name used twice in one tree"
			if before.Line > 0 {
				message += fmt.Sprintf(", first on line %d", before.Line)
			}
			problems.Add(n.problem(message, "names must be unique: rename one"))
		}
		for i := range n.Children {
			check(&n.Children[i])
		}
	}
	check(root)
	return problems
}

func (n *Node) problem(message, hint string) yaml.Problem {
	return yaml.Problem{Line: n.Line, Column: n.Column, Message: message, Hint: hint}
}

// maxBytes is the largest size of a taxonomy file in CSV form.
const maxBytes = 256 << 20

// ReadAll reads a YAML file of named trees:
//
//	education:
//	  ANY:
//	    Secondary: [9th, 10th]
//	    University: {Bachelors: {}, Masters: }
//
// A node is a key, its children are the keys or items below it; a leaf is a key without children or
// an item of a list. Every tree has one root. If the content of the file is wrong, the error is of
// type yaml.Problems and lists all problems.
func ReadAll(path string) (map[string]*Node, error) { return read(path, yaml.MaxBytes, parseTrees) }

// Read reads a file that holds one tree. If the name ends in .yaml or .yml, the file is YAML with
// the root as its only key, else it is a CSV hierarchy in the form of ARX (see parseHierarchy). If
// the content of the file is wrong, the error is of type yaml.Problems and lists all problems.
func Read(path string) (*Node, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return read(path, yaml.MaxBytes, parseTree)
	}
	return read(path, maxBytes, parseHierarchy)
}

// read reads and parses a file of at most limit bytes.
func read[T any](
	path string, limit int64, parse func([]byte) (T, yaml.Problems),
) (parsed T, err error) {
	text, err := yaml.ReadFile(path, limit)
	if err != nil {
		return parsed, fmt.Errorf("read taxonomy: %w", err)
	}
	problems := yaml.Problems{{Message: fmt.Sprintf("larger than %d MiB", limit>>20)}}
	if int64(len(text)) <= limit {
		parsed, problems = parse(text)
	}
	for i := range problems {
		problems[i].File = path
	}
	if len(problems) > 0 {
		return parsed, problems
	}
	return parsed, nil
}

// parseTrees parses a YAML file of named trees.
func parseTrees(text []byte) (map[string]*Node, yaml.Problems) {
	doc, problems := yaml.Parse(text)
	if len(problems) > 0 {
		return nil, problems
	}
	if doc == nil || doc.Kind != yaml.Map {
		return nil, yaml.Problems{{Line: 1, Column: 1, Message: "not a map from names to trees"}}
	}
	trees := make(map[string]*Node, len(doc.Entries))
	for _, e := range doc.Entries {
		at := e.Value
		if at.Null() {
			at = e.Key
		}
		tree, ps := New(e.Value)
		for _, p := range ps {
			if p.Line == 0 {
				p.Line, p.Column = at.Line, at.Column
			}
			problems.Add(p)
		}
		trees[e.Key.Text] = tree
	}
	return trees, problems
}

// parseTree parses a YAML file that holds one tree.
func parseTree(text []byte) (*Node, yaml.Problems) {
	doc, problems := yaml.Parse(text)
	switch {
	case len(problems) > 0:
		return nil, problems
	case doc == nil:
		return nil, yaml.Problems{{Line: 1, Column: 1, Message: "no tree: the file is empty"}}
	}
	return New(doc)
}

// New makes a tree of a YAML map with one key, the root. The problems have no file and no source
// line yet.
func New(doc *yaml.Node) (*Node, yaml.Problems) {
	var problems yaml.Problems
	if doc.Kind != yaml.Map || len(doc.Entries) == 0 {
		problems.At(doc, "not a tree: it needs a map with one key, the root", "")
		return nil, problems
	}
	if roots := len(doc.Entries); roots > 1 {
		message := fmt.Sprintf("a second root: a tree has one, this has %d", roots)
		problems.At(doc.Entries[1].Key, message, "put the roots under a common one")
		return nil, problems
	}
	root := node(doc.Entries[0].Key, doc.Entries[0].Value, &problems)
	if len(problems) == 0 || !root.Leaf() {
		problems = append(problems, Check(&root)...)
	}
	if len(problems) > 0 {
		slices.SortStableFunc(problems, byPlace)
		return nil, problems
	}
	return &root, nil
}

// node makes a node of a key and the value below it: texts become leaves, maps become trees.
func node(key, below *yaml.Node, problems *yaml.Problems) Node {
	n := leaf(key, problems)
	if below.Kind == yaml.Scalar && !below.Null() {
		problems.At(below, "a node's value must be a map or a list of its children, or empty", "")
	}
	for _, e := range below.Entries {
		n.Children = append(n.Children, node(e.Key, e.Value, problems))
	}
	for _, item := range below.Items {
		switch item.Kind {
		case yaml.Map:
			for _, e := range item.Entries {
				n.Children = append(n.Children, node(e.Key, e.Value, problems))
			}
		case yaml.List:
			problems.At(item, "a list inside a list has no name", "")
		default:
			n.Children = append(n.Children, leaf(item, problems))
		}
	}
	return n
}

// leaf makes a leaf of a key or a list item.
func leaf(n *yaml.Node, problems *yaml.Problems) Node {
	if n.Null() {
		what := "a null is no name"
		if n.Text == "" {
			what = "empty name"
		}
		problems.At(n, what, "quote it when it is a text of the data; nulls need no leaf")
	}
	return Node{Name: n.Text, Line: n.Line, Column: n.Column}
}

// maxLevels is the largest number of fields in a row of a hierarchy. Real hierarchies have fewer.
const maxLevels = 100

// parseHierarchy parses a CSV file in the hierarchy form of ARX: a row for every leaf, whose fields
// are the path from the leaf up to the root.
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
	var h hierarchy
	h.read(text)
	switch {
	case len(h.problems) > 0:
		return nil, h.problems
	case len(h.top.below) == 0:
		return nil, yaml.Problems{{Line: 1, Column: 1, Message: "no tree: the file is empty"}}
	}
	root := h.tree(h.top.below[0])
	if h.problems = append(h.problems, Check(&root)...); len(h.problems) > 0 {
		slices.SortStableFunc(h.problems, byPlace)
		return nil, h.problems
	}
	return &root, nil
}

// byPlace orders problems by their place in the file.
func byPlace(a, b yaml.Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) }

// hierarchy is a tree that grows row by row.
type hierarchy struct {
	top      branch // above the root
	problems yaml.Problems
}

// branch is a node of a hierarchy.
type branch struct {
	Node   // without its children
	below  []*branch
	byName map[string]*branch
	row    int // line of the row whose leaf this branch is; 0: no row
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
			h.add(line, 1, "fields of this row: %d, of the first row: %d (at most %d)", len(row),
				width, maxLevels)
			continue
		}
		h.row(row, r.FieldPos)
	}
}

// hierarchyDelimiter returns ";" if the first line has one outside of quotes, else ",".
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

// row adds one leaf and its path, from the root down. Check finds names that are used twice.
func (h *hierarchy) row(row []string, at func(field int) (line, column int)) {
	n, line, column := &h.top, 0, 0
	for field := len(row) - 1; field >= 0; field-- {
		name := row[field]
		line, column = at(field)
		next := n.byName[name]
		switch {
		case name == "" && (field > 0 || n == &h.top):
			h.add(line, column, "empty name")
			return
		case n != &h.top && n.Name == name: // one node that fills several levels
			next = n
		case next == nil && n == &h.top && len(n.below) > 0:
			h.add(line, column, "a second root: the last field of every row must be the same")
			return
		case next == nil:
			next = &branch{Node: Node{Name: name, Line: line, Column: column}}
			if n.byName == nil {
				n.byName = make(map[string]*branch)
			}
			n.below, n.byName[name] = append(n.below, next), next
		}
		n = next
	}
	if n.row > 0 {
		h.add(line, column, "a second row for the leaf of line %d", n.row)
	}
	n.row = cmp.Or(n.row, line)
}

// tree makes the tree below a branch. Its depth is at most the number of fields.
func (h *hierarchy) tree(of *branch) Node {
	if of.row > 0 && len(of.below) > 0 {
		h.add(of.row, 1,
			"the leaf of this row is also the parent of the node on line %d: names must be "+
				"unique in a tree", of.below[0].Line)
	}
	for _, child := range of.below {
		of.Children = append(of.Children, h.tree(child))
	}
	return of.Node
}
