package bench

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// duckDB is a program that executes SQL given as its last argument.
type duckDB []string

// findDuckDB returns nil if there is none.
func findDuckDB() duckDB {
	if exec.Command("python3", "-c", "import duckdb").Run() == nil {
		return duckDB{"python3", "-c", duckDBProgram}
	}
	if path, err := exec.LookPath("duckdb"); err == nil {
		return duckDB{path, "-batch", "-c"}
	}
	return nil
}

// duckDBProgram executes statements and prints their measure, without the start of Python and of
// DuckDB.
const duckDBProgram = `
import duckdb, json, resource, sys, time
c = duckdb.connect()
def used():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime, time.time()
cpu, wall = used()
for statement in sys.argv[1].split(";"):
    c.execute(statement)
now, end = used()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"Stage": "all", "CPU": now - cpu, "Wall": end - wall, "Peak": peak}))
`

// run measures SQL: by the program's own output, or else by its whole process.
func (d duckDB) run(tb testing.TB, sql string) []measure {
	tb.Helper()
	command := exec.CommandContext(tb.Context(), d[0], append(d[1:len(d):len(d)], sql)...)
	began := time.Now()
	out, err := command.Output()
	if err != nil {
		tb.Fatalf("%v: %s", err, sql)
	}
	all := measure{
		Stage: "all", Wall: time.Since(began).Seconds(),
		CPU: (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds(),
	}
	if err := json.Unmarshal(out, &all); err != nil && d[0] == "python3" {
		tb.Fatal(err)
	}
	return []measure{all}
}

// duckDBStatements count the combinations of masked columns and the class, and write the columns
// with the masked ones recoded, in the order of the input or of all released columns.
func duckDBStatements(in, out string, columns, masked []string, values [][]string, class,
	order string) string {
	list := func(names []string) string {
		var quoted []string
		for _, name := range names {
			quoted = append(quoted, fmt.Sprintf("%q", name))
		}
		return strings.Join(quoted, ", ")
	}
	var labels []string
	for i, name := range masked {
		labels = append(labels, fmt.Sprintf("%s as %q", duckDBCase(name, values[i]), name))
	}
	by := map[string]string{"input": "", "released": " order by all"}[order]
	return strings.Join([]string{
		"set threads = 2; set enable_progress_bar = false",
		fmt.Sprintf("create temp table groups as select %s, %q, count(*) from '%s' group by all",
			list(masked), class, in),
		fmt.Sprintf("copy (select * replace (%s) from (select %s from '%s')%s) to '%s' (format "+
			"parquet, compression zstd)",
			strings.Join(labels, ", "), list(columns), in, by, out),
	}, ";")
}

// duckDBCase returns the interval of a number, or one of two labels for texts.
func duckDBCase(column string, values []string) string {
	var text strings.Builder
	if column == "age" {
		fmt.Fprintf(&text, "case when %s is null then null", column)
		for edge := 20; edge <= 65; edge += 5 {
			fmt.Fprintf(&text, " when %s < %d then '(,%d)'", column, edge, edge)
		}
		return text.String() + " else '[65,)' end"
	}
	lists := make(map[string][]string)
	for value, label := range halves(values) {
		lists[label] = append(lists[label], "'"+value+"'")
	}
	text.WriteString("case")
	for _, label := range []string{"lower", "upper"} {
		fmt.Fprintf(&text, " when %q in (%s) then '%s'", column, strings.Join(lists[label], ", "),
			label)
	}
	return text.String() + " else '*' end"
}
