package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/spf13/cobra"
)

// roffLine matches the lines of a page: a known macro, or a text that is no macro and has no
// character that is special to roff.
var roffLine = regexp.MustCompile(`^(\.(TH|SH|B|BR|TP|PP|EX|EE)( .*)?|\\&[.'].*|[^.'].*|)$`)

// TestManPages writes the pages and checks that they have every command and every flag.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	code := execute(t.Context(), []string{"man", dir}, newUI(io.Discard, io.Discard, false))
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	root := newRoot(newUI(io.Discard, io.Discard, false))
	commands := documented(root)
	if got := list(t, dir); len(got) != len(commands) || len(commands) < 10 {
		t.Errorf("%d commands, pages %v", len(commands), got)
	}
	for _, c := range commands {
		text, err := os.ReadFile(filepath.Join(dir, pageName(c)+".1"))
		if err != nil {
			t.Fatal(err)
		}
		page := string(text)
		for _, title := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS",
			"SEE ALSO"} {
			if !strings.Contains(page, ".SH \""+title+"\"\n") {
				t.Errorf("%s: no section %s", pageName(c), title)
			}
		}
		for name := range strings.FieldsSeq(c.LocalFlags().FlagUsages()) {
			if strings.HasPrefix(name, "--") && !strings.Contains(page, strings.ReplaceAll(strings.TrimSuffix(name, ","), "-", `\-`)) {
				t.Errorf("%s: flag %s is missing", pageName(c), name)
			}
		}
		for i, line := range strings.Split(page, "\n") {
			if !roffLine.MatchString(line) {
				t.Errorf("%s:%d: %q", pageName(c), i+1, line)
			}
		}
	}
	for class, end := range exit.Classes {
		if !strings.Contains(manPage(root), "\n.B \""+strconv.Itoa(end.Code)+"\"\n") {
			t.Errorf("exit code %d of class %d is missing", end.Code, class)
		}
	}
	lintPages(t, dir)
}

// lintPages makes groff read the pages, if it is installed.
func lintPages(t *testing.T, dir string) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), groff,
		append([]string{"-man", "-ww", "-z", "-Tutf8"}, pages...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"a-b \\n 'c'\n.TH x\n'quoted'": "a\\-b \\en \\(aqc\\(aq\n\\&.TH x\n\\(aqquoted\\(aq",
		".TH x":                        "\\&.TH x",
	} {
		if got := escaped(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	page := manPage(&cobra.Command{Use: `say "x"`, Short: "Says", Run: func(*cobra.Command, []string) {}})
	if !strings.Contains(page, "\n.B \"say \"\"x\"\"\"\n") &&
		!strings.Contains(page, "\n.B \"say \"\"x\"\" [flags]\"\n") {
		t.Errorf("quotes are not doubled: %s", page)
	}
}
