package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

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
	Line    int     // from 1; 0: not from a file
	Column  int     // from 1, in characters
}

// Entry is one key of a map and its value.
type Entry struct{ Key, Value *Node }

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

// Get returns the value of a map's key, or nil.
func (n *Node) Get(key string) *Node {
	for i := range n.Entries {
		if n.Entries[i].Key.Text == key {
			return n.Entries[i].Value
		}
	}
	return nil
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
	return token.IsNeedQuoted(text) || strings.ContainsRune("-?~=.", rune(text[0])) && !strings.HasPrefix(text, "./") ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune("\"'`,:#[]{}<\\", r) })
}

// Parse parses a file that holds one YAML document. Anchors, aliases, merge keys, tags,
// directives and keys that are not scalars are refused. An empty document gives nil. The
// problems have no file and no source line yet.
func Parse(text []byte) (*Node, Problems) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(text) > MaxBytes {
		return nil, Problems{{Message: fmt.Sprintf("larger than %d MiB", MaxBytes>>20)}}
	}
	if problems := CheckUTF8(text); len(problems) > 0 {
		return nil, problems
	}
	// The scanner counts a lone carriage return as a line, people's editors do not.
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	file, problems := parse(string(text))
	if len(problems) > 0 {
		return nil, problems
	}
	return new(builder).build(file)
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
	var guard guard
	for {
		more, err := s.Scan()
		if errors.Is(err, io.EOF) {
			return tokens, guard.problems
		}
		for _, t := range more {
			if guard.check(t); guard.tooBig {
				return nil, guard.problems
			}
		}
		tokens.Add(more...)
	}
}

// guard checks tokens one by one.
type guard struct {
	tokens, keys, flow, nested int
	line                       int
	tooBig                     bool
	problems                   Problems
}

func (g *guard) check(t *token.Token) {
	g.tokens++
	if t.Position.Line != g.line {
		g.line, g.nested = t.Position.Line, 0
	}
	switch t.Type {
	case token.MappingValueType:
		g.keys++
	case token.SequenceEntryType, token.MappingKeyType:
		g.nested++
	case token.SequenceStartType, token.MappingStartType:
		g.flow++
	case token.SequenceEndType, token.MappingEndType:
		g.flow--
	}
	if message := refused[t.Type]; message != "" {
		g.problems.at(t, message, "write the value out")
	}
	switch {
	case g.flow > maxDepth || g.nested > maxDepth:
		g.problems.at(t, "nested too deeply", "")
	case g.keys > maxKeys:
		g.problems.at(t, fmt.Sprintf("more than %d keys", maxKeys), "write the leaves of a large taxonomy as list items, or the tree as a CSV file")
	case g.tokens > maxTokens:
		g.problems.at(t, "too large", "")
	default:
		return
	}
	g.tooBig = true
}

// at records a problem at a token.
func (ps *Problems) at(t *token.Token, message, hint string) {
	ps.Add(Problem{Line: t.Position.Line, Column: t.Position.Column, Message: message, Hint: hint})
}

// refused says what of YAML is left out, by token.
var refused = map[token.Type]string{
	token.AnchorType:    "anchors are not supported",
	token.AliasType:     "aliases are not supported",
	token.MergeKeyType:  "merge keys are not supported",
	token.TagType:       "tags are not supported",
	token.DirectiveType: "directives are not supported",
}
