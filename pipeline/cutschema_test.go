package pipeline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// schema has the keys of JSON Schema that the schema of the cut uses.
type schema struct {
	Schema            string `json:"$schema"`
	Title             string
	Description       string
	Defs              map[string]*schema `json:"$defs"`
	Ref               string             `json:"$ref"`
	Type              any
	Const             any
	Enum              []any
	Minimum           *float64
	Maximum           *float64
	Above             *float64 `json:"exclusiveMinimum"`
	Below             *float64 `json:"exclusiveMaximum"`
	MinProperties     int
	MinItems          int
	Items             *schema
	AnyOf             []*schema
	Required          []string
	DependentRequired map[string][]string
	Properties        map[string]*schema
	Additional        others `json:"additionalProperties"`
}

// others are members of an object without a schema of their own: none are allowed, or they have a
// common schema.
type others struct {
	none bool
	as   *schema
}

func (o *others) UnmarshalJSON(text []byte) error {
	if o.none = string(text) == "false"; o.none {
		return nil
	}
	return json.Unmarshal(text, &o.as)
}

func cutSchema(tb testing.TB) *schema {
	tb.Helper()
	s, in := &schema{}, json.NewDecoder(bytes.NewReader(cutfile.Schema()))
	in.DisallowUnknownFields()
	must(tb, in.Decode(s))
	return s
}

// takes reports whether a cut conforms to its schema.
func (s *schema) takes(tb testing.TB, cut []byte) bool {
	tb.Helper()
	var value any
	must(tb, json.Unmarshal(cut, &value))
	return s.fits(s, value)
}

// fits reports whether a value conforms to a part of the schema.
func (s *schema) fits(part *schema, value any) bool {
	if part.Ref != "" {
		return s.fits(s.Defs[strings.TrimPrefix(part.Ref, "#/$defs/")], value)
	}
	number, isNumber := value.(float64)
	items, isArray := value.([]any)
	object, isObject := value.(map[string]any)
	lacks := func(name string) bool { _, ok := object[name]; return !ok }
	fits := func(of *schema) bool { return s.fits(of, value) }
	sound := (part.Const == nil || part.Const == value) &&
		(part.Enum == nil || slices.Contains(part.Enum, value)) &&
		(part.Type == nil || hasType(part.Type, value)) &&
		(part.Minimum == nil || !isNumber || number >= *part.Minimum) &&
		(part.Maximum == nil || !isNumber || number <= *part.Maximum) &&
		(part.Above == nil || !isNumber || number > *part.Above) &&
		(part.Below == nil || !isNumber || number < *part.Below) &&
		(!isObject || len(object) >= part.MinProperties) &&
		(!isArray || len(items) >= part.MinItems) &&
		(!isObject || !slices.ContainsFunc(part.Required, lacks)) &&
		(part.AnyOf == nil || slices.ContainsFunc(part.AnyOf, fits))
	for name, names := range part.DependentRequired {
		sound = sound && (lacks(name) || !slices.ContainsFunc(names, lacks))
	}
	for _, item := range items {
		sound = sound && (part.Items == nil || s.fits(part.Items, item))
	}
	for name, member := range object {
		if of := cmp.Or(part.Properties[name], part.Additional.as); of != nil {
			sound = sound && s.fits(of, member)
		} else {
			sound = sound && !part.Additional.none
		}
	}
	return sound
}

// hasType reports whether a value has a type, or one of several types.
func hasType(types, value any) bool {
	if list, ok := types.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return hasType(t, value) })
	}
	number, isNumber := value.(float64)
	if types == "integer" {
		return isNumber && number == math.Trunc(number)
	}
	return types == map[reflect.Kind]string{
		reflect.Invalid: "null", reflect.Float64: "number", reflect.String: "string",
		reflect.Slice: "array", reflect.Map: "object",
	}[reflect.ValueOf(value).Kind()]
}

func TestCutSchema(t *testing.T) {
	c := cutSchema(t)
	dir := releasedPeople(t, peopleJob)
	regions, _ := releasedRegions(t)
	for _, dir := range []string{dir, regions} {
		sound := cutOf(t, dir)
		if !c.takes(t, sound.Raw) {
			t.Errorf("refused: %s", sound.Raw)
		}
		claiming := cutOf(t, dir)
		claiming.Entity, claiming.Sensitive = true, []cutfile.Sensitive{
			{Column: "income", L: 2, MaxConfidence: &job.Shares{Every: 0.5}},
			{Column: "score", EntropyL: 1.5,
				MaxConfidence: &job.Shares{Of: map[string]float64{"1": 0.5}}, T: new(0.0)},
			{Column: "wealth", L: 2, C: 0.5, BasicBeta: 1, EnhancedBeta: 0.5, Delta: 2,
				TOrdered: new(0.0)},
			{Column: "city", THierarchical: new(0.5), Taxonomy: cityTree},
		}
		if text := textOf(t, claiming); !c.takes(t, []byte(text)) {
			t.Errorf("refused: %s", text)
		}
		sensitive := func(s cutfile.Sensitive) func(*cutfile.File) {
			s.Column = "income"
			return func(c *cutfile.File) { c.Sensitive = []cutfile.Sensitive{s} }
		}
		for name, change := range map[string]func(*cutfile.File){
			"version":   func(c *cutfile.File) { c.Version = 2 },
			"kind":      func(c *cutfile.File) { c.Kind = "spheres" },
			"half kind": func(c *cutfile.File) { c.Kind, c.Regions = cutfile.KindRegions, nil },
			"algorithm": func(c *cutfile.File) { c.Algorithm = "luck" },
			"sets":      func(c *cutfile.File) { c.Sets = nil },
			"k":         func(c *cutfile.File) { c.Sets[0].K = 0 },
			"mask":      func(c *cutfile.File) { c.Columns[0].Mask = job.MaskKeep },
			"end": func(c *cutfile.File) {
				c.Columns[1].Cut[0].Lower = json.RawMessage("true")
			},
			"nothing":    sensitive(cutfile.Sensitive{}),
			"one value":  sensitive(cutfile.Sensitive{L: 1}),
			"entropy":    sensitive(cutfile.Sensitive{EntropyL: 1}),
			"t":          sensitive(cutfile.Sensitive{T: new(1.0)}),
			"β":          sensitive(cutfile.Sensitive{BasicBeta: -1}),
			"δ":          sensitive(cutfile.Sensitive{Delta: -1}),
			"c alone":    sensitive(cutfile.Sensitive{C: 2}),
			"t in order": sensitive(cutfile.Sensitive{TOrdered: new(1.0)}),
			"no tree":    sensitive(cutfile.Sensitive{THierarchical: new(0.5)}),
			"all":        sensitive(cutfile.Sensitive{MaxConfidence: &job.Shares{Every: 1}}),
			"none": sensitive(
				cutfile.Sensitive{MaxConfidence: &job.Shares{Of: map[string]float64{}}}),
			"all of x": sensitive(
				cutfile.Sensitive{MaxConfidence: &job.Shares{Of: map[string]float64{"x": 1}}}),
			"empty": func(c *cutfile.File) {
				c.Kind, c.Regions = cutfile.KindRegions, []cutfile.Region{{}}
			},
		} {
			cut := cutOf(t, dir)
			change(cut)
			text := []byte(textOf(t, cut))
			if c.takes(t, text) {
				t.Errorf("%s of %s: nothing found", name, sound.Algorithm)
			}
			if _, err := cutfile.Parse(text); err == nil && len(cut.Sensitive) > 0 {
				t.Errorf("%s of %s: it is read", name, sound.Algorithm)
			}
		}
	}
}

// cityTree is a tree of values.
var cityTree = job.Taxonomy{Tree: &taxonomy.Node{Name: "all", Children: []taxonomy.Node{
	{Name: "<north>", Children: []taxonomy.Node{{Name: "Oslo"}, {Name: ""}}}, {Name: "Rome"},
}}}

// The schema names every algorithm that a cut may have; auto is not among them, since it chooses
// another algorithm.
func TestCutSchemaAlgorithms(t *testing.T) {
	var names []any
	for _, a := range algorithm.List() {
		if a.Name != job.AlgorithmAuto {
			names = append(names, a.Name)
		}
	}
	if enum := cutSchema(t).Properties["algorithm"].Enum; !slices.Equal(enum, names) {
		t.Errorf("the schema has %v, want %v", enum, names)
	}
	for _, name := range names {
		c := &cutfile.File{Algorithm: name.(string)}
		if slices.ContainsFunc(c.Flaws(), func(flaw string) bool {
			return strings.Contains(flaw, "of no algorithm")
		}) {
			t.Errorf("%s: a cut of no algorithm", name)
		}
	}
}

// The schema names every mask with labels, and cuts have no others.
func TestCutSchemaMasks(t *testing.T) {
	names := cutSchema(t).Defs["column"].Properties["mask"].Enum
	masks := reflect.TypeFor[job.Column]().Field(1).Tag.Get("enum")
	for _, name := range strings.Split(masks, "|") {
		column := cutfile.Column{Name: "a", Mask: name, Cut: []cutfile.Label{{Label: "b"}}}
		c := &cutfile.File{Version: cutfile.Version, Columns: cutfile.Columns{column},
			Sets: []cutfile.Set{{Columns: []string{"a"}, K: 2}}}
		text, err := text.JSON(c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cutfile.Parse(text)
		masked := (&job.Column{Mask: name}).Masked()
		if named := slices.Contains(names, any(name)); named != masked || (err == nil) != masked {
			t.Errorf("mask %s: with labels: %t; in the schema: %t; in a cut: %v", name, masked,
				named, err)
		}
	}
}

// The examples in the documentation conform to the schema.
func TestDocumentedCuts(t *testing.T) {
	text := mustRead(t, filepath.Join("..", "docs", "metadata.md"))
	c, cuts := cutSchema(t), 0
	for _, block := range strings.Split(string(text), "```json\n")[1:] {
		example, _, _ := strings.Cut(block, "```")
		if !strings.HasPrefix(example, `{"version"`) {
			continue
		}
		cuts++
		if cut, err := cutfile.Parse([]byte(example)); err != nil {
			t.Errorf("%v:\n%s", err, example)
		} else if flaws := cut.Flaws(); len(flaws) > 0 {
			t.Errorf("%v:\n%s", flaws, example)
		}
		if !c.takes(t, []byte(example)) {
			t.Errorf("refused: %s", example)
		}
	}
	if cuts != 2 {
		t.Errorf("%d examples, want one of each kind", cuts)
	}
}

// The cut in a release equals its description in docs/metadata.md, byte for byte.
func TestCutJSON(t *testing.T) {
	const job = `
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
  weight: {mask: discretize, render: bounds}
  income: keep
taxonomies:
  education: {ANY: {Secondary: [9th, 10th], University: [Bachelors, "R&D <PhD>"]}}
`
	table := &testTable{fields: []formats.Field{
		{Name: "age", Type: formats.Type{Kind: formats.Int, Bits: 32}},
		{Name: "education", Type: textType},
		{Name: "occupation", Type: textType, Nullable: true},
		{Name: "hired", Type: formats.Type{Kind: formats.Date}, Nullable: true},
		{Name: "weight", Type: floatType},
		{Name: "income", Type: textType},
	}}
	for i := range 32 {
		table.rows = append(table.rows, []string{
			[]string{"20", "37"}[i/16], []string{"9th", "10th", "Bachelors", "R&D <PhD>"}[i/8],
			[]string{"Sales", "Law", "IT", null}[i/8],
			[]string{"1990-01-01", "2000-05-03", null}[i%3], []string{"0.5", "1.5", "80"}[i%3],
			[]string{">50K", "<=50K"}[(i/4+i/16+i%3/2)%2],
		})
	}
	a := mustRelease(t, table.folder(t, job, 32), 0)
	want := strings.Join([]string{
		`{"version":1,"algorithm":"tdr","class":"income","rows":32,`,
		`"quasi_identifiers":[`,
		`{"columns":["age","education"],"k":4,"anonymity":8},`,
		`{"columns":["occupation"],"k":8,"anonymity":8},`,
		`{"columns":["hired","weight"],"k":4,"anonymity":10}],`,
		`"union":{"unique":0,"below_k":1},`,
		`"columns":{`,
		`"age":{"mask":"discretize","cut":[{"label":"[17,30)","lower":17,"upper":30},{"label":"[30,90]","lower":30,"upper":90}]},`,
		`"education":{"mask":"generalize","cut":["9th","10th","Bachelors","R&D <PhD>"]},`,
		`"occupation":{"mask":"suppress","cut":["IT","Law","Sales",null],"suppressed":"*"},`,
		`"hired":{"mask":"discretize","cut":[{"label":"(,1995-01-01)","upper":"1995-01-01"},{"label":"[1995-01-01,)","lower":"1995-01-01"},null]},`,
		`"weight":{"mask":"discretize","render":"bounds","cut":[{"label":"(,1)","upper":1},{"label":"[1,40)","lower":1,"upper":40},{"label":"[40,)","lower":40}]}},`,
		`"steps":11}`,
	}, "")
	if got := string(a.cut.Raw); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A notice has the size of a cut with many regions: every reader of the release reads the cut.
func TestLargeCutIsNoticed(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("n,m\n")
	for n := range 30_000 {
		fmt.Fprintf(&rows, "%d,%d\n", 1_000_000+n, n%7)
	}
	for k, want := range map[int]bool{1: true, 100: false} {
		dir := jobFolder(t, fmt.Sprintf(`
input: in/rows.csv
output: out.parquet
quasi_identifiers: [{columns: [n, m], k: %d}]
columns: {n: discretize, m: discretize}
algorithm: mondrian
`, k))
		write(t, filepath.Join(dir, "in", "rows.csv"), rows.String())
		report := mustRun(t, dir, nil)
		is := func(text string) bool {
			return strings.HasPrefix(text, "the cut has 30000 regions and takes ")
		}
		if slices.ContainsFunc(report.Notices, is) != want {
			t.Errorf("k %d: notices %q", k, report.Notices)
		}
	}
}
