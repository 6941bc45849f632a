package pipeline

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// schemaCheck checks values by the parts of JSON Schema that the cut's schema uses.
type schemaCheck struct{ root map[string]any }

func newSchemaCheck(tb testing.TB) *schemaCheck {
	tb.Helper()
	c := &schemaCheck{}
	if err := json.Unmarshal(cutfile.Schema(), &c.root); err != nil {
		tb.Fatal(err)
	}
	return c
}

// errorsOf returns what a value violates in a schema, by places.
func (c *schemaCheck) errorsOf(at string, s map[string]any, value any) (found []string) {
	fail := func(what string) { found = append(found, at+": "+what) }
	for key, rule := range s {
		switch key {
		case "$schema", "title", "description", "$defs", "properties", "additionalProperties":
		case "$ref":
			name := strings.TrimPrefix(rule.(string), "#/$defs/")
			found = append(found, c.errorsOf(at, c.root["$defs"].(map[string]any)[name].(map[string]any), value)...)
		case "const":
			if !reflect.DeepEqual(rule, value) {
				fail("is not the constant")
			}
		case "enum":
			if !slices.Contains(rule.([]any), value) {
				fail("is none of the values")
			}
		case "type":
			if !hasType(rule, value) {
				fail(fmt.Sprint("is not of type ", rule))
			}
		case "minimum":
			if n, ok := value.(float64); ok && n < rule.(float64) {
				fail("is too small")
			}
		case "minItems":
			if items, ok := value.([]any); ok && len(items) < int(rule.(float64)) {
				fail("has too few items")
			}
		case "items":
			items, _ := value.([]any)
			for i, item := range items {
				found = append(found, c.errorsOf(fmt.Sprintf("%s[%d]", at, i), rule.(map[string]any), item)...)
			}
		case "anyOf":
			if !slices.ContainsFunc(rule.([]any), func(s any) bool { return len(c.errorsOf(at, s.(map[string]any), value)) == 0 }) {
				fail("is none of the forms")
			}
		case "required":
			found = append(found, lacking(at, value, rule)...)
		case "dependentRequired":
			for name, names := range rule.(map[string]any) {
				if object, _ := value.(map[string]any); object[name] != nil {
					found = append(found, lacking(at, value, names)...)
				}
			}
		default:
			fail("has a schema with unknown key " + key)
		}
	}
	return append(found, c.errorsOfMembers(at, s, value)...)
}

func (c *schemaCheck) errorsOfMembers(at string, s map[string]any, value any) (found []string) {
	properties, _ := s["properties"].(map[string]any)
	members, _ := value.(map[string]any)
	for name, member := range members {
		schema, ok := properties[name].(map[string]any)
		if !ok {
			schema, ok = s["additionalProperties"].(map[string]any)
		}
		switch {
		case ok:
			found = append(found, c.errorsOf(at+"."+name, schema, member)...)
		case s["additionalProperties"] == false:
			found = append(found, at+"."+name+": is not known")
		}
	}
	return found
}

func lacking(at string, value, names any) (found []string) {
	object, _ := value.(map[string]any)
	for _, name := range names.([]any) {
		if _, ok := object[name.(string)]; !ok && object != nil {
			found = append(found, fmt.Sprintf("%s: lacks %s", at, name))
		}
	}
	return found
}

// hasType reports whether a value is of a type, or of one of several.
func hasType(types, value any) bool {
	if list, ok := types.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return hasType(t, value) })
	}
	number, isNumber := value.(float64)
	switch types {
	case "null":
		return value == nil
	case "number":
		return isNumber
	case "integer":
		return isNumber && number == math.Trunc(number)
	case "string":
		return reflect.TypeOf(value) == reflect.TypeFor[string]()
	case "array":
		return reflect.TypeOf(value) == reflect.TypeFor[[]any]()
	case "object":
		return reflect.TypeOf(value) == reflect.TypeFor[map[string]any]()
	}
	return false
}

// check returns what a cut violates.
func (c *schemaCheck) check(tb testing.TB, cut []byte) []string {
	tb.Helper()
	var value any
	if err := json.Unmarshal(cut, &value); err != nil {
		tb.Fatal(err)
	}
	return c.errorsOf("cut", c.root, value)
}

func TestCutSchema(t *testing.T) {
	c := newSchemaCheck(t)
	dir := releasedPeople(t, peopleJob)
	regions, _ := releasedRegions(t)
	for _, dir := range []string{dir, regions} {
		sound := cutOf(t, dir)
		if found := c.check(t, sound.Raw); found != nil {
			t.Errorf("%s: %q\n%s", sound.Algorithm, found, sound.Raw)
		}
		for name, change := range map[string]func(*cutfile.File){
			"version":   func(c *cutfile.File) { c.Version = 2 },
			"kind":      func(c *cutfile.File) { c.Kind = "spheres" },
			"half kind": func(c *cutfile.File) { c.Kind, c.Regions = cutfile.KindRegions, nil },
			"algorithm": func(c *cutfile.File) { c.Algorithm = "luck" },
			"sets":      func(c *cutfile.File) { c.Sets = nil },
			"k":         func(c *cutfile.File) { c.Sets[0].K = 0 },
			"mask":      func(c *cutfile.File) { c.Columns[0].Mask = job.MaskKeep },
			"end":       func(c *cutfile.File) { c.Columns[1].Cut[0].Lower = json.RawMessage("true") },
			"empty":     func(c *cutfile.File) { c.Kind, c.Regions = cutfile.KindRegions, []cutfile.Region{{}} },
		} {
			m := map[string]string{cutfile.Key: string(sound.Raw)}
			edit(t, m, change)
			if c.check(t, []byte(m[cutfile.Key])) == nil {
				t.Errorf("%s of %s: nothing found", name, sound.Algorithm)
			}
		}
	}
}

// The schema names every algorithm.
func TestCutSchemaAlgorithms(t *testing.T) {
	var names []any
	for _, a := range Algorithms() {
		names = append(names, a.Name)
	}
	properties := newSchemaCheck(t).root["properties"].(map[string]any)
	if enum := properties["algorithm"].(map[string]any)["enum"]; !reflect.DeepEqual(enum, names) {
		t.Errorf("the schema has %v, want %v", enum, names)
	}
}

// The documented examples are cuts, as their schema is, which the document has, too.
func TestDocumentedCuts(t *testing.T) {
	text := mustRead(t, filepath.Join("..", "docs", "metadata.md"))
	if !strings.Contains(string(text), "```json\n"+string(cutfile.Schema())+"```\n") {
		t.Error("docs/metadata.md has another schema than pipeline/cutfile/schema.json")
	}
	c, cuts := newSchemaCheck(t), 0
	for _, block := range strings.Split(string(text), "```json\n")[1:] {
		example, _, _ := strings.Cut(block, "```")
		if !strings.HasPrefix(example, `{"version"`) {
			continue
		}
		cuts++
		if _, err := cutfile.Parse([]byte(example)); err != nil {
			t.Errorf("%v:\n%s", err, example)
		}
		if found := c.check(t, []byte(example)); found != nil {
			t.Errorf("%q:\n%s", found, example)
		}
	}
	if cuts != 2 {
		t.Errorf("%d examples, want one of each kind", cuts)
	}
}
