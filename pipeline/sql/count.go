package sql

import (
	"fmt"
	"slices"
	"strings"
)

// Count writes the statements that count the rows of a table by every combination of values of some
// columns, one statement for each list of columns. The numbers are a last column with the given
// name.
func Count(d *Dialect, from Table, groupings [][]string, count string) (string, error) {
	var w strings.Builder
	for i, columns := range groupings {
		query, err := counting(d, from, columns, count)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&w, "-- table of counts %d of %d\n%s;\n", i+1, len(groupings), query)
		if i < len(groupings)-1 {
			w.WriteByte('\n')
		}
	}
	return w.String(), nil
}

// CountInto writes the statement that makes a table of counts by all columns of all lists.
func CountInto(d *Dialect, from, into Table, groupings [][]string, count string) (string, error) {
	query, err := counting(d, from, together(groupings), count)
	if err != nil {
		return "", err
	}
	return d.creating(into) + query + ";\n", nil
}

// together returns the columns of all lists, each once.
func together(groupings [][]string) (columns []string) {
	for _, list := range groupings {
		for _, column := range list {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}

// creating writes the start of a statement that makes a table of a query.
func (d *Dialect) creating(into Table) string {
	return fmt.Sprintf("CREATE TABLE %s %sAS\n", d.table(into), d.create)
}

// counting writes the query that counts a table by some columns.
func counting(d *Dialect, from Table, columns []string, count string) (string, error) {
	if err := d.checkNames(columns...); err != nil {
		return "", err
	}
	names := make([]string, len(columns))
	for c, column := range columns {
		names[c] = d.name(column)
	}
	return fmt.Sprintf("SELECT %s, CAST(COUNT(*) AS %s) AS %s\nFROM %s\nGROUP BY %[1]s",
		strings.Join(names, ", "), d.types["int64"], d.name(count), d.table(from)), nil
}
