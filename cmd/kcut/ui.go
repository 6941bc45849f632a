package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
)

// The rules for messages:
//
//   - An error is "kcut: error: verb object: cause", then "kcut: hint: next action".
//     No capital at the start, no period at the end, lower case as in Go errors.
//   - Messages name files, columns, row groups, rows and counts, never a cell's value.
//   - Answers go to standard output: with --json one object on one line, the last line, also if
//     the command failed. Everything else goes to standard error.
//   - On a terminal standard error has messages, which break between words, and one live line;
//     elsewhere every line is a JSON log record, except for errors and hints, which are the same
//     everywhere. A terminal that cannot draw gets messages without a live line. KCUT_LOG says
//     which, whatever standard error is: words or json.
//   - --quiet keeps errors and hints only. NO_COLOR turns colors off.

// ui prints the messages of a command.
type ui struct {
	out, err io.Writer
	terminal bool // err is a terminal, or shows text as one does
	dumb     bool // the terminal can neither move its cursor nor show colors
	color    bool
	columns  int    // in a line of messages and answers; 0: those of the terminal
	quiet    bool   // flag
	json     bool   // flag
	answered string // the JSON object to print last; empty: there is none
	log      *slog.Logger
}

func newUI(out, err io.Writer, terminal bool) *ui {
	return &ui{
		out: out, err: err, terminal: terminal,
		color: terminal && os.Getenv("NO_COLOR") == "",
		log:   slog.New(slog.NewJSONHandler(err, nil)),
	}
}

// width returns the number of characters in a line of the terminal of messages now, since users
// resize it, or a usual number.
func (u *ui) width() int { return cmp.Or(u.columns, widthOf(u.err)) }

// widthOf returns the number of characters in a line of a terminal, or a usual number.
func widthOf(to io.Writer) (columns int) {
	if f, ok := to.(*os.File); ok {
		columns = columnsOf(f)
	}
	return cmp.Or(columns, 80)
}

// room returns the number of characters that are left for a list in a line with others characters:
// of the terminal of answers, or a usual number.
func (u *ui) room(others int) int {
	if f, ok := u.out.(*os.File); ok {
		if columns := columnsOf(f); columns > 0 {
			return max(columns-others, fewestCharacters)
		}
	}
	return labelWidth
}

// sentence breaks a line of an answer between words where standard output is a terminal.
func (u *ui) sentence(line string) string {
	return text.Wrap(line, u.answerWidth(), messageIndent)
}

// answerWidth returns the width of the terminal of answers, or what no line exceeds.
func (u *ui) answerWidth() int {
	columns := u.columns
	if f, ok := u.out.(*os.File); ok && columns == 0 {
		columns = columnsOf(f)
	}
	return cmp.Or(columns, math.MaxInt)
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// hasWords reports whether messages to a file are those of a terminal: notebooks ask for them.
func hasWords(f *os.File) bool {
	switch os.Getenv("KCUT_LOG") {
	case "words":
		return true
	case "json":
		return false
	}
	return isTerminal(f)
}

// printf prints an answer to standard output.
func (u *ui) printf(format string, args ...any) error {
	if _, err := fmt.Fprintf(u.out, format, args...); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}

// reply prints an answer: a JSON object with --json, else words.
func (u *ui) reply(answer any, words string) error {
	if u.json {
		return u.answer(answer)
	}
	return u.printf("%s", words)
}

// answer sets the JSON object of a command, which finish prints on one line.
func (u *ui) answer(v any) (err error) {
	if u.answered, err = oneLine(v); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return nil
}

// finish prints the JSON object of a command, if there is one.
func (u *ui) finish() error {
	if u.answered == "" {
		return nil
	}
	return u.printf("%s\n", u.answered)
}

// oneLine encodes v on one line. It does not escape <, > and &, which labels may have, but it
// escapes characters that control a terminal.
func oneLine(v any) (string, error) {
	line, err := text.JSON(v)
	return text.Escaped(string(line)), err
}

// note prints a fact for the user.
func (u *ui) note(words string) { u.say(slog.LevelInfo, "", "note:", text.Printable(words, "")) }

// warn prints a problem that somebody should solve, although the command goes on.
func (u *ui) warn(err error) {
	if err != nil {
		u.say(slog.LevelWarn, "33", "warning:", text.Printable(fault.Text(err), "\n\t"))
	}
}

func (u *ui) say(level slog.Level, color, kind, words string) {
	switch {
	case u.quiet:
	case u.terminal:
		u.tell(color, kind, words)
	default:
		u.log.Log(context.Background(), level, words)
	}
}

// messageIndent begins the further lines of a message.
const messageIndent = "      "

// tell prints a message. On a terminal it breaks between words, unless it has lines that show a
// place in a file.
func (u *ui) tell(color, kind, words string) {
	if begin := "kcut: " + kind + " "; u.terminal && !strings.Contains(words, "\n") {
		words = strings.TrimPrefix(text.Wrap(begin+words, u.width(), messageIndent), begin)
	}
	fmt.Fprintf(u.err, "kcut: %s %s\n", u.paint(color, kind), words)
}

// fail prints an error, its hint and, with KCUT_DEBUG, the place of a bug. It takes args because a
// command line that cannot be parsed may still ask for JSON.
func (u *ui) fail(f *exit.Failure, args []string) {
	u.tell("31", "error:", text.Printable(f.Message, "\n\t"))
	u.tell("36", "hint:", text.Printable(f.Hint, ""))
	if f.Stack != nil && os.Getenv("KCUT_DEBUG") != "" {
		fmt.Fprintf(u.err, "%s", f.Stack)
	}
	if u.answered == "" && (u.json || slices.Contains(args, "--json")) {
		public := *f
		public.Message = text.WithoutPartitions(f.Message)
		public.Hint = text.WithoutPartitions(f.Hint)
		_ = u.answer(map[string]*exit.Failure{"error": &public})
	}
}

func (u *ui) paint(color, text string) string {
	if !u.color || u.dumb || color == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// usageError returns an error of the command line. Its hint names the help of the command.
func usageError(command, format string, args ...any) error {
	return &kcut.Error{
		Class: kcut.ErrUsage,
		Err:   fmt.Errorf("read command line: "+format, args...),
		Hint:  command + " --help shows what it takes",
	}
}
