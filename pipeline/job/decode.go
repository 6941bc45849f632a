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
)

// reader makes a job of the nodes of a job file, and checks it, or one that a program has filled in.
// What is wrong is left out, so that all of it is found at once.
type reader struct {
	*Job
	problems  []Problem
	algorithm string // that an override names; empty: none
}

func newReader(path string, text []byte) *reader {
	return &reader{Job: &Job{File: path, origins: newOrigins(path, text)}}
}

// record records where the value, or the key, at a path is.
func (r *reader) record(path string, n *yaml.Node) {
	if n.From != "" || n.Line > 0 {
		r.origins.places[path] = place{name: n.From, line: n.Line, column: n.Column}
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
		case r.algorithm == "" || fields[i].serves(r.algorithm) || fields[i].is("protects") || e.Value.From != "":
			r.record(path+":", e.Key)
			r.decode(fields[i], path, e.Value, of)
		}
	}
}

// decode reads the value of a key into its field of a struct, and checks it.
func (r *reader) decode(f *field, path string, n *yaml.Node, of reflect.Value) {
	if f.other != nil && n.Kind == yaml.Map && len(n.Entries) > 0 {
		f = f.other
	}
	v, found := of.Field(f.index), len(r.problems)
	r.record(path, n)
	switch {
	case n.Null() && slices.Contains(f.enum, n.Text): // the word, though YAML has it as none
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

// value decodes what is no struct.
func (r *reader) value(f *field, path string, n *yaml.Node, v reflect.Value) {
	switch to := v.Addr().Interface().(type) {
	case *Bounds:
		r.bounds(f, path, n, to)
	case *Taxonomy:
		*to = r.taxonomy(path, n, false)
	case *map[string]Taxonomy:
		*to = r.taxonomies(n)
	case *[]Confidence:
		*to = r.shares(f, path, n)
	case *[]string:
		*to = r.texts(f, path, n)
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
	if message, hint := f.set(v, n); message != "" {
		r.add(path, hint, "%s %s", f.title(), message)
	} else if f.isPath() {
		resolved, _ := storage.Resolve(r.path(n)) // set has asked
		v.SetString(resolved)
	} else if f.kind == "taxonomies" {
		v.SetString(r.path(n))
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

// shares decodes a map from values to shares.
func (r *reader) shares(f *field, path string, n *yaml.Node) []Confidence {
	shares := make([]Confidence, len(n.Entries))
	for i, e := range n.Entries {
		at := itemPath(path, i)
		r.record(at, e.Value)
		shares[i].Value = e.Key.Text
		r.single(f, at, e.Value, reflect.ValueOf(&shares[i].Most).Elem())
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
			r.add(itemPath(path, i), hint, "a bound must be a number, a date or null, not %s", f.describe(item))
		}
	}
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
