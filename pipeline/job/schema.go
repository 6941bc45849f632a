package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/text"
)

// Parts of the schema. YAML may take names for numbers.
const (
	pathSchema     = `{"type":"string","minLength":1}`
	nameSchema     = `{"type":["string","number","boolean"],"minLength":1}`
	namesSchema    = `{"type":"array","items":` + nameSchema + `,"minItems":1,"uniqueItems":true}`
	taxonomySchema = `{"anyOf":[` + pathSchema + `,` + inlineSchema + `]}`
	inlineSchema   = `{"$ref":"#/$defs/generator"},{"$ref":"#/$defs/tree"}`
	nodeSchema     = `{"$ref":"#/$defs/tree/$defs/node"}`
	mapOfNodes     = `{"type":"object","additionalProperties":` + nodeSchema + `}`

	treeSchema = `{"description":"a taxonomy tree: nested maps from a node to its children, with one root; a leaf is {}, null or an item of a list",` +
		`"type":"object","additionalProperties":` + nodeSchema + `,"minProperties":1,"maxProperties":1,` +
		`"$defs":{"node":{"anyOf":[{"type":"null"},` + mapOfNodes + `,{"type":"array","items":{"anyOf":[` + nameSchema + `,` + mapOfNodes + `]}}]}}}`

	generatorSchema = `{"description":"a taxonomy made of the values that occur: prefixes of codes, units of dates, ranges of numbers, spellings",` +
		`"type":"object","properties":{` +
		`"prefix":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1},` +
		`"date":{"type":"array","items":{"type":"string","enum":%[1]s},"minItems":1},` +
		`"us_date":{"type":"array","items":{"type":"string","enum":%[1]s},"minItems":1},` +
		`"ranges":{"type":"array","items":{"type":"number"},"minItems":1},` +
		`"spelling":{"type":"array","items":{"type":"string","enum":%[2]s},"minItems":1}},` +
		`"additionalProperties":false,"minProperties":1,"maxProperties":1}`
)

type object map[string]any

// Schema returns the JSON Schema (draft 2020-12) of the job file, for editors. It checks less than
// Load: no relations between the parts of a job.
func Schema() []byte {
	schema := objectSchema(jobFields)
	// A table has the keys of the top.
	keys := object{}
	for _, f := range jobFields {
		keys[f.key] = object{"$ref": "#/properties/" + f.key}
	}
	schema["properties"].(object)[tablesKey] = object{
		"description": tablesDoc, "type": "object", "minProperties": 1,
		"additionalProperties": object{
			"type": "object", "properties": keys, "additionalProperties": false,
		},
	}
	schema["anyOf"] = []object{{"required": schema["required"]}, {"required": []string{tablesKey}}}
	delete(schema, "required")
	schema["$schema"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", "kcut job"
	schema["$defs"] = object{
		"generator": json.RawMessage(fmt.Sprintf(generatorSchema, inJSON(engine.DateLevels),
			inJSON(engine.SpellingLevels))),
		"tree": json.RawMessage(treeSchema),
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(inJSON(schema)), "", "  "); err != nil {
		panic(err) // a kind has a wrong schema
	}
	return append(b.Bytes(), '\n')
}

// inJSON returns a value as JSON, without escapes for HTML.
func inJSON(v any) string {
	b, err := text.JSON(v)
	if err != nil {
		panic(err) // a kind has a wrong schema
	}
	return string(b)
}

// objectSchema returns the schema of a map with some keys.
func objectSchema(fields []*field) object {
	properties, required := object{}, []string(nil)
	for _, f := range fields {
		schema := f.schema()
		schema["description"] = f.plainDoc()
		if def := f.tag.Get("default"); def != "" {
			schema["default"] = def
			if f.number() {
				schema["default"] = json.Number(def)
			}
		}
		properties[f.key] = schema
		if f.is("required") && f.tag.Get("but") == "" && f.tag.Get("or") == "" {
			required = append(required, f.key)
		}
	}
	schema := object{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		schema["required"] = required
	}
	return schema
}

// schema returns the schema of a field's values.
func (f *field) schema() (schema object) {
	switch {
	case f.below != nil:
		return f.mapSchema()
	case slices.Contains(f.enum, MissingNull): // YAML takes the bare word for null
		return object{"type": []string{"string", "null"}, "enum": []any{f.enum[0], f.enum[1], nil}}
	case len(f.enum) > 0:
		return object{"type": "string", "enum": f.enum}
	case f.kind == "job.Shares":
		byValue := object{"type": "object", "additionalProperties": f.numberSchema(),
			"minProperties": 1}
		return object{"anyOf": []object{f.numberSchema(), byValue}}
	case f.number():
		return f.numberSchema()
	}
	text := kinds[f.kind].schema
	if pattern := kinds[f.kind].pattern; pattern != "" {
		text = fmt.Sprintf(text, inJSON(pattern))
	}
	if f.is("empty") {
		text = strings.Replace(text, `,"minLength":1`, "", 1)
	}
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		panic(err) // the kind has a wrong schema
	}
	return schema
}

// mapSchema returns the schema of a map, a list of maps, or a map of maps.
func (f *field) mapSchema() object {
	one := objectSchema(f.below)
	if bare := f.bare(); bare != nil {
		forms := []object{bare.schema(), one}
		if f.kind == "columns by name" { // keys of a kept column in addition to its mask
			kept := slices.DeleteFunc(slices.Clone(f.below), func(c *field) bool {
				return c == bare || c.masks != nil && !slices.Contains(c.masks, MaskKeep)
			})
			forms = append(forms, object{
				"type": "object", "properties": object{MaskKeep: objectSchema(kept)},
				"required": []string{MaskKeep}, "additionalProperties": false,
			})
		}
		one = object{"anyOf": forms}
	}
	switch f.kind {
	case "list":
		return object{"type": "array", "items": one, "minItems": 1}
	case "columns by name":
		return object{"type": "object", "additionalProperties": one, "minProperties": 1}
	}
	return one
}

// numberSchema returns the schema of a number in the field's range.
func (f *field) numberSchema() object {
	schema := object{"type": "number"}
	if f.kind == "int" {
		schema["type"] = "integer"
	}
	low, high, lowOpen, highOpen := f.ends()
	keys := map[bool][2]string{
		false: {"minimum", "maximum"}, true: {"exclusiveMinimum", "exclusiveMaximum"},
	}
	if low != "" {
		schema[keys[lowOpen][0]] = json.Number(low)
	}
	if high != "" {
		schema[keys[highOpen][1]] = json.Number(high)
	}
	return schema
}
