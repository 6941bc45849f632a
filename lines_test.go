package kcut_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// longestLine is the largest number of columns of a line. A tab counts as tabColumns.
const (
	longestLine = 100
	tabColumns  = 4
)

// No line of Go or Markdown has more than a hundred columns, except where a line break would change
// what it says.
func TestLines(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, _ fs.DirEntry, err error) error {
		if file == "build" {
			return fs.SkipDir // what make builds and installs
		}
		bound := map[string]func([]byte) map[int]bool{".go": rawLines, ".md": unbrokenLines}
		of := bound[filepath.Ext(file)]
		if err != nil || of == nil {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(file)
		for _, line := range longLines(source, of(source)) {
			t.Errorf("%s:%d: more than %d columns", name, line, longestLine)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longLines returns the numbers of the lines that are too long, except those that are bound.
func longLines(source []byte, bound map[int]bool) (long []int) {
	for i, line := range strings.Split(string(source), "\n") {
		columns := utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
		if columns > longestLine && !bound[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

// rawLines returns the numbers of the lines of a Go file with a part of a raw string.
func rawLines(source []byte) map[int]bool {
	raw := make(map[int]bool)
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for {
		at, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return raw
		case kind == token.STRING && text[0] == '`':
			first := file.Line(at)
			for i := range strings.Count(text, "\n") + 1 {
				raw[first+i] = true
			}
		}
	}
}

// unbrokenLines returns the numbers of the lines of Markdown in fenced blocks and tables, and of
// those that are one word.
func unbrokenLines(page []byte) map[int]bool {
	unbroken, fenced := make(map[int]bool), false
	for i, line := range strings.Split(string(page), "\n") {
		line = strings.TrimSpace(line)
		fence := strings.HasPrefix(line, "```")
		fenced = fenced != fence
		unbroken[i+1] = fenced || fence || strings.HasPrefix(line, "|") ||
			!strings.Contains(line, " ")
	}
	return unbroken
}

// Tabs count, characters count once, and raw strings, tables and fenced blocks may be long.
func TestLongLines(t *testing.T) {
	for source, want := range map[string]int{
		"// " + strings.Repeat("ä", 97):                0,
		"// " + strings.Repeat("a", 98):                1,
		"\t\t// " + strings.Repeat("a", 90):            1,
		"var x = `" + strings.Repeat("a", 100) + "`":   0,
		"var x = `\n" + strings.Repeat("a", 101) + "`": 0,
	} {
		if got := longLines([]byte(source), rawLines([]byte(source))); len(got) != want {
			t.Errorf("%q has %d long lines, want %d", source, len(got), want)
		}
	}
	words := strings.Repeat("word ", 21)
	for page, want := range map[string]int{
		words:                         1,
		"| " + words:                  0,
		strings.Repeat("a", 101):      0,
		"```\n" + words + "\n```":     0,
		"```\n```\n" + words + "\nan": 1,
	} {
		if got := longLines([]byte(page), unbrokenLines([]byte(page))); len(got) != want {
			t.Errorf("%q has %d long lines, want %d", page, len(got), want)
		}
	}
}

// longestPage is the largest number of words of a page of docs/ that is no reference.
const longestPage = 2500

// references are the pages that list all keys, algorithms or results.
var references = []string{"job-file.md", "algorithms.md", "results.md"}

// A page that is read from start to end has at most longestPage words.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d pages, error %v", len(files), err)
	}
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := pageWords(string(page))
		if n > longestPage && !slices.Contains(references, filepath.Base(file)) {
			t.Errorf("%s: %d words, more than %d", file, n, longestPage)
		}
	}
	if n := pageWords("# A title\n\n```yaml\nk: 5\n```\n\n| a | 2 | — |\n"); n != 4 {
		t.Errorf("a page of four words has %d", n)
	}
}

// pageWords returns the number of words with a letter or a digit outside of fenced blocks.
func pageWords(page string) (words int) {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		for _, field := range strings.Fields(line) {
			if !fenced && strings.ContainsFunc(field, isWord) {
				words++
			}
		}
	}
	return words
}
