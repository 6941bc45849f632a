package draft

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kcut/kcut/internal/text"
)

// headWords come before what a job reads and writes.
const headWords = `# A draft by kcut init, from %s of %s rows. What a release tells about people is for
# somebody to judge who knows them and the data: read every line, change it, then try kcut plan.
`

// setWords are the set and what goes before the columns.
const setWords = `
# What somebody may know of a person, here all of it at once. Several sets, each with what one
# source tells, leave more of the data.
quasi_identifiers:
  - columns: [%s]
    k: %d

# A taxonomy of your own, and generalize, leaves more than suppress. Declare bounds of what is
# discretized when they are public. Keep what nobody can know.
columns:
`

// yaml writes the draft as a job file.
func (d *draft) yaml() string {
	var out strings.Builder
	looked := d.profiles[0].Rows
	for _, p := range d.profiles {
		looked = max(looked, p.Rows)
	}
	fmt.Fprintf(&out, headWords, text.Grouped(looked), text.Grouped(d.rows))
	input := quoted(d.Input[0])
	if len(d.Input) > 1 {
		input = "[" + quotedList(d.Input) + "]"
	}
	fmt.Fprintf(&out, "input: %s\n", input)
	fmt.Fprintf(&out, "output: %s\n", quoted(d.output))
	if d.class >= 0 {
		fmt.Fprintf(&out, "class: %s\n", quoted(d.profiles[d.class].name))
	} else {
		out.WriteString("# class: no column looks like one; name what a model is to predict, and keep it\n")
	}
	fmt.Fprintf(&out, setWords, quotedList(d.set), d.K)
	d.writeColumns(&out)
	return out.String()
}

// writeColumns writes an entry a column, with the reasons below one another.
func (d *draft) writeColumns(out *strings.Builder) {
	names, entries := make([]string, len(d.roles)), make([]string, len(d.roles))
	nameWidth, entryWidth := 0, 0
	for i, role := range d.roles {
		names[i], entries[i] = quoted(d.profiles[i].name)+":", role.Mask
		if role.Taxonomy != "" {
			entries[i] = fmt.Sprintf("{mask: %s, taxonomy: %s}", role.Mask, role.Taxonomy)
		}
		nameWidth = max(nameWidth, utf8.RuneCountInString(names[i]))
		if n := utf8.RuneCountInString(entries[i]); n <= widestEntry {
			entryWidth = max(entryWidth, n)
		}
	}
	for i, role := range d.roles {
		fmt.Fprintf(out, "  %-*s %-*s  # %s\n", nameWidth, names[i], entryWidth, entries[i], role.Reason)
	}
}

// widestEntry is how wide an entry is at most that moves the reasons of others to the right.
const widestEntry = 60

func quotedList(texts []string) string {
	var list []string
	for _, text := range texts {
		list = append(list, quoted(text))
	}
	return strings.Join(list, ", ")
}

// bare are texts that YAML takes for themselves, and for nothing else.
var bare = matches(`^[\pL_./][\pL\pN_./ -]*$`)

// reserved are words that stand for something else.
var reserved = matches(`^(?i:y|n|yes|no|on|off|true|false|null|\.inf|\.nan)$`)

// quoted writes a text as YAML: bare, or as JSON, which is YAML, too.
func quoted(text string) string {
	if bare(text) && !reserved(text) && strings.TrimSpace(text) == text {
		return text
	}
	var quote strings.Builder
	encoder := json.NewEncoder(&quote)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always encodes
	return strings.TrimSuffix(quote.String(), "\n")
}
