package jobfile

import "github.com/kcut/kcut/formats/yaml"

// bind makes the Job of a checked document.
func (l *loader) bind() *Job {
	root := l.root
	output, limits, csv := orEmptyNode(root.Get("output")), orEmptyNode(root.Get("limits")), orEmptyNode(root.Get("csv"))
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
		Algorithm: bindAlgorithm(orEmptyNode(root.Get("algorithm"))),
		Score:     yamlText(root.Get("score")),
		Limits:    l.bindLimits(limits),
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

func (l *loader) bindLimits(n *yaml.Node) Limits {
	memory, _ := parseSize(yamlText(n.Get("memory")))
	return Limits{Memory: memory, Threads: yamlInt(n.Get("threads")), SpillDir: l.path(n.Get("spill_dir"))}
}

func bindAlgorithm(n *yaml.Node) Algorithm {
	return Algorithm{
		Name:                 yamlText(n.Get("name")),
		Seed:                 uint64(yamlInt(n.Get("seed"))),
		Bins:                 yamlInt(n.Get("bins")),
		Loss:                 yamlText(n.Get("loss")),
		MinObjects:           yamlInt(n.Get("min_objects")),
		Prune:                yamlText(n.Get("prune")),
		Leftover:             yamlText(n.Get("leftover")),
		Small:                yamlText(n.Get("small")),
		MaxDivergence:        yamlFraction(n.Get("max_divergence")),
		MaxInformationChange: yamlFraction(n.Get("max_information_change")),
		Partitioning:         yamlText(n.Get("partitioning")),
		Categories:           yamlText(n.Get("categories")),
	}
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
