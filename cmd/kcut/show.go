package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kcut/kcut/pipeline"
)

// labelWidth is where lists of labels are folded, in characters.
const labelWidth = 72

func newShow(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print the cut that a released file carries",
		Args:  takes("one released file", 1, 1),
	}
	addJSON(cmd, u)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		cut, err := pipeline.ReadCut(args[0])
		if err != nil {
			return err
		}
		if u.json {
			return u.answer(json.RawMessage(cut.Raw))
		}
		return u.printf("%s\n%s\n%s", cutLine(args[0], cut), setTable(cut.Sets), cutTable(cut.Columns))
	}
	return cmd
}

func cutLine(path string, cut *pipeline.CutFile) string {
	line := fmt.Sprintf("%s: %s rows, %s", path, grouped(cut.Rows), cut.Algorithm)
	if cut.Class != "" {
		line += ", class " + cut.Class
	}
	return line + fmt.Sprintf(", %d steps\n", cut.Steps)
}

// cutTable lists masked columns and their released labels.
func cutTable(columns pipeline.CutColumns) string {
	t := newTable("column", "mask", "released as")
	for _, c := range columns {
		name, mask := c.Name, c.Mask
		if c.Render != "" {
			mask += ", " + c.Render
		}
		for _, line := range fold(labelTexts(c), labelWidth) {
			t.add(name, mask, line)
			name, mask = "", ""
		}
	}
	return t.String()
}

// labelTexts returns a column's labels for people.
func labelTexts(c pipeline.CutColumn) []string {
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
