package sql_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/sql"
)

var update = flag.Bool("update", false, "rewrite golden files")

const people = `
input: people.parquet
output: cut.json
class: income
quasi_identifiers:
  - {columns: ["it's", age, born, zip, tree, code, paid, wage], k: 2}
columns:
  "it's":  suppress
  age:     {mask: discretize, bounds: [0, 99], render: bounds}
  born:    {mask: generalize, taxonomy: {date: [month, year, decade]}}
  zip:     {mask: generalize, taxonomy: {prefix: [3, 1]}}
  tree:    {mask: generalize, taxonomy: {All: {"l\\eft": ["a'b", c], right: [d]}}}
  code:    {mask: generalize, unknown: root, taxonomy: {All: {low: ["1", "2", "02"], high: ["30"]}}}
  paid:    {mask: generalize, taxonomy: {ranges: [0, 9.5]}}
  wage:    discretize
  name:    drop
  city:    keep
  income:  keep
`

const cutOfPeople = `{"version":1,"algorithm":"tdr","class":"income","rows":9,
"quasi_identifiers":[{"columns":["it's","age","born","zip","tree","code","paid","wage"],"k":2,"anonymity":2}],
"columns":{
"it's":{"mask":"suppress","cut":["","a\"b","c\\d'",null],"suppressed":"*"},
"age":{"mask":"discretize","render":"bounds","cut":[{"label":"[0,10)","lower":0,"upper":10},{"label":"[10,99]","lower":10,"upper":99},null]},
"born":{"mask":"generalize","cut":["1990s","2000-01","2000-02","2000-05-03","2001"]},
"zip":{"mask":"generalize","cut":["0*","123*","124*","77"]},
"tree":{"mask":"generalize","cut":["l\\eft","d"]},
"code":{"mask":"generalize","cut":["1","2","02","high","99"]},
"paid":{"mask":"generalize","cut":["(,0)","1.50","[9.5,)"]},
"wage":{"mask":"discretize","cut":[{"label":"(,0)","upper":0},{"label":"[0,1.5)","lower":0,"upper":1.5},{"label":"[1.5,2)","lower":1.5,"upper":2},{"label":"[2,3)","lower":2,"upper":3},{"label":"[3,)","lower":3},null]}},
"steps":9}`

// types are those of the masked columns of people.
var types = map[string]formats.Type{
	"it's": {Kind: formats.String}, "age": {Kind: formats.Int, Bits: 32},
	"born": {Kind: formats.Date}, "zip": {Kind: formats.String},
	"tree": {Kind: formats.String}, "code": {Kind: formats.Int, Bits: 64},
	"paid": {Kind: formats.Decimal, Precision: 9, Scale: 2},
	"wage": {Kind: formats.Float, Bits: 64},
}

// masked binds a cut to a job whose columns have the types.
func masked(t *testing.T, text, cut string, types map[string]formats.Type) *sql.Masked {
	t.Helper()
	j, err := job.Parse("people.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := j.LoadTaxonomies()
	if err != nil {
		t.Fatal(err)
	}
	m := &sql.Masked{Job: j, From: sql.Table{"census", "people"}, Into: sql.Table{"masked"}}
	file, err := cutfile.Parse([]byte(cut))
	if err != nil {
		t.Fatal(err)
	}
	m.Cut = &domain.Cut{File: file}
	var columns []*domain.CutColumn
	for _, c := range m.Cut.Columns {
		columns = append(columns, &domain.CutColumn{
			Spec: j.Column(c.Name), Type: types[c.Name], Taxonomy: trees[c.Name],
		})
	}
	if err := m.Cut.Bind(j, columns); err != nil {
		t.Fatal(err)
	}
	return m
}

func dialect(t *testing.T, name string) *sql.Dialect {
	t.Helper()
	d, err := sql.DialectOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// testdata has the statements of every dialect for a small job. Make test-sql runs such statements.
func TestStatements(t *testing.T) {
	for _, name := range sql.Dialects() {
		t.Run(name, func(t *testing.T) {
			text := people
			if name == "bigquery" {
				text = strings.ReplaceAll(text, "it's", "it s")
			}
			cut, of := strings.ReplaceAll(cutOfPeople, "it's", "it s"),
				map[string]formats.Type{"it s": {Kind: formats.String}}
			if name != "bigquery" {
				cut = cutOfPeople
			}
			for column, typ := range types {
				of[column] = typ
			}
			m, d := masked(t, text, cut, of), dialect(t, name)
			mask, err := sql.Mask(d, m)
			if err != nil {
				t.Fatal(err)
			}
			verify, err := sql.Verify(d, m.Cut.File, m.Into)
			if err != nil {
				t.Fatal(err)
			}
			counted := []string{"born", `a"b`, "c`d"}
			if name == "bigquery" {
				counted = counted[:1]
			}
			count, err := sql.Count(d, m.From, [][]string{counted, {"zip"}}, "kcut_count")
			if err != nil {
				t.Fatal(err)
			}
			got := count + "\n" + mask + "\n" + verify
			golden := filepath.Join("testdata", name+".sql")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != got {
				t.Errorf("%v; %s differs from\n%s", err, golden, got)
			}
		})
	}
}

// TestNaNBelowRanges: NaN is null, as in a search.
func TestNaNBelowRanges(t *testing.T) {
	const job = `
input: people.parquet
output: cut.json
quasi_identifiers: [{columns: [x], k: 2}]
columns: {x: {mask: generalize, taxonomy: {ranges: [18]}}}
`
	const cut = `{"version":1,"algorithm":"tdr","rows":9,"quasi_identifiers":[{"columns":["x"],"k":2,"anonymity":2}],
"columns":{"x":{"mask":"generalize","cut":["(,18)","[18,)",null]}},"steps":1}`
	float := map[string]formats.Type{"x": {Kind: formats.Float, Bits: 64}}
	text, err := sql.Mask(dialect(t, "duckdb"), masked(t, job, cut, float))
	if err != nil || !strings.Contains(text, "IS NULL OR isnan(") {
		t.Errorf("got %v\n%s", err, text)
	}
}

// What a dialect cannot express is refused.
func TestRefusals(t *testing.T) {
	typed := func(column string, typ formats.Type) map[string]formats.Type {
		of := make(map[string]formats.Type)
		for name, typ := range types {
			of[name] = typ
		}
		of[column] = typ
		return of
	}
	const one = `
input: people.parquet
output: cut.json
quasi_identifiers: [{columns: [x], k: 2}]
columns: {x: MASK}
`
	const start = `{"version":1,"algorithm":"tdr","rows":9,"quasi_identifiers":[{"columns":["x"],"k":2,"anonymity":2}],"columns":{"x":`
	instant := formats.Type{Kind: formats.Timestamp, Unit: formats.Nano, Zone: "UTC"}
	for _, tt := range []struct {
		name, dialect, job, cut string
		types                   map[string]formats.Type
		says                    string
	}{
		{"regions", "duckdb", people, strings.Replace(strings.Replace(cutOfPeople, `"steps"`,
			`"regions":[[0,0,0,0,0,0,0,0]],"steps"`, 1), `"version":1`,
			`"version":1,"kind":"regions"`, 1), types, "a cut of regions"},
		{"suppressed", "duckdb", people,
			strings.Replace(cutOfPeople, `"steps":9`, `"steps":9,"suppressed":3`, 1), types,
			"suppresses records"},
		{"dropped", "duckdb", people, strings.Replace(cutOfPeople, `"steps":9`,
			`"steps":9,"dropped":3`, 1), types, "suppresses records"},
		{"unlisted", "duckdb", people + "unlisted: keep\n", cutOfPeople, types, "unlisted: keep"},
		{"half", "duckdb", people, cutOfPeople,
			typed("wage", formats.Type{Kind: formats.Float, Bits: 16}), "column wage"},
		{"single precision", "bigquery", strings.ReplaceAll(people, "it's", "its"),
			strings.ReplaceAll(cutOfPeople, "it's", "its"),
			typed("wage", formats.Type{Kind: formats.Float, Bits: 32}), "column wage in SQL of " +
				"bigquery: bigquery has no type for float32"},
		{"name", "bigquery", strings.ReplaceAll(people, "city", "city.name"), cutOfPeople, types,
			"city.name"},
		{"prefix of a date", "duckdb", people, cutOfPeople,
			typed("zip", formats.Type{Kind: formats.Date}), "column zip"},
		{"period of a text", "duckdb", people, cutOfPeople,
			typed("born", formats.Type{Kind: formats.String}), "column born"},
		{"range of a text", "duckdb", people, cutOfPeople,
			typed("paid", formats.Type{Kind: formats.String}), "column paid"},
		{"month first", "duckdb", strings.Replace(one, "MASK",
			"{mask: generalize, taxonomy: {us_date: [year]}}", 1),
			start + `{"mask":"generalize","cut":["1990"]}},"steps":1}`,
			map[string]formats.Type{"x": {Kind: formats.String}}, "column x"},
		{"spelling", "duckdb", strings.Replace(one, "MASK",
			"{mask: generalize, taxonomy: {spelling: [case]}}", 1),
			start + `{"mask":"generalize","cut":["yes"]}},"steps":1}`,
			map[string]formats.Type{"x": {Kind: formats.String}}, "column x"},
		{"time", "spark", strings.Replace(one, "MASK", "discretize", 1),
			start +
				`{"mask":"discretize","cut":[{"label":"(,10:00:00)","upper":"10:00:00"},{"label":"[10:00:00,)","lower":"10:00:00"}]}},"steps":1}`,
			map[string]formats.Type{"x": {Kind: formats.Time, Unit: formats.Micro}}, "column x"},
		{"nanoseconds", "duckdb", strings.Replace(one, "MASK", "discretize", 1),
			start + `{"mask":"discretize","cut":[{"label":"(,)"}]}},"steps":0}`,
			map[string]formats.Type{"x": instant}, "column x"},
		{"year 0", "trino", strings.Replace(one, "MASK", "suppress", 1),
			start + `{"mask":"suppress","cut":["0000-01-01"],"suppressed":"*"}},"steps":1}`,
			map[string]formats.Type{"x": {Kind: formats.Date}}, "beyond the years"},
		{"structs", "postgres", strings.Replace(one, "MASK", "{mask: discretize, render: interval}",
			1),
			start + `{"mask":"discretize","render":"interval","cut":[{"label":"(,)"}]}},"steps":0}`,
			map[string]formats.Type{"x": {Kind: formats.Date}}, "structs"},
		{"another NaN", "duckdb", strings.Replace(one, "MASK", "suppress", 1),
			start +
				`{"mask":"suppress","cut":["NaN:7ff8000000000001"],"suppressed":"*"}},"steps":1}`,
			map[string]formats.Type{"x": {Kind: formats.Float, Bits: 64}}, ""},
		{"no text", "duckdb", strings.Replace(one, "MASK", "suppress", 1),
			start + `{"mask":"suppress","cut":["a\u0000b"],"suppressed":"*"}},"steps":1}`,
			map[string]formats.Type{"x": {Kind: formats.String}}, "column x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := sql.Mask(dialect(t, tt.dialect), masked(t, tt.job, tt.cut, tt.types))
			if tt.says == "" { // no value has the text: a search has only one NaN
				if err != nil || strings.Contains(text, "NaN:") {
					t.Errorf("got %v\n%s", err, text)
				}
				return
			}
			if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want an error of usage that says %s\n%s", err, tt.says, text)
			}
		})
	}
	if _, err := sql.DialectOf("mysql"); !errors.Is(err, fault.Usage) {
		t.Errorf("got %v", err)
	}
}

// A query has no CREATE TABLE and no semicolon, so that it may be a part of another statement.
func TestQuery(t *testing.T) {
	m := masked(t, people, cutOfPeople, types)
	m.Into = nil
	for _, name := range []string{"duckdb", "trino"} {
		text, err := sql.Mask(dialect(t, name), m)
		if err != nil || strings.ContainsAny(text[len(text)-10:], ";") ||
			strings.Contains(text, "CREATE") || !strings.Contains(text, "\nSELECT") &&
			!strings.HasPrefix(text, "SELECT") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// A package of dbt has no brace of the table's names and values that Jinja would read.
func TestDBT(t *testing.T) {
	brace := strings.NewReplacer("wage", "{{wa}}{%ge")
	quoted := strings.NewReplacer("wage:", `"{{wa}}{%ge":`, "wage", `"{{wa}}{%ge"`)
	of := make(map[string]formats.Type)
	for name, typ := range types {
		of[brace.Replace(name)] = typ
	}
	m, d := masked(t, quoted.Replace(people), brace.Replace(cutOfPeople), of), dialect(t, "duckdb")
	groupings := [][]string{{"zip", "{{wa}}{%ge"}, {"zip", "city"}}
	files, err := sql.DBT(d, "kcut_people", groupings, "n", m)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file, start, has string
	}{
		{"macros/counts.sql", "{% macro counts(relation) %}",
			`SELECT "zip", "{{ '{' }}{{ '{' }}wa}}{{ '{' }}%ge", "city", CAST`},
		{"macros/mask.sql", "{% macro mask(relation) %}", "\n  FROM {{ relation }}\n"},
		{"macros/holds.sql", "{% test holds(model) %}", "AS \"records\" FROM {{ model }} GROUP BY"},
	} {
		text, found := strings.CutPrefix(files[tt.file], tt.start)
		if !found || !strings.Contains(text, tt.has) {
			t.Errorf("%s has no %s:\n%s", tt.file, tt.has, text)
		}
		text = text[:strings.LastIndex(text, "{% end")]
		for _, ours := range []string{"{{ '{' }}", "{{ relation }}", "{{ model }}"} {
			text = strings.ReplaceAll(text, ours, "")
		}
		if strings.Contains(text, "{") || strings.Contains(text, "\x00") {
			t.Errorf("%s: Jinja reads\n%s", tt.file, text)
		}
	}
	if without, err := sql.DBT(d, "kcut_people", nil, "", nil); err != nil || len(without) != 2 {
		t.Errorf("without a job: %v, %v", without, err)
	}
	if _, err := sql.DBT(d, "kcut-people", nil, "", nil); !errors.Is(err, fault.Usage) {
		t.Errorf("a name with a hyphen: %v", err)
	}
}

// A name with control characters is in no statement.
func TestNamesThatSteer(t *testing.T) {
	const name = "wa\x1b[2Jge"
	quoted := strings.NewReplacer("wage:", `"wa\x1b[2Jge":`, "wage", `"wa\x1b[2Jge"`)
	m := masked(t, quoted.Replace(people),
		strings.ReplaceAll(cutOfPeople, `"wage"`, `"wa\u001b[2Jge"`), types)
	for _, dialectName := range sql.Dialects() {
		d := dialect(t, dialectName)
		_, count := sql.Count(d, m.From, [][]string{{"zip", name}}, "n")
		_, mask := sql.Mask(d, m)
		_, verify := sql.Verify(d, m.Cut.File, m.Into)
		for statement, err := range map[string]error{"count": count, "mask": mask,
			"verify": verify} {
			if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "name of column") {
				t.Errorf("%s in SQL of %s: got %v", statement, dialectName, err)
			}
		}
	}
}

func TestParseTable(t *testing.T) {
	for text, want := range map[string][]string{
		"people": {"people"}, "census.people": {"census", "people"}, `"a.b".c`: {"a.b", "c"},
		`"a""b"`: {`a"b`}, `x."".y`: nil, "": nil, ".": nil, "a.": nil,
		`"a`: nil, `"a"b`: nil, `a"b"`: nil,
		`parquet."/data/people.parquet"`: {"parquet", "/data/people.parquet"}, "a b": {"a b"},
		"a\x00": nil,
	} {
		got, err := sql.ParseTable(text)
		if !slices.Equal(got, want) || (err != nil) != (want == nil) ||
			err != nil && !errors.Is(err, fault.Usage) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}
