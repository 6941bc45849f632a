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
	if len(d.Input) == 1 {
		fmt.Fprintf(&out, "input: %s\n", quoted(d.Input[0]))
	} else {
		fmt.Fprintf(&out, "input: [%s]\n", quotedList(d.Input))
	}
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
	var lines []string
	names, entries := 0, 0
	for i, p := range d.profiles {
		names = max(names, utf8.RuneCountInString(quoted(p.name)))
		lines = append(lines, d.roles[i].entry())
		if n := utf8.RuneCountInString(lines[i]); n <= widestEntry {
			entries = max(entries, n)
		}
	}
	for i, p := range d.profiles {
		name := quoted(p.name) + ":"
		fmt.Fprintf(out, "  %s %s  # %s\n", padded(name, names+1), padded(lines[i], entries), d.roles[i].Reason)
	}
}

// widestEntry is how wide an entry is at most that moves the reasons of others to the right.
const widestEntry = 60

// entry is the role as the value of a column.
func (r *Role) entry() string {
	if r.Taxonomy == "" {
		return r.Mask
	}
	return fmt.Sprintf("{mask: %s, taxonomy: %s}", r.Mask, r.Taxonomy)
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

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
