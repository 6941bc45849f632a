package cutfile

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
)

// exampleCut has every form that a cut's JSON can have.
const exampleCut = `{"version":1,"algorithm":"tdr","class":"income","rows":45222,` +
	`"quasi_identifiers":[{"columns":["zip","age"],"k":50,"anonymity":61},{"columns":["born"],"k":2,"anonymity":3}],` +
	`"entity":true,"sensitive":[{"column":"income","l":2,"entropy_l":1.5,"max_confidence":0.8,"t":0},{"column":"debt","max_confidence":{"<&>":0.25,"yes":0.5},"t":0.3}],` +
	`"columns":{` +
	`"zip":{"mask":"generalize","cut":["<10","R&D","ü \u2028 \"",null]},` +
	`"age":{"mask":"discretize","render":"bounds","cut":[{"label":"(,37)","upper":37},{"label":"[37,1e+21)","lower":37,"upper":1e+21},{"label":"[1e+21,)","lower":1e+21}]},` +
	`"born":{"mask":"discretize","cut":[{"label":"[1990-01-01,2000-05-03)","lower":"1990-01-01","upper":"2000-05-03"},null]},` +
	`"job":{"mask":"suppress","cut":["Sales",null],"suppressed":"*"},` +
	`"name":{"mask":"suppress","cut":[],"suppressed":"*"}},` +
	`"steps":12}`

func TestRoundTrip(t *testing.T) {
	cut, err := Parse([]byte(exampleCut))
	if err != nil {
		t.Fatal(err)
	}
	text, err := text.JSON(cut)
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
	again, err := Parse(spaced.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	again.Raw = cut.Raw
	if !reflect.DeepEqual(again, cut) {
		t.Errorf("indented: %+v", again)
	}
}

// TestLabelsOfEveryByte: a label is written like any JSON text, and parsed again.
func TestLabelsOfEveryByte(t *testing.T) {
	for c := range 256 {
		label := "a" + string(rune(c)) + "b"
		want, err := text.JSON(label)
		if err != nil {
			t.Fatal(err)
		}
		got, err := text.JSON(Label{Label: label})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q is written as %s (%v), want %s", label, got, err, want)
		}
		again := Label{}
		if err := json.Unmarshal(got, &again); err != nil || again.Label != label {
			t.Errorf("%s is read as %q (%v), want %q", got, again.Label, err, label)
		}
	}
}

func TestLabels(t *testing.T) {
	for text, ok := range map[string]bool{
		`"a"`: true, `null`: true, `{"label":"(,)"}`: true,
		`{}`: false, `{"label":null}`: false, `1`: false, `["a"]`: false, `true`: false,
		`{"label":1}`: false,
	} {
		var label Label
		if err := json.Unmarshal([]byte(text), &label); (err == nil) != ok {
			t.Errorf("%s: got %+v, %v", text, label, err)
		}
	}
}

func TestSensitiveText(t *testing.T) {
	cut, err := Parse([]byte(exampleCut))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"income: l 2, entropy_l 1.5, max_confidence 0.8, t 0",
		`debt: max_confidence of "<&>" 0.25, max_confidence of "yes" 0.5, t 0.3`,
	} {
		if got := cut.Sensitive[i].String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(exampleCut))
	f.Add([]byte(`{"version":1}`))
	f.Add(
		[]byte(
			`{"version":1,"quasi_identifiers":[{"columns":["a"],"k":1}],"columns":{"a":{"cut":[{"label":"","lower":{"x":[1]},"upper":null}]}}}`))
	f.Add([]byte(`{"version":1,"quasi_identifiers":[{"columns":["a"],"k":1}],"columns":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		cut, err := Parse(data)
		if err != nil {
			if class := fault.ClassOf(err); cut != nil || class != fault.Input {
				t.Fatalf("got %+v, %v of class %d", cut, err, class)
			}
			return
		}
		json, err := text.JSON(cut)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(json)
		if err != nil {
			t.Fatalf("%v of its own json %s", err, json)
		}
		if twice, err := text.JSON(again); err != nil || !bytes.Equal(twice, json) {
			t.Errorf("%s became %s (%v)", json, twice, err)
		}
	})
}

func TestLabelValues(t *testing.T) {
	null := engine.Label{Null: true}
	for text, want := range map[string][]engine.Label{
		"a": {{Text: "a"}}, "{": {{Text: "{"}}, "{}": {{}}, "{a|b}": {{Text: "a"}, {Text: "b"}},
		`\N`:                 {{Text: `\N`}},
		`{a\|b|\\N|\N|\{\}}`: {{Text: "a|b"}, {Text: `\N`}, null, {Text: "{}"}},
		`{a|b\`:              {{Text: `{a|b\`}}, `{\}`: {{Text: `\`}},
	} {
		if got := (Label{Label: text}).Values(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if got := (Label{Null: true}).Values(); !slices.Equal(got, []engine.Label{null}) {
		t.Errorf("of null: %v", got)
	}
}
