package job

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// field is a key of the job file. The tags of a struct's field define it.
//
//	key      its name; if two fields have the same key, the second takes maps, and the first takes
//	         other values
//	is       its kind, if the type does not determine it: a key of kinds
//	default  the value if the key is absent
//	enum     the only values
//	range    numbers: the allowed ones, such as [1,10] or (0,)
//	flag     its flag, without dashes; the name of its variable follows from it
//	masks    columns: only with these masks
//	for      only with these algorithms; with a "!", with all but one
//	item     lists of maps: the name of one map in messages; example: one map as it is written
//	or, but  not required with that other key, or with that algorithm
//	opt      required; bare: a word may replace the map; local: no URLs of object stores; empty:
//	         texts may be empty; protects: if an override names an algorithm that does not use the
//	         key, the key stays, and is an error
type field struct {
	key, path string // the key "mask" has the path "columns.*.mask"
	kind      string
	index     int // index of the struct's field
	typ       reflect.Type
	tag       reflect.StructTag

	doc    string // purpose of the key
	absent string // meaning of absence, if that is not a value

	enum, masks, algorithms, options []string

	other *field   // second field of the same key, for maps
	below []*field // the keys of its maps
}

// keysText has, for every key, the meaning of its absence and its purpose.
//
//go:embed keys.txt
var keysText string

// words returns the entry of a key in keysText.
func words(path string) (absent, doc string) {
	for line := range strings.Lines(keysText) {
		if rest, ok := strings.CutPrefix(line, path+" | "); ok {
			absent, doc, _ = strings.Cut(strings.TrimRight(rest, "\n"), " | ")
			return absent, doc
		}
	}
	panic("keys.txt lacks " + path)
}

// algorithms are the names of all algorithms, masks those of all masks, and labeling those of the
// masks with labels.
var (
	algorithms = values(reflect.TypeFor[Algorithm]().Field(0).Tag, "enum")
	masks      = values(reflect.TypeFor[Column]().Field(1).Tag, "enum")
	labeling   = slices.DeleteFunc(slices.Clone(masks),
		func(mask string) bool { return !(&Column{Mask: mask}).Masked() })
)

// jobFields are the keys at the top of the file, and allFields all keys, in the order of the
// reference.
var (
	jobFields = fieldsOf(reflect.TypeFor[Job](), "")
	allFields = flat(jobFields)
)

func flat(fields []*field) (all []*field) {
	for _, f := range fields {
		all = append(append(all, f), flat(f.below)...)
	}
	return all
}

// fieldsOf returns the keys of a struct's map. Their paths have a prefix.
func fieldsOf(t reflect.Type, prefix string) (fields []*field) {
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		f := &field{key: tag.Get("key"), path: prefix + tag.Get("key"), index: i,
			typ: t.Field(i).Type, tag: tag}
		if f.key == "" {
			continue
		}
		f.enum, f.masks, f.options = values(tag, "enum"), values(tag, "masks"), values(tag, "opt")
		f.algorithms = values(tag, "for")
		if but, all := strings.CutPrefix(tag.Get("for"), "!"); all {
			f.algorithms = slices.DeleteFunc(slices.Clone(algorithms),
				func(name string) bool { return name == but })
		}
		f.kind = strings.TrimPrefix(f.typ.String(), "*")
		if is := tag.Get("is"); is != "" {
			f.kind = is
		}
		switch _, known := kinds[f.kind]; {
		case known:
		case f.typ == reflect.TypeFor[[]Column]():
			f.kind, f.below = "columns by name", fieldsOf(f.typ.Elem(), f.path+".*.")
		case f.typ.Kind() == reflect.Slice:
			f.kind, f.below = "list", fieldsOf(f.typ.Elem(), f.path+"[].")
		default:
			f.kind, f.below = "map", fieldsOf(f.typ, f.path+".")
		}
		f.absent, f.doc = words(f.path)
		if last := len(fields) - 1; last >= 0 && fields[last].key == f.key {
			fields[last].other = f
		} else {
			fields = append(fields, f)
		}
	}
	return fields
}

// values returns the parts of a tag.
func values(tag reflect.StructTag, name string) []string {
	if text := tag.Get(name); text != "" {
		return strings.Split(text, "|")
	}
	return nil
}

// fieldAt returns the field of a path, or nil.
func fieldAt(path string) *field {
	for _, f := range allFields {
		if f.path == path {
			return f
		}
	}
	return nil
}

// keysOf returns the names of keys.
func keysOf(fields []*field) (keys []string) {
	for _, f := range fields {
		keys = append(keys, f.key)
	}
	return keys
}

func (f *field) is(option string) bool { return slices.Contains(f.options, option) }

// title returns the name of a field in messages: its key, or its owner's if the key is just "name".
func (f *field) title() string {
	if owner, named := strings.CutSuffix(f.path, ".name"); named {
		return owner
	}
	return f.key
}

// isPath reports whether the values are paths.
func (f *field) isPath() bool { return f.kind == "path" || f.kind == "paths" }

// number reports whether the values are numbers.
func (f *field) number() bool { return f.tag.Get("range") != "" }

// plain reports whether the values never have quotes.
func (f *field) plain() bool { return f.number() || f.kind == "bool" }

// plainDoc is the documentation without its marks.
func (f *field) plainDoc() string { return strings.ReplaceAll(f.doc, "`", "") }

// variable returns the environment variable of a field with a flag.
func (f *field) variable() string {
	return "KCUT_" + strings.ToUpper(strings.ReplaceAll(f.tag.Get("flag"), "-", "_"))
}

// bare returns the field of the map whose value may stand for the map, or nil.
func (f *field) bare() *field {
	if i := slices.IndexFunc(f.below, func(b *field) bool { return b.is("bare") }); i >= 0 {
		return f.below[i]
	}
	return nil
}

// serves reports whether an algorithm uses the field.
func (f *field) serves(algorithm string) bool {
	return len(f.algorithms) == 0 || slices.Contains(f.algorithms, algorithm)
}

// masked reports whether a column with a mask uses the field.
func (f *field) masked(mask string) bool {
	return len(f.masks) == 0 || slices.Contains(f.masks, mask)
}

// under returns the path of a key of a map.
func under(owner, key string) string { return strings.TrimPrefix(owner+"."+key, ".") }

// itemPath returns the path of an item of a list.
func itemPath(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
