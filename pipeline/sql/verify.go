package sql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// Verify writes the statements that recount a masked table: a row for every quasi-identifier set,
// which holds if none of its classes is below k; a row for every column of labels, with the number
// of rows whose label the cut does not have; and for sensitive columns the smallest number of
// different values in a class.
func Verify(d *Dialect, cut *cutfile.File, of Table) (string, error) {
	v, err := recount(d, cut, of)
	if err != nil {
		return "", err
	}
	var w strings.Builder
	w.WriteString("-- every set holds if below_k is 0\n" + union(v.sets))
	if len(v.labels) > 0 {
		w.WriteString("\n-- labels are the cut's if other_rows is 0\n" + union(v.labels))
	}
	if len(v.sensitive) > 0 {
		w.WriteString("\n-- l holds if least_l is no smaller\n" + union(v.sensitive))
	}
	for _, note := range v.notes() {
		w.WriteString("\n-- " + note + "\n")
	}
	return w.String(), nil
}

// recount writes the queries about a masked table.
func recount(d *Dialect, cut *cutfile.File, of Table) (*verifying, error) {
	v := &verifying{Dialect: d, cut: cut, of: d.table(of)}
	for i := range cut.Columns {
		if err := d.checkNames(cut.Columns[i].Name); err != nil {
			return nil, err
		}
	}
	for _, s := range cut.Sensitive {
		if err := d.checkNames(s.Column); err != nil {
			return nil, err
		}
	}
	for i := range cut.Sets {
		if err := v.check(&cut.Sets[i]); err != nil {
			return nil, err
		}
		v.sets = append(v.sets, v.set(i))
		for _, s := range cut.Sensitive {
			if s.L > 0 {
				v.sensitive = append(v.sensitive, v.values(i, s))
			}
		}
	}
	for i := range cut.Columns {
		if cut.Columns[i].Render != "" {
			continue
		}
		column, err := v.labelsOf(&cut.Columns[i])
		if err != nil {
			return nil, refuse(d, "column "+cut.Columns[i].Name, err)
		}
		v.labels = append(v.labels, column)
	}
	return v, nil
}

// failures writes the query for what does not hold: a row for each set, each column of labels and
// each sensitive column, with a number.
func (v *verifying) failures() string {
	var all []string
	for _, part := range []struct {
		queries           []string
		what, found, fail string
	}{
		{v.sets, "set", "below_k", "%s > 0"},
		{v.labels, "released", "other_rows", "%s > 0"},
		{v.sensitive, "sensitive", "least_l", "%s < " + v.name("l")},
	} {
		if len(part.queries) > 0 {
			found := v.name(part.found)
			all = append(all, fmt.Sprintf(
				"SELECT %s AS %s, CAST(%s AS %s) AS %s, %s AS %s\nFROM (\n%s\n) AS %s\nWHERE %s",
				v.text(part.found), v.name("failed"), v.name(part.what), v.types["string"],
				v.name("of"), found, v.name("found"), strings.Join(part.queries, "\nUNION ALL\n"),
				v.name("kcut_"+part.found), fmt.Sprintf(part.fail, found)))
		}
	}
	return strings.Join(all, "\nUNION ALL\n") + "\n"
}

// union joins queries to a statement.
func union(queries []string) string { return strings.Join(queries, "\nUNION ALL\n") + ";\n" }

// verifying writes queries about a masked table.
type verifying struct {
	*Dialect
	cut *cutfile.File
	of  string

	sets, labels, sensitive []string // queries
}

// check refuses a set with a column by which the dialect cannot group.
func (v *verifying) check(set *cutfile.Set) error {
	for i := range v.cut.Columns {
		if c := &v.cut.Columns[i]; c.Render == job.RenderInterval &&
			slices.Contains(set.Columns, c.Name) && (v.structs == "" || v.Name == "bigquery") {
			return refuse(v.Dialect, "column "+c.Name,
				errors.New("rows are not grouped by structs there"))
		}
	}
	return nil
}

// released writes the released columns of a set.
func (v *verifying) released(set *cutfile.Set) string {
	var names []string
	for _, name := range set.Columns {
		for _, released := range v.cut.Columns[v.cut.Columns.Position(name)].Released() {
			names = append(names, v.name(released))
		}
	}
	return strings.Join(names, ", ")
}

// set writes the query that counts a set.
func (v *verifying) set(i int) string {
	set, big := &v.cut.Sets[i], v.types["int64"]
	return fmt.Sprintf(
		`SELECT %[1]d AS %[2]s, %[3]d AS %[4]s, CAST(SUM(%[5]s) AS %[6]s) AS %[7]s, COUNT(*) AS %[8]s, MIN(%[5]s) AS %[9]s,
  CAST(SUM(CASE WHEN %[5]s < %[3]d THEN 1 ELSE 0 END) AS %[6]s) AS %[10]s
FROM (SELECT COUNT(*) AS %[5]s FROM %[11]s GROUP BY %[12]s) AS %[13]s`,
		i+1, v.name("set"), set.K, v.name("k"), v.name("records"), big, v.name("all_rows"),
		v.name("classes"), v.name("anonymity"), v.name("below_k"),
		v.of, v.released(set), v.name("kcut_classes"))
}

// labelsOf writes the query that counts the labels of a column that the cut does not have.
func (v *verifying) labelsOf(c *cutfile.Column) (string, error) {
	var labels []string
	texts, hasNull := c.Texts()
	null := "1"
	if hasNull {
		null = "0"
	}
	if c.Suppressed != "" {
		texts = append(texts, c.Suppressed)
	}
	for _, text := range texts {
		label, err := v.label(text)
		if err != nil {
			return "", err
		}
		labels = append(labels, label)
	}
	if len(labels) == 0 {
		labels = []string{"NULL"}
	}
	x := v.name(c.Name)
	return fmt.Sprintf("SELECT %s AS %s, CAST(SUM(CASE WHEN %s IS NULL THEN %s WHEN %[3]s IN "+
		"(%[5]s) THEN 0 ELSE 1 END) AS %s) AS %s\nFROM %s",
		v.text(c.Name), v.name("released"), x, null, strings.Join(labels, ", "), v.types["int64"],
		v.name("other_rows"), v.of), nil
}

// values writes the query for the smallest number of different values of a sensitive column in a
// class.
func (v *verifying) values(i int, s cutfile.Sensitive) string {
	x := v.name(s.Column)
	different := fmt.Sprintf("COUNT(DISTINCT %s)", x)
	if s.Nulls == job.NullsCount {
		different += fmt.Sprintf(" + MAX(CASE WHEN %s IS NULL THEN 1 ELSE 0 END)", x)
	}
	return fmt.Sprintf(`SELECT %d AS %s, %s AS %s, %d AS %s, MIN(%[7]s) AS %[8]s
FROM (SELECT %[9]s AS %[7]s FROM %[10]s GROUP BY %[11]s) AS %[12]s`,
		i+1, v.name("set"), v.text(s.Column), v.name("sensitive"), s.L, v.name("l"),
		v.name("different"), v.name("least_l"),
		different, v.of, v.released(&v.cut.Sets[i]), v.name("kcut_classes"))
}

// notes list the checks that no statement here makes.
func (v *verifying) notes() (notes []string) {
	if v.cut.Entity {
		notes = append(notes, "k counts entities, and whose a row is is not in the table: rows "+
			"are counted")
	}
	if v.cut.MaxAverageRisk > 0 {
		notes = append(notes, "the average risk is recounted by kcut verify, from the files")
	}
	isOther := func(l engine.Limit) bool { return l.Measure != engine.DistinctL }
	if slices.ContainsFunc(v.cut.Sensitive, func(s cutfile.Sensitive) bool {
		return slices.ContainsFunc(s.Limits(), isOther)
	}) {
		notes = append(notes, "of sensitive columns all measures but l are recounted by kcut "+
			"verify, from the files")
	}
	if slices.ContainsFunc(v.cut.Sets, func(s cutfile.Set) bool {
		return s.OfPopulation().Asked()
	}) {
		notes = append(notes, "k_map and presence are recounted by kcut verify --job, from the "+
			"files and the population")
	}
	if slices.ContainsFunc(v.cut.Columns, func(c cutfile.Column) bool { return c.Render != "" }) {
		notes = append(notes, "columns that are released as numbers are held against the cut by "+
			"kcut verify, from the files")
	}
	return notes
}
