package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

func newConfig(u *ui) *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "config [JOB]",
		Short: "Print a job as it would run, and where every value comes from",
		Long: `Prints a job after flags and KCUT_ environment variables have replaced values of the
file, as a job file in which every value has a comment that says where it came from. With
--json it is one object with all settings; with --schema, the JSON Schema of job files,
for editors.`,
		Args: takes("at most one job file", 0, 1),
	}
	overrides := addOverrides(cmd)
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of job files")
	addJSON(cmd, u)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case schema:
			return u.printf("%s\n", bytes.TrimSpace(kcut.JobSchema()))
		case len(args) == 0:
			return usageError("kcut config", "kcut config takes a job file, or --schema")
		}
		job, err := kcut.LoadJob(args[0], overrides()...)
		if err != nil {
			return err
		}
		return u.tell(map[string][]setting{"settings": settingsOf(job)}, job.YAML())
	}
	return cmd
}

// setting is a kcut.Setting in JSON.
type setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

func settingsOf(job *kcut.Job) []setting {
	var list []setting
	for _, s := range job.Settings() {
		list = append(list, setting(s))
	}
	return list
}
