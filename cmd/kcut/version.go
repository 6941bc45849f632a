package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker; see the Makefile.
var version string

func newVersion(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print the version of kcut and of the Go it was built with",
		Args:              takes("no argument", 0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			return u.tell(map[string]string{"version": versionText(), "go": runtime.Version()},
				fmt.Sprintf("kcut %s (%s)\n", versionText(), runtime.Version()))
		},
	}
	addJSON(cmd, u)
	return cmd
}

// versionText returns the linked version, or what the Go tool knows about the module.
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
