package kcut_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// importer is a program of another module. It uses no build tag.
const importer = `package main

import (
	_ "github.com/kcut/kcut"
	_ "github.com/kcut/kcut/pipeline/records"
)

func main() {}
`

// TestImporters has the Go tool load every package of a module that imports kcut with the Go tool's
// own settings. KCUT_LONG=1 builds it, too.
func TestImporters(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"main.go": importer,
		"go.sum":  string(sums),
		"go.mod": "module example.com/importer\n\ngo 1.26\n\nrequire " + module +
			" v0.0.0\n\nreplace " + module + " => " + root + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tool := []string{"list", "-deps"}
	if os.Getenv("KCUT_LONG") != "" {
		tool = []string{"build"}
	}
	cmd := exec.CommandContext(t.Context(), "go", append(tool, ".")...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	lacks := !strings.Contains(string(out), module+"/pipeline/records\n")
	if err != nil || tool[0] == "list" && lacks {
		t.Errorf("go %v: %v\n%s", tool, err, out)
	}
}
