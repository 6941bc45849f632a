package pipeline

import (
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fewest is the smallest value of a constant that counts as a size: numbers of bits, levels and
// threads are smaller.
const fewest = 32

// constants are the integer constants of the product that decide something: named constants,
// inside or outside of functions, of at least fewest, on a side of <, <=, > or >=, or as an
// argument of min or max. Constants in equations are marks, not sizes.
type constants struct {
	testing.TB
	root     string // the folder of the module's sources
	packages map[string]*types.Package
	values   map[string]int64 // by package path and name
	compared map[string]bool  // likewise
}

const modulePath = "github.com/kcut/kcut"

// readConstants reads the sources below a folder.
func readConstants(tb testing.TB, root string) *constants {
	tb.Helper()
	c := &constants{TB: tb, root: root, packages: make(map[string]*types.Package),
		values: make(map[string]int64), compared: make(map[string]bool)}
	must(tb, filepath.WalkDir(root, func(dir string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		below := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(dir, root)), "/")
		if base := path.Base(below); below != "" && (strings.HasPrefix(base, ".") ||
			base == "testdata") || strings.HasSuffix(base, "test") || below == "cmd" {
			return filepath.SkipDir
		}
		_, err = c.Import(path.Join(modulePath, below))
		return err
	}))
	return c
}

// Import returns a package of the module after reading it; other packages are empty.
func (c *constants) Import(name string) (*types.Package, error) {
	if p := c.packages[name]; p != nil {
		return p, nil
	}
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	below, ours := strings.CutPrefix(name, modulePath)
	if !ours {
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		c.packages[name] = p
		return p, nil
	}
	dir, set := filepath.Join(c.root, below), token.NewFileSet()
	var files []*ast.File
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if is, _ := build.Default.MatchFile(dir, entry.Name()); !is ||
			!strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, filepath.Join(dir, entry.Name()), nil,
			parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	// names of other modules are unknown: their errors are ignored
	config := types.Config{Importer: c, Error: func(error) {}, Sizes: types.SizesFor("gc", "amd64")}
	p, _ := config.Check(name, set, files, info)
	c.packages[name] = p
	for _, name := range p.Scope().Names() {
		if is, ok := p.Scope().Lookup(name).(*types.Const); ok && is.Val().Kind() == constant.Int {
			if value, exact := constant.Int64Val(is.Val()); exact {
				c.values[keyOfConstant(is)] = value
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool { c.look(info, n); return true })
	}
	return p, nil
}

// look notes the constants that a node compares.
func (c *constants) look(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, n.Op) {
			c.note(info, n.X, n.Y)
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "min" || name.Name == "max") {
			c.note(info, n.Args...)
		}
	}
}

func (c *constants) note(info *types.Info, of ...ast.Expr) {
	for _, e := range of {
		ast.Inspect(e, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			is, ok := info.Uses[name].(*types.Const)
			if !ok || is.Val().Kind() != constant.Int || is.Pkg() == nil ||
				!strings.HasPrefix(is.Pkg().Path(), modulePath) {
				return true
			}
			value, exact := constant.Int64Val(is.Val())
			if exact && value < fewest {
				return true
			}
			key := keyOfConstant(is)
			if is.Parent() != is.Pkg().Scope() && !c.compared[key] { // of a function
				c.values[key] = value
			}
			if before := c.values[key]; before != value {
				c.Errorf("%s has two values, %d and %d: give one of the constants another name",
					key, before, value)
			}
			c.compared[key] = true
			return true
		})
	}
}

func keyOfConstant(c *types.Const) string {
	return strings.TrimPrefix(strings.TrimPrefix(c.Pkg().Path(), modulePath), "/") + "." + c.Name()
}
