package job

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/yaml"
)

// reader makes a job of the nodes of a job file, and checks it, or one that a program has filled in.
// What is wrong is left out, so that all of it is found at once.
type reader struct {
	*Job
	problems  []Problem
	won       map[string]*yaml.Node // overrides that take the place of the file's values, by paths of fields
	given     map[*yaml.Node]string // where nodes of overrides are from
	algorithm string                // that an override names; empty: none
}

func newReader(path string, text []byte) *reader {
	j := &Job{File: path, origins: newOrigins(path, text)}
	return &reader{Job: j, won: make(map[string]*yaml.Node), given: make(map[*yaml.Node]string)}
}

// record records where the value, or the key, at a path is.
func (r *reader) record(path string, n *yaml.Node) {
	if name := r.given[n]; name != "" {
		r.origins.places[path] = place{name: name}
	} else if n.Line > 0 {
		r.origins.places[path] = place{line: n.Line, column: n.Column}
	}
}

// keys decodes a map into a struct.
func (r *reader) keys(fields []*field, owner string, m *yaml.Node, of reflect.Value) {
	for _, e := range m.Entries {
		key := e.Key.Text
		path := under(owner, key)
		i := slices.IndexFunc(fields, func(f *field) bool { return f.key == key })
		switch {
		case i < 0:
			r.record(path+":", e.Key)
			hint := "the keys here are " + strings.Join(keysOf(fields), ", ")
			r.add(path+":", cmp.Or(DidYouMean(key, keysOf(fields)), hint), "unknown key %q", key)
		case r.algorithm == "" || fields[i].serves(r.algorithm):
			r.record(path+":", e.Key)
			r.decode(fields[i], path, e.Value, of)
		}
	}
}

// decode reads the value of a key, or what overrides it, into its field of a struct.
func (r *reader) decode(f *field, path string, n *yaml.Node, of reflect.Value) {
	n = cmp.Or(r.won[f.path], n)
	if f.other != nil && n.Kind == yaml.Map && len(n.Entries) > 0 {
		f = f.other
	}
	v := of.Field(f.index)
	r.record(path, n)
	switch {
	case n.Null() && slices.Contains(f.enum, n.Text): // the word, though YAML has it as none
		v.SetString(n.Text)
	case n.Null():
		r.reject(path, "give it a value, or leave it out", "%s has no value", f.key)
	case f.below != nil:
		r.maps(f, path, n, v)
	case f.kind == "taxonomies":
		r.taxonomies(f, path, n)
	case f.kind == "job.Taxonomy":
		v.Set(reflect.ValueOf(r.taxonomy(path, n, func(name string) Taxonomy { return Taxonomy{Name: name} })))
	case f.kind == "job.Bounds":
		v.Set(reflect.ValueOf(r.bounds(f, path, n)))
	case f.kind == "[]job.Confidence":
		v.Set(reflect.ValueOf(r.shares(f, path, n)))
	case v.Kind() == reflect.Slice:
		v.Set(reflect.ValueOf(r.texts(f, path, n)))
	default:
		r.single(f, path, n, v)
	}
}

// setHint, columnHint and sensitiveHint show entries.
const (
	setHint       = "as in: - {columns: [age, sex], k: 50}"
	columnHint    = "as in: age: discretize"
	sensitiveHint = "as in: - {column: diagnosis, l: 3}"
)

// maps decodes a map, a list of maps, or a map of maps.
func (r *reader) maps(f *field, path string, n *yaml.Node, v reflect.Value) {
	hint, what := setHint, "set"
	if f.key == "sensitive" {
		hint, what = sensitiveHint, "sensitive column"
	}
	switch {
	case f.kind == "map":
		r.entry(f, path, n, v, "", f.key+" must be a map")
	case f.kind == "columns by name" && len(n.Entries) == 0:
		r.reject(path, columnHint, "%s must be a map from names of columns to masks, not %s", f.key, f.describe(n))
	case f.kind == "columns by name":
		r.Columns = make([]Column, len(n.Entries))
		for i, e := range n.Entries {
			r.columnEntry(f, e, &r.Columns[i])
		}
	case len(n.Items) == 0:
		r.reject(path, hint, "%s must be a list of %ss, not %s", f.key, what, f.describe(n))
	default:
		v.Set(reflect.MakeSlice(f.typ, len(n.Items), len(n.Items)))
		for i, item := range n.Items {
			r.record(itemPath(path, i), item)
			r.entry(f, itemPath(path, i), item, v.Index(i), hint, "a "+what+" must be a map")
		}
	}
}

// columnEntry decodes the entry of a column.
func (r *reader) columnEntry(f *field, e yaml.Entry, c *Column) {
	c.Name = e.Key.Text
	path := columnPath(c.Name)
	r.record(path, e.Value)
	r.record(path+":", e.Key)
	if e.Value.Null() {
		r.add(path+":", columnHint, "column %q has no mask", c.Name)
		r.origins.reject(path)
		return
	}
	must := fmt.Sprintf("column %q must have a mask or a map", c.Name)
	r.entry(f, path, unfolded(e.Value), reflect.ValueOf(c).Elem(), columnHint, must)
}

// entry decodes a map, or the word that stands for one.
func (r *reader) entry(f *field, path string, n *yaml.Node, v reflect.Value, hint, must string) {
	switch bare := f.bare(); {
	case n.Kind == yaml.Map:
		r.keys(f.below, path, n, v)
	case n.Kind != yaml.Scalar || n.Null() || bare == nil:
		r.reject(path, hint, "%s, not %s", must, f.describe(n))
	default:
		r.decode(bare, under(path, bare.key), n, v)
	}
}

// unfolded returns the entry of a column in the form {mask: keep, ...} when it is written as
// {keep: {...}}, else as it is.
func unfolded(n *yaml.Node) *yaml.Node {
	isMask := func(e yaml.Entry) bool { return e.Key.Text == "mask" }
	if n.Kind != yaml.Map || len(n.Entries) != 1 {
		return n
	}
	keep := n.Entries[0]
	if keep.Key.Text != MaskKeep || keep.Value.Kind != yaml.Map || slices.ContainsFunc(keep.Value.Entries, isMask) {
		return n
	}
	mask := yaml.Entry{Key: &yaml.Node{Text: "mask", Line: keep.Key.Line, Column: keep.Key.Column}, Value: keep.Key}
	entries := append([]yaml.Entry{mask}, keep.Value.Entries...)
	return &yaml.Node{Kind: yaml.Map, Entries: entries, Line: n.Line, Column: n.Column}
}

// single decodes a single value.
func (r *reader) single(f *field, path string, n *yaml.Node, v reflect.Value) {
	v = target(v)
	err := setText(v, n.Text)
	switch {
	case n.Kind != yaml.Scalar || err != nil || n.Quoted && f.plain():
		message, hint := f.not(f.describe(n))
		if n.Kind == yaml.Scalar && err == nil && f.number() {
			hint = "write it without quotes"
		}
		r.reject(path, hint, "%s %s", f.title(), message)
	case f.isPath():
		v.SetString(r.path(v.String()))
	}
}

// texts decodes a list of texts. One path is a list, too.
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
		r.reject(path, "", "%s must be a %s, not %s", f.key, kinds[f.kind].words, f.describe(n))
	}
	texts := make([]string, len(items))
	for i, item := range items {
		at := itemPath(path, i)
		r.record(at, item)
		if item.Kind != yaml.Scalar || item.Null() {
			message, _ := f.not(f.describe(item))
			r.reject(at, "", "%s %s", f.title(), message)
		} else if texts[i] = item.Text; f.isPath() {
			texts[i] = r.path(item.Text)
		}
	}
	return texts
}

// shares decodes a map from values to shares.
func (r *reader) shares(f *field, path string, n *yaml.Node) (shares []Confidence) {
	for i, e := range n.Entries {
		share := Confidence{Value: e.Key.Text}
		r.record(itemPath(path, i), e.Value)
		r.single(f, itemPath(path, i), e.Value, reflect.ValueOf(&share.Most).Elem())
		shares = append(shares, share)
	}
	return shares
}

// bounds decodes a pair of bounds.
func (r *reader) bounds(f *field, path string, n *yaml.Node) (b Bounds) {
	const hint = "as in: bounds: [17, 90], or [17, null] for an open end"
	if n.Kind != yaml.List || len(n.Items) != 2 {
		r.reject(path, hint, "bounds must be a list of two values, not %s", f.describe(n))
		return b
	}
	for i, end := range []*string{&b.Lower, &b.Upper} {
		item := n.Items[i]
		switch {
		case item.Null():
		case item.Kind == yaml.Scalar && item.Text != "":
			*end = item.Text
		default:
			r.record(itemPath(path, i), item)
			r.add(itemPath(path, i), hint, "a bound must be a number, a date or null, not %s", f.describe(item))
			r.origins.reject(path)
			return Bounds{}
		}
	}
	if b == (Bounds{}) {
		r.reject(path, "leave bounds out for two open ends", "bounds without a value")
	}
	return b
}

// describe names a node for messages: its shape, or its value.
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

// shown shows a number as it is and everything else in quotes.
func shown(n *yaml.Node) string {
	if _, err := strconv.ParseFloat(n.Text, 64); err == nil && !n.Quoted {
		return n.Text
	}
	return strconv.Quote(n.Text)
}
