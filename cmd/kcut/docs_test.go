package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut"
)

// docCommand is a command of a console block, and its output by the document.
type docCommand struct {
	line   int // in the document
	args   []string
	exit   int
	output []string // lines; "..." stands for any number of them
}

// TestDocs runs the console blocks of the documents as on a terminal, one after the other, in a
// folder with the demo's files. A line that starts with "$ " is a command. It must end with 0, or
// with the code in its comment: "# exit 4". The lines below must be its output.
func TestDocs(t *testing.T) {
	demo, err := filepath.Abs(filepath.Join("..", "..", "docs", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for document, text := range documents(t) {
		commands := consoleCommands(text)
		found += len(commands)
		t.Run(filepath.Base(document), func(t *testing.T) {
			t.Setenv("NO_COLOR", "1")
			t.Chdir(t.TempDir())
			if err := os.CopyFS(".", os.DirFS(demo)); err != nil {
				t.Fatal(err)
			}
			for _, c := range commands {
				exit, output := c.run(t)
				got := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
				if exit != c.exit || len(c.output) > 0 && !matchLines(c.output, got) {
					t.Errorf("%s:%d: %s\nexit %d, want %d; output:\n%s", document, c.line,
						strings.Join(c.args, " "), exit, c.exit, output)
				}
			}
		})
	}
	if found < 30 {
		t.Errorf("only %d commands are found", found)
	}
}

// documents returns the texts of all documents by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, path := range append(paths, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	return texts
}

var exitComment = regexp.MustCompile(` # exit (\d+)$`)

// consoleCommands returns the commands of a document's ```console blocks.
func consoleCommands(text string) []docCommand {
	var commands []docCommand
	inBlock := false
	for i, line := range strings.Split(text, "\n") {
		switch command, isCommand := strings.CutPrefix(line, "$ "); {
		case strings.HasPrefix(line, "```"):
			inBlock = line == "```console"
		case !inBlock:
		case isCommand:
			c := docCommand{line: i + 1}
			if comment := exitComment.FindStringSubmatch(command); comment != nil {
				c.exit, _ = strconv.Atoi(comment[1])
				command = strings.TrimSuffix(command, comment[0])
			}
			c.args = strings.Fields(command)
			commands = append(commands, c)
		case len(commands) > 0:
			last := &commands[len(commands)-1]
			last.output = append(last.output, line)
		}
	}
	return commands
}

// liveLine matches the live line that progress draws on a terminal, up to the code that erases it.
var liveLine = regexp.MustCompile(`(\r\x1b\[K[^\r\n]*)*\r\x1b\[K`)

// run runs a command: kcut in this process, other commands in a shell.
func (c *docCommand) run(t *testing.T) (int, string) {
	t.Helper()
	var output bytes.Buffer
	if c.args[0] == "kcut" {
		u := newUI(&output, &output, true)
		u.columns = 1000 // the documents have messages on one line
		exit := execute(context.Background(), c.args[1:], u)
		return exit, liveLine.ReplaceAllString(output.String(), "")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Join(c.args, " "))
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), output.String()
}

// matchLines reports whether lines match the wanted lines, except for empty lines at the end. In a
// wanted line "..." matches any text; a line "..." matches any number of lines.
func matchLines(want, got []string) bool {
	pattern := regexp.QuoteMeta(strings.TrimRight(strings.Join(want, "\n"), "\n") + "\n")
	pattern = ellipsisLine.ReplaceAllString(pattern, "(?:.*\n)*")
	pattern = strings.ReplaceAll(pattern, `\.\.\.`, ".*")
	return regexp.MustCompile("^" + pattern +
		"$").MatchString(strings.TrimRight(strings.Join(got, "\n"), "\n") + "\n")
}

var ellipsisLine = regexp.MustCompile(`(?m)^\\\.\\\.\\\.\n`)

// tutorialJobs makes and runs the jobs of the tutorial's table on which its console blocks do not
// report, and the one with a weight.
var tutorialJobs = []string{
	`sed 's/k: 10$/k: 5/' job.yaml > k5.yaml`,
	`kcut run k5.yaml --output k5.parquet --run-json k5.json`,
	`sed -E 's/(occupation:) .*/\1 drop/; s/, occupation\]/]/' job.yaml > less.yaml`,
	`kcut run less.yaml --output less.parquet --run-json less.json`,
	`kcut run balance.yaml --output balance.parquet --run-json balance.json`,
	`sed -E 's/( zip: .*)\}\}/\1}, weight: 3}/' balance.yaml > weight.yaml`,
	`kcut run weight.yaml --output weight.parquet --run-json weight.json`,
}

// pageFigure is a figure of the tutorial that is on the page of its release.
var pageFigure = regexp.MustCompile(
	`(\d+\.\d %)\s+(here|of\s+the\s+rows\s+are\s+in\s+classes|in\s+such)`)

// TestTutorialFigures runs the tutorial, and compares the losses of its table with the reports of
// the runs, and its figures of the page with the page.
func TestTutorialFigures(t *testing.T) {
	demo, err := filepath.Abs(filepath.Join("..", "..", "docs", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	text := documents(t)[filepath.Join("..", "..", "docs", "tutorial.md")]
	t.Setenv("NO_COLOR", "1")
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(demo)); err != nil {
		t.Fatal(err)
	}
	commands := consoleCommands(text)
	for _, line := range tutorialJobs {
		commands = append(commands, docCommand{args: strings.Fields(line)})
	}
	for _, c := range commands {
		if exit, output := c.run(t); exit != 0 {
			t.Fatalf("%q ended with %d:\n%s", c.args, exit, output)
		}
	}

	compared := 0
	for i, file := range []string{"run.json", "k5.json", "less.json", "balance.json"} {
		for column, loss := range losses(t, file) {
			line := regexp.MustCompile(`(?m)^\| ` + column + ` \|(.*)\|$`)
			row := line.FindStringSubmatch(text)
			if row == nil {
				t.Fatalf("no row of %s", column)
			}
			want := strings.TrimSpace(strings.Split(row[1], "|")[i])
			if got := strconv.FormatFloat(100*loss, 'f', 0, 64); got != want {
				t.Errorf("%s loses %s %% in %s, the tutorial says %s", column, got, file, want)
			}
			compared++
		}
	}
	if compared != 27 {
		t.Errorf("%d losses are compared", compared)
	}
	weighted := losses(t, "weight.json")
	if weighted["zip"] == 1 || weighted["birth-date"] < 1 || weighted["sex"] < 1 {
		t.Errorf("with a weight of 3 for zip the losses are %v", weighted)
	}

	page, err := os.ReadFile("report.html")
	if err != nil {
		t.Fatal(err)
	}
	figures := pageFigure.FindAllStringSubmatch(text, -1)
	if len(figures) != 3 {
		t.Errorf("figures %q", figures)
	}
	for _, figure := range figures {
		if !bytes.Contains(page, []byte(figure[1])) {
			t.Errorf("the page has no %s", figure[1])
		}
	}
}

// losses returns the loss of each masked column by the report of a run.
func losses(t *testing.T, file string) map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report kcut.Report
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]float64)
	for _, column := range report.Masked {
		found[column.Column] = 1 - column.Information
	}
	return found
}

// TestDocLinks follows the links between documents and within a document: the file exists, and has
// the heading.
func TestDocLinks(t *testing.T) {
	links := 0
	for document, text := range documents(t) {
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			links++
			to := document
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(document), filepath.FromSlash(link[1]))
			}
			text, err := os.ReadFile(to)
			if _, found := os.Stat(to); found != nil ||
				link[2] != "" && (err != nil || !anchors(string(text))[link[2]]) {
				t.Errorf("%s: link to %s#%s leads nowhere", document, link[1], link[2])
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links are found", links)
	}
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)#\s]*)#?([^)\s]*)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	punctuation  = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// anchors returns the names of the headings of a document in links.
func anchors(text string) map[string]bool {
	names := make(map[string]bool)
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		names[strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(h[1]), ""), " ",
			"-")] = true
	}
	return names
}

func TestMatchLines(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		matches   bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb\n", "a\nb", true},
		{"a\nb", "a", false},
		{"a", "a\nb", false},
		{"a\n...", "a\nb\nc", true},
		{"a\n...\nc", "a\nb\nb\nc", true},
		{"a\n...\nd", "a\nb\nc", false},
		{"...", "", true},
		{"took ... s", "took 1.5 s", true},
		{"took ... s", "took 1.5 m", false},
		{"a.c", "abc", false},
	} {
		got := matchLines(strings.Split(tt.want, "\n"), strings.Split(tt.got, "\n"))
		if got != tt.matches {
			t.Errorf("%q against %q: %v", tt.want, tt.got, got)
		}
	}
}
