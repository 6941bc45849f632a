package job

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/taxonomy"
)

// circumstances are the settings that a release does not depend on, or not on their text: what
// taxonomies hold counts, not what they are called.
var circumstances = regexp.MustCompile(`(?s)^(input$|output\.path$|taxonomies|limits\.|columns\..*\.taxonomy$)`)

// Identity writes everything of the job that a byte of its release depends on, but for the
// input: every setting with its value, and the taxonomies, as LoadTaxonomies returns them. Where
// input, output and taxonomy files lie and what the run may use are not among it. Jobs of one
// identity make the same release of the same input.
func (j *Job) Identity(w io.Writer, taxonomies map[string]Taxonomy) error {
	var b []byte
	for _, s := range j.Settings() {
		if !circumstances.MatchString(s.Key) {
			b = fmt.Appendf(b, "%s: %s\n", s.Key, s.Value)
		}
	}
	b = fmt.Appendf(b, "directory: %t\n", strings.HasSuffix(j.Output.Path, "/"))
	for _, name := range slices.Sorted(maps.Keys(taxonomies)) {
		b = fmt.Appendf(b, "taxonomy of %q: ", name)
		if t := taxonomies[name]; t.Tree != nil {
			b = appendTree(b, t.Tree)
		} else {
			b = fmt.Appendf(b, "%d %q %q", t.Prefix, t.Date, t.Ranges)
		}
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}

// appendTree appends a tree with its names quoted, so that no other tree has its text.
func appendTree(b []byte, n *taxonomy.Node) []byte {
	b = fmt.Appendf(b, "%q", n.Name)
	if n.Leaf() {
		return b
	}
	b = append(b, '{')
	for i := range n.Children {
		b = append(appendTree(b, &n.Children[i]), ',')
	}
	return append(b, '}')
}
