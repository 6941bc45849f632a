package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/text"
)

// The rules for words:
//
//   - An error is "kcut: error: verb object: cause", then "kcut: hint: next action".
//     No capital at the start, no period at the end, lower case as in Go errors.
//   - Words name files, columns, row groups, rows and counts, never a cell's value.
//   - What a program reads goes to standard output: with --json one object on one line, the
//     last one, when the command failed too. Everything else goes to standard error.
//   - On a terminal standard error has words and one live line; elsewhere every line is a
//     JSON log record, but for errors and hints, which read the same everywhere. A terminal
//     that cannot draw has the words alone.
//   - --quiet leaves errors and hints. NO_COLOR leaves words without color.

// ui is where a command's words go.
type ui struct {
	out, err io.Writer
	terminal bool // err is a terminal
	dumb     bool // that can neither move its cursor nor show colors
	color    bool
	quiet    bool // flag
	json     bool // flag
	answered bool // the JSON object has been printed
	log      *slog.Logger
}

func newUI(out, err io.Writer, terminal bool) *ui {
	return &ui{
		out: out, err: err, terminal: terminal,
		color: terminal && os.Getenv("NO_COLOR") == "",
		log:   slog.New(slog.NewJSONHandler(err, nil)),
	}
}

// width returns how many characters a line of the terminal has now, since users resize it, or how
// many are usual.
func (u *ui) width() (columns int) {
	if f, ok := u.err.(*os.File); ok {
		columns = columnsOf(f)
	}
	return cmp.Or(columns, 80)
}

// room returns how many characters a list may take beside so many others of a line: what an answer's terminal has left, or as many as are usual.
func (u *ui) room(others int) int {
	if f, ok := u.out.(*os.File); ok {
		if columns := columnsOf(f); columns > 0 {
			return max(columns-others, fewestCharacters)
		}
	}
	return labelWidth
}

// isTerminal reports whether somebody may be looking at what is written to a file.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// printf prints an answer to standard output.
func (u *ui) printf(format string, args ...any) error {
	if _, err := fmt.Fprintf(u.out, format, args...); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}

// tell answers with one JSON object where that is asked for, else with words.
func (u *ui) tell(answer any, words string) error {
	if u.json {
		return u.answer(answer)
	}
	return u.printf("%s", words)
}

// answer prints the JSON object of a command, on one line.
func (u *ui) answer(v any) error {
	u.answered = true
	text, err := oneLine(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return u.printf("%s\n", text)
}

// oneLine encodes v without the escaping of <, > and &, which labels may hold, but with that of what steers a terminal.
func oneLine(v any) (string, error) {
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return text.Escaped(strings.TrimSuffix(line.String(), "\n")), err
}

// note tells a fact worth knowing.
func (u *ui) note(words string) { u.say(slog.LevelInfo, "note:", words) }

// warn tells of something that somebody should see to, although what was asked for goes on.
func (u *ui) warn(err error) {
	if err != nil {
		u.say(slog.LevelWarn, u.paint("33", "warning:"), err.Error())
	}
}

func (u *ui) say(level slog.Level, kind, words string) {
	switch {
	case u.quiet:
	case u.terminal:
		fmt.Fprintf(u.err, "kcut: %s %s\n", kind, text.Printable(words, "\n"))
	default:
		u.log.Log(context.Background(), level, text.Printable(words, "\n"))
	}
}

// fail prints an error, its hint and, when asked to, the place of a bug. args are needed
// because a command line that cannot be parsed may still ask for JSON.
func (u *ui) fail(f *exit.Failure, args []string) {
	fmt.Fprintf(u.err, "kcut: %s %s\n", u.paint("31", "error:"), text.Printable(f.Message, "\n\t"))
	fmt.Fprintf(u.err, "kcut: %s %s\n", u.paint("36", "hint:"), text.Printable(f.Hint, "\n"))
	if f.Stack != nil && os.Getenv("KCUT_DEBUG") != "" {
		fmt.Fprintf(u.err, "%s", f.Stack)
	}
	if !u.answered && (u.json || slices.Contains(args, "--json")) {
		// Standard output may be what failed; the exit code tells the rest.
		told := *f
		told.Message, told.Hint = text.WithoutPartitions(f.Message), text.WithoutPartitions(f.Hint)
		_ = u.answer(map[string]*exit.Failure{"error": &told})
	}
}

func (u *ui) paint(color, text string) string {
	if !u.color || u.dumb {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// usageError is an error of the command line; its hint points at the command's help.
func usageError(command, format string, args ...any) error {
	return &kcut.Error{
		Class: kcut.ErrUsage,
		Err:   fmt.Errorf("read command line: "+format, args...),
		Hint:  command + " --help shows what it takes",
	}
}
