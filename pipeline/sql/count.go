package sql

import (
	"fmt"
	"strings"
)

// Count writes the statements that count the rows of a table by every combination of values of some
// columns, one statement for each list of columns. The numbers are a last column with the given
// name.
func Count(d *Dialect, from Table, groupings [][]string, count string) (string, error) {
	var w strings.Builder
	for i, columns := range groupings {
		if err := d.checkNames(columns...); err != nil {
			return "", err
		}
		names := make([]string, len(columns))
		for c, column := range columns {
			names[c] = d.name(column)
		}
		list := strings.Join(names, ", ")
		fmt.Fprintf(&w, "-- table of counts %d of %d\nSELECT %s, CAST(COUNT(*) AS %s) AS "+
			"%s\nFROM %s\nGROUP BY %[3]s;\n",
			i+1, len(groupings), list, d.types["int64"], d.name(count), d.table(from))
		if i < len(groupings)-1 {
			w.WriteByte('\n')
		}
	}
	return w.String(), nil
}
