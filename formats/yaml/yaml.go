// Package yaml reads YAML files that people write, jobs and taxonomies, with the places of
// all keys and values, and describes what is wrong at such a place, as a Problem.
//
// Contract: time and memory are bounded by limits that people's files are far below. Keys
// are unique texts.
//
// Not promised: all of YAML. Anchors, aliases, merge keys, tags and directives are refused.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// Kind is the shape of a YAML node.
type Kind uint8

// The shapes.
const (
	Scalar Kind = iota
	Map
	List
)

// Node is one node of a YAML document, reduced to what files written by people need:
// scalars by their source text, maps in order, lists. Keys are scalars and unique.
type Node struct {
	Kind    Kind
	Text    string  // scalar: as written, without quotes
	Quoted  bool    // scalar: quoted or a block, so a text whatever it looks like
	Entries []Entry // map
	Items   []*Node // list
	From    string  // a flag or a variable, say; empty: the file
	Line    int     // from 1; 0: not from a file
	Column  int     // from 1, in characters
}

// Entry is one key of a map and its value.
type Entry struct{ Key, Value *Node }

// Text returns a node that is a text, whatever it looks like.
func Text(text string) *Node { return &Node{Text: text, Quoted: true} }

// Add adds a key to a map.
func (n *Node) Add(key, value *Node) { n.Entries = append(n.Entries, Entry{key, value}) }

// Value returns the value of a key of a map, or nil.
func (n *Node) Value(key string) *Node {
	for _, e := range n.Entries {
		if e.Key.Text == key {
			return e.Value
		}
	}
	return nil
}

// Null reports whether the node is a scalar that means nothing: empty, null or ~.
func (n *Node) Null() bool {
	if n.Kind != Scalar || n.Quoted {
		return false
	}
	switch n.Text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// Bounds on a document. The parser takes time and stack that grow with the square of the
// number of keys and without limit with the depth; people's files are far below both.
const (
	MaxBytes  = 16 << 20 // MaxBytes is the largest text that Parse takes.
	maxTokens = 500_000
	maxKeys   = 20_000
	maxDepth  = 100
)

// ReadFile reads a file, but no more of it than one byte beyond a limit.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// NeedsQuotes reports whether a text would be more than a text in a document without quotes: a
// number, a word such as null, or syntax of maps and lists.
func NeedsQuotes(text string) bool {
	return token.IsNeedQuoted(text) || strings.ContainsRune("-?~=.", rune(text[0])) && !strings.HasPrefix(strings.TrimLeft(text, "."), "/") ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune("\"'`,:#[]{}<\\", r) })
}

// Parse parses a file that holds one YAML document. Anchors, aliases, merge keys, tags,
// directives and keys that are not scalars are refused. An empty document gives nil. The
// problems have no file and no source line yet.
func Parse(text []byte) (root *Node, problems Problems) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(text) > MaxBytes {
		return nil, Problems{{Message: fmt.Sprintf("larger than %d MiB", MaxBytes>>20)}}
	}
	if problems := CheckUTF8(text); len(problems) > 0 {
		return nil, problems
	}
	// The scanner counts a lone carriage return as a line, people's editors do not.
	file, problems := parse(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
	if len(problems) > 0 {
		return nil, problems
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		node := problems.node(doc.Body, 0)
		if root != nil {
			problems.At(node, "a second document", "")
			break
		}
		root = node
	}
	return root, problems
}

// parse scans and parses a document. A panic of the library is a problem of the file, not the end
// of the run.
func parse(text string) (file *ast.File, problems Problems) {
	defer func() {
		if recover() != nil {
			file, problems = nil, Problems{{Message: "not valid YAML"}}
		}
	}()
	tokens, problems := tokenize(text)
	if len(problems) > 0 {
		return nil, problems
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file, nil
	}
	problem := Problem{Message: "not valid YAML"}
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		problem.Message += ": " + strings.ToLower(syntax.Message)
		if syntax.Token != nil && syntax.Token.Position != nil {
			problem.Line, problem.Column = syntax.Token.Position.Line, syntax.Token.Position.Column
		}
	}
	return nil, Problems{problem}
}

// tokenize scans a document. It refuses what the format leaves out, and what would take
// the parser too long, before the parser sees it.
func tokenize(text string) (tokens token.Tokens, problems Problems) {
	var s scanner.Scanner
	s.Init(text)
	keys, flow, nested, line := 0, 0, 0, 0
	for {
		more, err := s.Scan()
		if errors.Is(err, io.EOF) {
			return tokens, problems
		}
		for i, t := range more {
			if t.Position.Line != line {
				line, nested = t.Position.Line, 0
			}
			switch t.Type {
			case token.MappingValueType:
				keys++
			case token.SequenceEntryType, token.MappingKeyType:
				nested++
			case token.SequenceStartType, token.MappingStartType:
				flow++
			case token.SequenceEndType, token.MappingEndType:
				flow--
			}
			if message := refused[t.Type]; message != "" {
				problems.at(t, message, "write the value out")
			}
			switch {
			case flow > maxDepth || nested > maxDepth:
				problems.at(t, "nested too deeply", "")
			case keys > maxKeys:
				problems.at(t, fmt.Sprintf("more than %d keys", maxKeys), "write the leaves of a large taxonomy as list items, or the tree as a CSV file")
			case len(tokens)+i >= maxTokens:
				problems.at(t, "too large", "")
			default:
				continue
			}
			return nil, problems
		}
		tokens.Add(more...)
	}
}

// refused says what of YAML is left out, by token.
var refused = map[token.Type]string{
	token.AnchorType:    "anchors are not supported",
	token.AliasType:     "aliases are not supported",
	token.MergeKeyType:  "merge keys are not supported",
	token.TagType:       "tags are not supported",
	token.DirectiveType: "directives are not supported",
}

// node converts a node of the parser's. What it cannot convert becomes a problem and a null.
func (ps *Problems) node(n ast.Node, depth int) *Node {
	if explicit, ok := n.(*ast.MappingKeyNode); ok {
		n = explicit.Value
	}
	t := n.GetToken()
	out := &Node{Line: t.Position.Line, Column: t.Position.Column}
	if depth > maxDepth {
		ps.at(t, "nested too deeply", "")
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		ps.entries(out, n, depth)
	case *ast.MappingValueNode:
		ps.entries(out, ast.Mapping(t, false, n), depth)
	case *ast.SequenceNode:
		out.Kind = List
		for _, item := range n.Values {
			out.Items = append(out.Items, ps.node(item, depth+1))
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
		ps.at(t, "not supported here", "")
	}
	return out
}

// entries converts a map and checks that its keys are scalars and unique.
func (ps *Problems) entries(out *Node, n *ast.MappingNode, depth int) {
	out.Kind = Map
	lines := make(map[string]int, len(n.Values))
	for i, value := range n.Values {
		key := ps.node(value.Key, depth+1)
		line, twice := lines[key.Text]
		switch {
		case key.Kind != Scalar:
			ps.at(value.Key.GetToken(), "a key must be a plain text", "")
			continue
		case i == 0 && !n.IsFlowStyle:
			out.Line, out.Column = key.Line, key.Column // the parser points at the colon
		case twice:
			ps.At(key, fmt.Sprintf("duplicate key, first on line %d", line), "")
			continue
		}
		lines[key.Text] = key.Line
		out.Entries = append(out.Entries, Entry{key, ps.node(value.Value, depth+1)})
	}
}

// at records a problem at a token.
func (ps *Problems) at(t *token.Token, message, hint string) {
	ps.Add(Problem{Line: t.Position.Line, Column: t.Position.Column, Message: message, Hint: hint})
}

// Problem is one thing that is wrong with a file people write: a job or a taxonomy.
type Problem struct {
	File    string // path as given, or what stands for it: a flag, an environment variable
	Line    int    // from 1; 0: the file as a whole
	Column  int    // from 1, in characters
	Message string // lower case, no final period
	Source  string // the line itself; empty when it must not be shown
	Hint    string // the next thing to try; may be empty
}

// String renders the problem as "file:line:column: message", then the source line with a
// caret under the place, then the hint.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, max(p.Column, 1))
	}
	b.WriteString(": " + p.Message)
	if p.Source != "" {
		b.WriteString("\n" + excerpt(p.Source, p.Column))
	}
	if p.Hint != "" {
		b.WriteString("\n    hint: " + p.Hint)
	}
	return b.String()
}

// excerptWidth is the most characters of a source line that are shown.
const excerptWidth = 120

// excerpt returns a source line and a caret line under its column. Of a long line it shows
// the part around the column.
func excerpt(source string, column int) string {
	line := []rune(source)
	at := min(max(column-1, 0), len(line))
	start := max(0, at-excerptWidth*2/3)
	end := min(len(line), start+excerptWidth)
	var text, caret strings.Builder
	for i, r := range line[start:end] {
		space := ' '
		switch {
		case r == '\t':
			space = '\t'
		case !unicode.IsPrint(r):
			r = '\uFFFD' // a control character would act on the reader's terminal
		}
		text.WriteRune(r)
		if start+i < at {
			caret.WriteRune(space)
		}
	}
	return "    " + text.String() + "\n    " + caret.String() + "^"
}

// Problems collects what is wrong, in the order found. As an error it is of what was read.
type Problems []Problem

// maxProblems bounds what is kept of one file: a million bad rows help nobody.
const maxProblems = 100

// Add records a problem, unless there are too many already.
func (ps *Problems) Add(p Problem) {
	switch {
	case len(*ps) < maxProblems:
		*ps = append(*ps, p)
	case len(*ps) == maxProblems:
		*ps = append(*ps, Problem{File: p.File, Message: "too many problems; the rest are not shown"})
	}
}

// At records a problem at a node.
func (ps *Problems) At(n *Node, message, hint string) {
	ps.Add(Problem{Line: n.Line, Column: n.Column, Message: message, Hint: hint})
}

// Error renders all problems, one after the other.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, "\n")
}

// CheckUTF8 returns a problem at the first byte of text that is not UTF-8, or none.
func CheckUTF8(text []byte) Problems {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			line := 1 + bytes.Count(text[:at], []byte("\n"))
			column := 1 + utf8.RuneCount(text[1+bytes.LastIndexByte(text[:at], '\n'):at])
			return Problems{{Line: line, Column: column, Message: "not UTF-8 text"}}
		}
		at += size
	}
	return nil
}
