package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
)

// jobFlag is a flag that replaces a value of the job file. It keeps the text as it was
// given: the job file's own rules say what it may be.
type jobFlag struct {
	kcut.Flag
	values []string
}

func (f *jobFlag) String() string { return strings.Join(f.values, ",") }

// Type is what help calls the flag's value.
func (f *jobFlag) Type() string { return "value" }

func (f *jobFlag) Set(value string) error {
	if !f.List {
		f.values = f.values[:0]
	}
	f.values = append(f.values, value)
	return nil
}

// addOverrides registers a flag for every value of a job file that the command line may
// replace, but for those named. The returned function gives the replacements that the
// environment and the flags ask for.
func addOverrides(cmd *cobra.Command, but ...string) func() []kcut.Override {
	var jobFlags []*jobFlag
	for _, f := range kcut.Flags() {
		if slices.Contains(but, f.Name) {
			continue
		}
		flag := &jobFlag{Flag: f}
		jobFlags = append(jobFlags, flag)
		name := strings.TrimPrefix(f.Name, "--")
		cmd.Flags().Var(flag, name, plainDoc(f))
		if f.Words != nil {
			offer(cmd, name, f.Words...)
		}
	}
	return func() []kcut.Override {
		overrides := kcut.EnvironmentOverrides(os.LookupEnv)
		for _, flag := range jobFlags {
			for _, value := range flag.values {
				overrides = append(overrides, kcut.Override{Key: flag.Key, Value: value, Origin: flag.Name})
			}
		}
		return overrides
	}
}

// addLimits registers the flags of limits for a command without a job file, which needs no folder
// to spill to. The returned function gives what the environment and they ask for.
func addLimits(cmd *cobra.Command) func() (kcut.Limits, error) {
	var but []string
	for _, f := range kcut.Flags() {
		if f.Key != "limits.memory" && f.Key != "limits.threads" {
			but = append(but, f.Name)
		}
	}
	overrides := addOverrides(cmd, but...)
	return func() (kcut.Limits, error) { return kcut.LimitsOf(overrides()...) }
}

// plainDoc is a flag's line of help. Back quotes would name the flag's value.
func plainDoc(f kcut.Flag) string {
	return strings.ReplaceAll(f.Doc, "`", "") + " [" + f.Variable + "]"
}
