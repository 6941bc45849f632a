package taxonomy

import (
	"fmt"
	"io"
	"os"
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
func ReadAll(path string) (map[string]*Node, error) {
	text, err := readFile(path, yaml.MaxBytes)
	if err != nil {
		return nil, err
	}
	trees, problems := parseTrees(text)
	return trees, asError(path, problems)
}

// Read reads a file that holds one tree: YAML with the root as its only key, when
// the name ends in .yaml or .yml, else a CSV hierarchy as ARX writes it (see
// parseHierarchy). What is wrong with the file's content comes back as a *Error,
// all of it at once.
func Read(path string) (*Node, error) {
	limit, parse := maxBytes, parseHierarchy
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		limit, parse = yaml.MaxBytes, parseTree
	}
	text, err := readFile(path, limit)
	if err != nil {
		return nil, err
	}
	tree, problems := parse(text)
	return tree, asError(path, problems)
}

// readFile reads a file of at most limit bytes.
func readFile(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open taxonomy: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read taxonomy: %w", err)
	}
	if len(text) > limit {
		return nil, asError(path, yaml.Problems{{Message: fmt.Sprintf("larger than %d MiB", limit>>20)}})
	}
	return text, nil
}

// asError wraps the problems of a file, if any.
func asError(path string, problems yaml.Problems) error {
	if len(problems) == 0 {
		return nil
	}
	for i := range problems {
		problems[i].File = path
	}
	return &Error{problems}
}
