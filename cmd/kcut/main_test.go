package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kcut/kcut/formats/storage/storagetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m,
		map[string]func(){"kcut": main, "bigrun": writeBigRun, "paperrun": writePaperRun})
}

// TestScript runs the command lines of testdata/script. They can use testscript's own commands,
// and:
//
//	exits CODE COMMAND ARG...   run a command that must end with exactly that code
//	demo                        copy the demo's job and taxonomies here
//	put FILE KEY                store a file in the bucket of an S3 server
//	get KEY FILE                the other way round
func TestScript(t *testing.T) {
	server := storagetest.New(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for _, variable := range os.Environ() {
				if strings.HasPrefix(variable, "AWS_") {
					env.Vars = append(env.Vars, variable)
				}
			}
			env.Setenv("REPOSITORY", root)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": expectExit,
			"demo": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(filepath.Join(root, "docs", "demo"))))
			},
			"put": func(ts *testscript.TestScript, _ bool, args []string) {
				server.Put(t, args[1], []byte(ts.ReadFile(args[0])))
			},
			"get": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), server.Get(t, args[0]), 0o600))
			},
		},
	})
}

func expectExit(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = strconv.Itoa(exit.ExitCode())
	} else {
		ts.Check(err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
