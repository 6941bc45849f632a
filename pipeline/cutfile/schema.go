package cutfile

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the embedded cut, of both kinds.
func Schema() []byte { return schema }
