package main

import (
	"io"

	"github.com/spf13/cobra"
)

func newCompletion(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a completion script for a shell",
		Example: `  source <(kcut completion bash)
  kcut completion fish > ~/.config/fish/completions/kcut.fish`,
		Args:      takes("the name of one shell", 1, 1),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return complete(cmd.Root(), args[0], u.out)
		},
	}
}

func complete(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return usageError("kcut completion", "%s is none of bash, zsh, fish", shell)
}

// offer lets shells complete a flag by the words that it takes.
func offer(cmd *cobra.Command, flag string, words ...string) {
	// It fails for a flag that is not there, which the tests of help would see.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
