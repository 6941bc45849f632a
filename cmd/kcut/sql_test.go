package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// countedTables counts the rows of a CSV file by the statements of kcut sql count, and writes the
// counts as CSV files. It returns the flags that name the files.
func countedTables(t *testing.T, file string, statements []byte) (flags []string) {
	t.Helper()
	rows := readCSV(t, file)
	selected := regexp.MustCompile(`(?m)^SELECT (.*), CAST\(COUNT`)
	for i, match := range selected.FindAllSubmatch(statements, -1) {
		var at []int
		header := []string{}
		for _, name := range strings.Split(string(match[1]), ", ") {
			name = strings.Trim(name, `"`)
			header, at = append(header, name), append(at, slices.Index(rows[0], name))
		}
		records := make(map[string]int)
		for _, row := range rows[1:] {
			var values []string
			for _, column := range at {
				values = append(values, row[column])
			}
			records[strings.Join(values, "\x00")]++
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		if err := w.Write(append(header, "kcut_count")); err != nil {
			t.Fatal(err)
		}
		for values, n := range records {
			if err := w.Write(append(strings.Split(values, "\x00"), strconv.Itoa(n))); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		name := fmt.Sprintf("counts%d.csv", i+1)
		save(t, name, out.Bytes())
		flags = append(flags, "--input-counts", name)
	}
	return flags
}

func readCSV(t *testing.T, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A run of counts finds the cut of a run of the rows, for many jobs, with tables for every set or
// one table for all sets.
func TestInputCounts(t *testing.T) {
	demoFolder(t, "3000")
	kcutMust(t, "sample", "--rows", "3000", "people.csv", "--quiet")
	change(t, "people.yaml", "input: people.parquet", "input: people.csv")
	refused := false
	defer func() {
		if !refused {
			t.Error("in no table somebody is alone")
		}
	}()
	for _, tt := range []struct {
		name   string
		tables int
		change []string
		flags  []string
		into   bool // by the statement that makes one table
	}{
		{name: "sets", tables: 3},
		{name: "one statement", tables: 1, into: true},
		{name: "tds", tables: 3, flags: []string{"--algorithm", "tds"}},
		{name: "bottom-up", tables: 3, flags: []string{"--algorithm", "bottom-up"}},
		{name: "union", tables: 1, flags: []string{"--algorithm", "infogain-mondrian"}},
		{name: "kactus", tables: 1, flags: []string{"--algorithm", "kactus"}},
		{name: "redundant", tables: 3,
			change: []string{"  - {columns: [sex, native-country], k: 100}",
				"  - {columns: [sex, native-country], k: 100}\n  - {columns: [sex], k: 50}"}},
		{name: "few", tables: 3, flags: []string{"--memory", "64MiB"}},
		{name: "suppressed", tables: 1,
			change: []string{"\ncolumns:", "\nmax_suppressed: 5%\n\ncolumns:"}},
		{name: "sensitive", tables: 1,
			change: []string{"\ncolumns:", "\nsensitive:\n  - {column: income, l: 2}\n\ncolumns:"}},
		{name: "entity", tables: 1, change: []string{"\ncolumns:", "\nentity: id\n\ncolumns:"}},
		{name: "no class", tables: 3,
			change: []string{"class: income", "# none", "income:         keep",
				"income: {keep: {identifying: accepted}}"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was, err := os.ReadFile("people.yaml")
			if err != nil {
				t.Fatal(err)
			}
			defer save(t, "people.yaml", was)
			for pair := range slices.Chunk(tt.change, 2) {
				change(t, "people.yaml", pair[0], pair[1])
			}
			statement := []string{"sql", "count", "people.yaml", "--table", "people"}
			if tt.into {
				statement = append(statement, "--into", "counts")
			}
			count := kcutMust(t, append(statement, tt.flags...)...)
			if tt.into != bytes.HasPrefix(count, []byte("CREATE TABLE \"counts\" AS\n")) {
				t.Errorf("--into %v:\n%s", tt.into, count)
			}
			counts := countedTables(t, "people.csv", count)
			if len(counts) != 2*tt.tables {
				t.Errorf("%d tables, want %d:\n%s", len(counts)/2, tt.tables, count)
			}
			run := append([]string{"run", "people.yaml", "--quiet", "--overwrite"}, tt.flags...)
			kcutMust(t, append(run, "--output", "release.parquet")...)
			kcutMust(t, slices.Concat(run, counts, []string{"--output", "cut.json"})...)
			cut, err := os.ReadFile("cut.json")
			want := kcutMust(t, "show", "release.parquet", "--json")
			if tt.tables > 1 { // counts of sets do not have it
				want = regexp.MustCompile(`"union":{[^}]*},`).ReplaceAll(want, nil)
			}
			if err != nil || !bytes.Equal(cut, want) {
				t.Errorf("%v; got\n%s\nwant\n%s", err, cut, want)
			}
			alone := bytes.Contains(cut, []byte(`"union":`)) && !bytes.Contains(cut, []byte(`"union":{"unique":0,`))
			var output bytes.Buffer
			exit := execute(t.Context(),
				slices.Concat(run, counts,
					[]string{"--output", "other.json", "--max-unique", "0%"}),
				newUI(&output, &output, false))
			if (exit == 4) != alone || (exit == 0) == alone {
				t.Errorf("exit %d without anybody alone:\n%s", exit, output.Bytes())
			}
			refused = refused || alone
		})
	}
}

// Runs of counts refuse options that need rows.
func TestInputCountsRefused(t *testing.T) {
	demoFolder(t, "2000")
	kcutMust(t, "sample", "--rows", "2000", "people.csv", "--quiet")
	change(t, "people.yaml", "input: people.parquet", "input: people.csv")
	counts := countedTables(t, "people.csv",
		kcutMust(t, "sql", "count", "people.yaml", "--table", "people"))
	run := append([]string{"run", "people.yaml", "--quiet", "--output", "cut.json"}, counts...)
	kcutMust(t, run...)
	kcutMust(t, run...) // the release exists
	first, err := os.ReadFile("counts1.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(first), "\n")
	doubled := regexp.MustCompile(`,1\n`).ReplaceAllString(lines[1], ",2\n")
	other := strings.Join(append([]string{lines[0], doubled}, lines[2:]...), "")
	for _, tt := range []struct {
		name string
		args []string
		exit int
		says string
	}{
		{"another cut", append(run, "--k", "90"), 5, "it exists, and is another one"},
		{"no name of a cut", append(run, "--output", "release.parquet"), 2,
			"writes a cut, and no release"},
		{"a set without a table",
			[]string{"run", "people.yaml", "--output", "x.json", "--input-counts", "counts1.csv",
				"--input-counts", "counts3.csv"}, 3, "it lacks education"},
		{"other rows",
			[]string{"run", "people.yaml", "--output", "x.json", "--input-counts", "other.csv",
				"--input-counts", "counts2.csv", "--input-counts", "counts3.csv"}, 3,
			"they count 2001 and 2000 records"},
		{"other values",
			[]string{"run", "people.yaml", "--output", "x.json", "--input-counts", "moved.csv",
				"--input-counts", "counts2.csv", "--input-counts", "counts3.csv"}, 3,
			"they have other values, or counts, in column"},
		{"no rows to mask",
			[]string{"apply", "rows.yaml", "--cut", "cut.json", "--output", "x.parquet",
				"--input-counts", "counts1.csv"}, 2, "the job has counts of them alone"},
		{"no table", []string{"sql", "count", "people.yaml"}, 2, "--table is missing"},
		{"no new table", []string{"sql", "mask", "people.yaml", "--cut", "cut.json",
			"--table", "x"}, 2, "--into or --select is missing"},
		{"a new table of a query", []string{"sql", "mask", "people.yaml", "--cut", "cut.json",
			"--table", "x", "--select", "--into", "y"}, 2, "--into is of no use"},
		{"a query", []string{"sql", "mask", "people.yaml", "--cut", "cut.json", "--table", "x",
			"--select"}, 0, "SELECT\n"},
		{"no folder", []string{"sql", "dbt", "people.yaml", "--cut", "cut.json"}, 2,
			"--output is missing"},
		{"no name of a package", []string{"sql", "dbt", "-o", "a-b"}, 2, `"a-b" is no name`},
		{"a package", []string{"sql", "dbt", "people.yaml", "-o", "kcut_people"}, 0, ""},
		{"a package again", []string{"sql", "dbt", "people.yaml", "-o", "kcut_people"}, 5,
			"kcut_people: file exists"},
		{"a package over it", []string{"sql", "dbt", "people.yaml", "-o", "kcut_people",
			"--cut", "cut.json", "--overwrite"}, 0, ""},
		{"no statement", []string{"sql", "delete"}, 2, "delete"},
		{"no dialect",
			[]string{"sql", "count", "people.yaml", "--table", "x", "--dialect", "mysql"}, 2,
			"not mysql"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			save(t, "other.csv", []byte(other))
			moved := strings.ReplaceAll(string(first), ",Female,", ",Male,")
			save(t, "moved.csv", []byte(moved))
			text, err := os.ReadFile("people.yaml")
			if err != nil {
				t.Fatal(err)
			}
			save(t, "rows.yaml", bytes.Replace(text, []byte("input: people.csv\n"), nil, 1))
			var output bytes.Buffer
			exit := execute(t.Context(), tt.args, newUI(&output, &output, false))
			if exit != tt.exit || !strings.Contains(output.String(), tt.says) {
				t.Errorf("exit %d, want %d and %s:\n%s", exit, tt.exit, tt.says, output.Bytes())
			}
		})
	}
}

// kcut verify compares files of another engine with the cut that masked them, and has more findings
// than for a release.
func TestVerifyOthersFiles(t *testing.T) {
	demoFolder(t, "2000")
	kcutMust(t, "run", "people.yaml", "--quiet")
	cut := kcutMust(t, "show", "release.parquet", "--json")
	save(t, "cut.json", cut)
	save(t, "other.json", bytes.Replace(cut, []byte(`"cut":["`), []byte(`"cut":["Other `), 1))
	kcutMust(t, "run", "people.yaml", "--order", "input", "--output", "input.parquet", "--quiet")
	for _, tt := range []struct {
		args string
		exit int
	}{
		{"verify release.parquet --cut cut.json", 0},
		{"verify release.parquet --cut other.json", 4},
		{"verify input.parquet --cut cut.json", 4}, // for the order of its rows
		{"verify input.parquet", 0},
		{"verify people.parquet --cut cut.json", 4},
		{"restamp people.parquet --cut cut.json --output x.parquet", 2},
	} {
		var output bytes.Buffer
		exit := execute(t.Context(), append(strings.Fields(tt.args), "--quiet"),
			newUI(&output, &output, false))
		if exit != tt.exit {
			t.Errorf("%s: exit %d, want %d:\n%s", tt.args, exit, tt.exit, output.Bytes())
		}
	}
}

// engines runs the program of testdata/sql in the Python of make test-sql.
func engines(t *testing.T, args ...string) []byte {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Getenv("KCUT_SQL"),
		append([]string{filepath.Join(os.Getenv("KCUT_SQL_PROGRAMS"), "engines.py")}, args...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", args[0], err, out, said.Bytes())
	}
	return out
}

// TestSQL makes engines count and mask a table of many types, with odd names and values, by the
// statements of kcut. It compares the result with the output of kcut apply. Statements for engines
// that are not installed are parsed in their dialect and translated to DuckDB's.
func TestSQL(t *testing.T) {
	if os.Getenv("KCUT_SQL") == "" {
		t.Skip("make test-sql names a Python with engines")
	}
	programs, err := filepath.Abs(filepath.Join("testdata", "sql"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KCUT_SQL_PROGRAMS", programs)
	demoFolder(t, cmp.Or(os.Getenv("KCUT_SQL_ROWS"), "20000"))
	job, err := os.ReadFile(filepath.Join(programs, "types.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	save(t, "odd.yaml", job)
	all := strings.Replace(string(job), "\ncolumns:\n", `  - {columns: [clock, u8], k: 20}
  - {columns: [u64], k: 20}
  - {columns: [nano], k: 20}
  - {columns: [bytes], k: 20}

columns:
  clock: {mask: discretize, render: interval}
  u8:    discretize
  u64:   discretize
  nano:  {mask: discretize, render: bounds}
  bytes: suppress
`, 1)
	save(t, "all.yaml",
		[]byte(strings.Replace(all, "\n\n  - {columns: [clock", "\n  - {columns: [clock", 1)))
	halfless := bytes.Replace(bytes.Replace(job, []byte("[wide price, half]"),
		[]byte("[wide price]"), 1), []byte("half:        suppress"), []byte("half:        drop"), 1)
	save(t, "halfless.yaml", halfless) // without numbers of single precision
	plain := strings.NewReplacer(`'say "hi"'`, "say hi", "back`tick", "backtick", "semi;colon", "semicolon", "at.time", "attime", "yes?", "yes")
	save(t, "plain.yaml", []byte(plain.Replace(string(halfless))))
	for _, name := range []string{"odd", "all", "plain"} {
		engines(t, "table", name+".parquet")
	}
	for _, tt := range []struct{ dialect, job, file string }{
		{"duckdb", "people", "people"}, {"duckdb", "all", "all"}, {"spark", "people", "people"},
		{"spark", "odd", "odd"},
		{"trino", "odd", "odd"}, {"bigquery", "plain", "plain"}, {"snowflake", "halfless", "odd"},
		{"postgres", "odd", "odd"},
	} {
		t.Run(tt.dialect+" "+tt.job, func(t *testing.T) {
			checkRoundTrip(t, tt.dialect, tt.job+".yaml", tt.file+".parquet")
		})
	}
}

// TestDBT writes a package of dbt for a job that is in the meta of a model, and has dbt with DuckDB
// count, mask and recount: the masked model holds, a part of it does not.
func TestDBT(t *testing.T) {
	if os.Getenv("KCUT_DBT") == "" {
		t.Skip("make test-dbt names a folder of programs with dbt")
	}
	project, err := filepath.Abs(filepath.Join("testdata", "dbt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(project)); err != nil {
		t.Fatal(err)
	}
	kcutMust(t, "sample", "--rows", "20000", "people.parquet", "--quiet")
	dbt := func(args ...string) (string, error) {
		program := filepath.Join(os.Getenv("KCUT_DBT"), "dbt")
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "DBT_SEND_ANONYMOUS_USAGE_STATS=false", "DO_NOT_TRACK=1",
			"NO_COLOR=1")
		out, err := cmd.Output()
		return string(out), err
	}
	must := func(args ...string) string {
		out, err := dbt(args...)
		if err != nil {
			t.Fatalf("dbt %v: %v\n%s", args, err, out)
		}
		return out
	}
	kcutMust(t, "sql", "dbt", "-o", "kcut_people")
	must("deps")
	job := must("--quiet", "run-operation", "kcut_people.job", "--args", "{name: people}")
	save(t, "people.yaml", []byte(job))
	kcutMust(t, "sql", "dbt", "people.yaml", "-o", "kcut_people", "--overwrite")
	save(t, "models/counts.sql", []byte("{{ config(materialized='external', "+
		"location='counts.parquet') }}\n{{ kcut_people.counts(ref('people')) }}\n"))
	must("run")
	kcutMust(t, "run", "people.yaml", "--quiet")
	kcutMust(t, "sql", "dbt", "people.yaml", "--cut", "cut.json", "-o", "kcut_people",
		"--overwrite")
	save(t, "models/masked.sql", []byte("{{ config(materialized='external', "+
		"location='masked.parquet') }}\n{{ kcut_people.mask(ref('people')) }}\n"))
	save(t, "models/few.sql", []byte("SELECT * FROM {{ ref('masked') }} LIMIT 15\n"))
	save(t, "models/recount.yml", []byte("models:\n"+
		"  - {name: masked, data_tests: [kcut_people.holds]}\n"+
		"  - {name: few, data_tests: [kcut_people.holds]}\n"))
	out, err := dbt("build")
	for _, says := range []string{"PASS kcut_people_holds_masked", "FAIL 2 kcut_people_holds_few",
		"PASS=5 WARN=0 ERROR=1 SKIP=0"} {
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("no %s: %v\n%s", says, err, out)
		}
	}
	kcutMust(t, "check", "masked.parquet", "--columns", "birth-date,sex,zip", "--k", "20",
		"--quiet")
}

// checkRoundTrip makes an engine, or DuckDB in its place, count a file, makes a run search the
// counts, and makes the engine mask and recount the file.
func checkRoundTrip(t *testing.T, dialect, job, file string) {
	folder := t.TempDir()
	run := func(name string, statements []byte) {
		path, engine := filepath.Join(folder, name), dialect
		save(t, path, statements)
		if dialect != "duckdb" && dialect != "spark" {
			engine = "transpiled"
			save(t, path, engines(t, "transpile", dialect, path))
		}
		engines(t, "run", engine, file, path,
			filepath.Join(folder, strings.TrimSuffix(name, ".sql")))
	}
	statements := kcutMust(t, "sql", "count", job, "--dialect", dialect, "--table", "people")
	run("count.sql", statements)
	var counts []string
	for i := range bytes.Count(statements, []byte("\nGROUP BY ")) {
		counts = append(counts, "--input-counts",
			filepath.Join(folder, "count", fmt.Sprintf("%d.parquet", i+1)))
	}
	cut, release := filepath.Join(folder, "cut.json"), filepath.Join(folder, "release.parquet")
	kcutMust(t, append([]string{"run", job, "--output", cut, "--quiet"}, counts...)...)
	run("mask.sql",
		kcutMust(t,
			append([]string{"sql", "mask", job, "--cut", cut, "--dialect", dialect, "--table",
				"people", "--into", "masked"}, counts...)...))
	masked := filepath.Join(folder, "mask", "masked.parquet")
	kcutMust(t, "apply", job, "--input", file, "--cut", cut, "--output", release, "--quiet")
	t.Logf("%s", engines(t, "same", masked, release))

	recount := string(kcutMust(t, "sql", "verify", "--cut", cut, "--dialect", dialect, "--table",
		"people"))
	recount = regexp.MustCompile(`(?m)^-- .*\n`).ReplaceAllString(recount, "")
	save(t, filepath.Join(folder, "verify.sql"), []byte(recount))
	if dialect != "duckdb" && dialect != "spark" {
		save(t, filepath.Join(folder, "verify.sql"),
			engines(t, "transpile", dialect, filepath.Join(folder, "verify.sql")))
		dialect = "transpiled"
	}
	engines(t, "run", dialect, masked, filepath.Join(folder, "verify.sql"),
		filepath.Join(folder, "verify"))
	engines(t, "holds", filepath.Join(folder, "verify"))
}
