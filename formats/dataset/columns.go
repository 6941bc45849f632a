package dataset

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
)

// checkNames refuses a file with two columns of one name.
func checkNames(path string, fields []formats.Field) error {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f.Name] {
			return fmt.Errorf("open %s: two columns named %q: %w", path, f.Name, formats.ErrSchema)
		}
		seen[f.Name] = true
	}
	return nil
}

// hiveNull is the value in a directory name that means null.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// partition is one key=value of a path.
type partition struct {
	key, value string
	null       bool
}

// partitionsOf returns the partitions in a path's directories.
func partitionsOf(path string) []partition {
	var found []partition
	for part := range strings.SplitSeq(path, "/") {
		key, value, ok := strings.Cut(part, "=")
		if ok && key != "" {
			found = append(found, partition{unescape(key), unescape(value), value == hiveNull})
		}
	}
	return found
}

// unescape undoes percent encoding. It does not change text that is not correctly encoded.
func unescape(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// hiveColumn is a column from directory names: one code for each file.
type hiveColumn struct {
	field  formats.Field
	values *formats.Values
	codes  []uint32 // by file; 0 is null
}

// hiveColumns makes columns from the partitions of all files, which must have the same keys.
func hiveColumns(files []inputFile) ([]hiveColumn, error) {
	rows := make([][]partition, len(files))
	same := func(a, b partition) bool { return a.key == b.key }
	for i, file := range files {
		rows[i] = partitionsOf(file.hive)
		if !slices.EqualFunc(rows[0], rows[i], same) {
			return nil, fmt.Errorf("compare %s and %s: directories have different partition "+
				"keys: %w",
				files[0].path, file.path, formats.ErrSchema)
		}
	}
	columns := make([]hiveColumn, len(rows[0]))
	for k := range columns {
		column := make([]partition, len(rows))
		for i := range rows {
			column[i] = rows[i][k]
		}
		columns[k] = newHiveColumn(column)
	}
	return columns, nil
}

func newHiveColumn(parts []partition) hiveColumn {
	kind := hiveType(parts)
	known := formats.NewParsed(kind)
	c := hiveColumn{
		field:  formats.Field{Name: parts[0].key, Type: kind, Hive: true},
		values: known.Values,
	}
	parse := func(v *formats.Values, text []byte) error { return v.Parse(string(text)) }
	for _, p := range parts {
		code := uint32(0)
		if p.null {
			c.field.Nullable = true
		} else {
			code, _ = known.CodeOfText([]byte(p.value), parse) // the type fits all values
		}
		c.codes = append(c.codes, code)
	}
	return c
}

// hiveType returns the type that fits all values: integer, date or text.
func hiveType(parts []partition) formats.Type {
	integers, dates, some := true, true, false
	for _, p := range parts {
		if p.null {
			continue
		}
		some = true
		x, err := strconv.ParseInt(p.value, 10, 64)
		integers = integers && err == nil && strconv.FormatInt(x, 10) == p.value
		day := formats.Values{Type: formats.Type{Kind: formats.Date}}
		dates = dates && len(p.value) == len("2006-01-02") && day.Parse(p.value) == nil
	}
	switch {
	case some && integers:
		return formats.Type{Kind: formats.Int, Bits: 64}
	case some && dates:
		return formats.Type{Kind: formats.Date}
	}
	return formats.Type{Kind: formats.String}
}
