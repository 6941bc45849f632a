package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// YAMLKind is the shape of a YAML node.
type YAMLKind uint8

// The shapes.
const (
	YAMLScalar YAMLKind = iota
	YAMLMap
	YAMLList
)

// YAMLNode is one node of a YAML document, reduced to what files written by people need:
// scalars by their source text, maps in order, lists. Keys are scalars and unique.
type YAMLNode struct {
	Kind    YAMLKind
	Text    string      // scalar: as written, without quotes
	Quoted  bool        // scalar: quoted or a block, so a text whatever it looks like
	Entries []YAMLEntry // map
	Items   []*YAMLNode // list
	Line    int         // from 1; 0: not from a file
	Column  int         // from 1, in characters
}

// YAMLEntry is one key of a map and its value.
type YAMLEntry struct{ Key, Value *YAMLNode }

// Null reports whether the node is a scalar that means nothing: empty, null or ~.
func (n *YAMLNode) Null() bool {
	if n.Kind != YAMLScalar || n.Quoted {
		return false
	}
	switch n.Text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// Get returns the value of a map's key, or nil.
func (n *YAMLNode) Get(key string) *YAMLNode {
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
	maxYAMLBytes  = 16 << 20
	maxYAMLTokens = 500_000
	maxYAMLKeys   = 20_000
	maxYAMLDepth  = 100
)

// ParseYAML parses a file that holds one YAML document. Anchors, aliases, merge keys, tags,
// directives and keys that are not scalars are refused. An empty document gives nil. The
// problems have no file and no source line yet: see Problems.Locate.
func ParseYAML(text []byte) (*YAMLNode, Problems) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(text) > maxYAMLBytes {
		return nil, Problems{{Message: fmt.Sprintf("larger than %d MiB", maxYAMLBytes>>20)}}
	}
	if at := invalidUTF8(text); at >= 0 {
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		column := 1 + utf8.RuneCount(text[1+bytes.LastIndexByte(text[:at], '\n'):at])
		return nil, Problems{{Line: line, Column: column, Message: "not UTF-8 text"}}
	}
	// The scanner counts a lone carriage return as a line, people's editors do not.
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	tokens, problems := tokenizeYAML(string(text))
	if len(problems) > 0 {
		return nil, problems
	}
	file, problem := parseTokens(tokens)
	if problem != nil {
		return nil, Problems{*problem}
	}
	return new(yamlBuilder).build(file)
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// tokenizeYAML scans a document. It refuses what the format leaves out, and what would take
// the parser too long, before the parser sees it.
func tokenizeYAML(text string) (tokens token.Tokens, problems Problems) {
	defer func() {
		if recover() != nil { // the scanner is not ours
			tokens, problems = nil, Problems{{Message: "not valid YAML"}}
		}
	}()
	var s scanner.Scanner
	s.Init(text)
	var guard yamlGuard
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

// yamlGuard checks tokens one by one.
type yamlGuard struct {
	tokens, keys, flow, nested int
	line                       int
	tooBig                     bool
	problems                   Problems
}

func (g *yamlGuard) check(t *token.Token) {
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
	if message := refusedYAML[t.Type]; message != "" {
		g.add(t, message, "write the value out")
	}
	g.checkSize(t)
}

// refusedYAML says what of YAML is left out, by token.
var refusedYAML = map[token.Type]string{
	token.AnchorType:    "anchors are not supported",
	token.AliasType:     "aliases are not supported",
	token.MergeKeyType:  "merge keys are not supported",
	token.TagType:       "tags are not supported",
	token.DirectiveType: "directives are not supported",
}

func (g *yamlGuard) checkSize(t *token.Token) {
	switch {
	case g.flow > maxYAMLDepth || g.nested > maxYAMLDepth:
		g.add(t, "nested too deeply", "")
	case g.keys > maxYAMLKeys:
		g.add(t, fmt.Sprintf("more than %d keys", maxYAMLKeys), "write the leaves of a large taxonomy as list items, or the tree as a CSV file")
	case g.tokens > maxYAMLTokens:
		g.add(t, "too large", "")
	default:
		return
	}
	g.tooBig = true
}

func (g *yamlGuard) add(t *token.Token, message, hint string) {
	g.problems.Add(Problem{Line: t.Position.Line, Column: t.Position.Column, Message: message, Hint: hint})
}

// parseTokens runs the parser. A panic in it is a problem of the file, not the end of the run.
func parseTokens(tokens token.Tokens) (file *ast.File, problem *Problem) {
	defer func() {
		if recover() != nil {
			file, problem = nil, &Problem{Message: "not valid YAML"}
		}
	}()
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file, nil
	}
	var syntax *yaml.SyntaxError
	if !errors.As(err, &syntax) {
		return nil, &Problem{Message: "not valid YAML"}
	}
	problem = &Problem{Message: "not valid YAML: " + strings.ToLower(syntax.Message)}
	if syntax.Token != nil && syntax.Token.Position != nil {
		problem.Line, problem.Column = syntax.Token.Position.Line, syntax.Token.Position.Column
	}
	return nil, problem
}
