package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/text"
)

// panicking panics in the middle of an answer, with a value that must stay secret.
type panicking struct{ io.Writer }

func (panicking) Write([]byte) (int, error) { panic("the cell's value") }

func TestPanic(t *testing.T) {
	for _, debug := range []string{"", "1"} {
		t.Setenv("KCUT_DEBUG", debug)
		var stderr strings.Builder
		code := execute(context.Background(), []string{"version"},
			newUI(panicking{}, &stderr, false))
		got := stderr.String()
		if code != 1 ||
			!strings.HasPrefix(got, "kcut: error: internal: panic with a string\nkcut: hint: ") {
			t.Errorf("exit %d, said %q", code, got)
		}
		if strings.Contains(got, "cell's") {
			t.Errorf("the panic's value is shown: %q", got)
		}
		if hasStack := strings.Contains(got, "goroutine"); hasStack != (debug != "") {
			t.Errorf("KCUT_DEBUG=%q: stack shown: %v", debug, hasStack)
		}
	}
}

// KCUT_LOG says how messages are written, whatever the file is.
func TestHasWords(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.Open(os.DevNull) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, tt := range []struct {
		log        string
		file, null bool
	}{{"", false, true}, {"auto", false, true}, {"words", true, true}, {"json", false, false}} {
		t.Setenv("KCUT_LOG", tt.log)
		if hasWords(file) != tt.file || hasWords(null) != tt.null {
			t.Errorf("KCUT_LOG=%s: words in a file %v, on a device %v", tt.log, hasWords(file),
				hasWords(null))
		}
	}
}

// The sentences of an answer break between words, as messages do.
func TestNarrowAnswers(t *testing.T) {
	var out strings.Builder
	u := newUI(&out, io.Discard, false)
	v := &kcut.Verification{Path: "people.parquet", OK: true, Rows: 1000,
		Sets:  []kcut.CutSet{{Columns: []string{"age"}, K: 20, Anonymity: 27}},
		Union: &kcut.Union{Unique: 0.153, BelowK: 0.631}}
	for _, u.columns = range []int{0, 40} { // 0: there is no terminal
		out.Reset()
		if err := u.printVerification(v); err != nil {
			t.Fatal(err)
		}
		want := "on all labels together: 15.3 % of the rows alone, 63.1 % in classes of fewer " +
			"than 20\n"
		if u.columns > 0 {
			want = "on all labels together: 15.3 % of the\n" +
				"      rows alone, 63.1 % in classes of\n      fewer than 20\n"
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("in %d columns:\n%s", u.columns, &out)
		}
	}
}

// The list of commands breaks at ends of words, as the texts of flags do, below their column.
func TestNarrowHelp(t *testing.T) {
	var help strings.Builder
	u := newUI(&help, io.Discard, false)
	root := newRoot(u)
	root.SetOut(u.out)
	explain(root, 50)
	list, _, _ := strings.Cut(help.String(), "\nUse ") // that line is cobra's
	for line := range strings.Lines(list) {
		if len(line) > 50+1 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
	if want := "  check       Count how anonymous any table is on\n" +
		"              some columns, without a job\n"; !strings.Contains(help.String(), want) {
		t.Errorf("got:\n%s\nwant in it:\n%s", help.String(), want)
	}
}

// A name or label of several lines does not break a table, and no name or label controls the
// terminal.
func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ text, keep, want string }{
		{"plain text, ünï and 日本", "", "plain text, ünï and 日本"},
		{"two\nlines\tand\r\x1b[31mred", "", `two\nlines\tand\r\x1b[31mred`},
		{"two\nlines\tand\x1b[31mred", "\n\t", "two\nlines\tand\\x1b[31mred"},
		{"right\u202eleft", "", `right\u202eleft`},
		{`a\n"b"`, "", `a\n"b"`},
	} {
		if got := text.Printable(tt.text, tt.keep); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	table := newTable("a", "bb", "c")
	table.add("x\ny", "", "z")
	table.add("ü", "y", "")
	if got, want := table.String(), "a     bb  c\nx\\ny      z\nü     y\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var out bytes.Buffer
	newUI(io.Discard, &out, true).fail(&exit.Failure{Message: "mask column \x1b[2J", Hint: "look"},
		nil)
	if strings.Contains(out.String(), "\x1b[2J") {
		t.Errorf("a message steers the terminal: %q", out.String())
	}
}

// The last column of a table breaks between words where the table is wider than the terminal.
func TestTableWithin(t *testing.T) {
	table := newTable("name", "use")
	table.add("tdr", "one cut for all records, of any size")
	table.add("a", "two")
	const want = `name  use
tdr   one cut for all records,
      of any size
a     two
`
	if got := table.within(30); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := table.within(10); got != want {
		t.Errorf("in a very narrow terminal: got %q, want %q", got, want)
	}
	if got := table.within(42); got != table.String() {
		t.Errorf("in a wide terminal: got %q", got)
	}
}

// Columns that do not fit stand below, next to the first one, without rows that have nothing there.
func TestTableInBlocks(t *testing.T) {
	table := newTable("by", "k", "tree", "bayes", "queries and more")
	table.add("none", "", "18.9", "19.5")
	table.add("tdr", "20", "16.0", "22.4", "42.6")
	for width, want := range map[int]string{
		math.MaxInt: table.String(),
		21: `by    k   tree  bayes
none      18.9  19.5
tdr   20  16.0  22.4

by    k   queries and more
tdr   20  42.6
`,
	} {
		if got := table.blocks(2, width); got != want {
			t.Errorf("%d: got\n%s, want\n%s", width, got, want)
		}
	}
}

// A released file may have labels, and a cut may have texts, that control a terminal. No output has
// such characters unescaped.
func TestLabelsSteerNoTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	const steering = "right\u202eleft\u009b31m"
	lines := []string{"job,age,income"}
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("%s%d,%d,%d", steering, i%2, i%3, i%2))
	}
	writeFiles(t, ".", map[string]string{"people.csv": strings.Join(lines, "\n"), "job.yaml": `
input: people.csv
output: out.parquet
class: income
quasi_identifiers: [{columns: [job, age], k: 5}]
columns: {job: suppress, age: {mask: discretize, type: integer}, income: keep}
`})
	for _, args := range []string{
		"run job.yaml --trace trace.jsonl", "show out.parquet", "show out.parquet --json",
		"verify out.parquet", "diff out.parquet out.parquet --json",
		"run job.yaml --overwrite --algorithm mondrian --output other.parquet",
		"diff out.parquet other.parquet", "diff out.parquet other.parquet --json",
	} {
		var out, err strings.Builder
		if exit := execute(t.Context(), strings.Fields(args), newUI(&out, &err, false)); exit != 0 {
			t.Fatalf("%s: %s", args, &err)
		}
		trace, failed := os.ReadFile("trace.jsonl")
		if failed != nil {
			t.Fatal(failed)
		}
		all := out.String() + err.String() + string(trace)
		if strings.ContainsFunc(all, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }) || !strings.Contains(all, `right\u202eleft\u009b31m`) {
			t.Errorf("%s: %q", args, all)
		}
		if strings.HasPrefix(args, "show") && strings.HasSuffix(args, "--json") &&
			!json.Valid([]byte(out.String())) {
			t.Errorf("%s: no JSON: %s", args, &out)
		}
	}
}

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		texts []string
		want  []string
	}{
		{nil, []string{""}},
		{[]string{"a"}, []string{"a"}},
		{[]string{"aaa", "bb", "c"}, []string{"aaa | bb |", "c"}},
		{[]string{"much too long", "b"}, []string{"much too long |", "b"}},
	} {
		if got := fold(tt.texts, " |", 10); !slices.Equal(got, tt.want) {
			t.Errorf("fold(%q) = %q, want %q", tt.texts, got, tt.want)
		}
	}
}

// A terminal gets messages and no log records, other files get log records and no messages, and
// with --quiet neither gets any.
func TestNote(t *testing.T) {
	for _, tt := range []struct {
		terminal, quiet bool
		want            string // part of the output; empty: there is none
	}{
		{true, false, "kcut: note: two nulls\n"},
		{false, false, `"msg":"two nulls"`},
		{true, true, ""},
		{false, true, ""},
	} {
		var stderr strings.Builder
		u := newUI(io.Discard, &stderr, tt.terminal)
		u.quiet = tt.quiet
		u.note("two nulls")
		if got := stderr.String(); !strings.Contains(got, tt.want) ||
			(tt.want == "") != (got == "") {
			t.Errorf("terminal %v, quiet %v: said %q, want %q", tt.terminal, tt.quiet, got, tt.want)
		}
	}
}

// The summary of a run counts suppressed rows with the rows, and not with the steps.
func TestSummary(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, ".", map[string]string{
		"people.csv": "age,city\n" + strings.Repeat("17,a\n18,a\n40,b\n", 20) +
			"90,c\n91,d\n92,e\n93,f\n94,g\n95,h\n",
		"job.yaml": "input: people.csv\noutput: release.parquet\nmax_suppressed: 10%\n" +
			"quasi_identifiers: [{columns: all, k: 5}]\n" +
			"columns: {age: discretize, city: suppress}\n",
	})
	var stderr strings.Builder
	execute(t.Context(), []string{"run", "job.yaml"}, newUI(io.Discard, &stderr, true))
	const want = "released release.parquet: 66 rows (6 of them suppressed), "
	if said := stderr.String(); !strings.Contains(said, want) {
		t.Errorf("it says %q", said)
	}
}

// Messages and help break between words: lines are not longer than those of a terminal. Programs
// get messages on one line, and messages that show a place stay as they are.
func TestLinesFit(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("twelve chars ", 20))
	for _, terminal := range []bool{true, false} {
		var stderr strings.Builder
		u := newUI(io.Discard, &stderr, terminal)
		u.color = false
		u.fail(&exit.Failure{Message: long, Hint: "look"}, nil)
		u.fail(&exit.Failure{Message: "look\n" + long, Hint: "look"}, nil)
		lines := strings.Split(stderr.String(), "\n")
		tail := "kcut: error: look\n" + long + "\nkcut: hint: look\n"
		if !strings.HasSuffix(stderr.String(), tail) {
			t.Errorf("terminal %v: a message with a place is changed: %q", terminal, &stderr)
		}
		if !terminal {
			if lines[0] != "kcut: error: "+long {
				t.Errorf("a program gets %q", lines[0])
			}
			continue
		}
		again := strings.Join(lines[:4], "\n")
		if got := strings.ReplaceAll(again, "\n      ", " "); got != "kcut: error: "+long {
			t.Errorf("got %q", again)
		}
		for _, line := range lines[:4] {
			if len(line) > 80 {
				t.Errorf("a line of %d characters: %q", len(line), line)
			}
		}
	}
	for _, c := range documented(newRoot(newUI(io.Discard, io.Discard, false))) {
		var help strings.Builder
		c.SetOut(&help)
		if err := c.Help(); err != nil || !strings.Contains(help.String(), "Usage:") {
			t.Errorf("%s: no usage: %v", c.Name(), err)
		}
		for line := range strings.SplitSeq(help.String(), "\n") {
			if len(line) > 80 {
				t.Errorf("%s: a line of %d characters: %q", c.Name(), len(line), line)
			}
		}
	}
}

// Where both streams are one, the JSON object is the last line, also of a command that failed after
// it had made its answer.
func TestAnswerIsLast(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, ".", map[string]string{"people.csv": "age,income\n1,2\n", "job.yaml": `
input: people.csv
output: out.parquet
quasi_identifiers: [{columns: [age], k: 5}]
columns: {age: discretize, income: {keep: {identifying: accepted}}}
`})
	for _, args := range []string{
		"plan job.yaml --json", "run job.yaml --json", "verify people.csv --json", "rum --json",
	} {
		var both strings.Builder
		u := newUI(&both, &both, false)
		if code := execute(t.Context(), strings.Fields(args), u); code == 0 {
			t.Errorf("%s: exit 0", args)
		}
		lines := strings.Split(strings.TrimSpace(both.String()), "\n")
		answer := struct{ Error *exit.Failure }{}
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); err != nil ||
			answer.Error == nil || !strings.Contains(both.String(), "kcut: error: ") {
			t.Errorf("%s: the last line is %q", args, lines[len(lines)-1])
		}
	}
}

func TestColor(t *testing.T) {
	for _, noColor := range []string{"", "1"} {
		t.Setenv("NO_COLOR", noColor)
		var stderr strings.Builder
		execute(context.Background(), []string{"nothing"}, newUI(io.Discard, &stderr, true))
		if colored := strings.Contains(stderr.String(), "\x1b["); colored == (noColor != "") {
			t.Errorf("NO_COLOR=%q: said %q", noColor, stderr.String())
		}
	}
}
