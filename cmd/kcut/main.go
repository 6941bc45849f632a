// Kcut anonymizes big tables: it reads Parquet, Arrow or CSV, generalizes the
// quasi-identifiers of a job file until every combination of their values is shared by
// enough records, and writes Parquet that proves it.
//
// This package has the flags, messages, hints and exit codes. Package github.com/kcut/kcut does the
// work.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/workers"
)

func main() {
	log.SetOutput(io.Discard) // logs of libraries: their errors have the important facts
	os.Exit(exit.Stoppable(func(ctx context.Context) int {
		u := newUI(os.Stdout, os.Stderr, hasWords(os.Stderr))
		u.dumb = os.Getenv("TERM") == "dumb"
		return execute(ctx, os.Args[1:], u)
	}, exit.Grace, exit.Signals()))
}

// execute runs one command line and returns its exit code. It does not leave the process, so that
// deferred calls of a command run. The JSON object of a command comes after its error: where both
// streams are one, it is the last line.
func execute(ctx context.Context, args []string, u *ui) int {
	err := workers.Fence(func() error {
		root := newRoot(u)
		root.SetArgs(withDBT(args))
		root.SetOut(u.out)
		root.SetErr(u.err)
		return root.ExecuteContext(ctx)
	})
	failed := exit.FailureOf(ctx, err)
	if failed != nil {
		u.fail(failed, args)
	}
	unsaid := exit.FailureOf(ctx, workers.Fence(u.finish))
	switch {
	case failed != nil: // standard output may have failed, too; the exit code still says so
		return failed.Exit
	case unsaid != nil:
		u.fail(unsaid, nil)
		return unsaid.Exit
	}
	return 0
}
