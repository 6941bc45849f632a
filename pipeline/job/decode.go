package job

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/text"
)

// reader makes a job from nodes, of a job file or of a job that a program filled in, and checks it.
// It leaves out wrong values, so that it finds all problems at once.
type reader struct {
	*Job
	problems   []Problem
	algorithm  string // of the job; empty: an unknown one
	objective  string // of auto, as the job has it or by default
	overridden bool   // a flag or a variable named the algorithm: options for others are left out
}

func newReader(path string, text []byte) *reader {
	return &reader{Job: &Job{File: path, origins: newOrigins(path, text)}}
}

// read makes the job from a map.
func (r *reader) read(root *yaml.Node) (*Job, error) {
	r.record("", root)
	name := root.Value("algorithm")
	if name != nil && name.Kind == yaml.Map {
		name = name.Value("name")
	}
	if name == nil {
		name = &yaml.Node{Text: fieldAt("algorithm.name").tag.Get("default")}
	}
	if slices.Contains(algorithms, name.Text) {
		r.algorithm, r.overridden = name.Text, isOverride(name)
	}
	r.objective = objectiveOf(root)
	r.keys(jobFields, "", root, reflect.ValueOf(r.Job).Elem())
	r.rules()
	if err := asError(r.problems); err != nil {
		return nil, err
	}
	return r.Job, nil
}

// objectiveOf returns the objective of a job. By default it is to classify if there is something to
// learn.
func objectiveOf(root *yaml.Node) string {
	switch objective := root.Value("objective"); {
	case objective != nil:
		return objective.Text
	case root.Value("class") == nil:
		return ObjectiveQueries
	}
	return ObjectiveClassification
}

// record records the place of the value, or the key, at a path.
func (r *reader) record(path string, n *yaml.Node) {
	if n.From != "" || n.Line > 0 {
		r.origins.places[path] = place{name: n.From, line: n.Line, column: n.Column}
	}
}

// keys decodes a map into a struct.
func (r *reader) keys(fields []*field, owner string, m *yaml.Node, of reflect.Value) {
	mask := ""
	if n := m.Value("mask"); n != nil && slices.Contains(masks, n.Text) {
		mask = n.Text
	}
	given := make(map[*field]bool)
	for _, e := range m.Entries {
		key := e.Key.Text
		path := under(owner, key)
		i := slices.IndexFunc(fields, func(f *field) bool { return f.key == key })
		if i < 0 {
			r.record(path+":", e.Key)
			hint := "the keys here are " + strings.Join(keysOf(fields), ", ")
			near := text.DidYouMean(key, keysOf(fields))
			r.add(path+":", cmp.Or(near, hint), "unknown key %q", key)
			continue
		}
		f := fields[i]
		switch {
		case given[f]:
			hint := "it is a " + kinds[f.other.kind].words + ", not both"
			r.reject(path, hint, "%s is given in two forms", key)
		case r.overridden && !f.serves(r.algorithm) && !f.is("protects") && !isOverride(e.Value):
		default:
			given[f] = true
			r.record(path+":", e.Key)
			if r.decode(f, path, e.Value, of); !r.rejected(path) {
				r.checkUse(f, path, mask, of)
			}
		}
	}
	for _, f := range fields {
		if !given[f] {
			r.setDefault(f, owner, m, mask, of)
		}
	}
}

// checkUse checks that a column has only the keys of its mask, and an algorithm only its own.
func (r *reader) checkUse(f *field, path, mask string, of reflect.Value) {
	if mask != "" && !f.masked(mask) {
		name, others := of.FieldByName("Name").String(), strings.Join(f.masks, ", ")
		r.add(path+":", "", "%s is for mask %s, the mask of %q is %s", f.key, others, name, mask)
	} else if r.algorithm != "" && !f.serves(r.algorithm) {
		others := strings.Join(f.algorithms, " or ")
		hint := "leave it out, or take " + others
		if f.is("protects") {
			hint = "take " + others
		}
		r.add(path+":", hint, "%s is for algorithm %s, the algorithm is %s", f.key, others,
			r.algorithm)
	}
}

// setDefault gives a missing key its default, or reports that it is required.
func (r *reader) setDefault(f *field, owner string, m *yaml.Node, mask string, of reflect.Value) {
	path, value := under(owner, f.key), f.tag.Get("default")
	switch {
	case f.tag.Get("or") != "" && m.Value(f.tag.Get("or")) != nil,
		slices.Contains(values(f.tag, "but"), r.algorithm):
		return // it needs no value
	case f.is("required"):
		hint := f.key + ": " + f.plainDoc()
		if len(f.enum) > 0 {
			hint = f.key + " is " + f.wants()
		}
		r.add(owner, hint, "missing key %q", f.key)
		r.origins.reject(path)
		return
	case f.kind == "map":
		r.keys(f.below, path, &yaml.Node{Kind: yaml.Map}, of.Field(f.index))
		return
	case !f.masked(mask) || !f.serves(r.algorithm):
		return
	case path == "score" && (r.algorithm == AlgorithmTDR || r.algorithm == AlgorithmTDS):
		value = r.algorithm // the score has the name of its algorithm
	case path == "objective":
		value = r.objective
	case path == "algorithm.region_labels" && r.algorithm == AlgorithmAuto &&
		r.objective == ObjectiveQueries: // the narrower labels are, the better are counts
		value = RegionLabelsTight
	case path == "algorithm.region_labels":
		value = RegionLabelsPath
	case f.kind == "job.Taxonomy" && len(f.masks) > 0:
		value = of.FieldByName("Name").String()
	}
	if value != "" {
		r.decode(f, path, &yaml.Node{Text: value, Quoted: !f.plain(), From: originDefault}, of)
	}
}

// isOverride reports whether a node comes from a flag or a variable.
func isOverride(n *yaml.Node) bool { return n.From != "" && n.From != originDefault }

// decode reads the value of a key into its field of a struct, and checks it.
func (r *reader) decode(f *field, path string, n *yaml.Node, of reflect.Value) {
	if f.other != nil && n.Kind == yaml.Map && len(n.Entries) > 0 {
		f = f.other
	}
	v, found := of.Field(f.index), len(r.problems)
	r.record(path, n)
	switch {
	case n.Null() && slices.Contains(f.enum, n.Text):
		// It is the word "null", which YAML takes for no value.
		v.SetString(n.Text)
	case n.Null():
		r.reject(path, "give it a value, or leave it out", "%s has no value", f.key)
	case f.below != nil:
		r.maps(f, path, n, v)
	default:
		if r.value(f, path, n, target(v)); len(r.problems) > found {
			r.origins.reject(path)
			v.SetZero()
		}
	}
}

// value decodes a value that is no struct.
func (r *reader) value(f *field, path string, n *yaml.Node, v reflect.Value) {
	switch to := v.Addr().Interface().(type) {
	case *Bounds:
		r.bounds(f, path, n, to)
	case *Taxonomy:
		*to = r.taxonomy(path, n, false)
	case *map[string]Taxonomy:
		*to = r.taxonomies(n)
	case *Shares:
		*to = r.shares(f, path, n)
	case *[]string:
		*to = r.texts(f, path, n)
	default:
		r.single(f, path, n, v)
	}
}

// maps decodes a map, a list of maps, or a map of maps by names.
func (r *reader) maps(f *field, path string, n *yaml.Node, v reflect.Value) {
	items, what, hint := n.Items, f.tag.Get("item"), "as in: "+f.tag.Get("example")
	all, one := "a list of "+what+"s", "a "+what+" must be a map"
	if f.kind == "columns by name" {
		all = "a map from names of columns to masks"
		for _, e := range n.Entries {
			items = append(items, e.Value)
		}
	}
	switch {
	case f.kind == "map":
		r.entry(f, path, n, v, "", f.key+" must be a map")
		return
	case len(items) == 0 || f.kind == "list" != (n.Kind == yaml.List):
		r.reject(path, hint, "%s must be %s, not %s", f.key, all, f.describe(n))
		return
	}
	v.Set(reflect.MakeSlice(f.typ, len(items), len(items)))
	for i, item := range items {
		at := itemPath(path, i)
		if f.kind == "columns by name" {
			key := n.Entries[i].Key
			at, one = columnPath(key.Text),
				fmt.Sprintf("column %q must have a mask or a map", key.Text)
			v.Index(i).FieldByName("Name").SetString(key.Text)
			r.record(at+":", key)
		}
		r.record(at, item)
		r.entry(f, at, item, v.Index(i), hint, one)
	}
}

// entry decodes a map, or its short form.
func (r *reader) entry(f *field, path string, n *yaml.Node, v reflect.Value, hint, must string) {
	if m := f.unfolded(n); m.Kind == yaml.Map {
		r.keys(f.below, path, m, v)
	} else {
		r.reject(path, hint, "%s, not %s", must, f.describe(n))
	}
}

// unfolded returns the map of a short form: a word, or {keep: {...}} for {mask: keep, ...}. It
// returns other nodes unchanged.
func (f *field) unfolded(n *yaml.Node) *yaml.Node {
	bare := f.bare()
	word, entries := n, []yaml.Entry(nil)
	switch {
	case bare == nil || n.Null():
		return n
	case n.Kind == yaml.Scalar:
	case len(n.Entries) == 1 && n.Entries[0].Key.Text == MaskKeep && f.kind == "columns by name":
		word, entries = n.Entries[0].Key, n.Entries[0].Value.Entries
		if n.Entries[0].Value.Kind != yaml.Map || n.Entries[0].Value.Value(bare.key) != nil {
			return n
		}
	default:
		return n
	}
	m := &yaml.Node{Kind: yaml.Map, From: n.From, Line: n.Line, Column: n.Column}
	m.Add(&yaml.Node{Text: bare.key}, word)
	m.Entries = append(m.Entries, entries...)
	return m
}

// single decodes a single value.
func (r *reader) single(f *field, path string, n *yaml.Node, v reflect.Value) {
	if message, hint := f.set(v, n); message != "" {
		r.add(path, hint, "%s %s", f.title(), message)
	} else if f.isPath() {
		resolved, _ := storage.Resolve(r.path(n)) // set has checked it
		v.SetString(resolved)
	} else if f.kind == "taxonomies" {
		v.SetString(r.path(n))
	}
}

// texts decodes a list of texts. A single path is a list, too.
func (r *reader) texts(f *field, path string, n *yaml.Node) []string {
	items := n.Items
	if n.Kind == yaml.Scalar {
		truth := !n.Quoted && (n.Text == "true" || n.Text == "false")
		switch {
		case f.kind == "columns" && n.Text == "all", f.kind == "header" && truth:
			return []string{"\x00" + n.Text}
		case f.kind == "paths":
			items = []*yaml.Node{n}
		}
	}
	if len(items) == 0 {
		r.add(path, "", "%s must be a %s, not %s", f.key, kinds[f.kind].words, f.describe(n))
	}
	texts := make([]string, len(items))
	for i, item := range items {
		at := itemPath(path, i)
		r.record(at, item)
		r.single(f, at, item, reflect.ValueOf(&texts[i]).Elem())
	}
	return texts
}

// shares decodes a share, or a map from values to shares.
func (r *reader) shares(f *field, path string, n *yaml.Node) (shares Shares) {
	if n.Kind != yaml.Map || len(n.Entries) == 0 {
		r.single(f, path, n, reflect.ValueOf(&shares.Every).Elem())
		return shares
	}
	shares.Of = make(map[string]float64)
	for i, e := range n.Entries {
		at, most := itemPath(path, i), 0.0
		r.record(at, e.Value)
		r.single(f, at, e.Value, reflect.ValueOf(&most).Elem())
		shares.Of[e.Key.Text] = most
	}
	return shares
}

// bounds decodes a pair of bounds.
func (r *reader) bounds(f *field, path string, n *yaml.Node, b *Bounds) {
	const hint = "as in: bounds: [17, 90], or [17, null] for an open end"
	if n.Kind != yaml.List || len(n.Items) != 2 {
		r.add(path, hint, "bounds must be a list of two values, not %s", f.describe(n))
		return
	}
	if n.Items[0].Null() && n.Items[1].Null() {
		r.add(path, "leave bounds out for two open ends", "bounds without a value")
	}
	for i, end := range []*string{&b.Lower, &b.Upper} {
		switch item := n.Items[i]; {
		case item.Null():
		case item.Kind == yaml.Scalar && item.Text != "":
			*end = item.Text
		default:
			r.record(itemPath(path, i), item)
			r.add(itemPath(path, i), hint, "a bound must be a number, a date or null, not %s",
				f.describe(item))
		}
	}
}

// describe describes a node in messages: by its shape, or its value.
func (f *field) describe(n *yaml.Node) string {
	switch {
	case n.Null():
		return "nothing"
	case n.Kind == yaml.Map:
		return fmt.Sprintf("a map (keys: %d)", len(n.Entries))
	case n.Kind == yaml.List:
		return fmt.Sprintf("a list (items: %d)", len(n.Items))
	case f.number():
		return shown(n)
	}
	return strconv.Quote(n.Text)
}

// shown returns a number as it is, and other texts in quotes.
func shown(n *yaml.Node) string {
	if _, err := strconv.ParseFloat(n.Text, 64); err == nil && !n.Quoted {
		return n.Text
	}
	return strconv.Quote(n.Text)
}
