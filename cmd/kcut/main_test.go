package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kcut/kcut/formats/storage/storagetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kcut": main, "bigrun": writeBigRun, "paperrun": writePaperRun})
}

// TestScript runs the command lines of testdata/script. Beside testscript's own commands
// they have:
//
//	exits CODE COMMAND ARG...   run a command that must end with exactly that code
//	demo                        copy the demo's job and taxonomies here
//	put FILE KEY                store a file in the bucket of an S3 server
//	get KEY FILE                the other way round
func TestScript(t *testing.T) {
	server := storagetest.New(t)
	demo, err := filepath.Abs(filepath.Join("..", "..", "docs", "demo"))
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
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": expectExit,
			"demo": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(demo)))
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

func expectExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("run %v: %v", args[1:], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// TestSignal stops a command that would run for hours: it leaves with the signal's code and
// nothing behind.
func TestSignal(t *testing.T) {
	for _, tt := range []struct {
		signal syscall.Signal
		want   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "kcut", "sample", "--rows", "100000000000", filepath.Join(dir, "people.csv"))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for len(list(t, dir)) == 0 && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != tt.want {
				t.Errorf("left with %v, want exit code %d", err, tt.want)
			}
			if left := list(t, dir); len(left) > 0 {
				t.Errorf("left behind %v", left)
			}
		})
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
