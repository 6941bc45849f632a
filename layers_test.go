package kcut_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kcut/kcut"

// layers are the tables of docs/imports.md: they say which package may import which.
type layers struct {
	imports map[string][]string // by package: the packages of this module that it may import
	modules map[string][]string // by path prefix of another module: the folders that import it
}

// readLayers reads the fenced blocks "imports" and "modules" of a page. A line names a package, or
// a folder, and its allowed imports.
func readLayers(t *testing.T, page string) *layers {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	l := &layers{imports: make(map[string][]string), modules: make(map[string][]string)}
	block := ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence:
			block = strings.TrimSpace(fence)
		case len(words) == 0:
		case block == "imports":
			if _, twice := l.imports[words[0]]; twice {
				t.Errorf("%s: package %s is there twice", page, words[0])
			}
			l.imports[words[0]] = words[1:]
		case block == "modules":
			for _, owned := range words[1:] {
				l.modules[owned] = append(l.modules[owned], words[0])
			}
		}
	}
	if len(l.imports) < 10 || len(l.modules) < 5 {
		t.Fatalf("%s has %d packages and %d modules", page, len(l.imports), len(l.modules))
	}
	return l
}

// line returns the line of a package: its own line, or the line of all packages below its parent.
func (l *layers) line(dir string) string {
	if _, own := l.imports[dir]; own {
		return dir
	}
	return path.Dir(dir) + "/"
}

// fault returns the reason why a file must not import a package, or nothing if it may.
// Test code may import packages of higher layers, but it may not import modules of other folders.
func (l *layers) fault(file, target string) string {
	from := packageOf(path.Dir(file))
	for owned, owners := range l.modules {
		owns := func(owner string) bool { return strings.HasPrefix(from+"/", owner+"/") }
		if strings.HasPrefix(target, owned) && !slices.ContainsFunc(owners, owns) {
			return "only " + strings.Join(owners, " and ") + " does"
		}
	}
	below, local := strings.CutPrefix(target, module)
	if !local || strings.HasSuffix(file, "_test.go") {
		return ""
	}
	below = packageOf(strings.TrimPrefix(below, "/"))
	allowed, known := l.imports[l.line(from)]
	switch {
	case !known:
		return "its folder is not in docs/imports.md"
	case strings.HasPrefix(below, "internal/"):
		return ""
	case !slices.Contains(allowed, l.line(below)):
		return "docs/imports.md does not have it"
	}
	return ""
}

// packageOf returns the name that a folder has in the tables.
func packageOf(dir string) string {
	if dir == "." || dir == "" {
		return "kcut"
	}
	return dir
}

func TestLayers(t *testing.T) {
	l := readLayers(t, "docs/imports.md")
	seen := make(map[string]bool)
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") {
			return err
		}
		imported, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(file)
		seen[l.line(packageOf(path.Dir(name)))] = true
		for _, spec := range imported.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if why := l.fault(name, target); why != "" {
				t.Errorf("%s imports %s: %s", name, target, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for line, allowed := range l.imports {
		for _, name := range append([]string{line}, allowed...) {
			if !seen[name] {
				t.Errorf("docs/imports.md has a package %s that is not there", name)
			}
		}
	}
}

// The function fault reports what docs/imports.md forbids. TestLayers shows that it allows the
// rest.
func TestLayerFault(t *testing.T) {
	l := readLayers(t, "docs/imports.md")
	for _, tt := range []struct{ file, target string }{
		{"internal/fault/error.go", module + "/spill"},
		{"engine/induce/grow.go", module + "/engine/kactus"},
		{"engine/engine.go", module + "/formats"},
		{"engine/topdown/search.go", module + "/engine/mondrian"},
		{"engine/engine.go", module + "/engine/topdown"},
		{"spill/store.go", module + "/partition"},
		{"formats/values.go", module + "/spill"},
		{"formats/values.go", module + "/formats/dataset"},
		{"formats/release/file.go", module + "/formats/writer"},
		{"formats/release/file.go", module + "/formats/parquetfile"},
		{"formats/csvfile/source.go", module + "/formats/parquetfile"},
		{"pipeline/verify/verify.go", module + "/pipeline"},
		{"pipeline/verify/verify.go", module + "/formats/writer"},
		{"pipeline/verify/verify.go", module + "/engine/topdown"},
		{"pipeline/run.go", module + "/formats/parquetfile"},
		{"pipeline/run.go", module},
		{"run.go", module + "/engine"},
		{"cmd/kcut/main.go", module + "/pipeline"},
		{"cmd/kcut/main.go", module + "/formats"},
		{"cmd/kcut/internal/report/report.go", module + "/cmd/kcut/internal/sample"},
		{"cmd/kcut/internal/report/report.go", module + "/pipeline/verify"},
		{"pipeline/run_test.go", "github.com/parquet-go/parquet-go"},
		{"pipeline/run.go", "github.com/cockroachdb/pebble/v2"},
		{"pipeline/run.go", "github.com/apache/arrow-go/v18/arrow"},
		{"records/input.go", "github.com/parquet-go/parquet-go"},
		{"tools/x.go", module + "/spill"},
	} {
		if l.fault(tt.file, tt.target) == "" {
			t.Errorf("%s may import %s", tt.file, tt.target)
		}
	}
}
