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

// boot is what Beam's container does, for the environment type PROCESS: asks the runner where its services are, and starts this
// program as a worker, which ends with it. See https://s.apache.org/beam-fn-api-container-contract.
func boot(ctx context.Context, args []string) error {
	told := flag.NewFlagSet("boot", flag.ContinueOnError)
	id, provision := told.String("id", "", ""), told.String("provision_endpoint", "", "")
	for _, other := range []string{"logging_endpoint", "artifact_endpoint", "control_endpoint", "semi_persist_dir"} {
		told.String(other, "", "")
	}
	if err := told.Parse(args); err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	*id = strings.Trim(*id, "'") // which Prism puts around it
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, *id), *provision)
	if err != nil {
		return fmt.Errorf("start worker: ask for what is provided: %w", err)
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
		"--logging_endpoint="+info.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+info.GetControlEndpoint().GetUrl())
	worker.Stdout, worker.Stderr = os.Stdout, os.Stderr
	if _, err := worker.StdinPipe(); err != nil { // which ends with this process, however that ends
		return fmt.Errorf("start worker: %w", err)
	}
	err = worker.Run()
	if err == nil || ctx.Err() != nil { // the runner has ended both
		return nil
	}
	time.Sleep(exitDelay)
	return fmt.Errorf("run worker: %w", err)
}

// bootedFlag tells a worker that it has been started by boot.
const bootedFlag = "booted"

// exitDelay is how much later than a worker the process ends that has started it. Prism can wait forever for what a worker was doing
// if it sees the end of the process before it sees that of the worker's connection.
const exitDelay = 2 * time.Second

// work is a worker until the runner ends it. Runners end the process that they have started, which is boot's; without it, a worker
// that has nothing more to do would stay.
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
