package pipeline

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/fault"
)

// exampleCut has every form that a cut's JSON can take.
const exampleCut = `{"version":1,"algorithm":"tdr","class":"income","rows":45222,` +
	`"quasi_identifiers":[{"columns":["zip","age"],"k":50,"anonymity":61},{"columns":["born"],"k":2,"anonymity":3}],` +
	`"columns":{` +
	`"zip":{"mask":"generalize","cut":["<10","R&D","ü \u2028 \"",null]},` +
	`"age":{"mask":"discretize","render":"bounds","cut":[{"label":"(,37)","upper":37},{"label":"[37,1e+21)","lower":37,"upper":1e+21},{"label":"[1e+21,)","lower":1e+21}]},` +
	`"born":{"mask":"discretize","cut":[{"label":"[1990-01-01,2000-05-03)","lower":"1990-01-01","upper":"2000-05-03"},null]},` +
	`"job":{"mask":"suppress","cut":["Sales",null],"suppressed":"*"},` +
	`"name":{"mask":"suppress","cut":[],"suppressed":"*"}},` +
	`"steps":12}`

func TestCutRoundTrip(t *testing.T) {
	cut, err := ParseCut([]byte(exampleCut))
	if err != nil {
		t.Fatal(err)
	}
	text, err := marshalPlain(cut)
	if err != nil || string(text) != exampleCut {
		t.Errorf("became (%v)\n%s\nwas\n%s", err, text, exampleCut)
	}
	want := []string{"zip", "age", "born", "job", "name"}
	for i, column := range cut.Columns {
		if column.Name != want[i] {
			t.Errorf("column %d is %s, want %s", i, column.Name, want[i])
		}
	}
	if string(cut.Raw) != exampleCut {
		t.Errorf("raw %s", cut.Raw)
	}
	spaced := new(bytes.Buffer)
	if err := json.Indent(spaced, []byte(exampleCut), "", "  "); err != nil {
		t.Fatal(err)
	}
	again, err := ParseCut(spaced.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	again.Raw = cut.Raw
	if !reflect.DeepEqual(again, cut) {
		t.Errorf("indented: %+v", again)
	}
}

func TestCutLabels(t *testing.T) {
	for text, ok := range map[string]bool{
		`"a"`: true, `null`: true, `{"label":"(,)"}`: true,
		`{}`: false, `{"label":null}`: false, `1`: false, `["a"]`: false, `true`: false, `{"label":1}`: false,
	} {
		var label CutLabel
		if err := json.Unmarshal([]byte(text), &label); (err == nil) != ok {
			t.Errorf("%s: got %+v, %v", text, label, err)
		}
	}
}

func FuzzParseCut(f *testing.F) {
	f.Add([]byte(exampleCut))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"quasi_identifiers":[{"columns":["a"],"k":1}],"columns":{"a":{"cut":[{"label":"","lower":{"x":[1]},"upper":null}]}}}`))
	f.Add([]byte(`{"version":1,"quasi_identifiers":[{"columns":["a"],"k":1}],"columns":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		cut, err := ParseCut(data)
		if err != nil {
			if class := fault.ClassOf(err); cut != nil || class != fault.Input {
				t.Fatalf("got %+v, %v of class %d", cut, err, class)
			}
			return
		}
		for i := range cut.Columns {
			checksOf(&cut.Columns[i])
		}
		text, err := marshalPlain(cut)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseCut(text)
		if err != nil {
			t.Fatalf("%v of its own text %s", err, text)
		}
		if twice, err := marshalPlain(again); err != nil || !bytes.Equal(twice, text) {
			t.Errorf("%s became %s (%v)", text, twice, err)
		}
	})
}

// The cut in a release is byte for byte what docs/metadata.md describes.
func TestCutJSON(t *testing.T) {
	dir := jobFolder(t, `
input: in
output: out.parquet
class: income
quasi_identifiers:
  - {columns: [age, education], k: 4}
  - {columns: [occupation], k: 8}
  - {columns: [hired, weight], k: 4}
columns:
  age: {mask: discretize, bounds: [17, 90]}
  education: generalize
  occupation: suppress
  hired: discretize
  weight: {mask: discretize, render: midpoint}
  income: keep
taxonomies:
  education: {ANY: {Secondary: [9th, 10th], University: [Bachelors, "R&D <PhD>"]}}
`)
	table := &testTable{fields: []formats.Field{
		{Name: "age", Type: formats.Type{Kind: formats.Int, Bits: 32}},
		{Name: "education", Type: formats.Type{Kind: formats.String}},
		{Name: "occupation", Type: formats.Type{Kind: formats.String}, Nullable: true},
		{Name: "hired", Type: formats.Type{Kind: formats.Date}, Nullable: true},
		{Name: "weight", Type: formats.Type{Kind: formats.Float, Bits: 64}},
		{Name: "income", Type: formats.Type{Kind: formats.String}},
	}}
	for i := range 32 {
		table.rows = append(table.rows, []string{
			[]string{"20", "37"}[i/16], []string{"9th", "10th", "Bachelors", "R&D <PhD>"}[i/8], []string{"Sales", "Law", "IT", null}[i/8],
			[]string{"1990-01-01", "2000-05-03", null}[i%3], []string{"0.5", "1.5", "80"}[i%3], []string{">50K", "<=50K"}[(i/4+i/16+i%3/2)%2],
		})
	}
	table.parquet(t, filepath.Join(dir, "in", "a.parquet"), 0, 32, 32)
	mustRun(t, dir, nil)
	a := auditFolder(t, dir)
	want := strings.Join([]string{
		`{"version":1,"algorithm":"tdr","class":"income","rows":32,`,
		`"quasi_identifiers":[`,
		`{"columns":["age","education"],"k":4,"anonymity":8},`,
		`{"columns":["occupation"],"k":8,"anonymity":8},`,
		`{"columns":["hired","weight"],"k":4,"anonymity":10}],`,
		`"columns":{`,
		`"age":{"mask":"discretize","cut":[{"label":"[17,37)","lower":17,"upper":37},{"label":"[37,90]","lower":37,"upper":90}]},`,
		`"education":{"mask":"generalize","cut":["9th","10th","Bachelors","R&D <PhD>"]},`,
		`"occupation":{"mask":"suppress","cut":["IT","Law","Sales",null],"suppressed":"*"},`,
		`"hired":{"mask":"discretize","cut":[{"label":"(,2000-05-03)","upper":"2000-05-03"},{"label":"[2000-05-03,)","lower":"2000-05-03"},null]},`,
		`"weight":{"mask":"discretize","render":"midpoint","cut":[{"label":"(,1.5)","upper":1.5},{"label":"[1.5,80)","lower":1.5,"upper":80},{"label":"[80,)","lower":80}]}},`,
		`"steps":11}`,
	}, "")
	if got := string(a.cut.Raw); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
