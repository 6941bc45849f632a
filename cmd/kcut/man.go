package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan writes manual pages: a thing for who packages kcut.
func newMan(*ui) *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the manual pages of all commands",
		Hidden: true,
		Args:   takes("one folder", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := kcut.CheckFolder("manual page", filepath.Join(args[0], "kcut.1")); err != nil {
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

// documented returns a command and those below it that users are told of.
func documented(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, documented(sub)...)
		}
	}
	return all
}

// pageName is a command's page, as kcut-run.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is the manual page of a command in roff. It has no date: the same command gives the
// same page.
func manPage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	p := &manual{}
	p.macro("TH", strings.ToUpper(pageName(c)), "1", "", "kcut "+versionText(), "kcut manual")
	p.macro("SH", "NAME")
	p.text(pageName(c) + ` \- ` + escaped(lowered(c.Short)))
	p.macro("SH", "SYNOPSIS")
	p.macro("B", c.UseLine())
	p.macro("SH", "DESCRIPTION")
	p.paragraphs(cmp.Or(c.Long, c.Short+"."))
	p.commands(c)
	p.flags("OPTIONS", c.NonInheritedFlags())
	p.flags("OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	p.examples(c.Example)
	p.exitStatus()
	p.macro("SH", "SEE ALSO")
	p.seeAlso(c)
	return p.String()
}

// manual is a page being written.
type manual struct{ strings.Builder }

// macro writes a line with a macro and its arguments.
func (p *manual) macro(name string, arguments ...string) {
	p.WriteString("." + name)
	for _, a := range arguments {
		p.WriteString(` "` + strings.ReplaceAll(escaped(a), `"`, `""`) + `"`)
	}
	p.WriteByte('\n')
}

// text writes lines that are escaped already, none of which is taken for a macro.
func (p *manual) text(text string) {
	for line := range strings.Lines(text + "\n") {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			p.WriteString(`\&`)
		}
		p.WriteString(line)
	}
}

func (p *manual) paragraphs(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			p.macro("PP")
		}
		p.text(escaped(strings.TrimSpace(paragraph)))
	}
}

func (p *manual) commands(c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	p.macro("SH", "COMMANDS")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			p.macro("TP")
			p.macro("B", sub.Name())
			p.text(escaped(sub.Short) + ".")
		}
	}
}

func (p *manual) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.macro("SH", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		p.macro("TP")
		p.text(`\fB` + escaped(name) + `\fR ` + `\fI` + escaped(value) + `\fR`)
		p.text(escaped(usage))
	})
}

func (p *manual) examples(text string) {
	if text == "" {
		return
	}
	p.macro("SH", "EXAMPLES")
	p.macro("EX")
	p.text(escaped(text))
	p.macro("EE")
}

// exitStatus lists the codes that schedulers go by; docs/operations.md has more on them.
func (p *manual) exitStatus() {
	p.macro("SH", "EXIT STATUS")
	for _, s := range exitStatuses {
		p.macro("TP")
		p.macro("B", s.code)
		p.text(escaped(s.meaning))
	}
}

var exitStatuses = []struct{ code, meaning string }{
	{"0", "Done."},
	{"1", "A bug in kcut."},
	{"2", "The command line or the job file is wrong."},
	{"3", "The input does not fit the job, or is damaged."},
	{"4", "A k cannot be met, or the recount found it broken."},
	{"5", "The output exists."},
	{"6", "Reading or writing failed; try again."},
	{"7", "The disk is full, or the memory budget too small."},
	{"130, 143", "Stopped by a signal; run again."},
}

func (p *manual) seeAlso(c *cobra.Command) {
	var pages []string
	if c.HasParent() {
		pages = append(pages, pageName(c.Parent()))
		c = c.Parent()
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, pageName(sub))
		}
	}
	for i, name := range pages {
		separator := ","
		if i == len(pages)-1 {
			separator = ""
		}
		p.macro("BR", name, "(1)"+separator)
	}
}

// escaped writes a text so that roff takes nothing in it for its own.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
}

// lowered is a text that starts in lower case, as what follows a dash does.
func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }
