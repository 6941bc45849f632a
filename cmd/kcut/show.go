package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/figure"
)

// Lists of labels are folded at labelWidth characters, and cut off after mostLines lines.
const (
	labelWidth = 72
	mostLines  = 8
)

func newShow(u *ui) *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Print the cut that a released file carries",
		Long: `Prints the cut that a released file carries, with long lists of labels shortened. With
--json it is the cut as the file has it; with --schema, the JSON Schema of cuts.`,
		Args: takes("at most one released file", 0, 1),
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of cuts")
	addJSON(cmd, u)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case schema:
			return u.printf("%s\n", bytes.TrimSpace(cutfile.Schema()))
		case len(args) == 0:
			return usageError("kcut show", "kcut show takes a released file, or --schema")
		}
		cut, err := cutfile.Read(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return u.tell(json.RawMessage(cut.Raw), fmt.Sprintf("%s\n%s\n%s", cutLine(args[0], cut), setTable(cut.Sets), cutTable(cut.Columns)))
	}
	return cmd
}

func cutLine(path string, cut *cutfile.File) string {
	line := fmt.Sprintf("%s: %s, %s", path, figure.Count(cut.Rows, "row"), cut.Algorithm)
	if cut.Class != "" {
		line += ", class " + cut.Class
	}
	return line + ", " + extent(cut) + "\n"
}

// extent tells how fine a cut is: how many regions it has, or after how many steps it was found.
func extent(cut *cutfile.File) string {
	if cut.Kind == cutfile.KindRegions {
		return figure.Count(len(cut.Regions), "region")
	}
	return figure.Count(cut.Steps, "step")
}

// cutTable lists masked columns and their released labels.
func cutTable(columns cutfile.Columns) string {
	t := newTable("column", "mask", "released as")
	for _, c := range columns {
		name, mask := c.Name, c.Mask
		if c.Render != "" {
			mask += ", " + c.Render
		}
		for _, line := range shortened(fold(labelTexts(c), labelWidth), len(labelTexts(c))) {
			t.add(name, mask, line)
			name, mask = "", ""
		}
	}
	return t.String()
}

// shortened leaves out lines of a long list, and tells of how many items it is.
func shortened(lines []string, items int) []string {
	if len(lines) <= mostLines {
		return lines
	}
	return append(lines[:mostLines-1:mostLines-1], fmt.Sprintf("... of %s labels", figure.Grouped(int64(items))))
}

// labelTexts returns a column's labels for people.
func labelTexts(c cutfile.Column) []string {
	var texts []string
	for _, label := range c.Cut {
		if label.Null {
			texts = append(texts, "null")
		} else {
			texts = append(texts, label.Label)
		}
	}
	if c.Suppressed != "" {
		texts = append(texts, c.Suppressed+" for the rest")
	}
	return texts
}

// fold lays texts out in lines of at most width characters, where that is possible.
func fold(texts []string, width int) []string {
	var lines []string
	line := ""
	for i, text := range texts {
		if i < len(texts)-1 {
			text += " |"
		}
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(text) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+text, " ")
	}
	return append(lines, line)
}
