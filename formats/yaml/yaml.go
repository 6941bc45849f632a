// Package yaml reads YAML files that people write: jobs and taxonomies. It keeps the places of all
// keys and values, and describes an error at a place as a Problem.
//
// Contract: limits on the size of a file bound time and memory. Files that people write are far
// below these limits. Keys are unique texts.
//
// Not promised: all of YAML. The package refuses anchors, aliases, merge keys, tags and directives.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"

	"github.com/kcut/kcut/internal/text"
)

// Kind is the shape of a YAML node.
type Kind uint8

// The shapes.
const (
	Scalar Kind = iota
	Map
	List
)

// Node is one node of a YAML document, reduced to the needs of files that people write: scalars by
// their source text, maps in order, lists. Keys are scalars and unique.
type Node struct {
	Kind    Kind
	Text    string  // scalar: as written, without quotes
	Quoted  bool    // scalar: quoted or a block, so always a text
	Entries []Entry // map
	Items   []*Node // list
	From    string  // the name of a flag or a variable; empty: the file
	Line    int     // from 1; 0: not from a file
	Column  int     // from 1, in characters
}

// Entry is one key of a map and its value.
type Entry struct{ Key, Value *Node }

// Text returns a node that is a text, also if it looks like a number or a null.
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

// Null reports whether the node is a scalar without a value: empty, null or ~.
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

// Limits of a document. The time of the parser grows with the square of the number of keys, and its
// stack grows with the depth without limit. Files that people write are far below these limits.
const (
	MaxBytes  = 16 << 20 // MaxBytes is the largest text that Parse takes.
	maxTokens = 500_000
	maxKeys   = 20_000
	maxDepth  = 100
)

// ReadFile reads a file, up to one byte beyond a limit.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

var dated = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// NeedsQuotes reports whether a document needs quotes around a text, because without quotes it
// would be a number, a word such as null, or syntax of maps and lists, also for parsers that end a
// text of a list at a question mark, or read a date, also one that is none, such as 9999-99-99.
func NeedsQuotes(text string) bool {
	return token.IsNeedQuoted(text) || dated.MatchString(text) ||
		strings.ContainsRune("+-?~=.", rune(text[0])) &&
			!strings.HasPrefix(strings.TrimLeft(text, "."), "/") ||
		strings.ContainsFunc(text, func(r rune) bool {
			return !unicode.IsPrint(r) || strings.ContainsRune("\"'`,:?#[]{}<\\", r)
		})
}

// Parse parses a file that holds one YAML document. It refuses anchors, aliases, merge keys, tags,
// directives and keys that are not scalars. An empty document gives nil. The problems have no file
// and no source line yet.
func Parse(text []byte) (root *Node, problems Problems) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(text) > MaxBytes {
		return nil, Problems{{Message: fmt.Sprintf("larger than %d MiB", MaxBytes>>20)}}
	}
	if problems := CheckUTF8(text); len(problems) > 0 {
		return nil, problems
	}
	// The scanner counts a lone carriage return as a line, but editors do not.
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

// parse scans and parses a document. A panic of the library becomes a problem of the file and does
// not end the run.
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

// tokenize scans a document. It refuses syntax that this package does not read, and documents that
// would take the parser too long.
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
				problems.at(t, fmt.Sprintf("more than %d keys", maxKeys),
					"write the leaves of a large taxonomy as list items, or the tree as a CSV file")
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

// refused has a message for every token of YAML that this package does not read.
var refused = map[token.Type]string{
	token.AnchorType:    "anchors are not supported",
	token.AliasType:     "aliases are not supported",
	token.MergeKeyType:  "merge keys are not supported",
	token.TagType:       "tags are not supported",
	token.DirectiveType: "directives are not supported",
}

// node converts a node of the parser. A node that it cannot convert becomes a problem and a null.
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

// Problem is one mistake in a file that people write: a job or a taxonomy.
type Problem struct {
	File    string // path as given, or the name of a flag or an environment variable
	Line    int    // from 1; 0: the file as a whole
	Column  int    // from 1, in characters
	Message string // lower case, no final period
	Source  string // the line itself; empty if it must not be shown
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
	b.WriteString(": " + text.Printable(p.Message, "\t"))
	if p.Source != "" {
		b.WriteString("\n" + excerpt(p.Source, p.Column))
	}
	if p.Hint != "" {
		b.WriteString("\n    hint: " + text.Printable(p.Hint, "\t"))
	}
	return b.String()
}

// excerptWidth is the largest number of characters of a source line that a problem shows.
const excerptWidth = 120

// excerpt returns a source line and a caret line under its column. If a line is long it returns the
// part around the column.
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
			r = '\uFFFD' // a control character would act on the terminal
		}
		text.WriteRune(r)
		if start+i < at {
			caret.WriteRune(space)
		}
	}
	return "    " + text.String() + "\n    " + caret.String() + "^"
}

// Problems collects mistakes in the order of their discovery. As an error it is the error of the
// read.
type Problems []Problem

// maxProblems is the largest number of problems kept of one file: a list of a million bad rows
// helps nobody.
const maxProblems = 100

// Add records a problem, unless the list is full.
func (ps *Problems) Add(p Problem) {
	switch {
	case len(*ps) < maxProblems:
		*ps = append(*ps, p)
	case len(*ps) == maxProblems:
		*ps = append(*ps,
			Problem{File: p.File, Message: "too many problems; the rest are not shown"})
	}
}

// At records a problem at a node.
func (ps *Problems) At(n *Node, message, hint string) {
	ps.Add(Problem{Line: n.Line, Column: n.Column, Message: message, Hint: hint})
}

// Lined marks the text as one of several lines.
func (Problems) Lined() {}

// Error renders all problems, one after the other.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.String()
	}
	return strings.Join(texts, "\n")
}

// CheckUTF8 returns a problem at the first byte of text that is not UTF-8, or no problem.
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
