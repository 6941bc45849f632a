// Kcut-beam runs kcut jobs on Apache Beam. It reads the same job files, prints the same messages
// and makes the same bytes as kcut run, with every runner of Beam.
//
//	kcut-beam run JOB --runner prism            all in this process
//	kcut-beam run JOB --runner flink --endpoint HOST:PORT \
//	    --environment_type LOOPBACK | PROCESS | DOCKER | EXTERNAL
//
// Workers run the same program: Beam starts it on other machines, with flags of its own.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/spf13/cobra"

	"github.com/kcut/kcut/cmd/internal/exit"
	"github.com/kcut/kcut/internal/workers"
)

func main() {
	u := newUI(os.Stdout, os.Stderr)
	for _, arg := range os.Args[1:] {
		switch {
		case strings.HasPrefix(arg, "--worker="):
			work()
		case strings.HasPrefix(arg, "--provision_endpoint="):
			os.Exit(exit.Stoppable(func(ctx context.Context) int {
				return u.fail(ctx, boot(ctx, os.Args[1:]), nil)
			}, exit.Grace, exit.Signals()))
		}
	}
	os.Exit(exit.Stoppable(func(ctx context.Context) int {
		return execute(ctx, os.Args[1:], u)
	}, exit.Grace, exit.Signals()))
}

// execute runs a command line and returns its exit code.
func execute(ctx context.Context, args []string, u *ui) int {
	return u.fail(ctx, workers.Fence(func() error {
		root := newRoot(u)
		root.SetArgs(args)
		root.SetOut(u.out)
		root.SetErr(u.err)
		return root.ExecuteContext(ctx)
	}), args)
}

func newRoot(u *ui) *cobra.Command {
	root := &cobra.Command{
		Use: "kcut-beam", Short: "Run kcut jobs on Apache Beam", SilenceErrors: true,
		SilenceUsage: true, Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("no command given: run, version")
			}
			return usage("no command is called %s: run, version", args[0])
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().BoolVar(&u.quiet, "quiet", false, "print errors only")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%w", err) })
	root.AddCommand(newRun(u), &cobra.Command{
		Use: "version", Short: "Print the version of kcut-beam, of Go and of Beam",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(u.out, "kcut-beam %s (%s, Beam %s)\n", versionText(),
				runtime.Version(), core.SdkVersion)
			return err
		},
	})
	return root
}

// version is set by the linker; see the Makefile.
var version string

func versionText() string {
	if info, ok := debug.ReadBuildInfo(); ok && version == "" && info.Main.Version != "" {
		return info.Main.Version
	}
	return version
}
