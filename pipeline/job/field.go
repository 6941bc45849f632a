package job

import (
	"fmt"
	"slices"
	"strings"
)

// fieldAt returns the field of a path, or nil.
func fieldAt(path string) *field {
	for i := range fieldTable {
		if fieldTable[i].path == path {
			return &fieldTable[i]
		}
	}
	return nil
}

// fieldsUnder returns the fields directly under a prefix: "" for the file itself, else as
// field.prefix gives it.
func fieldsUnder(prefix string) []*field {
	var fields []*field
	for i := range fieldTable {
		rest, ok := strings.CutPrefix(fieldTable[i].path, prefix)
		if ok && !strings.ContainsAny(rest, ".[") {
			fields = append(fields, &fieldTable[i])
		}
	}
	return fields
}

// prefix returns what the paths of the fields under a field start with.
func (f *field) prefix() string {
	switch f.kind {
	case kindList:
		return f.path + "[]."
	case kindNamed:
		return f.path + ".*."
	}
	return f.path + "."
}

// key returns the last key of a field's path.
func (f *field) key() string { return f.path[strings.LastIndexByte(f.path, '.')+1:] }

// title returns what messages call a field: its key, and its owner's if that is all there is
// to a name.
func (f *field) title() string {
	owner, key, ok := strings.Cut(f.path, ".")
	if ok && key == "name" {
		return owner
	}
	return f.key()
}

// number reports whether the values are numbers.
func (f *field) number() bool { return f.kind == kindInteger || f.kind == kindFraction }

// plainDoc is the documentation without its marks.
func (f *field) plainDoc() string { return strings.ReplaceAll(f.doc, "`", "") }

// variable returns the environment variable of a field with a flag.
func (f *field) variable() string {
	return "KCUT_" + strings.ToUpper(strings.ReplaceAll(f.flag, "-", "_"))
}

// bareField returns the field that a bare word stands for among those under a prefix, or nil.
func bareField(prefix string) *field {
	for _, f := range fieldsUnder(prefix) {
		if f.bare {
			return f
		}
	}
	return nil
}

// allows reports whether a column with this mask may have the field.
func (f *field) allows(mask string) bool {
	return len(f.masks) == 0 || slices.Contains(f.masks, mask)
}

// serves reports whether an algorithm has a use for the field.
func (f *field) serves(algorithm string) bool {
	return len(f.engines) == 0 || slices.Contains(f.engines, algorithm)
}

// slot is the place of a field in a job.
type slot struct {
	*field
	path  string // "columns.age.mask"
	owner string // path of the map that it is a key of: "columns.age"
	i     int    // which set or column it is of
	value any    // a pointer to it
}

// slots calls a function for the slots of all fields of a job, in the order of the table.
func (j *Job) slots(visit func(slot)) { j.slotsUnder("", "", 0, visit) }

func (j *Job) slotsUnder(prefix, owner string, i int, visit func(slot)) {
	for _, f := range fieldsUnder(prefix) {
		path := strings.TrimPrefix(owner+"."+f.key(), ".")
		visit(slot{f, path, owner, i, f.at(j, i)})
		switch f.kind {
		case kindMap:
			j.slotsUnder(f.prefix(), path, 0, visit)
		case kindList:
			for set := range j.Sets {
				j.slotsUnder(f.prefix(), itemPath(path, set), set, visit)
			}
		case kindNamed:
			for column := range j.Columns {
				j.slotsUnder(f.prefix(), columnPath(j.Columns[column].Name), column, visit)
			}
		}
	}
}

// itemPath returns the path of an item of a list.
func itemPath(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
