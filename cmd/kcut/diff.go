package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/jobfile"
)

func newDiff(u *ui) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Tell what changed between the cuts of two releases",
		Long: `Compares the cuts of two releases, or of files with the JSON that kcut show --json prints,
column by column: whether the second one is equal, coarser, finer or incomparable, and
which labels only one of them has. Which nodes of a taxonomy are above each other is in
the job, not in a release: without --job it is told, with a question mark, from the order
of labels, and where that does not tell cuts are called different. It is no error if cuts
differ.`,
		Example: `  kcut diff release/2026-01-30.parquet release/2026-01-31.parquet --job people.yaml
  kcut diff a.parquet cut.json --json`,
		Args: takes("two releases", 2, 2),
	}
	cmd.Flags().StringVar(&path, "job", "", "the `JOB` whose taxonomies tell which nodes are above each other")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var job *jobfile.Job
		if path != "" {
			var err error
			if job, err = jobfile.Load(path, nil); err != nil {
				return err
			}
		}
		d, err := cutfile.Diff(cmd.Context(), args[0], args[1], job)
		if err != nil {
			return err
		}
		return u.tell(d, differenceText(d))
	}
	return cmd
}

// differenceText lays a difference out for people.
func differenceText(d *cutfile.Difference) string {
	t := newTable("column", "is", "labels", "instead of")
	for _, c := range d.Columns {
		name, relation := c.Column, string(c.Relation)
		if c.Inferred {
			relation += "?"
		}
		is, was := changedLabels(c.New), changedLabels(c.Gone)
		for i := range max(len(is), len(was)) {
			t.add(name, relation, lineOf(is, i), lineOf(was, i))
			name, relation = "", ""
		}
	}
	return fmt.Sprintf("%s is %s%s\n\n%s", d.To, relationWords(d.Relation), d.From, t)
}

// changedLabels lists labels in lines that fit beside others.
func changedLabels(labels []cutfile.Label) []string {
	texts := labelTexts(cutfile.Column{Cut: labels})
	return shortened(fold(texts, labelWidth/2), len(labels))
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// relationWords says what one cut is to another, up to the other's name.
func relationWords(r cutfile.Relation) string {
	switch r {
	case cutfile.Equal:
		return "equal to "
	case cutfile.Coarser, cutfile.Finer:
		return string(r) + " than "
	case cutfile.Incomparable:
		return "incomparable with "
	}
	return strings.TrimSpace(string(r)) + " from "
}
