package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// boot does the work of Beam's container for the environment type PROCESS. It asks the runner for
// the addresses of its services, and starts this program as a worker. The worker ends with this
// process. See https://s.apache.org/beam-fn-api-container-contract.
func boot(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("boot", flag.ContinueOnError)
	id, provision := flags.String("id", "", ""), flags.String("provision_endpoint", "", "")
	for _, other := range []string{"logging_endpoint", "artifact_endpoint", "control_endpoint",
		"semi_persist_dir"} {
		flags.String(other, "", "")
	}
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	*id = strings.Trim(*id, "'") // Prism adds quotes
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, *id), *provision)
	if err != nil {
		return fmt.Errorf("start worker: ask the runner for its services: %w", err)
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err == nil {
		err = tools.MakePipelineOptionsFileAndEnvVar(options)
	}
	if err != nil {
		return fmt.Errorf("start worker: read the pipeline's options: %w", err)
	}
	if capabilities := info.GetRunnerCapabilities(); len(capabilities) > 0 {
		os.Setenv("RUNNER_CAPABILITIES", strings.Join(capabilities, " "))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	worker := exec.CommandContext(ctx, program, "--"+bootedFlag, "--worker=true", "--id="+*id,
		"--logging_endpoint="+info.GetLoggingEndpoint().GetUrl(),
		"--control_endpoint="+info.GetControlEndpoint().GetUrl())
	worker.Stdout, worker.Stderr = os.Stdout, os.Stderr
	// The pipe ends with this process, also after a kill, and the worker ends with the pipe.
	if _, err := worker.StdinPipe(); err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	err = worker.Run()
	if err == nil || ctx.Err() != nil { // the runner has ended the worker and this process
		return nil
	}
	time.Sleep(exitDelay)
	return fmt.Errorf("run worker: %w", err)
}

// bootedFlag says that boot has started the worker.
const bootedFlag = "booted"

// exitDelay is how much later than the worker its parent process ends. Prism can wait for a task
// forever if it sees the end of the parent before the end of the connection of the worker.
const exitDelay = 2 * time.Second

// work runs a worker until the runner ends it. Runners end the process that they have started,
// which is the process of boot. Without boot, a worker without tasks would stay.
func work() {
	booted := flag.Bool(bootedFlag, false, "")
	flag.Parse()
	if *booted {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1)
		}()
	}
	beam.Init() // does not return
}
