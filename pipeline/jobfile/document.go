package jobfile

import (
	"fmt"
	"path/filepath"

	"github.com/kcut/kcut/formats/yaml"
)

// pos is a place in the job file. The zero pos is a value that is not from the file.
type pos struct{ line, column int }

func posOf(n *yaml.Node) pos { return pos{n.Line, n.Column} }

// document knows where a job's values came from.
type document struct {
	file    string
	lines   []string
	root    *yaml.Node            // the resolved job
	origins map[*yaml.Node]string // of values that are not from the file
}

// originDefault is the origin of values that nobody gave.
const originDefault = "default"

// origin names where a value came from: "people.yaml:4", "--k", "KCUT_MEMORY", "default".
func (d *document) origin(n *yaml.Node) string {
	if name, ok := d.origins[n]; ok {
		return name
	}
	return fmt.Sprintf("%s:%d", filepath.Base(d.file), n.Line)
}

// problem describes what is wrong at a node.
func (d *document) problem(n *yaml.Node, hint, format string, args ...any) Problem {
	p := d.problemAt(posOf(n), format, args...)
	p.Hint = hint
	if name, ok := d.origins[n]; ok {
		p.File = name
	}
	return p
}

// problemAt describes what is wrong at a place. The message must hold no value of the data.
func (d *document) problemAt(at pos, format string, args ...any) Problem {
	p := Problem{File: d.file, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)}
	if at.line >= 1 && at.line <= len(d.lines) {
		p.Source = d.lines[at.line-1]
	}
	return p
}

// child returns the map at a key, made when absent, or nil when something else is there.
func (d *document) child(m *yaml.Node, key string) *yaml.Node {
	n := m.Get(key)
	if n == nil {
		n = &yaml.Node{Kind: yaml.Map}
		d.origins[n] = originDefault
		setKey(m, key, n)
	}
	if n.Kind != yaml.Map {
		return nil
	}
	return n
}
