package kcut_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// longestLine is the largest number of columns of a line of Go. A tab counts as tabColumns.
const (
	longestLine = 100
	tabColumns  = 4
)

// No line of Go has more than a hundred columns, except lines with a part of a raw string, whose
// text a line break would change.
func TestLines(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(file)
		for _, line := range longLines(source) {
			t.Errorf("%s:%d: more than %d columns", name, line, longestLine)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longLines returns the numbers of the lines of a Go file that are too long.
func longLines(source []byte) (long []int) {
	raw := rawLines(source)
	for i, line := range strings.Split(string(source), "\n") {
		columns := utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
		if columns > longestLine && !raw[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

// rawLines returns the numbers of the lines with a part of a raw string.
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

// Tabs count, characters count once, and raw strings may be long.
func TestLongLines(t *testing.T) {
	for source, want := range map[string]int{
		"// " + strings.Repeat("ä", 97):                0,
		"// " + strings.Repeat("a", 98):                1,
		"\t\t// " + strings.Repeat("a", 90):            1,
		"var x = `" + strings.Repeat("a", 100) + "`":   0,
		"var x = `\n" + strings.Repeat("a", 101) + "`": 0,
	} {
		if got := longLines([]byte(source)); len(got) != want {
			t.Errorf("%q has %d long lines, want %d", source, len(got), want)
		}
	}
}
