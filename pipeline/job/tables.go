package job

import (
	"errors"
	"reflect"
	"slices"

	"github.com/kcut/kcut/formats/yaml"
)

// Table is the job of one of the tables of a job file, and its name there.
type Table struct {
	Name string
	*Job
}

// Tables are tables that are released together, or not at all.
type Tables struct {
	Tables []Table
	// MaxUnique is the largest share of the people who may be alone for somebody who joins the
	// tables.
	MaxUnique Share
}

// tablesKey is the key of the tables: a map from their names to their keys. A table has the keys of
// the top that it lacks; its columns and taxonomies are added to those of the top.
const tablesKey = "tables"

// tablesDoc says what the key is for.
const tablesDoc = "tables that are released together or not at all, by name: each has the keys " +
	"of a job, and those of the top that it lacks"

// Job returns the job of a table, or nil.
func (t *Tables) Job(name string) *Job {
	for _, table := range t.Tables {
		if table.Name == name {
			return table.Job
		}
	}
	return nil
}

// Single returns the job of a file without tables, else nil.
func (t *Tables) Single() *Job { return t.Job("") }

// LoadTables is Load for a job file that may have several tables. The job of a file without tables
// has no name.
func LoadTables(path string, overrides []Override) (*Tables, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	first, root := parse(path, text)
	if root == nil || root.Value(tablesKey) == nil {
		j, err := Parse(path, text, overrides)
		if err != nil {
			return nil, err
		}
		return &Tables{[]Table{{"", j}}, *j.MaxUnique}, nil
	}
	t, problems := &Tables{}, []Problem(nil)
	tables := root.Value(tablesKey)
	first.recordKey(tablesKey, root)
	if tables.Kind != yaml.Map || len(tables.Entries) == 0 {
		first.add(tablesKey, "as in: stays: {input: stays.csv, output: stays.parquet}",
			"tables must be a map from names to the keys of tables")
		return nil, asError(first.problems)
	}
	for i := range tables.Entries {
		// Each table has nodes of its own, since overrides change them.
		r, root := parse(path, text)
		e := root.Value(tablesKey).Entries[i]
		if e.Value.Kind != yaml.Map || e.Key.Text == "" {
			r.record(tablesKey, e.Key)
			r.add(tablesKey, "", "table %q must have a name, and be a map of the keys of a job",
				e.Key.Text)
			problems = append(problems, r.problems...)
			continue
		}
		m := withTop(e.Value, root)
		r.override(m, overrides)
		j, err := r.read(m)
		var wrong *Error
		if errors.As(err, &wrong) {
			problems = append(problems, wrong.Problems...)
		}
		t.Tables = append(t.Tables, Table{e.Key.Text, j})
	}
	first.override(root, overrides)
	f := fieldAt("max_unique")
	limit := root.Value(f.key)
	if limit == nil {
		limit = &yaml.Node{Text: f.tag.Get("default"), Quoted: true, From: originDefault}
	}
	first.decode(f, f.key, limit, reflect.ValueOf(first.Job).Elem())
	if err := asError(append(problems, first.problems...)); err != nil {
		return nil, err
	}
	t.MaxUnique = *first.MaxUnique
	return t, nil
}

// recordKey records the place of a key of a map.
func (r *reader) recordKey(key string, m *yaml.Node) {
	for _, e := range m.Entries {
		if e.Key.Text == key {
			r.record(key, e.Key)
		}
	}
}

// withTop returns the keys of a table, and those of the top that it lacks.
func withTop(table, top *yaml.Node) *yaml.Node {
	m := added(table, top)
	for i, e := range m.Entries {
		of := top.Value(e.Key.Text)
		if (e.Key.Text == "columns" || e.Key.Text == "taxonomies") && e.Value != of &&
			e.Value.Kind == yaml.Map && of != nil && of.Kind == yaml.Map {
			m.Entries[i].Value = added(e.Value, of)
		}
	}
	m.Entries = slices.DeleteFunc(m.Entries, func(e yaml.Entry) bool {
		return e.Key.Text == tablesKey && e.Value == top.Value(tablesKey)
	})
	return m
}

// added returns a map with the keys of another one that it lacks, first.
func added(to, from *yaml.Node) *yaml.Node {
	m := &yaml.Node{Kind: yaml.Map, Line: to.Line, Column: to.Column}
	for _, e := range from.Entries {
		if to.Value(e.Key.Text) == nil {
			m.Entries = append(m.Entries, e)
		}
	}
	m.Entries = append(m.Entries, to.Entries...)
	return m
}
