package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
)

// Parts of the schema. Names may be what YAML takes for numbers.
const (
	pathSchema     = `{"type":"string","minLength":1}`
	nameSchema     = `{"type":["string","number","boolean"],"minLength":1}`
	taxonomySchema = `{"anyOf":[` + pathSchema + `,` + inlineSchema + `]}`
	inlineSchema   = `{"$ref":"#/$defs/generator"},{"$ref":"#/$defs/tree"}`
	nodeSchema     = `{"$ref":"#/$defs/tree/$defs/node"}`
	mapOfNodes     = `{"type":"object","additionalProperties":` + nodeSchema + `}`

	treeSchema = `{"description":"a taxonomy tree: nested maps from a node to its children, with one root; a leaf is {}, null or an item of a list",` +
		`"type":"object","additionalProperties":` + nodeSchema + `,"minProperties":1,"maxProperties":1,` +
		`"$defs":{"node":{"anyOf":[{"type":"null"},` + mapOfNodes + `,{"type":"array","items":{"anyOf":[` + nameSchema + `,` + mapOfNodes + `]}}]}}}`

	generatorSchema = `{"description":"a taxonomy made of the values that occur: prefixes of codes, units of dates, ranges of numbers",` +
		`"type":"object","properties":{` +
		`"prefix":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1},` +
		`"date":{"type":"array","items":{"type":"string","enum":%s},"minItems":1},` +
		`"ranges":{"type":"array","items":{"type":"number"},"minItems":1}},` +
		`"additionalProperties":false,"minProperties":1,"maxProperties":1}`
)

// Schema returns the JSON Schema (draft 2020-12) of the job file, for editors. It says
// less than Load checks: nothing of what the parts say of each other.
func Schema() []byte {
	text := `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"kcut job",` + objectSchema("")[1:]
	text = text[:len(text)-1] + `,"$defs":{"generator":` + fmt.Sprintf(generatorSchema, inJSON(engine.DateLevels)) + `,"tree":` + treeSchema + `}}`
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		panic(err) // the table is at fault
	}
	return append(b.Bytes(), '\n')
}

// inJSON returns texts as JSON, without escapes for HTML.
func inJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts have no other
	}
	return strings.TrimSpace(b.String())
}

// objectSchema returns the schema of a map with the fields under a prefix.
func objectSchema(prefix string) string {
	var properties, required []string
	for _, f := range fieldsUnder(prefix) {
		s := f.schema()
		s = `{"description":` + inJSON(f.plainDoc()) + `,` + s[1:]
		switch {
		case f.def != "" && f.number():
			s = s[:len(s)-1] + `,"default":` + f.def + `}`
		case f.def != "":
			s = s[:len(s)-1] + `,"default":` + inJSON(f.def) + `}`
		}
		properties = append(properties, inJSON(f.key())+":"+s)
		if f.required && f.excused == nil {
			required = append(required, f.key())
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if required != nil {
		s += `,"required":` + inJSON(required)
	}
	return s + `,"additionalProperties":false}`
}

// schema returns the schema of a field's values.
func (f *field) schema() string {
	form := kinds[f.kind].schema
	switch {
	case f.kind >= kindMap:
		object := objectSchema(f.prefix())
		if bare := bareField(f.prefix()); bare != nil {
			object = `{"anyOf":[` + bare.schema() + `,` + object + `]}`
		}
		return fmt.Sprintf(form, object)
	case len(f.enum) > 0:
		return `{"type":"string","enum":` + inJSON(f.enum) + `}`
	case f.kind == kindInteger && f.max > 0:
		return fmt.Sprintf(form+`,"maximum":%d}`, f.min, f.max)
	case f.kind == kindInteger:
		return fmt.Sprintf(form+"}", f.min)
	case f.kind == kindSize:
		return fmt.Sprintf(form, inJSON(f.pattern), minMemory)
	case f.pattern != "":
		return `{"type":"string","pattern":` + inJSON(f.pattern) + `}`
	}
	return form
}
