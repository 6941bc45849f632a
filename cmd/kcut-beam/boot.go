package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/execx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// boot is what Beam's container does, for the environment type PROCESS: asks the runner where its services are, and starts this
// program as a worker. See https://s.apache.org/beam-fn-api-container-contract.
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
	// A child: Prism can miss that a worker has ended when the process that it has started ends with it.
	return execx.Execute(program, "--worker=true", "--id="+*id,
		"--logging_endpoint="+info.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+info.GetControlEndpoint().GetUrl())
}
