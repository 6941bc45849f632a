package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kcut/kcut"
)

// ui is where words go, by the rules of kcut run: answers to standard output, all else to standard error, in words on a terminal
// and as JSON log records elsewhere. Errors and hints read the same everywhere.
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

// tell tells words on a terminal, and a record elsewhere.
func (u *ui) tell(words, message string, attrs ...slog.Attr) {
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

// events tell of stages and notices.
func (u *ui) events() kcut.Events {
	return kcut.Events{
		End: func(stage kcut.Stage, took time.Duration) {
			u.tell(fmt.Sprintf("%s %.1f s", stage, took.Seconds()), "stage ended", slog.String("stage", string(stage)), slog.Float64("seconds", took.Seconds()))
		},
		Notice: func(text string) { u.tell("note: "+text, text) },
	}
}

// exits say of every class of error its exit code, and what to do when the error itself does not say, as kcut run does.
var exits = map[kcut.Class]struct {
	code int
	hint string
}{
	kcut.ErrInternal:  {1, "this is a bug in kcut: please report it"},
	kcut.ErrUsage:     {2, "kcut config --schema prints every key of a job file"},
	kcut.ErrInput:     {3, "compare the input with the job file, or export it again"},
	kcut.ErrPrivacy:   {4, "lower k, or give more records"},
	kcut.ErrExists:    {5, "--overwrite replaces it"},
	kcut.ErrTransient: {6, "try again; --beam-logs shows what the runner says"},
	kcut.ErrResources: {7, "give more memory with --memory, or free disk space"},
	kcut.ErrCancelled: {1, "run the same command again"},
}

// failure is an error as users and programs see it.
type failure struct {
	Class   string `json:"class"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Exit    int    `json:"exit"`
}

// fail tells an error, and returns its exit code; 0 for none. args are those of a command line that may not have been parsed.
func (u *ui) fail(ctx context.Context, err error, args []string) int {
	if err == nil {
		return 0
	}
	class := kcut.ClassOf(err)
	f := failure{class.String(), err.Error(), exits[class].hint, exits[class].code}
	if advised, ok := errors.AsType[*kcut.Error](err); ok && advised.Hint != "" {
		f.Hint = advised.Hint
	}
	if stopped, ok := errors.AsType[stopSignal](context.Cause(ctx)); ok && class == kcut.ErrCancelled {
		f.Exit, f.Message = stopped.exitCode(), stopped.Error()
	}
	fmt.Fprintf(u.err, "kcut: error: %s\nkcut: hint: %s\n", strings.ReplaceAll(f.Message, "\x1b", ""), f.Hint)
	if u.json || slices.Contains(args, "--json") {
		_ = u.answer(map[string]failure{"error": f})
	}
	return f.Exit
}

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &kcut.Error{Class: kcut.ErrUsage, Err: fmt.Errorf("read command line: "+format, args...), Hint: "kcut-beam run --help shows what it takes"}
}

// stopSignal is the cause of a context that a signal cancelled.
type stopSignal struct{ syscall.Signal }

func (s stopSignal) Error() string {
	if s.Signal == syscall.SIGINT {
		return "stopped by SIGINT"
	}
	return "stopped by SIGTERM"
}

// Is makes a stopSignal count as context.Canceled, for whoever returns the context's cause.
func (s stopSignal) Is(target error) bool { return target == context.Canceled }

func (s stopSignal) exitCode() int { return 128 + int(s.Signal) }

// grace is how long a stopped run may take to remove what it has written: schedulers kill after 10 seconds at the earliest.
const grace = 8 * time.Second

// stoppable returns a context that the first SIGINT or SIGTERM cancels. A second one, or the end of grace, ends the process.
func stoppable() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		stopped := stopSignal{(<-signals).(syscall.Signal)}
		cancel(stopped)
		select {
		case <-signals:
		case <-time.After(grace):
		}
		os.Exit(stopped.exitCode())
	}()
	return ctx
}
