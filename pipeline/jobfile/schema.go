package jobfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
)

// schema is a node of a JSON Schema, in the order in which it is written.
type schema struct {
	Schema      string      `json:"$schema,omitempty"`
	Ref         string      `json:"$ref,omitempty"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Type        any         `json:"type,omitempty"`
	Enum        []string    `json:"enum,omitempty"`
	AnyOf       []*schema   `json:"anyOf,omitempty"`
	Properties  properties  `json:"properties,omitempty"`
	Required    []string    `json:"required,omitempty"`
	Additional  any         `json:"additionalProperties,omitempty"`
	Items       *schema     `json:"items,omitempty"`
	MinItems    int         `json:"minItems,omitempty"`
	MaxItems    int         `json:"maxItems,omitempty"`
	MinProps    int         `json:"minProperties,omitempty"`
	MaxProps    int         `json:"maxProperties,omitempty"`
	Unique      bool        `json:"uniqueItems,omitempty"`
	Pattern     string      `json:"pattern,omitempty"`
	MinLength   int         `json:"minLength,omitempty"`
	MaxLength   int         `json:"maxLength,omitempty"`
	Minimum     *int64      `json:"minimum,omitempty"`
	Maximum     *int64      `json:"maximum,omitempty"`
	Default     any         `json:"default,omitempty"`
	Definitions definitions `json:"$defs,omitempty"`
}

// definitions are the named schemas that others refer to.
type definitions = properties

// properties is a JSON object that keeps its order.
type properties []property

type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes the properties in order.
func (ps properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := marshalJSON(p.schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshalJSON is json.Marshal without escapes for HTML.
func marshalJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// Schema returns the JSON Schema (draft 2020-12) of the job file, for editors. It says
// less than Load checks: nothing of what the parts say of each other.
func Schema() []byte {
	root := objectSchema("")
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "kcut job"
	root.Definitions = definitions{{"generator", generatorSchema()}, {"tree", treeSchema()}}
	flat, err := marshalJSON(root)
	if err != nil {
		panic(err) // a fixed value of plain types: a bug
	}
	var b bytes.Buffer
	if err := json.Indent(&b, flat, "", "  "); err != nil {
		panic(err) // what marshal returned is JSON: a bug
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// objectSchema returns the schema of a map with the fields under a prefix.
func objectSchema(prefix string) *schema {
	s := &schema{Type: "object", Additional: false}
	for _, f := range fieldsUnder(prefix) {
		child := f.schema()
		child.Description = strings.ReplaceAll(f.doc, "`", "")
		if f.def != "" {
			child.Default = json.RawMessage(jsonScalar(f))
		}
		s.Properties = append(s.Properties, property{f.key(), child})
		if f.required && f.excused == nil {
			s.Required = append(s.Required, f.key())
		}
	}
	return s
}

// jsonScalar returns a field's default as JSON.
func jsonScalar(f *field) string {
	if f.number() {
		return f.def
	}
	return fmt.Sprintf("%q", f.def)
}

// schema returns the schema of a field's values.
func (f *field) schema() *schema {
	switch f.kind {
	case kindMap:
		return f.withBare(objectSchema(f.prefix()))
	case kindNamed:
		return &schema{Type: "object", MinProps: 1, Additional: f.withBare(objectSchema(f.prefix()))}
	case kindList:
		return &schema{Type: "array", MinItems: 1, Items: objectSchema(f.prefix())}
	case kindPaths:
		one := &schema{Type: "string", MinLength: 1}
		return &schema{AnyOf: []*schema{one, {Type: "array", MinItems: 1, Items: one}}}
	case kindTexts:
		return &schema{Type: "array", MinItems: 1, Unique: true, Items: nameSchema()}
	case kindBounds:
		return &schema{Type: "array", MinItems: 2, MaxItems: 2, Items: &schema{Type: []string{"string", "number", "null"}}}
	case kindTaxonomy:
		return &schema{AnyOf: []*schema{nameSchema(), {Ref: "#/$defs/generator"}, {Ref: "#/$defs/tree"}}}
	case kindTaxonomies:
		one := &schema{AnyOf: []*schema{{Type: "string", MinLength: 1}, {Ref: "#/$defs/generator"}, {Ref: "#/$defs/tree"}}}
		return &schema{AnyOf: []*schema{{Type: "string", MinLength: 1}, {Type: "object", MinProps: 1, Additional: one}}}
	}
	return f.scalarSchema()
}

// scalarSchema returns the schema of single values.
func (f *field) scalarSchema() *schema {
	switch {
	case len(f.enum) > 0:
		return &schema{Type: "string", Enum: f.enum}
	case f.kind == kindInteger:
		s := &schema{Type: "integer", Minimum: &f.min}
		if f.max > 0 {
			s.Maximum = &f.max
		}
		return s
	case f.kind == kindFraction:
		zero, one := int64(0), int64(1)
		return &schema{Type: "number", Minimum: &zero, Maximum: &one}
	case f.kind == kindSize:
		least := int64(minMemory)
		return &schema{Type: []string{"string", "integer"}, Pattern: f.pattern, Minimum: &least}
	case f.kind == kindCharacter:
		return &schema{Type: "string", MinLength: 1, MaxLength: 1}
	case f.pattern != "":
		return &schema{Type: "string", Pattern: f.pattern}
	case f.kind == kindPath:
		return &schema{Type: "string", MinLength: 1}
	}
	return nameSchema()
}

// withBare adds the bare word that a map may be written as.
func (f *field) withBare(object *schema) *schema {
	bare := bareField(f.prefix())
	if bare == nil {
		return object
	}
	return &schema{AnyOf: []*schema{bare.scalarSchema(), object}}
}

// nameSchema is of names of columns, which YAML may take for numbers.
func nameSchema() *schema {
	return &schema{Type: []string{"string", "number", "boolean"}, MinLength: 1}
}

// generatorSchema is of taxonomies made of the values that occur.
func generatorSchema() *schema {
	one := int64(1)
	list := func(items *schema) *schema { return &schema{Type: "array", MinItems: 1, Items: items} }
	return &schema{
		Type: "object", MinProps: 1, MaxProps: 1, Additional: false,
		Description: "a taxonomy made of the values that occur: prefixes of codes, units of dates, ranges of numbers",
		Properties: properties{
			{"prefix", list(&schema{Type: "integer", Minimum: &one})},
			{"date", list(&schema{Type: "string", Enum: engine.DateLevels})},
			{"ranges", list(&schema{Type: "number"})},
		},
	}
}

// treeSchema is of trees with their root as the only key.
func treeSchema() *schema {
	tree := &schema{Ref: "#/$defs/tree/$defs/node"}
	node := &schema{AnyOf: []*schema{
		{Type: "null"},
		{Type: "object", Additional: tree},
		{Type: "array", Items: &schema{AnyOf: []*schema{nameSchema(), {Type: "object", Additional: tree}}}},
	}}
	return &schema{
		Type: "object", MinProps: 1, MaxProps: 1, Additional: tree,
		Description: "a taxonomy tree: nested maps from a node to its children, with one root; a leaf is {}, null or an item of a list",
		Definitions: definitions{{"node", node}},
	}
}
