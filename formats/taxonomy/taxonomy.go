// Package taxonomy reads the trees that values are generalized along, from YAML and from
// CSV hierarchies as ARX writes them.
//
// Contract: a tree has one root and unique, non-empty names; everything that is wrong with
// a file is reported at once, each with its place, and never by a name, which is a value of
// the data.
//
// Not promised: that the values of any data are among the leaves.
package taxonomy

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// Node is one node of a taxonomy tree: a value, and what it is refined into. A
// node without children is a leaf, a value as the data have it. Names are unique in a
// tree, and never empty.
type Node struct {
	Name     string
	Children []Node
	Line     int // where the file names it first, from 1
	Column   int // from 1; in characters (YAML) or bytes (CSV)
}

// Leaf reports whether the node has no children.
func (n *Node) Leaf() bool { return len(n.Children) == 0 }

// Check returns what is wrong with a tree, wherever it is from: names that are empty or used twice,
// and a root without children.
func Check(root *Node) (problems yaml.Problems) {
	if root.Leaf() {
		return yaml.Problems{root.problem("a root without children generalizes nothing", "")}
	}
	first := make(map[string]*Node)
	var check func(n *Node)
	check = func(n *Node) {
		before := first[n.Name]
		if n.Name == "" {
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

// Error lists what is wrong with one taxonomy file. Its text names places, never
// names of nodes: they are values of the data.
type Error struct{ Problems yaml.Problems }

// Error renders all problems, one a line.
func (e *Error) Error() string { return e.Problems.String() }

// maxBytes bounds a taxonomy file in CSV form.
const maxBytes = 256 << 20

// ReadAll reads a YAML file of named trees:
//
//	education:
//	  ANY:
//	    Secondary: [9th, 10th]
//	    University: {Bachelors: {}, Masters: }
//
// A node is a key, its children are the keys or items below it; a leaf is a key without
// children or an item of a list. Every tree has one root. What is wrong with the file's
// content comes back as a *Error, all of it at once.
func ReadAll(path string) (map[string]*Node, error) { return read(path, yaml.MaxBytes, parseTrees) }

// Read reads a file that holds one tree: YAML with the root as its only key, when
// the name ends in .yaml or .yml, else a CSV hierarchy as ARX writes it (see
// parseHierarchy). What is wrong with the file's content comes back as a *Error,
// all of it at once.
func Read(path string) (*Node, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		return read(path, yaml.MaxBytes, parseTree)
	}
	return read(path, maxBytes, parseHierarchy)
}

// read reads and parses a file of at most limit bytes.
func read[T any](path string, limit int64, parse func([]byte) (T, yaml.Problems)) (parsed T, err error) {
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
		return parsed, &Error{problems}
	}
	return parsed, nil
}
