package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kcut/kcut/internal/text"
)

func newRoot(u *ui) *cobra.Command {
	root := &cobra.Command{
		Use:   "kcut",
		Short: "Anonymize big tables, and prove it on the file that goes out",
		Long: `kcut finds a version of a table in which every combination of quasi-identifier
values is shared by at least k records, keeps it as useful as possible for training
a classifier, and writes it as Parquet with the rule it applied in the file's metadata.`,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          noCommand,

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			u.checkVariables(cmd, os.Environ())
			return checkChoices(cmd)
		},
		SuggestionsMinimumDistance: 2,
	}
	root.PersistentFlags().BoolVar(&u.quiet, "quiet", false, "print errors only")
	root.SetFlagErrorFunc(flagError)
	width := widthOf(u.out)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { explain(cmd, width) })
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ",
		fmt.Sprintf("Flags.FlagUsagesWrapped %d ", width)))
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		newRun(u), newApply(u), newPlan(u), newInit(u), newCheck(u), newVerify(u), newShow(u),
		newDiff(u), newReport(u), newEvaluate(u), newSQL(u),
		newSample(u), newConfig(u), newAlgorithms(u), newVersion(u), newCompletion(u), newMan(u),
	)
	root.SetVersionTemplate(versionLine())
	root.SetHelpCommand(newHelp())
	return root
}

// noCommand answers a command line without a command, or with an unknown one.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError("kcut", "no command given")
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usageError(cmd.CommandPath(), "no command is called %s; did you mean %s?", args[0],
			strings.Join(near, " or "))
	}
	return usageError(cmd.CommandPath(), "no command is called %s", args[0])
}

// flagError answers a command line with a flag that cannot be understood. For an unknown one it
// names the flag with the nearest spelling, the only one that begins so, or a command. After an
// unknown command the flag may be right: the command is the fault.
func flagError(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		return noCommand(cmd, args)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || len(unknown.GetSpecifiedName()) < 2 {
		return usageError(cmd.CommandPath(), "%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	near := nearest(unknown.GetSpecifiedName(), names)
	meant := "--" + near
	if near == "" {
		command := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool {
			return c.Name() == unknown.GetSpecifiedName()
		})
		if command < 0 {
			return usageError(cmd.CommandPath(), "%w", err)
		}
		meant = cmd.Commands()[command].CommandPath()
	}
	return usageError(cmd.CommandPath(), "%w; did you mean %s?", err, meant)
}

// nearest returns the only name that begins with a word, or else the one with the nearest spelling,
// or nothing.
func nearest(word string, names []string) string {
	begun := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !strings.HasPrefix(name, word)
	})
	if len(begun) == 1 {
		return begun[0]
	}
	return text.Nearest(word, names)
}

// explain prints the help of a command, in lines of at most width characters. Lists and examples
// stay as they are.
func explain(cmd *cobra.Command, width int) {
	cmd.InitDefaultHelpFlag()
	for _, c := range cmd.Commands() {
		// Cobra writes "  NAME SHORT" with padded names, and wraps the texts of flags alone.
		indent := 2 + c.NamePadding() + 1
		c.Short = strings.ReplaceAll(text.Wrap(c.Short, width-indent, ""), "\n",
			"\n"+strings.Repeat(" ", indent))
	}
	for paragraph := range strings.SplitSeq(cmp.Or(cmd.Long, cmd.Short), "\n\n") {
		if !strings.HasPrefix(paragraph, " ") {
			paragraph = text.Wrap(strings.ReplaceAll(paragraph, "\n", " "), width, "")
		}
		cmd.Println(paragraph + "\n")
	}
	cmd.Print(cmd.UsageString())
}

// takes returns a check that a command has from least to most arguments (most < 0: any number).
func takes(what string, least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		return usageError(cmd.CommandPath(), "%s takes %s, got %d", cmd.CommandPath(), what,
			len(args))
	}
}

// addJSON registers --json.
func addJSON(cmd *cobra.Command, u *ui) {
	cmd.Flags().BoolVar(&u.json, "json", false, "print one JSON object on one line")
}

// choices is the annotation of a flag whose values are a list of words.
const choices = "choices"

// addChoice registers a flag whose values are the given words. Its default is the first word.
func addChoice(cmd *cobra.Command, to *string, name, usage string, words ...string) {
	cmd.Flags().StringVar(to, name, words[0], usage)
	cmd.Flags().Lookup(name).Annotations = map[string][]string{choices: words}
	offer(cmd, name, words...)
}

// checkChoices refuses values of flags that are not in their lists of words.
func checkChoices(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if words := f.Annotations[choices]; err == nil && words != nil &&
			!slices.Contains(words, f.Value.String()) {
			last := len(words) - 1
			err = usageError(cmd.CommandPath(), "--%s is %s or %s, not %s", f.Name,
				strings.Join(words[:last], ", "), words[last], f.Value)
		}
	})
	return err
}

// offer lets shells complete a flag with words.
func offer(cmd *cobra.Command, flag string, words ...string) {
	// The call fails for an unknown flag, which the tests of help would find.
	_ = cmd.RegisterFlagCompletionFunc(flag,
		cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// offerSome lets shells complete a flag with several words, separated by commas.
func offerSome(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, _ []string, typed string) (lists []string,
			_ cobra.ShellCompDirective) {
			before := typed[:strings.LastIndexByte(typed, ',')+1]
			for _, word := range words {
				if !slices.Contains(strings.Split(before, ","), word) {
					lists = append(lists, before+word)
				}
			}
			return lists, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		})
}

// jobEndings are the endings of job files.
var jobEndings = []string{"yaml", "yml"}

// offerFiles lets shells complete a flag with folders and with files of the given endings.
func offerFiles(cmd *cobra.Command, flag string, endings ...string) {
	_ = cmd.MarkFlagFilename(flag, endings...)
}

// endingIn lets shells complete arguments with folders and with files of the given endings.
func endingIn(endings ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		Args:  cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string,
			_ cobra.ShellCompDirective) {
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noCommand(cmd.Root(), args[len(args)-1:])
			}
			return topic.Help()
		},
	}
}

func newCompletion(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script for a shell",
		Example: `  source <(kcut completion bash)
  kcut completion fish > ~/.config/fish/completions/kcut.fish
  kcut completion powershell | Out-String | Invoke-Expression`,
		Args:      takes("the name of one shell", 1, 1),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return u.completeBash(cmd.Root())
			case "zsh":
				return cmd.Root().GenZshCompletion(u.out)
			case "fish":
				return cmd.Root().GenFishCompletion(u.out, true)
			case "powershell":
				return cmd.Root().GenPowerShellCompletionWithDesc(u.out)
			}
			return usageError("kcut completion", "%s is none of bash, zsh, fish, powershell",
				args[0])
		},
	}
}

// bashOwn has functions of the script for bash that cobra's script takes from the package
// bash-completion.
//
//go:embed completion.bash
var bashOwn string

// completeBash prints the script for bash. Its own functions replace those of cobra's script.
func (u *ui) completeBash(root *cobra.Command) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return fmt.Errorf("write completion script: %w", err)
	}
	cobras := strings.ReplaceAll(script.String(), "_filedir", "__kcut_filedir")
	return u.printf("%s%s", cobras, bashOwn)
}

// version is set by the linker; see the Makefile.
var version string

func newVersion(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print the version of kcut and of the Go it was built with",
		Args:              takes("no argument", 0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			return u.reply(map[string]string{"version": versionText(), "go": runtime.Version()},
				versionLine())
		},
	}
	addJSON(cmd, u)
	return cmd
}

func versionLine() string { return fmt.Sprintf("kcut %s (%s)\n", versionText(), runtime.Version()) }

// versionText returns the linked version, or the version of the module that the Go tool recorded.
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
