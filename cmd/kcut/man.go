package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/workers"
)

// newMan returns the command that writes manual pages, for people who package kcut.
func newMan(*ui) *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the manual pages of all commands",
		Hidden: true,
		Args:   takes("one folder", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := kcut.CheckFolder("manual page", filepath.Join(args[0], "kcut.1"))
			if err != nil {
				return err
			}
			for _, c := range documented(cmd.Root()) {
				path := filepath.Join(args[0], pageName(c)+".1")
				if err := os.WriteFile(path, []byte(manPage(c)), 0o644); err != nil {
					return fmt.Errorf("write manual page: %w", err)
				}
			}
			return nil
		},
	}
}

// documented returns the root and the commands in its help.
func documented(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, c)
		}
	}
	return all
}

// pageName returns the name of a command's page, such as kcut-run.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

//go:embed man.roff
var manLayout string

// paragraphEnd matches the text between two paragraphs.
var paragraphEnd = regexp.MustCompile(`\n\n\s*`)

// manPage returns the manual page of a command in roff. It has no date, so that the same command
// gives the same page.
func manPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	others := documented(c.Root())
	if !c.HasParent() {
		others = others[1:]
	}
	layout := template.Must(template.New("page").Funcs(template.FuncMap{
		"upper": strings.ToUpper, "page": pageName, "flags": manFlags, "escaped": escaped,
		"quoted": func(text string) string { return `"` + strings.ReplaceAll(escaped(text), `"`, `""`) + `"` },
		"paragraphs": func(text string) string {
			return paragraphEnd.ReplaceAllString(escaped(text), "\n.PP\n")
		},
	}).Parse(manLayout))
	var page strings.Builder
	workers.Must(layout.Execute(&page, struct {
		*cobra.Command
		Page, Version, Title, Text string
		Others                     []*cobra.Command
	}{c, pageName(c), "kcut " + versionText(), strings.ToLower(c.Short[:1]) +
		c.Short[1:], cmp.Or(c.Long, c.Short+"."), others}))
	return page.String()
}

// manFlag is a flag on a page.
type manFlag struct{ Name, Value, Usage string }

func manFlags(set *pflag.FlagSet) (flags []manFlag) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		flags = append(flags, manFlag{name, value, usage})
	})
	return flags
}

// escaped escapes a text so that roff finds no commands in it and takes no line for a macro.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\n.", "\n\\&.").Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
