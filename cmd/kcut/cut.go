package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// Lists of labels break at the width of the terminal, but never before fewestCharacters. Without a
// terminal they break at labelWidth characters. They end after mostLines lines.
const (
	labelWidth       = 72
	fewestCharacters = 24
	mostLines        = 8
)

func newShow(u *ui) *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Print the cut and the columns of a released file",
		Long: `Prints the cut that a released file carries, with long lists of labels shortened, and the
columns that were kept. With --json it prints the cut of the file unchanged, except that it
escapes characters that do not print; with --schema, the JSON Schema of cuts.`,
		Args:              takes("at most one released file", 0, 1),
		ValidArgsFunction: endingIn("parquet", "json"),
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of cuts")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case schema:
			return u.printf("%s\n", bytes.TrimSpace(kcut.CutSchema()))
		case len(args) == 0:
			return usageError("kcut show", "kcut show takes a released file, or --schema")
		}
		outline, err := kcut.ReadOutline(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		cut := outline.Cut
		class := ""
		if cut.Class != "" {
			class = ", class " + cut.Class
		}
		marked, _ := cut.Marked()
		loss := lossText(marked, cut.Dropped)
		if loss != "" {
			loss = "\n" + loss
		}
		words := fmt.Sprintf("%s: %s, %s%s, %s%s\n\n%s%s\n%s",
			args[0], text.Count(cut.Rows, "row"), cut.Algorithm, class, extent(cut), loss,
			u.setTable(cut.Sets), u.unionText(cut.Union, cut.Sets, whoOf(cut))+
				protectionText(cut), u.columnTable(outline))
		return u.reply(json.RawMessage(cut.Raw), text.Printable(words, "\n"))
	}
	return cmd
}

// extent says how fine a cut is: its number of regions, or of steps.
func extent(cut *kcut.Cut) string {
	if cut.Kind == kcut.KindRegions {
		return text.Count(len(cut.Regions), "region")
	}
	return text.Count(cut.Steps, "step")
}

// protectionText returns lines about the protections of a cut other than k, or nothing.
func protectionText(cut *kcut.Cut) string {
	var lines strings.Builder
	if cut.Entity {
		lines.WriteString("k counts entities: anonymity is how many a class has at least\n")
	}
	if cut.MaxAverageRisk > 0 {
		fmt.Fprintf(&lines, "average risk of a row, in each set: at most %s\n",
			text.Percent(cut.MaxAverageRisk))
	}
	for _, sensitive := range cut.Sensitive {
		fmt.Fprintf(&lines, "sensitive %s\n", text.Printable(sensitive.String(), ""))
	}
	for i, set := range cut.Sets {
		if limits := populationText(set); limits != "" {
			fmt.Fprintf(&lines, "population, set %d: %s\n", i+1, limits)
		}
	}
	return lines.String()
}

// populationText returns the limits of a set on the people of a population, or nothing.
func populationText(set kcut.CutSet) string {
	var limits []string
	if set.KMap > 0 {
		limits = append(limits, "k_map "+text.Grouped(int64(set.KMap)))
	}
	if set.MinPresence > 0 {
		limits = append(limits, "min_presence "+text.Percent(set.MinPresence))
	}
	if set.MaxPresence > 0 {
		limits = append(limits, "max_presence "+text.Percent(set.MaxPresence))
	}
	return strings.Join(limits, ", ")
}

// lossText returns the numbers of suppressed and dropped records, or nothing if there are none.
func lossText(suppressed, dropped uint64) string {
	var parts []string
	if suppressed > 0 {
		parts = append(parts,
			text.Count(suppressed, "record")+" suppressed: the widest label in every masked column")
	}
	if dropped > 0 {
		parts = append(parts, text.Count(dropped, "record")+" dropped")
	}
	return strings.Join(parts, "; ")
}

// columnTable lists masked columns and their released labels, then pseudonyms and kept columns.
func (u *ui) columnTable(o *kcut.Outline) string {
	others := 0
	for _, c := range o.Cut.Columns {
		others = max(others, utf8.RuneCountInString(c.Name)+len("  discretize  "+c.Render))
	}
	for _, name := range slices.Concat(o.Cut.Pseudonyms, o.Kept) {
		others = max(others, utf8.RuneCountInString(name)+len("  discretize  "))
	}
	t, room := newTable("column", "mask", "released as"), u.room(others)
	for _, c := range o.Cut.Columns {
		name, mask := c.Name, c.Mask
		if c.Render != "" {
			mask += ", " + c.Render
		}
		for _, line := range shorten(fold(labelTexts(c, o.Unmarked), " |", room), len(c.Cut)) {
			t.add(name, mask, line)
			name, mask = "", ""
		}
	}
	for _, name := range o.Cut.Pseudonyms {
		if with := o.Cut.Replacements[name]; with != "" {
			t.add(name, "replace", "a "+with+" that a key chooses for every value")
		} else {
			t.add(name, "pseudonym", "a keyed token for every value")
		}
	}
	for _, name := range o.Kept {
		t.add(name, "keep", "its values")
	}
	return t.String()
}

// labelTexts returns a column's labels as text. It leaves out a mark of suppressed values that no
// record has.
func labelTexts(c kcut.CutColumn, unmarked []string) []string {
	var texts []string
	for _, label := range c.Cut {
		if label.Null {
			texts = append(texts, "null")
		} else {
			texts = append(texts, label.Label)
		}
	}
	if c.Suppressed != "" && !slices.Contains(unmarked, c.Name) {
		texts = append(texts, c.Suppressed+" for the rest")
	}
	return texts
}

// fold joins texts to lines of at most width characters where possible, with a mark after each text
// except the last.
func fold(texts []string, mark string, width int) (lines []string) {
	line := ""
	for i, label := range texts {
		if i < len(texts)-1 {
			label += mark
		}
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(label) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+label, " ")
	}
	return append(lines, line)
}

// shorten leaves out lines of a long list, and adds the number of labels.
func shorten(lines []string, labels int) []string {
	if len(lines) <= mostLines {
		return lines
	}
	return append(lines[:mostLines-1], fmt.Sprintf("... of %s labels", text.Grouped(int64(labels))))
}

func newDiff(u *ui) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show what changed between the cuts of two releases",
		Long: `Compares the cuts of two releases, or of files with the JSON that kcut show --json prints,
column by column: whether the second one is equal, coarser, finer or incomparable, and
which labels only one of them has. The job has the taxonomies, a release has not: without
--job, kcut infers from the order of labels which nodes are above each other, and prints a
question mark; if that is not possible the cuts are called different. It is no error if
cuts differ.`,
		Example: `  kcut diff release/2026-01-30.parquet release/2026-01-31.parquet \
    --job people.yaml
  kcut diff a.parquet cut.json --json`,
		Args:              takes("two releases", 2, 2),
		ValidArgsFunction: endingIn("parquet", "json"),
	}
	cmd.Flags().StringVar(&path, "job", "",
		"the `JOB` whose taxonomies determine which nodes are above each other")
	offerFiles(cmd, "job", jobEndings...)
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		var job *kcut.Job
		if path != "" {
			if job, err = kcut.LoadJob(path); err != nil {
				return err
			}
		}
		d, err := kcut.Diff(cmd.Context(), args[0], args[1], job)
		if err != nil {
			return err
		}
		return u.reply(d, text.Printable(u.differenceText(d), "\n"))
	}
	return cmd
}

// differenceText returns the text that shows people a difference.
func (u *ui) differenceText(d *kcut.Difference) string {
	t := newTable("column", "is", "labels", "instead of")
	others := 0
	for _, c := range d.Columns {
		others = max(others, utf8.RuneCountInString(c.Column)+len("  incomparable    "))
	}
	lines := func(labels []kcut.CutLabel) []string {
		return shorten(fold(labelTexts(kcut.CutColumn{Cut: labels}, nil), " |", u.room(others)/2),
			len(labels))
	}
	for _, c := range d.Columns {
		name, relation := c.Column, string(c.Relation)
		if c.Inferred {
			relation += "?"
		}
		is, was := lines(c.New), lines(c.Gone)
		is = append(is, make([]string, max(len(was)-len(is), 0))...)
		was = append(was, make([]string, len(is)-len(was))...)
		for i := range is {
			t.add(name, relation, is[i], was[i])
			name, relation = "", ""
		}
	}
	return fmt.Sprintf("%s is %s%s\n\n%s", d.To, relationWords(d.Relation), d.From, t)
}

// relationWords describes the relation of one cut to another, up to the name of the other cut.
func relationWords(r kcut.Relation) string {
	switch r {
	case kcut.Equal:
		return "equal to "
	case kcut.Coarser, kcut.Finer:
		return string(r) + " than "
	case kcut.Incomparable:
		return "incomparable with "
	}
	return string(r) + " from "
}
