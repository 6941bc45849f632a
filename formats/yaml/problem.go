package yaml

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// Problems collects what is wrong, in the order found.
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

// String renders all problems, one after the other.
func (ps Problems) String() string {
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
