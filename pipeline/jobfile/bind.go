package jobfile

import (
	"fmt"
	"strconv"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/yaml"
)

// yamlText returns the text of a scalar that may be absent.
func yamlText(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// yamlInt returns the value of a checked integer that may be absent.
func yamlInt(n *yaml.Node) int {
	v, _ := strconv.Atoi(yamlText(n)) // checked: only an absent one fails
	return v
}

// yamlTexts returns the texts of a list that may be absent.
func yamlTexts(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	out := make([]string, len(n.Items))
	for i, item := range n.Items {
		out[i] = item.Text
	}
	return out
}

// orEmptyNode returns a node, or an empty one when it is absent.
func orEmptyNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return &yaml.Node{}
	}
	return n
}

// bind makes the Job of a checked document.
func (l *loader) bind() *Job {
	root := l.root
	output, limits, csv := orEmptyNode(root.Get("output")), orEmptyNode(root.Get("limits")), orEmptyNode(root.Get("csv"))
	memory, _ := parseSize(yamlText(limits.Get("memory")))
	job := &Job{
		File:  l.file,
		Class: yamlText(root.Get("class")),
		Output: Output{
			Path:         l.path(output.Get("path")),
			Compression:  yamlText(output.Get("compression")),
			Level:        yamlInt(output.Get("level")),
			RowGroupRows: yamlInt(output.Get("row_group_rows")),
		},
		Unlisted:  yamlText(root.Get("unlisted")),
		Algorithm: yamlText(root.Get("algorithm")),
		Score:     yamlText(root.Get("score")),
		Limits:    Limits{Memory: memory, Threads: yamlInt(limits.Get("threads")), SpillDir: l.path(limits.Get("spill_dir"))},
		source:    l.document,
	}
	for _, n := range orEmptyNode(root.Get("input")).Items {
		job.Input = append(job.Input, l.path(n))
	}
	if delimiter := yamlText(csv.Get("delimiter")); delimiter != "" {
		job.CSV.Delimiter = delimiter[0]
	}
	if n := root.Get("max_steps"); n != nil {
		steps := yamlInt(n)
		job.MaxSteps = &steps
	}
	l.bindTaxonomies(job)
	l.bindSets(job)
	l.bindColumns(job)
	return job
}

// path returns a path as it can be opened, or "" when it is absent.
func (l *loader) path(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return openable(l.file, n.Text)
}

func (l *loader) bindSets(job *Job) {
	for _, n := range orEmptyNode(l.root.Get("quasi_identifiers")).Items {
		job.Sets = append(job.Sets, Set{Columns: yamlTexts(n.Get("columns")), K: yamlInt(n.Get("k"))})
	}
}

func (l *loader) bindColumns(job *Job) {
	for _, e := range orEmptyNode(l.root.Get("columns")).Entries {
		n := e.Value
		c := Column{
			Name:     e.Key.Text,
			Mask:     yamlText(n.Get("mask")),
			Taxonomy: l.specs[n.Get("taxonomy")],
			Unknown:  yamlText(n.Get("unknown")),
			Render:   yamlText(n.Get("render")),
			Type:     columnType(yamlText(n.Get("type"))),
		}
		if name := n.Get("taxonomy"); name != nil && c.Taxonomy == nil { // a default: its own name
			c.Taxonomy = &TaxonomySource{Name: name.Text, pos: posOf(e.Key)}
		}
		if bounds := n.Get("bounds"); bounds != nil {
			c.Bounds = Bounds{boundText(bounds.Items[0]), boundText(bounds.Items[1])}
		}
		job.Columns = append(job.Columns, c)
	}
}

// boundText returns the text of a bound; that of an open end is empty.
func boundText(n *yaml.Node) string {
	if n.Null() {
		return ""
	}
	return n.Text
}

// bindTaxonomies takes over the named taxonomies.
func (l *loader) bindTaxonomies(job *Job) {
	n := l.root.Get("taxonomies")
	if n == nil {
		return
	}
	if n.Kind == yaml.Scalar {
		job.TaxonomyFile = l.path(n)
		return
	}
	job.Taxonomies = make(map[string]*TaxonomySource, len(n.Entries))
	for _, e := range n.Entries {
		job.Taxonomies[e.Key.Text] = l.specs[e.Value]
	}
}

// columnType returns the type that a declaration stands for, or nil for none and for a
// decimal that cannot be.
func columnType(text string) *formats.Type {
	switch text {
	case "text":
		return &formats.Type{Kind: formats.String}
	case "boolean":
		return &formats.Type{Kind: formats.Boolean}
	case "integer":
		return &formats.Type{Kind: formats.Int, Bits: 64}
	case "number":
		return &formats.Type{Kind: formats.Float, Bits: 64}
	case "date":
		return &formats.Type{Kind: formats.Date}
	case "time":
		return &formats.Type{Kind: formats.Time, Unit: formats.Micro}
	case "timestamp":
		return &formats.Type{Kind: formats.Timestamp, Unit: formats.Micro}
	}
	var precision, scale int
	if _, err := fmt.Sscanf(text, "decimal(%d,%d)", &precision, &scale); err != nil {
		return nil
	}
	if precision < 1 || precision > 38 || scale > precision {
		return nil
	}
	return &formats.Type{Kind: formats.Decimal, Precision: precision, Scale: scale, Wide: precision > 18}
}
