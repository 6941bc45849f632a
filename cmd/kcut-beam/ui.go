package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/text"
)

// ui prints by the rules of kcut run: answers go to standard output, all else goes to standard
// error, as plain text on a terminal and as JSON log records elsewhere. Errors and hints are the
// same everywhere.
type ui struct {
	out, err io.Writer
	terminal bool // err is a terminal
	quiet    bool
	json     bool
	log      *slog.Logger
}

func newUI(out io.Writer, err *os.File) *ui {
	info, failed := err.Stat()
	return &ui{
		out: out, err: err, terminal: failed == nil && info.Mode()&os.ModeCharDevice != 0,
		log: slog.New(slog.NewJSONHandler(err, nil)),
	}
}

// say prints words on a terminal, and a log record elsewhere.
func (u *ui) say(words, message string, attrs ...slog.Attr) {
	switch {
	case u.quiet:
	case u.terminal:
		fmt.Fprintf(u.err, "kcut: %s\n", words)
	default:
		u.log.LogAttrs(context.Background(), slog.LevelInfo, message, attrs...)
	}
}

// answer prints the JSON object of a command, on one line.
func (u *ui) answer(v any) error {
	encoder := json.NewEncoder(u.out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}

// events returns the functions that print stages and notices.
func (u *ui) events() kcut.Events {
	return kcut.Events{
		End: func(stage kcut.Stage, took time.Duration) {
			u.say(fmt.Sprintf("%s %.1f s", stage, took.Seconds()), "stage ended",
				slog.String("stage", string(stage)), slog.Float64("seconds", took.Seconds()))
		},
		Notice: func(notice string) {
			notice = text.Printable(notice, "")
			u.say("note: "+notice, notice)
		},
	}
}

// fail prints an error, if err is not nil, and returns its exit code. args are the command line,
// which may not have been parsed.
func (u *ui) fail(ctx context.Context, err error, args []string) int {
	f := exit.FailureOf(ctx, err)
	if f == nil {
		return 0
	}
	fmt.Fprintf(u.err, "kcut: error: %s\nkcut: hint: %s\n", text.Escaped(f.Message),
		text.Escaped(f.Hint))
	if f.Stack != nil && os.Getenv("KCUT_DEBUG") != "" {
		fmt.Fprintf(u.err, "%s", f.Stack)
	}
	if u.json || slices.Contains(args, "--json") {
		_ = u.answer(map[string]*exit.Failure{"error": f})
	}
	return f.Exit
}

// usage returns an error of the command line.
func usage(format string, args ...any) error {
	return &kcut.Error{Class: kcut.ErrUsage, Err: fmt.Errorf("read command line: "+format, args...),
		Hint: "kcut-beam run --help shows what it takes"}
}
