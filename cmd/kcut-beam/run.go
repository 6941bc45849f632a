package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow" // each registers itself
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

// runners are the runners of Beam that are linked in.
var runners = []string{"prism", "flink", "spark", "dataflow"}

// shown are the flags of Beam that help shows. The command takes all other flags of Beam, too.
var shown = []string{"endpoint", "environment_type", "environment_config", "parallelism",
	"job_name", "project", "region", "staging_location", "temp_location"}

// settings are the flags of run.
type settings struct {
	ui     *ui
	opt    kcut.RunOptions
	runner string
	afresh bool
	logs   bool
	trace  string
}

func newRun(u *ui) *cobra.Command {
	s := &settings{ui: u}
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Do a whole job: compress, search, mask, verify, publish",
		Long: `Does the same as kcut run, with the same job file, and releases the same bytes. Beam's
workers mask the rows. This process counts, searches, keeps the checkpoint and publishes.

Flags and KCUT_ environment variables replace values of the job file. Flags with an
underscore, and endpoint, parallelism, project and region, are Beam's own. These and all
other flags of its Go SDK go to the runner.`,
		Example: `  kcut-beam run people.yaml --runner prism
  kcut-beam run people.yaml --runner flink --endpoint localhost:8099 --environment_type LOOPBACK --parallelism 4`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return usage("kcut-beam run takes one job file, got %d", len(args))
		},
	}
	set := cmd.Flags()
	set.StringVar(&s.runner, "runner", runners[0], "run on `RUNNER`: "+strings.Join(runners, ", "))
	set.StringVar(&s.opt.Shared, "shared", "",
		"a `FOLDER`, or a place in an object store, that all workers can use (default next to "+
			"the output)")
	set.BoolVar(&s.opt.Overwrite, "overwrite", false, "replace the output if it exists")
	set.BoolVar(&s.afresh, "no-resume", false,
		"start afresh, also if an earlier run of the same job has left a cut or a release")
	set.DurationVar(&s.opt.Checkpoint, "checkpoint", 5*time.Second,
		"keep the cut for another try if the run finds it after `TIME` or later; 0s: never")
	set.StringVar(&s.trace, "trace", "",
		"write one JSON object per performed specialization (bottom-up: generalization) to `FILE`")
	set.StringVar(&s.opt.RunJSON, "run-json", "",
		"write a report of the run, not for release, to `FILE`")
	set.BoolVar(&u.json, "json", false, "print one JSON object on one line")
	set.BoolVar(&s.logs, "beam-logs", false, "show what Beam and its workers log")
	var overrides []kcut.Override
	for _, f := range kcut.Flags() {
		name := strings.TrimPrefix(f.Name, "--")
		set.Var(&override{f, &overrides}, name,
			strings.ReplaceAll(f.Doc, "`", "")+" ["+f.Variable+"]")
		if slices.Contains(f.Words, "true") {
			set.Lookup(name).NoOptDefVal = "true"
		}
	}
	flag.VisitAll(func(f *flag.Flag) {
		if set.Lookup(f.Name) == nil {
			set.AddGoFlag(f)
			set.Lookup(f.Name).Hidden = !slices.Contains(shown, f.Name)
		}
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.run(cmd.Context(), args[0],
			append(kcut.EnvironmentOverrides(os.LookupEnv), overrides...))
	}
	return cmd
}

// override is a flag that replaces a value of the job file.
type override struct {
	kcut.Flag
	to *[]kcut.Override
}

func (*override) String() string { return "" }
func (o *override) Type() string { return "value" }
func (o *override) Set(value string) error {
	*o.to = append(*o.to, kcut.Override{Key: o.Key, Value: value, Origin: o.Name})
	return nil
}

func (s *settings) run(ctx context.Context, path string, overrides []kcut.Override) error {
	if !slices.Contains(runners, s.runner) {
		return usage("--runner is one of %s, not %s", strings.Join(runners, ", "), s.runner)
	}
	if *jobopts.Endpoint == "" && (s.runner == "flink" || s.runner == "spark") {
		return usage("--runner %s takes the job server's --endpoint", s.runner)
	}
	err := errors.Join(kcut.CheckFolder("trace", s.trace),
		kcut.CheckFolder("report", s.opt.RunJSON))
	if err != nil {
		return err
	}
	job, err := kcut.LoadJob(path, overrides...)
	if err != nil {
		return err
	}
	err = kcut.CheckPlaces(job,
		[]kcut.Place{{What: "trace", Path: s.trace}, {What: "report", Path: s.opt.RunJSON}})
	if err != nil {
		return err
	}
	if n := job.Limits.Threads; n > 0 {
		runtime.GOMAXPROCS(min(n, runtime.GOMAXPROCS(0)))
	}
	if err := s.prepare(); err != nil {
		return err
	}
	var trace bytes.Buffer
	if s.trace != "" {
		s.opt.Trace = &trace
	}
	s.opt.Runner, s.opt.Resume, s.opt.Events = runner(s.runner), !s.afresh, s.ui.events()
	report, err := kcut.Run(ctx, job, s.opt)
	if err == nil && s.trace != "" {
		err = os.WriteFile(s.trace, trace.Bytes(), 0o600) // it may reveal more than the release
	}
	switch {
	case err != nil:
		return err
	case s.ui.json:
		return s.ui.answer(report)
	case !report.AlreadyDone:
		s.ui.say(fmt.Sprintf("released %s: %d rows, %d steps", report.Output, report.Released,
			report.Steps), "released",
			slog.String("output", report.Output), slog.Int64("rows", report.Released),
			slog.Any("quasi_identifiers", report.Sets), slog.Int("steps", report.Steps))
	}
	return nil
}

// prepare sets flags of Beam: workers run this program, in this process unless a flag says
// otherwise.
func (s *settings) prepare() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = program
	}
	if *jobopts.EnvironmentType == "" && s.runner != "dataflow" {
		*jobopts.EnvironmentType = "LOOPBACK"
	}
	beam.Init()
	if !s.logs {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		log.SetLogger(silence{})
	}
	return nil
}

// reach tries to connect to the job server, if there is one. Beam itself would try for two minutes.
func reach(ctx context.Context) error {
	if *jobopts.Endpoint == "" {
		return nil
	}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	c, err := dialer.DialContext(ctx, "tcp", *jobopts.Endpoint)
	if err != nil {
		return &kcut.Error{Class: kcut.ErrTransient,
			Err:  fmt.Errorf("reach the job server: %w", err),
			Hint: "is it running, and is --endpoint where it listens?"}
	}
	return c.Close()
}

// silence is the log of Beam without --beam-logs.
type silence struct{}

// Log ignores a message.
func (silence) Log(context.Context, log.Severity, int, string) {}
