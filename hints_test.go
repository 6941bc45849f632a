package kcut_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inputError is an expression in the code that makes an error of class Input.
type inputError struct{ hint, text string }

// inputErrors returns the errors of class Input that a file makes: by fault.New or fault.Errorf,
// whose second argument is the hint, or as a literal of the type Error.
func inputErrors(file *ast.File) (found []inputError) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := source(n.Fun); (name == "fault.New" || name == "fault.Errorf") &&
				isInput(n.Args[0]) {
				found = append(found, inputError{source(n.Args[1]), source(n.Args[2])})
			}
		case *ast.CompositeLit:
			if fields := fieldsOf(n); n.Type != nil &&
				strings.HasSuffix(source(n.Type), ".Error") && isInput(fields["Class"]) {
				found = append(found, inputError{source(fields["Hint"]), source(fields["Err"])})
			}
		}
		return true
	})
	return found
}

func isInput(class ast.Expr) bool {
	return slices.Contains([]string{"fault.Input", "kcut.ErrInput"}, source(class))
}

// fieldsOf returns the values of a literal by field.
func fieldsOf(literal *ast.CompositeLit) map[string]ast.Expr {
	fields := make(map[string]ast.Expr)
	for _, e := range literal.Elts {
		if pair, is := e.(*ast.KeyValueExpr); is {
			fields[source(pair.Key)] = pair.Value
		}
	}
	return fields
}

// source returns the source text of an expression, and nothing for nil.
func source(e ast.Expr) string {
	var b strings.Builder
	if e != nil {
		printer.Fprint(&b, token.NewFileSet(), e)
	}
	return b.String()
}

// eachFile calls f with every Go file of the module except tests.
func eachFile(t *testing.T, f func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err == nil {
			f(name, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every error of class Input has a hint of its own: no hint fits all of them. With -v the test
// lists them for a reader.
func TestInputErrorsHaveHints(t *testing.T) {
	var list []string
	eachFile(t, func(name string, file *ast.File) {
		for _, e := range inputErrors(file) {
			if e.hint == "" || e.hint == `""` {
				t.Errorf("%s: an error of class Input has no hint: %s", name, e.text)
			}
			list = append(list, fmt.Sprintf("%s: %s\n\thint: %s", name, e.text, e.hint))
		}
	})
	if len(list) < 40 {
		t.Errorf("found %d errors of class Input, which are not all", len(list))
	}
	t.Log("\n" + strings.Join(list, "\n"))
}

func TestInputErrors(t *testing.T) {
	const code = `package p
var (
	e1 = fault.New(fault.Input, "", "a")
	e2 = fault.New(fault.Usage, "", "b")
	e3 = fault.Errorf(fault.Input, "mend it", "c: %w", err)
	e4 = &fault.Error{Class: fault.Input, Err: err}
	e5 = &kcut.Error{Class: kcut.ErrInput, Hint: hint, Err: err}
	e6 = &fault.Error{Class: fault.Privacy, Err: err}
)`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []inputError{{`""`, `"a"`}, {`"mend it"`, `"c: %w"`}, {"", "err"}, {"hint", "err"}}
	if got := inputErrors(file); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
